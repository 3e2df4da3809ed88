/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared by naming.c, naming_file.c, naming_life.c, naming_give.c and data.c. */
#ifndef SYM_NAMING_INT_H
#define SYM_NAMING_INT_H

#include "sym/resolve.h"
#include "sym/symbolizer_int.h"

/* A pending location. */
struct item {
	u32 id, owner;
	enum location_space space;
	u64 at, cost; /* cost: determines the order of owners */
};

/* The result of symbolizing a file or process. */
enum outcome {
	OUTCOME_DONE,	/* locations without a name will not get one */
	OUTCOME_LATER,	/* there was not enough time */
	OUTCOME_COSTLY, /* it exceeded its own budget */
};

/* The meter of one file or process, a part of the budget of how->meter. */
struct meter owner_meter(const struct naming *how);

/* The outcome: `ret` is the result of reading the file or process, -E2BIG if the helper found it
 * too costly. */
enum outcome outcome_of(const struct wants *w, int ret);

/* The wants of one owner's items that are still pending. */
void wants_from(const struct symbolizer *s, const struct item *items, size_t n, struct wants *w);

/*
 * Assign the names found to the frames; `out` decides what happens to frames without a name.
 * Returns it, or OUTCOME_COSTLY if the names themselves are too long to show.
 */
enum outcome wants_apply(struct symbolizer *s, const struct naming *how, const struct wants *w,
			 enum outcome out);

/* Write the note of a futex: `is_named` tells whether its file was read and has a symbol for it. */
void note_futex(struct symbolizer *s, u32 id, bool is_named);

/* Warn once about a file or process whose names cost too much. */
void say_costly(struct symbolizer *s, const char *whose, const char *why);

/* Remember that the helper hung on this mount. */
void mount_hung(struct remote_mount *mount);

/* Symbolize the items of one file. */
void name_file(struct symbolizer *s, const struct naming *how, const struct item *items, size_t n);

/* Symbolize the items of one process's code without a file. */
void name_life(struct symbolizer *s, const struct naming *how, const struct item *items, size_t n);

#endif
