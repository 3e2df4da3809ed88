// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* bperf wakeup: blocked time by the stack that called wake-up. */
#include "cmd/command.h"
#include "cmd/live.h"
#include "host/feature.h"
#include "wait/wait.h"

#define S struct wait_conf

static const struct opt wakeup_opts[] = {
	OPT_HEADING("Waits"),
	{ .kind = OPT_KIND_INCLUDE, .include = wait_opts },
	{ .kind = OPT_KIND_INCLUDE, .include = wait_sample_opts },
	OPT_FLAG(0, "useronly", S, user_threads, "bcc's name for --user-threads-only",
		 .conflicts = "k", .is_hidden = true),
	{ .kind = OPT_KIND_INCLUDE, .include = wait_stack_opts },
	OPT_LETTER('v', "address"), /* bcc's; --verbose has no letter here */
	OPT_END,
};

#undef S

static const struct wait_mode mode = {
	.command = "wakeup",
	.title = "Wake-ups",
	.value_name = "blocked",
	.max_levels = 1,
	.has_waiter_stack = false,
	.shape = SHAPE_WAKEUP,
};

static int wakeup_run(void *conf, int argc, char **argv, int *status, struct err *err)
{
	return wait_run(&mode, conf, argc, argv, status, err);
}

const struct command wakeup_command = {
	.name = "wakeup",
	.old_name = "wakeuptime",
	.summary = "blocked time by waker",
	.needs = FEATURE_BASE | FEATURE_BIT(RAW_TP) | FEATURE_BIT(RING_BUFFER) | FEATURE_BIT(KALLSYMS),
	.usage = "[options] [duration | interval count] [-- program args...]",
	.about = "Adds up the time that threads were blocked, by the stack of their waker: a "
		 "thread, or an interrupt handler.  Time on the run queue, after the wake-up, is "
		 "not included.  Without a duration it runs until Ctrl-C.",
	.overhead = "2 to 3 us for each wait of a traced thread, including the wake-up that ends "
		    "it: 100,000 per second cost a quarter of a CPU.  On a busy host, use --sample "
		    "1/N.",
	.examples = {
		{ "wakeup 5", "all threads for 5 seconds" },
		{ "wakeup -p 185 10", "the wakers of one process" },
		{ "wakeup -f -o out.svg 10", "folded, and a flame graph to open in a browser" },
		{ "wakeup -u -m 1000 10", "no kernel threads, waits of a millisecond and more" },
		{ "wakeup -K -f 5", "kernel stacks only, folded" },
	},
	.opts = wakeup_opts,
	.conf_size = sizeof(struct wait_conf),
	.defaults = wait_defaults,
	.check = wait_check_blocked,
	.run = wakeup_run,
	.live = wait_live,
	.release = wait_release_conf,
};
