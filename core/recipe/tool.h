/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A recipe as a command: its table of options, what describes it, and the command line that it
 * becomes with what the user gave.  Knows options; must not know which commands there are.
 */
#ifndef RECIPE_TOOL_H
#define RECIPE_TOOL_H

#include <stdio.h>

#include "base/str.h"
#include "opt/opt.h"
#include "recipe/recipe.h"
#include "recipe/toolfile.h"

/* Options that recipes have or may have beside their own. */
struct tool_tables {
	const struct opt *commands[RECIPE_N_RUNS]; /* options of the command it becomes */
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
	size_t passed;			    /* from this row on they are the command's own */
	size_t show, n_slots;
	struct arena texts;
};

/* Read the recipe, make its table.  `file` and `tables` are borrowed; release *t in any case. */
int tool_open(struct tool *t, const struct tool_file *file, const struct tool_tables *tables,
	      struct err *err);
void tool_release(struct tool *t);

/* "[options] [interval [count]] [-- program]", and a paragraph; t's. */
const char *tool_usage(struct tool *t);
const char *tool_about(struct tool *t);

/* The command line that it becomes, once its options were parsed into t->slots.  -code with a caret
 * into the file, or about what the user gave. */
int tool_words(struct tool *t, const struct opt_rest *rest, const struct recipe_host *host,
	       struct recipe_words *out, struct err *err);

/* Was --show given? */
bool tool_is_shown(const struct tool *t);
/* Print only the recipe, if an argument was not given without which there is no command.  false:
 * all are there, and nothing was printed. */
bool tool_show_alone(const struct tool *t, const struct opt_rest *rest, FILE *f);
/* The recipe, and the command line as a shell takes it. */
void tool_show(const struct tool *t, const struct recipe_words *w, FILE *f);

/* The manual page, as roff. */
void tool_page(struct tool *t, struct str *out);

#endif
