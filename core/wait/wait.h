/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What offcpu, wakeup, offwake and chain have in common: one kernel side (bpf/wait.bpf.c), told
 * what to take; options; the run.  Each command is a row of what it wants.
 */
#ifndef WAIT_WAIT_H
#define WAIT_WAIT_H

#include "stack/collect.h"

#define WAIT_LEVELS_DEFAULT 10

struct wait_conf {
	struct collect_conf collect;
	u64 min_us, max_us;
	bool user_threads, kernel_threads;
	const char *state;
	u32 state_mask;
	bool has_states, want_ready, want_idle; /* of --state */
	bool split;
	bool objects;		/* --waits */
	bool with_cpu;		/* samples of what runs, as time */
	bool states, by_thread; /* a table of states; a row for each thread */
	const char *sample;
	u32 weight; /* N of --sample 1/N */
	u32 levels;
	bool all_wakers, path;
};

/* How the commands differ. */
struct wait_mode {
	const char *command, *title, *value_name;
	u32 max_levels;	       /* of wakers; 0: nobody asks who woke whom */
	bool has_target_stack; /* else the target is known by its name alone */
	enum shape shape;
};

/* Rows for OPT_INCLUDE, at the conf's start: which waits, and behind a command's own rows the
 * stacks, whom to watch, and the output. */
extern const struct opt wait_opts[], wait_sample_opts[];
extern const struct opt wait_stack_opts[];

void wait_defaults(void *conf);
int wait_check(void *conf, const struct opt_rest *rest, struct err *err);
/* Of commands that report blocked time alone. */
int wait_check_blocked(void *conf, const struct opt_rest *rest, struct err *err);
void wait_release(void *conf);

int wait_run(const struct wait_mode *mode, const struct wait_conf *conf, int argc, char **argv,
	     int *status, struct err *err);

#endif
