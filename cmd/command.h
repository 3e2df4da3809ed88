/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A subcommand: one row in commands.def, one exported struct command.  A command neither parses
 * options nor prints errors by itself; main.c does both, from these rows.
 */
#ifndef CMD_COMMAND_H
#define CMD_COMMAND_H

#include "base/err.h"
#include "live/measure.h"
#include "opt/opt.h"
#include "opt/output.h"

struct example {
	const char *args; /* after "bperf " */
	const char *what;
};

struct command {
	const char *name;
	const char *old_name; /* bcc's name for it, also accepted as a link; NULL: none */
	const char *summary;  /* "where CPU time is spent", for the list */
	const char *usage;    /* "[options] [interval [count]] [-- program args...]" */
	const char *about;    /* a paragraph for --help */
	bool is_helper;	      /* does not measure: not in --list, no link, no BPF, no page */
	bool is_screen;	      /* has others measure, and shows them: it is in --list all the same */
	u64 needs;	      /* FEATURE_BITs (host/feature.h) that it requires */
	const char *overhead; /* one or two lines on its cost and its pitfalls */
	struct example examples[5];
	const struct opt *opts;
	size_t conf_size;
	void (*defaults)(void *conf); /* NULL: all zero */
	/* Called after parsing, before run: positional words, cross checks.  Usage errors only. */
	int (*check)(void *conf, const struct opt_rest *rest, struct err *err);
	/* argv[0] is the command's name.  Returns 0 or -code, with details in err; *status is the
	 * exit status of the program that was run, if any. */
	int (*run)(void *conf, int argc, char **argv, int *status, struct err *err);
	struct live_part (*live)(void *conf); /* NULL: no --live */
	void (*release)(void *conf);	      /* NULL: nothing to free */
	/* Words to run it with when the person gave only a program (" 'syscall:*'"), after the
	 * options were parsed; NULL: none are needed. */
	const char *(*probe_without_words)(const void *conf);
	/* Candidates for a positional word, as in opt_complete; NULL: none. */
	void (*complete)(const char *word, FILE *f);
};

extern const struct command *const commands[];
extern const size_t n_commands;

/* By name or old name; NULL: none. */
const struct command *command_find(const char *name);

/* The most similar name, or NULL. */
const char *command_nearest(const char *name);

/* Run a command with its words: options, --help, checks, the run itself.  argv[0] is the command's
 * name.  Returns 0 or -code; *status as in run(). */
int command_run(const struct command *c, int argc, char **argv, int *status, struct err *err);

/* The text of --help: of bperf itself, and of one command. */
void help_overview(FILE *f);
void help_of(const struct command *c, FILE *f);

/* --version: our version, and the linked libraries with their licences. */
void version_print(FILE *f);

/* Print "candidate\ttext" if the candidate starts with the word. */
void complete_offer(const char *word, const char *candidate, const char *text, FILE *f);

/* `bperf __complete WORD...`: candidates for the last word.  words[0] follows "bperf". */
void complete_words(char *const *words, size_t n_words, FILE *f);

/* "bperf: what failed", the user's words with a caret, what to do next: at most three lines. */
void error_print(const struct err *err, FILE *f);

#endif
