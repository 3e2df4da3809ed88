/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Keys of the kernel's tables of cells: the expressions of --by, the tables themselves, which
 * keys were met and as what they are shown.  What is in a cell is for funccount's and argdist's
 * own files.
 */
#ifndef CMD_KEYS_H
#define CMD_KEYS_H

#include "base/index.h"
#include "cmd/probe.h"
#include "cmd/show.h"

/* ---- --by --------------------------------------------------------------------------------- */

/* Expressions apart by commas, as typed. */
struct key_exprs {
	struct text text; /* what spans are of */
	struct ast **exprs;
	const char **names; /* "$comm" is comm */
	u32 n;
};

int key_exprs_parse(struct arena *a, const char *words, u32 max, struct key_exprs *out,
		    struct err *err);

/* "$comm" is comm, "args->len" is len; anything else is itself. */
const char *key_name(struct arena *a, const struct text *t, struct span at);

/* ---- a table ------------------------------------------------------------------------------ */

#define KEY_OTHER UINT32_MAX /* what a key without room is called */

struct key_table_opts {
	u32 key_bytes; /* 0: one cell, without a key */
	u32 cell_bytes;
	u32 max_keys;
	bool is_shared; /* by all CPUs; else each has its own cells, added up when read */
	/* Cells whose u64 i is an extreme: the greatest of all CPUs' counts.  NULL: none is. */
	bool (*is_extreme)(void *ctx, u32 i);
	void *ctx;
};

struct key_table {
	struct key_table_opts opts;
	int fd, other_fd; /* -1: none */
	u8 *keys;	  /* those met, one after the other */
	u32 n, cap;
	struct index by_key;
};

/* The maps: that of the keys, and one of a cell for those that it has no room for. */
int key_table_init(struct key_table *t, const struct key_table_opts *opts, struct err *err);
void key_table_release(struct key_table *t);

/* With `fd` and `other_fd` (gen.h) -1, where nothing will be loaded. */
void key_table_init_offline(struct key_table *t, const struct key_table_opts *opts);

/* A key's number, which it keeps; a new one's is the next. */
u32 key_table_number(struct key_table *t, const u8 *key);

/* A key's bytes, by its number. */
static inline const u8 *key_table_key(const struct key_table *t, u32 id)
{
	return t->keys + (size_t)id * t->opts.key_bytes;
}

/*
 * All cells: `take` gets each key's number, which it keeps from report to report (0 where there
 * are no keys), or KEY_OTHER, and its cell, added up over CPUs.  Keys are never taken out of the
 * kernel's table: none is met twice or left out for another's sake.
 */
typedef void (*key_take)(void *ctx, u32 id, const u64 *cell);
int key_table_read(struct key_table *t, key_take take, void *ctx, struct err *err);

/* One part of a key, in the arena. */
const char *key_text(struct show_env *show, struct arena *a, const struct shown *part);

#endif
