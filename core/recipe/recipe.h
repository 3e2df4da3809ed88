/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Recipes: a tool as a text file (bperf help recipes).  recipe_read() turns the text into a struct
 * recipe; recipe_build() turns a recipe and the user's options into a command line of trace,
 * argdist or funccount.  Knows the format; must not know the language of probes, which the command
 * reads, nor the sites of this kernel.
 */
#ifndef RECIPE_RECIPE_H
#define RECIPE_RECIPE_H

#include "base/arena.h"
#include "base/mem.h"
#include "base/source.h"

#define RECIPE_OPTIONS_MAX 48
#define RECIPE_EXAMPLES	   5

enum recipe_run {
	RECIPE_TRACE,
	RECIPE_ARGDIST,
	RECIPE_FUNCCOUNT,
	RECIPE_N_RUNS
};

/* "trace", "argdist", "funccount". */
extern const char *const recipe_runs[RECIPE_N_RUNS];

/* The type of an option's argument, and the text that replaces ${name}. */
enum recipe_type {
	RECIPE_FLAG,	/* no argument; only conditions test it */
	RECIPE_TEXT,	/* "text", a string of the language */
	RECIPE_PART,	/* "*text*", for ~ */
	RECIPE_BELOW,	/* "text/" and a star, for ~: the files below a directory */
	RECIPE_NUMBER,	/* its digits; "1..64": in that range */
	RECIPE_NUMBERS, /* the digits of each: a line that has it is repeated for them */
	RECIPE_USERS,	/* the same of users, by number or name */
	RECIPE_CGROUPS, /* and the ids of cgroups, by path, glob or container */
	RECIPE_US,	/* a time in nanoseconds; a number without a unit is in this unit */
	RECIPE_MS,
	RECIPE_S,
	RECIPE_WORD,  /* unchanged: a piece of a probe */
	RECIPE_FLAGS, /* names of flags; if the option is given again, the names of all */
	RECIPE_DISK,  /* the disk's number in the kernel; given by name, path or MAJOR:MINOR */
	RECIPE_TTY,   /* the terminal's number; given by its path, or by N for /dev/pts/N */
	RECIPE_CHOICE,
};

struct recipe_option {
	struct text_range at;	 /* its line */
	char letter;		 /* 0: none */
	const char *name;	 /* "failed"; for a positional argument, its word in lower case */
	const char *second_name; /* as in another tool of this name; NULL: none */
	const char *arg;	 /* "PID"; NULL: it takes none */
	const char *help;
	const char *standard; /* the value when it is not given; NULL: none */
	const char **choices; /* NULL-terminated; RECIPE_CHOICE only */
	u64 least, most;      /* RECIPE_NUMBER */
	enum recipe_type type;
	bool is_positional;
	bool is_optional; /* positional: "[NAME:type]", or with a default value */
};

/* A letter for an option that the command already has, "letter -T --time", or another letter for an
 * option of a line above. */
struct recipe_letter {
	struct text_range at;
	char letter; /* 0: only the long name */
	const char *name;
};

struct recipe_example {
	const char *args, *what;
};

/* A line of the body: it applies if its condition holds. */
struct recipe_line {
	u32 word; /* row of the table of words (recipe_int.h) */
	struct text_range condition, rest;
};

struct recipe {
	struct arena arena;
	struct text text;
	const char *name, *file; /* "opensnoop"; the file's name in errors */
	const char *purpose, *group, *about, *overhead;
	const char *interval; /* the interval when none is given; NULL: one report at the end */
	struct text_range interval_at;
	enum recipe_run run;
	VEC(struct recipe_option) options;
	VEC(struct recipe_letter) letters;
	VEC(struct recipe_line) lines;
	struct recipe_example examples[RECIPE_EXAMPLES];
	u32 n_examples;
	bool has_run;
};

/*
 * Read a recipe.  `text` is borrowed and must outlive *out, which is released in any case.  Returns
 * -code with the file's name, the line and a caret.
 */
int recipe_read(const char *name, const char *file, const char *text, struct recipe *out,
		struct err *err);
void recipe_release(struct recipe *r);

/* The option of this name, which may be a positional argument; NULL: none. */
const struct recipe_option *recipe_option_find(const struct recipe *r, struct view name);

/* Check the user's value of an option, and convert it to the form from which ${name} is made; the
 * caller frees *out. */
int recipe_value(const struct recipe_option *o, const char *text, char **out, struct err *err);

struct recipe_host {
	/* Does the kernel have this site ("t:block:block_io_start", "k:vfs_read")? */
	bool (*has_site)(void *ctx, const char *site);
	void *ctx;
};

/* A part of a word: copied unchanged from the recipe, or an option's value. */
struct recipe_piece {
	u32 word, at, n;		    /* in words.items[word] */
	struct text_range from;		    /* in the recipe's text */
	const struct recipe_option *option; /* NULL: copied */
};

/* A site of a condition, and whether the kernel has it. */
struct recipe_site {
	char *name; /* owned */
	bool is_there;
};

struct recipe_words {
	VEC(char *) words; /* owned; words.items[0] is the command: the recipe's, or list */
	VEC(struct recipe_piece) pieces;
	VEC(struct recipe_site) sites;
	VEC(char *) modules; /* kernel modules that the recipe needs; owned */
};

/*
 * The command line of the recipe with `values`, one for each option in their order (NULL: not
 * given; a flag: "").  Returns -code with a caret into the file.
 */
int recipe_build(const struct recipe *r, char *const *values, const struct recipe_host *host,
		 struct recipe_words *out, struct err *err);
void recipe_words_release(struct recipe_words *w);

/* Explain an error about a missing site: by a module that the recipe needs and that is not loaded,
 * or with the other sites that its conditions did not find. */
void recipe_say_absent(const struct recipe_words *w, struct err *err);

/*
 * Make an error about a word that recipe_build() made one about what the person wrote: about an
 * option that was given, as it was typed, or about the file's line.  `typed` has the text given for
 * each option (NULL: none).  An error about anything else stays as it is.
 */
void recipe_point(const struct recipe *r, const struct recipe_words *w, const char *const *typed,
		  struct err *err);

/* Set an error about a position in the recipe.  Returns -code. */
int recipe_error(const struct recipe *r, struct text_range at, struct err *err, const char *fmt,
		 ...) PRINTF(4, 5);

#endif
