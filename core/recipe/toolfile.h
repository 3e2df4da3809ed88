/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Files of recipes.  Root executes what a recipe says: a file is read only if it and its directory
 * are writable by no one but root and the user.
 */
#ifndef RECIPE_TOOLFILE_H
#define RECIPE_TOOLFILE_H

#include "base/err.h"

struct tool_file {
	/* command: the word after bperf that runs it, a name or a path; file: its name in errors.
	 * Owned; NULL: there is none. */
	char *name, *command, *file, *text;
};

void tool_file_release(struct tool_file *f);

/* Is the word a path, with a slash or with .bperf at its end, rather than a name? */
bool tool_file_is_path(const char *word);

/* Load a file by its path; its directory may be one in which only owners can delete files, such as
 * /tmp. */
int tool_file_load(const char *path, struct tool_file *file, struct err *err);

/* Returns the path of NAME.bperf in a directory; the caller frees it.  tool_file_find loads the
 * file; if there is none, it returns 0 and an empty *file. */
char *tool_file_path(const char *dir, const char *name);
int tool_file_find(const char *dir, const char *name, struct tool_file *file, struct err *err);

/* Call `take` with the NAME of each NAME.bperf in a directory (NULL: none), in alphabetical order.
 * Names that a shell would have to quote are left out.  Returns -errno if it cannot be read. */
int tool_file_names(const char *dir, void (*take)(void *ctx, const char *name), void *ctx);

#endif
