/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Tools that are recipes (core/recipe): those built into the binary, and the user's own. */
#ifndef CMD_TOOLBOX_H
#define CMD_TOOLBOX_H

#include "base/err.h"
#include "base/str.h"
#include "cmd/command.h"
#include "recipe/toolfile.h"

/* The built-in tools, in the order of their names. */
size_t toolbox_size(void);
const char *toolbox_name(size_t i);
bool toolbox_has(const char *name);

/*
 * Find the recipe that a word means: a path (with a slash, or ending in .bperf), a built-in tool,
 * or a file NAME.bperf in `dir` (NULL: none).  Returns 0, with file->name NULL if there is none;
 * -code if another user could have written the file, or if its name is taken.
 */
int toolbox_find(const char *word, const char *dir, struct tool_file *file, struct err *err);

/* Returns -code if a file in `dir` has the name of a command, since it would never run. */
int toolbox_check(const char *command, const char *dir, struct err *err);

/* Returns -code if the files of `dir` (NULL: none) cannot be listed. */
int toolbox_check_dir(const char *dir, struct err *err);

/* The built-in tool whose name is near the word, unless `other` (may be NULL) is as near. */
const char *toolbox_nearest(const char *word, const char *other);

/* The variable that names the folder of the user's own tools; NULL: it is not set. */
const char *toolbox_own_dir(void);

/* `bperf --list`, after the commands: each group with its tools, and those in `dir` (NULL: none).
 */
void toolbox_list(const char *dir, FILE *f);

/* ---- cmd/tool.c ---- */

/* Run the command of a recipe with all its words; argv[0] is its name. */
int toolbox_run(const struct tool_file *file, int argc, char **argv, int *status, struct err *err);
/* The rows for `bperf __options`. */
int toolbox_options(const struct tool_file *file, struct err *err);
/* Candidates for the last of the words after the tool's name. */
void toolbox_complete(const struct tool_file *file, char *const *words, size_t n_words, FILE *f);
/* The manual page, as roff. */
int toolbox_page(const struct tool_file *file, struct str *out, struct err *err);

#endif
