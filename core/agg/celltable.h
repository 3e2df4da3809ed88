/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel's tables of cells, one pair per window: creates them, binds programs to them, reads
 * and empties them.  Only the users of this file know the meaning of keys and cells (agg.h).
 */
#ifndef AGG_CELLTABLE_H
#define AGG_CELLTABLE_H

#include "agg/rows.h"
#include "probe/probes.h"

struct cell_table_opts {
	u32 key_bytes; /* 0: no keys, but an array of n_cells for each CPU */
	u32 n_cells;
	u32 max_keys;
	struct cell_layout layout;
	bool is_shared; /* by all CPUs; else CPUs have their own, merged when they are read */
	/* Each report covers one window: events go to one of two halves while the other is read and
	 * emptied.  Otherwise there is one half, for all events since the start. */
	bool has_windows;
};

struct cell_half {
	int fd, other_fd; /* 0: none */
};

struct cell_table {
	struct cell_table_opts opts;
	struct cell_half halves[2]; /* by parity (bpf/abi/window.h); has_windows: two, else one */
	u64 n_read, n_reported; /* events: in this reading; in the window that was reported last */
	/* How many events a cell stands for. */
	u64 (*count)(const void *ctx, const u64 *cell);
	const void *ctx;
};

/* Create the maps of each half: one for the keys, and one with a single cell for keys that do not
 * fit.  `is_offline`: use placeholders for the descriptors, because nothing will be loaded. */
int cell_table_init(struct cell_table *t, const struct cell_table_opts *opts, bool is_offline,
		    struct err *err);
void cell_table_release(struct cell_table *t);

static inline u32 cell_table_bytes(const struct cell_table_opts *opts)
{
	return opts->layout.n_words * (u32)sizeof(u64);
}

/* Tell a program's plan into which maps it puts cells. */
void cell_table_bind(const struct cell_table *t, struct gen_plan *plan);

/* Receives a cell of the half that is read.  key: its bytes; without keys, the cell's number as a
 * u32; NULL: all keys that did not fit.  Key and cell are valid during the call only. */
typedef void (*cell_take)(void *ctx, const void *key, const u64 *cell);
int cell_table_read(struct cell_table *t, u32 half, cell_take take, void *ctx, struct err *err);

/* ---- windows ------------------------------------------------------------------------------ */

/* Switches the halves of all tables at each report, if each report covers one window. */
struct cell_windows {
	bool is_used;
	VEC(struct cell_table *) tables; /* all of the run; borrowed */
	bool has_old;			 /* `old` is the half that was reported last */
	u32 old;
	u64 since_ns;
	u64 n_late; /* events that reached their cell after it had been reported */
};

void cell_windows_release(struct cell_windows *w);

/*
 * A report begins: *half is the half of each table that must be read.  Unless this is a snapshot,
 * the window ends, and events go to the other half, which is empty.
 */
int cell_windows_begin(struct cell_windows *w, struct probes *p, bool is_snapshot, u32 *half,
		       struct err *err);
/* Call it when all tables have been read. */
void cell_windows_end(struct cell_windows *w, bool is_snapshot);

/* Call it from time to time: it empties the half that was reported, as soon as no program that
 * still writes to it can be running.  An error here will occur again when the next report
 * begins. */
void cell_windows_tidy(struct cell_windows *w, u64 now);

#endif
