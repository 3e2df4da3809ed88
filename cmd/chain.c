// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* bperf chain: blocked time by the chain of wakers, down to an interrupt or a running thread. */
#include "cmd/command.h"
#include "cmd/live.h"
#include "host/feature.h"
#include "wait/wait.h"

#define S struct wait_conf

static const struct opt chain_opts[] = {
	OPT_HEADING("Waits"),
	OPT_U32(0, "levels", S, levels, 1, CHAIN_MAX_LINKS, "N", "follow at most N wakers (10)"),
	OPT_FLAG(0, "all-wakers", S, all_wakers, "also wakers that cannot have caused the wait"),
	OPT_FLAG(0, "path", S, path, "the threads and interrupts that each long wait depended on"),
	{ .kind = OPT_KIND_INCLUDE, .include = wait_opts },
	{ .kind = OPT_KIND_INCLUDE, .include = wait_stack_opts },
	OPT_END,
};

#undef S

static const struct wait_mode mode = {
	.command = "chain",
	.title = "Chains of wakers",
	.value_name = "blocked",
	.max_levels = CHAIN_MAX_LINKS,
	.has_waiter_stack = true,
	.shape = SHAPE_CHAIN,
};

static int chain_run(void *conf, int argc, char **argv, int *status, struct err *err)
{
	return wait_run(&mode, conf, argc, argv, status, err);
}

const struct command chain_command = {
	.name = "chain",
	.summary = "blocked time by chain of wakers",
	.needs = FEATURE_BASE | FEATURE_BIT(RAW_TP) | FEATURE_BIT(RING_BUFFER) | FEATURE_BIT(KALLSYMS),
	.usage = "[options] [duration | interval count] [-- program args...]",
	.about = "Adds up the time that threads were blocked, by their stack, the stack of their "
		 "waker, of the waker's waker, and so on to an interrupt or to a thread that was not "
		 "waiting.  The wake-up of a waker is in the chain only if it came after the thread "
		 "that the waker then woke was switched out.  Without a duration it runs until "
		 "Ctrl-C.",
	.overhead = "About 4 us for each wait on the host, regardless of filters, because any thread "
		    "may be the waker's waker: 100,000 per second cost two fifths of a CPU.",
	.examples = {
		{ "chain 5", "all threads for 5 seconds" },
		{ "chain -p 185 10", "the final causes of one process's waits" },
		{ "chain -o out.svg 10", "a flame graph of the chains" },
		{ "chain --path 10", "the longest waits, and what each depended on" },
		{ "chain --levels 3 -K -f 5", "at most three wakers, kernel stacks, folded" },
	},
	.opts = chain_opts,
	.conf_size = sizeof(struct wait_conf),
	.defaults = wait_defaults,
	.check = wait_check_blocked,
	.run = chain_run,
	.live = wait_live,
	.release = wait_release_conf,
};
