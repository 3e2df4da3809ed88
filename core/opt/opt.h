/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Parse argv into a conf struct by const tables on top of argp (silenced: no abbreviations, and all
 * messages are ours).  The same tables generate --help and shell completion and check the man pages
 * and README.  Rows hold offsets, not addresses: there is no global `env`.
 */
#ifndef OPT_OPT_H
#define OPT_OPT_H

#include <stdio.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/types.h"

enum opt_kind {
	OPT_KIND_FLAG,	   /* bool: set to true */
	OPT_KIND_COUNT,	   /* u32: incremented each time (-vv) */
	OPT_KIND_STRING,   /* const char *: borrowed from argv */
	OPT_KIND_STRINGS,  /* struct opt_strings: appended each time */
	OPT_KIND_U32,	   /* u32 in [min, max] */
	OPT_KIND_U64,	   /* u64 in [min, max] */
	OPT_KIND_DURATION, /* u64 nanoseconds in [min, max]; a bare number is in `unit_ns` */
	OPT_KIND_CHOICE,   /* u32: index into choices */
	OPT_KIND_CALL,	   /* parse(conf + offset, text, err); text is NULL when `arg` is */
	OPT_KIND_LETTER,   /* another letter for the option `name` of an included table */
	OPT_KIND_HEADING,  /* the title of a group in --help */
	OPT_KIND_INCLUDE,  /* another table, its struct at `offset` */
	OPT_KIND_HELP,	   /* -h and -V, added to every table by the parser */
	OPT_KIND_VERSION,
	OPT_KIND_END,
};

struct opt_strings {
	VEC(char *) v; /* the list is owned, the strings are borrowed from argv */
};

void opt_strings_release(struct opt_strings *s);
/* A NULL-terminated array of the strings and `last`, which the caller frees; NULL when there are no
 * strings. */
const char **opt_strings_list(const struct opt_strings *s, const char *last);

/* The kind of candidates that a shell offers for the argument. */
enum opt_complete {
	COMPLETE_NONE,
	COMPLETE_FILE,
	COMPLETE_DIR,
	COMPLETE_PID, /* pids with their comm */
	COMPLETE_TID,
	COMPLETE_COMM,
	COMPLETE_CGROUP,
	COMPLETE_USER,
	COMPLETE_CPU,
	COMPLETE_CHOICE, /* the row's choices; implied by OPT_KIND_CHOICE */
	COMPLETE_EVENT,
	COMPLETE_FORMAT,
	COMPLETE_WORD, /* as the command's other words */
};

struct opt {
	enum opt_kind kind;
	char letter;	  /* 0: none */
	const char *name; /* long name, NULL: none */
	const char *second_name;
	const char *arg; /* "PID,..."; NULL: no argument */
	const char *help;
	size_t offset;
	u64 min, max, unit_ns;
	const char *const *choices; /* NULL-terminated; for kinds other than CHOICE: candidates for
				       completion */
	int (*parse)(void *field, const char *text, struct err *err);
	const struct opt *include;
	enum opt_complete complete;
	bool is_hidden;
	bool is_repeatable; /* OPT_KIND_CALL: can be given again, and adds to the value */
	const char
		*conflicts; /* options that exclude this one, as letters or long names: "K tid" */
};

/* offsetof, with a compile error when the field is not of type T. */
#define OPT_FIELD(S, field, T) \
	(offsetof(S, field) + 0 * sizeof(char[_Generic(((S *)0)->field, T : 1)]))

#define OPT_FLAG(l, n, S, f, h, ...)                                        \
	{                                                                   \
		.kind = OPT_KIND_FLAG, .letter = (l), .name = (n),          \
		.offset = OPT_FIELD(S, f, bool), .help = (h), ##__VA_ARGS__ \
	}
#define OPT_STRING(l, n, S, f, a, h, ...)                                                     \
	{                                                                                     \
		.kind = OPT_KIND_STRING, .letter = (l), .name = (n), .arg = (a), .help = (h), \
		.offset = OPT_FIELD(S, f, const char *), ##__VA_ARGS__                        \
	}
#define OPT_STRINGS(l, n, S, f, a, h, ...)                                                     \
	{                                                                                      \
		.kind = OPT_KIND_STRINGS, .letter = (l), .name = (n), .arg = (a), .help = (h), \
		.offset = OPT_FIELD(S, f, struct opt_strings), ##__VA_ARGS__                   \
	}
#define OPT_U32(l, n, S, f, lo, hi, a, h, ...)                                             \
	{                                                                                  \
		.kind = OPT_KIND_U32, .letter = (l), .name = (n), .arg = (a), .help = (h), \
		.min = (lo), .max = (hi), .offset = OPT_FIELD(S, f, u32), ##__VA_ARGS__    \
	}
#define OPT_U64(l, n, S, f, lo, hi, a, h, ...)                                             \
	{                                                                                  \
		.kind = OPT_KIND_U64, .letter = (l), .name = (n), .arg = (a), .help = (h), \
		.min = (lo), .max = (hi), .offset = OPT_FIELD(S, f, u64), ##__VA_ARGS__    \
	}
