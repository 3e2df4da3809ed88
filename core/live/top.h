/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* `offcpu --states` and `profile` at once: processes that run and that wait, on one screen. */
#ifndef LIVE_TOP_H
#define LIVE_TOP_H

#include "opt/target.h"

struct top_conf {
	struct target target;
	u64 interval_ns, count;
	char *numbers[2]; /* interval and count as typed */
	size_t n_numbers;
	char *const *words; /* those of them that are no arguments of options */
	size_t n_words;
	const char *delay, *n_screens; /* -d and -n of top(1) */
	bool is_batch;		       /* its -b */
};

/* Runs a command of bperf; argv[0] is its name. */
typedef int top_run_fn(int argc, char **argv, int *status, struct err *err);

/* Start the commands with `run`, each in a process of its own, and show them until the person
 * leaves.  The words are those of `top`, from which `conf` was parsed. */
int top_run(const struct top_conf *conf, int argc, char **argv, top_run_fn *run, int *status,
	    struct err *err);

#endif
