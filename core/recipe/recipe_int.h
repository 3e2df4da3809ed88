/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Private to core/recipe: the words that begin a line. */
#ifndef RECIPE_RECIPE_INT_H
#define RECIPE_RECIPE_INT_H

#include "recipe/recipe.h"

/* Words of the body, whose lines may have conditions; build.c defines their effects. */
enum body_word {
	BODY_PROBE,
	BODY_WHERE,
	BODY_COLUMN,
	BODY_LET,
	BODY_HISTOGRAM,
	BODY_COUNT,
	BODY_STATS,
	BODY_TYPE,
	BODY_LABEL,
	BODY_BY,
	BODY_DERIVE,
	BODY_WITH,
	BODY_LIST,
	BODY_MODULE,
	BODY_N_WORDS,
};

#define RUN_BIT(run) (1U << RECIPE_##run)

struct body_row {
	const char *word;
	const char *form; /* for messages */
	u32 runs;	  /* RUN_BITs of the commands that accept it */
};

extern const struct body_row body_rows[BODY_N_WORDS];

/* Take the first word, and the blanks after it, off *rest; n == 0: none is left. */
struct text_range recipe_word(const struct text *t, struct text_range *rest);

/* Is ${name} replaced by a string of the language? */
static inline bool recipe_is_literal(enum recipe_type type)
{
	return type == RECIPE_TEXT || type == RECIPE_PART || type == RECIPE_BELOW;
}

/* Is ${name} one number of several? */
static inline bool recipe_is_list(enum recipe_type type)
{
	return type == RECIPE_NUMBERS || type == RECIPE_USERS || type == RECIPE_CGROUPS;
}

/* "-x --failed MS:ms=10 - help" */
int recipe_read_option(struct recipe *r, struct text_range rest, bool is_positional,
		       struct err *err);
int recipe_read_letter(struct recipe *r, struct text_range rest, struct err *err);

/* "--failed", "MIN_MS": as messages name an option. */
#define RECIPE_TITLE 64
void recipe_title(const struct recipe_option *o, char room[RECIPE_TITLE]);

/* The kernel's number of a disk or a terminal, in decimal; the caller frees *out. */
int recipe_disk(const char *text, const char *what, char **out, struct err *err);
int recipe_tty(const char *text, const char *what, char **out, struct err *err);

/* The ids of users and of cgroups, in decimal, separated by commas; the caller frees *out. */
int recipe_users(const char *text, char **out, struct err *err);
int recipe_cgroups(const char *text, char **out, struct err *err);

/* Check that all names in conditions and in ${} are those of options. */
int recipe_check(const struct recipe *r, struct err *err);

/* The "${name}" that begins at or after `at`: its span, and that of the name; false: none before
 * `end`. */
bool recipe_next_blank(const struct text *t, u32 at, u32 end, struct text_range *whole,
		       struct text_range *name);

/* One term of a condition.  recipe_next_term() takes it off *rest. */
struct term {
	struct text_range at; /* the term */
	struct view name;     /* option or site, without ! and =value */
	struct view value;    /* name=value; n == 0: not given */
	bool is_not, is_else, is_site;
};

bool recipe_next_term(const struct text *t, struct text_range *rest, struct term *out);

#endif
