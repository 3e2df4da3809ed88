/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the parts of naming share (naming.c, naming_file.c, naming_life.c, naming_give.c). */
#ifndef SYM_NAMING_INT_H
#define SYM_NAMING_INT_H

#include "sym/resolve.h"
#include "sym/symbolizer_int.h"

/* A pending location. */
struct item {
	u32 id, owner;
	enum space space;
	u64 at, cost; /* cost: what orders owners */
};

/* What became of a file or process whose names were looked for. */
enum outcome {
	OUTCOME_DONE,	/* what has no name gets none */
	OUTCOME_LATER,	/* no time was left for it */
	OUTCOME_COSTLY, /* it alone took more than it may */
};

/* What one file or process may cost, as a part of what how->meter allows. */
struct meter owner_meter(const struct naming *how);

/* What became of it: `ret` is what reading it returned, -E2BIG when the helper found it costly. */
enum outcome outcome_of(const struct wants *w, int ret);

/* The wants of one owner's items that are still pending. */
void wants_from(const struct symbolizer *s, const struct item *items, size_t n, struct wants *w);

/*
 * Give the names found to the frames; `out` says what becomes of those without.  Returns it, or
 * OUTCOME_COSTLY when the names themselves are too much to show.
 */
enum outcome wants_apply(struct symbolizer *s, const struct naming *how, const struct wants *w,
			 enum outcome out);

/* Warn once about a file or process whose names cost too much. */
void say_costly(struct symbolizer *s, const char *whose, const char *why);

/* The helper did not come back from there. */
void mount_hung(struct remote_mount *mount);

/* Name the items of one file. */
void name_file(struct symbolizer *s, const struct naming *how, const struct item *items, size_t n);

/* Name the items of one process's code without a file. */
void name_life(struct symbolizer *s, const struct naming *how, const struct item *items, size_t n);

#endif
