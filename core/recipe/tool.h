/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A recipe as a command: its table of options, its description, and the command line that it
 * becomes with the user's options.  Knows options; must not know which commands exist.
 */
#ifndef RECIPE_TOOL_H
#define RECIPE_TOOL_H

#include <stdio.h>

#include "base/str.h"
#include "opt/opt.h"
#include "recipe/recipe.h"
#include "recipe/toolfile.h"

/* Options that recipes have, or may have, in addition to their own. */
struct tool_tables {
	const struct opt *commands[RECIPE_N_RUNS]; /* options of the command that it becomes */
	const struct opt *const *shared; /* options that all commands have; ends with NULL */
};

/* The words given for an option: none, one, or, if it may be repeated, several. */
struct tool_slot {
	VEC(const char *) texts;
};

struct tool {
	const struct tool_file *file;
	struct recipe recipe;
	const char *run;	 /* "trace": the command it becomes */
	const struct opt *table; /* that command's */
	VEC(struct opt) opts;	 /* row i's slot is slots[i] */
	struct tool_slot *slots;
	size_t slot_of[RECIPE_OPTIONS_MAX]; /* by option of the recipe */
	size_t passed;			    /* from this row on, options belong to the command */
	size_t show, n_slots;
	struct arena texts;
};

/* Read the recipe, and make its table of options.  `file` and `tables` are borrowed; release *t in
 * any case. */
int tool_open(struct tool *t, const struct tool_file *file, const struct tool_tables *tables,
	      struct err *err);
void tool_release(struct tool *t);

/* "[options] [interval [count]] [-- program]", and a paragraph; owned by t. */
const char *tool_usage(struct tool *t);
const char *tool_about(struct tool *t);

/* The command line that it becomes, once its options were parsed into t->slots.  Returns -code with
 * a caret into the file, or an error about the user's options. */
int tool_words(struct tool *t, const struct opt_rest *rest, const struct recipe_host *host,
	       struct recipe_words *out, struct err *err);

/* Make an error of the command into one about the options that were given, or about the file. */
void tool_point(const struct tool *t, const struct recipe_words *w, struct err *err);

/* Was --show given? */
bool tool_is_shown(const struct tool *t);
/* Print only the recipe if a required argument is missing, without which there is no command line.
 * false: no argument is missing, and nothing was printed. */
bool tool_show_alone(const struct tool *t, const struct opt_rest *rest, FILE *f);
/* Print the recipe, and the command line with shell quoting. */
void tool_show(const struct tool *t, const struct recipe_words *w, FILE *f);

/* Write the manual page as roff. */
void tool_page(struct tool *t, struct str *out);

#endif
