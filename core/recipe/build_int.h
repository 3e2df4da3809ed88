/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * From a recipe to a command line: the lines that apply, sorted by probe (build.c), and the words
 * of each command (words.c), with options filled in (fill.c).
 */
#ifndef RECIPE_BUILD_INT_H
#define RECIPE_BUILD_INT_H

#include "base/cleanup.h"
#include "base/str.h"
#include "recipe/recipe_int.h"

struct named {
	struct text_range name, rest; /* rest.n == 0: nothing */
};

/* The lines about one probe, or, before the first probe, about all. */
struct part {
	struct text_range site, type, label, value;
	enum body_word kind; /* HISTOGRAM, COUNT, STATS; BODY_N_WORDS: not specified */
	VEC(struct text_range) wheres;
	VEC(struct text_range) by;
	VEC(struct named) columns;
	VEC(struct named) lets;
};

struct build {
	const struct recipe *r;
	char **values; /* one for each option: as given, or the default; owned */
	const struct recipe_host *host;
	struct recipe_words *out;
	struct str word;	/* the word that is being built */
	u32 number;		/* index in the list of numbers that a condition is repeated for */
	bool is_raw;		/* texts are filled in without quotes */
	VEC(struct part) parts; /* parts.items[0]: all probes */
	VEC(struct text_range) with;
	struct text_range list; /* n == 0: not given */
	VEC(struct named) derive;
	VEC(struct text_range) modules;
};

/* ---- fill.c ---- */

/* Does a line with this condition apply? */
bool build_holds(const struct build *b, struct text_range condition);
void build_put(struct build *b, const char *text);
/* How many times a condition is repeated: once for each number of a list that it has. */
u32 build_n_fills(const struct build *b, struct text_range at);
/* Append a part of the recipe, with ${} filled in. */
int build_fill(struct build *b, struct text_range at, struct err *err);
/* End the current word. */
void build_end(struct build *b);
void build_word(struct build *b, const char *text);

/* ---- words.c ---- */

/* All words after the command's name. */
int build_words(struct build *b, struct err *err);

#endif
