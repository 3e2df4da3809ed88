// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Options that offcpu, wakeup, offwake and chain share, and checks across several options. */
#include <string.h>

#include "base/num.h"
#include "wait/wait.h"

#define S struct wait_conf

const struct opt wait_opts[] = {
	OPT_FLAG('u', "user-threads-only", S, user_threads, "no kernel threads", .conflicts = "k"),
	OPT_FLAG('k', "kernel-threads-only", S, kernel_threads, "only kernel threads",
		 .conflicts = "u"),
	OPT_FLAG(0, "finished", S, finished, "only waits that are over",
		 .conflicts = "whole-window"),
	OPT_FLAG(0, "whole-window", S, whole_window,
		 "list waits that lasted through the whole window, too: without it they are summed "
		 "in one row"),
	OPT_STRING(0, "state", S, state, "STATE",
		   "only waits in these states: letters as in ps (S, D, I, R: preempted), or a "
		   "mask, 0 for preempted"),
	OPT_U64('m', "min-block-time", S, min_us, 0, UINT64_MAX / 1000, "US",
		"only waits of at least US microseconds (1)"),
	OPT_U64('M', "max-block-time", S, max_us, 0, UINT64_MAX / 1000, "US",
		"only waits of at most US microseconds"),
	OPT_END,
};

/* Not for chain: it must record the wakers of every thread, which is most of its cost. */
const struct opt wait_sample_opts[] = {
	OPT_STRING(0, "sample", S, sample, "1/N",
		   "measure one wait in N, chosen at random, and scale: costs less on busy hosts"),
	OPT_END,
};

const struct opt wait_stack_opts[] = {
	OPT_INCLUDE(S, collect, collect_opts),
	OPT_FLAG(0, "kernel-unwinder", S, kernel_unwinder,
		 "have the kernel walk every kernel stack, at four times the cost"),
	OPT_FLAG('s', "offset", S, collect.offsets, "offsets after names", .conflicts = "f"),
	OPT_FLAG('A', "address", S, collect.addresses, "raw addresses, and offsets after names"),
	OPT_FLAG('T', "timestamp", S, collect.timestamp, "a line with the time before each report"),
	OPT_LETTER('f', "folded"),
	OPT_INCLUDE(S, collect.target, target_opts),
	OPT_LETTER('p', "pid"),
	OPT_LETTER('t', "tid"),
	OPT_INCLUDE(S, collect.output, output_opts),
	OPT_INCLUDE(S, collect.output, output_live_opts),
	OPT_INCLUDE(S, collect.output, output_single_opts),
	OPT_INCLUDE(S, collect.output, output_unit_opts),
	OPT_END,
};

#undef S

void wait_defaults(void *conf)
{
	struct wait_conf *c = conf;

	collect_defaults(&c->collect);
	c->min_us = 1;
	c->max_us = UINT64_MAX / 1000;
	c->weight = 1;
	c->levels = WAIT_LEVELS_DEFAULT;
}

/* The state of idle kernel threads: uninterruptible, but not counted as load (TASK_UNINTERRUPTIBLE
 * and TASK_NOLOAD). */
#define TASK_IDLE 0x402

/* Letters of /proc/PID/stat (fs/proc/array.c) and their bits in task_struct.__state.  X and Z are
 * not listed: a dead thread does not wait. */
static const struct {
	char letter;
	u32 mask;
} states[] = {
	{ 'S', 0x1 }, { 'D', 0x2 }, { 'T', 0x4 }, { 't', 0x8 }, { 'P', 0x40 },
};

static bool add_state(struct wait_conf *c, char letter)
{
	if (letter == 'R') {
		c->want_ready = true;
		return true;
	}
	if (letter == 'I') {
		c->want_idle = true;
		return true;
	}
	for (size_t i = 0; i < ARRAY_SIZE(states); i++)
		if (states[i].letter == letter) {
			c->state_mask |= states[i].mask;
			return true;
		}
	return false;
}

