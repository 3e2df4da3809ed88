/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Other views of saved reports: grouped differently, only a part of them, or with names in another
 * style.  It is an error, which says so, if the files lack the facts that this needs.
 */
#ifndef SAVED_VIEW_H
#define SAVED_VIEW_H

#include "saved/saved.h"

enum saved_by {
	SAVED_BY_FILES, /* grouped as in the files */
	SAVED_BY_PID,
	SAVED_BY_TID,
	SAVED_BY_COMM,
	SAVED_BY_CGROUP,
	SAVED_BY_CPU,
	SAVED_BY_FILE, /* by saved_opts.label_files; saved_group() does nothing */
	SAVED_BY_NONE,
};

/* Group the stacks by less than before. */
int saved_group(struct saved *s, enum saved_by by, struct err *err);

/* Keep the rows of some tasks. */
struct saved_filter {
	char *const *comms; /* globs */
	size_t n_comms;
	const u32 *pids;
	size_t n_pids;
};

int saved_keep(struct saved *s, const struct saved_filter *filter, struct err *err);

/* Leave out the kernel's or the user's part of the stacks. */
int saved_drop_kernel(struct saved *s, struct err *err);
int saved_drop_user(struct saved *s, struct err *err);

/* Replace every name by make() of the symbol's name.  Returns the number of frames whose symbol's
 * name is in the files. */
size_t saved_rename(struct saved *s, void (*make)(void *ctx, const char *symbol, struct str *out),
		    void *ctx);

#endif