#define OPT_DURATION(l, n, S, f, unit, lo, hi, a, h, ...)                                       \
	{                                                                                       \
		.kind = OPT_KIND_DURATION, .letter = (l), .name = (n), .arg = (a), .help = (h), \
		.unit_ns = (unit), .min = (lo), .max = (hi), .offset = OPT_FIELD(S, f, u64),    \
		##__VA_ARGS__                                                                   \
	}
#define OPT_CHOICE(l, n, S, f, c, a, h, ...)                                                  \
	{                                                                                     \
		.kind = OPT_KIND_CHOICE, .letter = (l), .name = (n), .arg = (a), .help = (h), \
		.choices = (c), .complete = COMPLETE_CHOICE, .offset = OPT_FIELD(S, f, u32),  \
		##__VA_ARGS__                                                                 \
	}
#define OPT_CALL(l, n, S, f, fn, a, h, ...)                                                 \
	{                                                                                   \
		.kind = OPT_KIND_CALL, .letter = (l), .name = (n), .arg = (a), .help = (h), \
		.offset = offsetof(S, f), .parse = (fn), ##__VA_ARGS__                      \
	}
#define OPT_COUNT(l, n, S, f, h)                                    \
	{                                                           \
		.kind = OPT_KIND_COUNT, .letter = (l), .name = (n), \
		.offset = OPT_FIELD(S, f, u32), .help = (h)         \
	}
/* Shared tables have only long names, because bcc's letters differ by command: OPT_LETTER('p',
 * "pid") makes -p an alias of --pid here. */
#define OPT_LETTER(l, n)                                            \
	{                                                           \
		.kind = OPT_KIND_LETTER, .letter = (l), .name = (n) \
	}
#define OPT_HEADING(h)                                \
	{                                             \
		.kind = OPT_KIND_HEADING, .help = (h) \
	}
#define OPT_INCLUDE(S, f, table)                                                       \
	{                                                                              \
		.kind = OPT_KIND_INCLUDE, .offset = offsetof(S, f), .include = (table) \
	}
#define OPT_END                      \
	{                            \
		.kind = OPT_KIND_END \
	}

/* The words of a command line that are not options. */
struct opt_rest {
	char **args; /* positional words, in order */
	size_t n_args;
	char **program; /* after "--": a command to run, NULL-terminated; NULL: none */
	bool has_dashes;
};

/* A request that replaces the run. */
enum opt_ask {
	OPT_ASK_NOTHING,
	OPT_ASK_HELP,	 /* -h, --help */
	OPT_ASK_VERSION, /* -V, --version */
};

/*
 * Parse argv[1..] into conf, which holds the defaults.  Options and positional words can be mixed;
 * everything after "--" is the program to run.  Unknown options get "did you mean".  -h and -V are
 * left to the caller: they set *ask, and the words after them are not read.  Messages start with
 * the option as it was typed.  The caller releases rest.
 */
int opt_parse(const struct opt *table, void *conf, int argc, char **argv, struct opt_rest *rest,
	      enum opt_ask *ask, struct err *err);

void opt_rest_release(struct opt_rest *rest);

/*
 * Parse the positional words as `[interval [count]]`; anything else is a usage error that explains
 * "--".  Values that are not given keep the caller's defaults: a stack command sets *count to 1
 * (one report, then exit: bcc's duration), others to 0 (repeat until stopped).
 */
int opt_interval(const struct opt_rest *rest, u64 *interval_ns, u64 *count, struct err *err);

/* Refuse positional words, for commands that have none. */
int opt_no_words(const struct opt_rest *rest, struct err *err);

/* Print the options by group, as in --help, at most 79 columns wide. */
void opt_help(const struct opt *table, FILE *f);

/* Print a text in lines of at most 79 columns.  The first line starts at `column`, and the others
 * are indented to it.  Newlines in the text are kept. */
void opt_wrap(const char *text, size_t column, FILE *f);

/* Print one line per option for completers and tests: "--name\tARG-or-empty\tkind\tletters\thelp",
 * with "-x" as the name when there is no long one. */
void opt_list(const struct opt *table, FILE *f);

/* Sources of completion: the root of /proc, /sys and /etc, which tests replace by a directory; the
 * perf events, which core/opt does not know; and the command's other words. */
struct opt_sources {
	const char *root; /* "", or a test's directory */
	void (*events)(void (*add)(void *ctx, const char *name, const char *what), void *ctx);
	/* Candidates for a word that is neither an option nor its argument; NULL: options. */
	void (*words)(const char *word, FILE *f);
};

/*
 * Print candidates for the last of `words` (never empty, but the last can be "") as lines of
 * "candidate\tdescription".  words[0] is the first word after the command.  A line that starts with
 * a colon asks the shell to complete by itself: ":file", ":dir", ":command N" (a command line that
 * starts with words[N]).
 */
void opt_complete(const struct opt *table, const struct opt_sources *src, char *const *words,
		  size_t n_words, FILE *f);

/* Check the table itself (duplicate letter or name, missing help, inverted range): NULL or a
 * sentence, valid until the next call.  Tests run it over every table. */
const char *opt_check(const struct opt *table);

#endif
