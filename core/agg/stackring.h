/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Stacks that are keys: their frames come through the ring once, and stay with their identity.
 * Knows the ring and the store; must not know cells.
 */
#ifndef AGG_STACKRING_H
#define AGG_STACKRING_H

#include "agg/rows.h"
#include "probe/copies.h"
#include "probe/run.h"
#include "probe/trim.h"
#include "stack/renew.h"
#include "stack/store.h"

struct dist_stacks {
	struct proberun *run;
	struct store store;
	struct own_frames own;
	struct copies copies;
	u32 max_frames;
	u64 names_until_ns; /* a report's names are looked up until then; 0: as long as it takes */
	struct renewal renewal;
	bool may_forget; /* no id lasts longer than its window's cells */
	u64 n_bad;	 /* records that were not understood */
	bool is_nice_usual;
};

/* Programs are loaded, not attached. */
int dist_stacks_open(struct dist_stacks *s, struct proberun *run, struct err *err);
void dist_stacks_release(struct dist_stacks *s);

/* Before other threads, so that none is lost, as it does from opening on; or when its turn comes.
 */
void stackring_set_urgent(const struct dist_stacks *s, bool is_urgent);

/* The leaf nodes of a stack; of one that was lost on its way, a note. */
struct agg_nodes dist_stacks_find(struct dist_stacks *s, const u64 id[2]);
/* There was no room for this stack: it is below [other stacks], or [stack store full]. */
bool dist_stacks_is_folded(struct dist_stacks *s, const u64 id[2]);
/* A note that stands for a stack. */
struct agg_nodes dist_stacks_note(struct dist_stacks *s, const char *note);

/* Frames and nodes of what was found before. */
void dist_stacks_end_report(struct dist_stacks *s, struct report *out);

/* After a report of a window, when it is printed: forget stacks that have not been met lately. */
void dist_stacks_forget(struct dist_stacks *s);

#endif
