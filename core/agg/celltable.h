/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Keys of the kernel's tables of cells: the expressions of --by, the tables themselves, which
 * keys were met and as what they are shown.  What is in a cell is for funccount's and argdist's
 * own files.
 */
#ifndef AGG_CELLTABLE_H
#define AGG_CELLTABLE_H

#include "base/index.h"
#include "event/value.h"
#include "probe/load.h"

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

/* "NAME=x" is NAME, "$comm" is comm, "args->len" is len; anything else is itself. */
const char *key_name(struct arena *a, const struct text *t, const struct ast *e);

/* ---- a table ------------------------------------------------------------------------------ */

#define KEY_OTHER UINT32_MAX /* what a key without room is called */

struct key_table_opts {
	u32 key_bytes; /* 0: one cell, without a key */
	u32 cell_bytes;
	u32 max_keys;
	bool is_shared; /* by all CPUs; else each has its own cells, added up when read */
	/* Reports are of a window each: events go to one of two halves while the other is read and
	 * emptied.  Else there is one half, of all since the start. */
	bool has_windows;
	/* Cells whose u64 i is an extreme: the greatest of all CPUs' counts.  NULL: none is. */
	bool (*is_extreme)(void *ctx, u32 i);
	/* How many events made a cell what it is. */
	u64 (*count)(void *ctx, const u64 *cell);
	void *ctx;
};

struct key_half {
	int fd, other_fd; /* 0: none */
};

struct key_table {
	struct key_table_opts opts;
	struct key_half halves[2]; /* by the window (bpf/abi/window.h); the second: has_windows */
	u64 n_read, n_reported;	   /* events: now, of the window that was reported last */
	u64 n_folded; /* events that were read and whose keys found no room: memory was full */
	u8 *keys;     /* those met, one after the other */
	u32 n, cap;
	struct index by_key;
};

/* The maps of each half: that of the keys, and one of a cell for those that it has no room for. */
int key_table_init(struct key_table *t, const struct key_table_opts *opts, struct err *err);
void key_table_release(struct key_table *t);

/* With descriptors that stand for none, where nothing will be loaded. */
void key_table_init_offline(struct key_table *t, const struct key_table_opts *opts);

/* Which maps a program puts cells into. */
void key_table_bind(const struct key_table *t, struct gen_plan *plan);

/* A key's number, which it keeps until key_table_forget; a new one's is the next, or KEY_OTHER
 * when memory is full. */
u32 key_table_number(struct key_table *t, const u8 *key);
void key_table_forget(struct key_table *t);

/* A key's bytes, by its number. */
static inline const u8 *key_table_key(const struct key_table *t, u32 id)
{
	return t->keys + (size_t)id * t->opts.key_bytes;
}

/*
 * All cells of a half: `take` gets each key's number (0 where there are no keys), or KEY_OTHER, and
 * its cell, added up over CPUs.  Nobody takes keys out of it meanwhile: none is met twice or left
 * out for another's sake.
 */
typedef void (*key_take)(void *ctx, u32 id, const u64 *cell);
int key_table_read(struct key_table *t, u32 half, key_take take, void *ctx, struct err *err);

/* ---- windows ------------------------------------------------------------------------------ */

/* What reports are of: a window each, or all since the start. */
struct key_windows {
	bool is_used;
	VEC(struct key_table *) tables; /* all of the run; borrowed */
	bool has_old;			/* `old` holds what was reported last */
	u32 old;
	u64 since_ns;
	u64 n_folded; /* events of reported windows whose keys found no room */
	u64 n_late;   /* events that came into their cell when it had been reported */
};

void key_windows_release(struct key_windows *w);

/*
 * A report begins: keys are numbered anew, and *half is the one to read of each table.  Its window
 * ends, unless this is a snapshot; events go to the other half, which is empty.
 */
int key_windows_begin(struct key_windows *w, struct probes *p, bool is_snapshot, u32 *half,
		      struct err *err);
/* All tables are read. */
void key_windows_end(struct key_windows *w, bool is_snapshot);
/* Events of the last reading whose keys found no room, because memory was full. */
u64 key_windows_folded(const struct key_windows *w);

/* From time to time: empty what was reported, once it is so long ago that no program is left that
 * puts something into it.  What fails here fails again when the next report begins. */
void key_windows_tidy(struct key_windows *w, u64 now);

/* In the ledger, and in words. */
struct ledger;
void key_windows_ledger(const struct key_windows *w, struct ledger *l);

/* One part of a key, in the arena. */
const char *key_text(struct show_env *show, struct arena *a, const struct shown *part);

#endif
