/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The common part of offcpu, wakeup, offwake and chain: options, the run, and one kernel side
 * (bpf/wait.bpf.c) configured for each.  Each command is a struct wait_mode.
 */
#ifndef WAIT_WAIT_H
#define WAIT_WAIT_H

#include "stack/collect.h"

#define WAIT_LEVELS_DEFAULT 10

/* How flame graphs of offcpu are colored. */
enum wait_color {
	WAIT_COLOR_KIND,
	WAIT_COLOR_OFF_CPU, /* by the share of time off the CPU */
};

struct wait_conf {
	struct collect_conf collect;
	u64 min_us, max_us;
	bool user_threads, kernel_threads;
	const char *state;
	u32 state_mask;
	bool filters_states, want_ready, want_idle; /* from --state */
	bool split;
	bool objects;		     /* --waits */
	bool with_cpu;		     /* CPU samples, counted as time */
	u32 color_by;		     /* enum wait_color */
	bool state_table, by_thread; /* --states; with a row per thread */
	const char *sample;
	u32 weight; /* N of --sample 1/N */
	u32 levels;
	bool all_wakers, path;
	bool whole_window;    /* list waits that lasted through the whole window like others */
	bool finished;	      /* leave out waits that are not over */
	bool kernel_unwinder; /* always use the kernel's unwinder, never learned frame sizes
				 (bpf/orc.bpf.h) */
};

/* Differences between the commands. */
struct wait_mode {
	const char *command, *title, *value_name;
	u32 max_levels;	       /* levels of wakers; 0: wakers are not recorded */
	bool has_waiter_stack; /* false: the waiter appears by its name only */
	enum shape shape;
};

/* Rows for OPT_INCLUDE, with the conf at its start.  The first two choose the waits; the last one,
 * after a command's own rows, sets stacks, targets and output. */
extern const struct opt wait_opts[], wait_sample_opts[];
extern const struct opt wait_stack_opts[];

void wait_defaults(void *conf);
int wait_check(void *conf, const struct opt_rest *rest, struct err *err);
/* For commands that report blocked time only. */
int wait_check_blocked(void *conf, const struct opt_rest *rest, struct err *err);
void wait_release_conf(void *conf);

/* The whole run.  *status: the exit status of the program after --, or 0. */
int wait_run(const struct wait_mode *mode, const struct wait_conf *conf, int argc, char **argv,
	     int *status, struct err *err);

#endif
