// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* bperf offwake: blocked time by the stacks of the sleeper and of its waker. */
#include "cmd/command.h"
#include "cmd/live.h"
#include "host/feature.h"
#include "wait/wait.h"

#define S struct wait_conf

static const struct opt offwake_opts[] = {
	OPT_HEADING("Waits"),
	{ .kind = OPT_KIND_INCLUDE, .include = wait_opts },
	{ .kind = OPT_KIND_INCLUDE, .include = wait_sample_opts },
	{ .kind = OPT_KIND_INCLUDE, .include = wait_stack_opts },
	OPT_END,
};

#undef S

static const struct wait_mode mode = {
	.command = "offwake",
	.title = "Off-CPU time and wakers",
	.value_name = "blocked",
	.max_levels = 1,
	.has_waiter_stack = true,
	.shape = SHAPE_CHAIN,
};

static int offwake_run(void *conf, int argc, char **argv, int *status, struct err *err)
{
	return wait_run(&mode, conf, argc, argv, status, err);
}

const struct command offwake_command = {
	.name = "offwake",
	.old_name = "offwaketime",
	.summary = "blocked time by sleeper and waker",
	.needs = FEATURE_BASE | FEATURE_BIT(RAW_TP) | FEATURE_BIT(RING_BUFFER) | FEATURE_BIT(KALLSYMS),
	.usage = "[options] [duration | interval count] [-- program args...]",
	.about = "Adds up the time that threads were blocked, by the stack with which they were "
		 "switched out, together with the stack of their waker.  Without a duration it "
		 "runs until Ctrl-C.",
	.overhead = "About 4 us for each wait of a traced thread, including the wake-up that ends "
		    "it: 100,000 per second cost two fifths of a CPU.  On a busy host, choose a "
		    "process, or use --sample 1/N.",
	.examples = {
		{ "offwake 5", "all threads for 5 seconds" },
		{ "offwake -p 185 10", "what one process waits for, and its wakers" },
		{ "offwake -o out.svg 10", "a flame graph: waiting stacks in blue, wakers in aqua" },
		{ "offwake --state D -m 1000 10", "disk waits of a millisecond and more" },
		{ "offwake -K -f 5", "kernel stacks only, folded" },
	},
	.opts = offwake_opts,
	.conf_size = sizeof(struct wait_conf),
	.defaults = wait_defaults,
	.check = wait_check_blocked,
	.run = offwake_run,
	.live = wait_live,
	.release = wait_release_conf,
};
