/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a subcommand is: one row in commands.def, one exported struct command.  A command parses
 * nothing and prints nothing by itself; main.c does both, from these rows.
 */
#ifndef CMD_COMMAND_H
#define CMD_COMMAND_H

#include "base/err.h"
#include "opt/opt.h"

struct example {
	const char *args; /* behind "bperf " */
	const char *what;
};

struct command {
	const char *name;
	const char *old_name; /* bcc's name for it, also accepted as a link; NULL: none */
	const char *summary;  /* "where CPU time is spent", for the list */
	const char *usage;    /* "[options] [interval [count]] [-- program args...]" */
	const char *about;    /* a paragraph for --help */
	const char *overhead; /* one or two lines on what it costs and where it misleads */
	struct example examples[5];
	const struct opt *opts;
	size_t conf_size;
	void (*defaults)(void *conf); /* NULL: all zero */
	/* Called after parsing, before run: positional words, cross checks.  Usage errors only. */
	int (*check)(void *conf, const struct opt_rest *rest, struct err *err);
	/* Returns 0, -code as err says; *status is the program's exit status if one was run. */
	int (*run)(void *conf, int argc, char **argv, int *status, struct err *err);
	void (*release)(void *conf); /* NULL: nothing to free */
};

extern const struct command *const commands[];
extern const size_t n_commands;

#endif
