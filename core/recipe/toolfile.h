/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Files of recipes.  A recipe says what root does: a file is read only if nobody but root and the
 * user can have written it, and the same is true of its folder.
 */
#ifndef RECIPE_TOOLFILE_H
#define RECIPE_TOOLFILE_H

#include "base/err.h"

struct tool_file {
	char *name, *file, *text; /* file: what errors call it.  Owned; NULL: there is none */
};

void tool_file_release(struct tool_file *f);

/* Is the word a path, by a slash or by .bperf at its end, rather than a name? */
bool tool_file_is_path(const char *word);

/* By its path; the folder may be one that only owners delete from, such as /tmp. */
int tool_file_load(const char *path, struct tool_file *file, struct err *err);

/* NAME.bperf in a folder: its path, for the caller to free; the file, or 0 and an empty *file. */
char *tool_file_path(const char *dir, const char *name);
int tool_file_find(const char *dir, const char *name, struct tool_file *file, struct err *err);

#endif