static int check_state(struct wait_conf *c, struct err *err)
{
	u64 mask;

	if (!c->state)
		return 0;
	c->filters_states = true;
	c->want_ready = c->want_idle = false;
	c->state_mask = 0;
	if (num_parse_dec(view_of(c->state), &mask) ||
	    (!strncmp(c->state, "0x", 2) && num_parse_hex(view_of(c->state + 2), &mask))) {
		c->state_mask = (u32)mask;
		c->want_ready = !mask;
		c->want_idle = mask & TASK_IDLE;
		if (mask <= UINT32_MAX)
			return 0;
	}
	for (const char *p = c->state; *p; p++)
		if (!add_state(c, *p)) {
			err_set(err, ERR_USAGE, "--state %s: there is no such state", c->state);
			return err_hint(err, "letters R (preempted), S (sleeping), D (disk), I "
					     "(idle), T, t, P, or a mask of task states: 2 for D");
		}
	return c->state[0] ? 0 : err_set(err, ERR_USAGE, "--state: needs letters or a mask");
}

static int check_sample(struct wait_conf *c, struct err *err)
{
	u64 n;

	if (!c->sample)
		return 0;
	if (c->collect.wants_waits)
		return err_set(err, ERR_USAGE,
			       "--sample: an output of single waits needs all of them");
	if (!strncmp(c->sample, "1/", 2) && num_parse_dec(view_of(c->sample + 2), &n) && n >= 1 &&
	    n <= 1000000) {
		c->weight = (u32)n;
		return 0;
	}
	err_set(err, ERR_USAGE, "--sample: '%s' is not a share", c->sample);
	return err_hint(err, "1/N takes one wait in N: --sample 1/100");
}

int wait_check(void *conf, const struct opt_rest *rest, struct err *err)
{
	struct wait_conf *c = conf;
	const struct output_conf *o = &c->collect.output;

	if (c->min_us > c->max_us)
		return err_set(err, ERR_USAGE, "-m %llu is more than -M %llu: no wait fits",
			       c->min_us, c->max_us);
	if (c->kernel_threads && c->collect.user_only) {
		err_set(err, ERR_USAGE, "-k -U: kernel threads have no user stacks");
		return err_hint(err, "leave out -U, or use -u for user threads");
	}
	c->with_cpu |= c->color_by == WAIT_COLOR_OFF_CPU;
	/* --with-cpu needs the leaf frames that tell waiting from running. */
	c->split |= c->with_cpu;
	if (c->by_thread && !c->state_table)
		return err_set(err, ERR_USAGE, "-P needs --states");
	if (c->state_table) {
		c->collect.by = c->by_thread ? BY_TID : BY_PID;
		c->collect.kind = REPORT_STATES;
	}
	if (c->path) {
		c->collect.kind = REPORT_PATHS;
		/* --path shows which thread waited for which. */
		if (c->collect.by == BY_DEFAULT)
			c->collect.by = BY_TID;
	}
	if (c->path && c->collect.functions)
		return err_set(err, ERR_USAGE, "--path and --functions are two different tables");
	c->collect.wants_waits =
		!c->state_table && output_needs_singles(o->format, o->files.v.items, o->files.v.n);
	return check_state(c, err) ?: check_sample(c, err) ?: collect_check(&c->collect, rest, err);
}

int wait_check_blocked(void *conf, const struct opt_rest *rest, struct err *err)
{
	const struct wait_conf *c = conf;
	int ret = wait_check(conf, rest, err);

	if (ret || !c->filters_states || !c->want_ready || c->want_idle || c->state_mask)
		return ret;
	err_set(err, ERR_USAGE, "--state %s: a thread that is preempted is not blocked", c->state);
	return err_hint(err, "no thread wakes it; offcpu --state R shows how long it waits");
}

void wait_release_conf(void *conf)
{
	struct wait_conf *c = conf;

	collect_release_conf(&c->collect);
}
