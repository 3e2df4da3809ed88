/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel's tables of cells, one pair per window: create them, give them to programs, read and
 * empty them.  Keys and cells have a meaning only to the users of this file (agg.h).
 */
#ifndef AGG_CELLTABLE_H
#define AGG_CELLTABLE_H

#include "agg/rows.h"
#include "probe/load.h"

struct cell_table_opts {
	u32 key_bytes; /* 0: no keys, but an array of n_cells, each CPU with its own */
	u32 n_cells;
	u32 max_keys;
	struct cell_layout layout;
	bool is_shared; /* by all CPUs; else each has its own cells, put together when read */
	/* Reports are of a window each: events go to one of two halves while the other is read and
	 * emptied.  Else there is one half, of all since the start. */
	bool has_windows;
};

struct cell_half {
	int fd, other_fd; /* 0: none */
};

struct cell_table {
	struct cell_table_opts opts;
	struct cell_half halves[2]; /* by the window (bpf/abi/window.h); the second: has_windows */
	u64 n_read, n_reported;	    /* events: now, of the window that was reported last */
	/* How many events made a cell what it is. */
	u64 (*count)(const void *ctx, const u64 *cell);
	const void *ctx;
};

/* The maps of each half: that of the keys, and one of a cell for those that it has no room for.
 * `is_offline`: descriptors that stand for none, where nothing will be loaded. */
int cell_table_init(struct cell_table *t, const struct cell_table_opts *opts, bool is_offline,
		    struct err *err);
void cell_table_release(struct cell_table *t);

static inline u32 cell_table_bytes(const struct cell_table_opts *opts)
{
	return opts->layout.n_words * (u32)sizeof(u64);
}

/* Which maps a program puts cells into. */
void cell_table_bind(const struct cell_table *t, struct gen_plan *plan);

/* A cell of the half that is read.  key: its bytes; without keys a u32, the number of the cell;
 * NULL: all keys without room.  Key and cell are valid during the call only. */
typedef void (*cell_take)(void *ctx, const void *key, const u64 *cell);
int cell_table_read(struct cell_table *t, u32 half, cell_take take, void *ctx, struct err *err);

/* ---- windows ------------------------------------------------------------------------------ */

/* Reports cover a window each, or all since the start. */
struct cell_windows {
	bool is_used;
	VEC(struct cell_table *) tables; /* all of the run; borrowed */
	bool has_old;			 /* `old` holds what was reported last */
	u32 old;
	u64 since_ns;
	u64 n_late; /* events that came into their cell when it had been reported */
};

void cell_windows_release(struct cell_windows *w);

/*
 * A report begins: *half is the one to read of each table.  Its window ends, unless this is a
 * snapshot; events go to the other half, which is empty.
 */
int cell_windows_begin(struct cell_windows *w, struct probes *p, bool is_snapshot, u32 *half,
		       struct err *err);
/* All tables are read. */
void cell_windows_end(struct cell_windows *w, bool is_snapshot);

/* To be called now and then: empty the half that was reported, as soon as no program that still
 * writes to it can be running.  An error here will show again when the next report begins. */
void cell_windows_tidy(struct cell_windows *w, u64 now);

#endif
