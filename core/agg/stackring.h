/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Stacks that are keys: their frames come through the ring once, and are stored under their id.
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
	u64 names_until_ns; /* deadline for looking up a report's names; 0: none */
	struct renewal renewal;
	bool may_forget;    /* no id is used for longer than its window's cells */
	u64 n_bad;	    /* broken records */
	bool is_nice_usual; /* the user has set no priority, so that it may be changed */
};

/* Call it when programs are loaded, but not attached. */
int dist_stacks_open(struct dist_stacks *s, struct proberun *run, struct err *err);
void dist_stacks_release(struct dist_stacks *s);

/* Give this thread priority over all others, so that no record is lost (as after
 * dist_stacks_open()), or its normal priority.  Nothing changes if the user has set a priority. */
void stackring_set_urgent(const struct dist_stacks *s, bool is_urgent);

/* The leaf nodes of a stack; if the stack was lost on its way, those of a note. */
struct agg_nodes dist_stacks_find(struct dist_stacks *s, const u64 id[2]);
/* True if the stack did not fit, and is below [other stacks] or [stack store full]. */
bool dist_stacks_is_folded(struct dist_stacks *s, const u64 id[2]);
/* The nodes of a note that replaces a stack. */
struct agg_nodes dist_stacks_note(struct dist_stacks *s, const char *note);

/* Fill in the frames and nodes of the stacks that were found for this report. */
void dist_stacks_end_report(struct dist_stacks *s, struct report *out);

/* Call it when the report of a window has been printed: it forgets stacks that have not been met
 * lately. */
void dist_stacks_forget(struct dist_stacks *s);

#endif
