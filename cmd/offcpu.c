// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* bperf offcpu: time off CPU by the stack that waits. */
#include "cmd/command.h"
#include "host/feature.h"
#include "wait/wait.h"

#define S struct wait_conf

static const struct opt offcpu_opts[] = {
	OPT_HEADING("Waits"),
	OPT_FLAG(0, "split", S, split, "a leaf frame that tells the kind of waiting"),
	OPT_FLAG(0, "waits", S, objects,
		 "a leaf frame that tells what is waited for: file, socket, futex"),
	OPT_FLAG(0, "with-cpu", S, with_cpu,
		 "time on CPUs too, sampled: all that a process does in one picture"),
	OPT_FLAG(
		0, "states", S, states,
		"a table of where the wall time of each process went, running and waiting",
		.conflicts =
			"split waits with-cpu sample state finished whole-window cpu functions callers by"),
	OPT_FLAG('P', "threads", S, by_thread, "with --states: a row for each thread"),
	{ .kind = OPT_KIND_INCLUDE, .include = wait_opts },
	{ .kind = OPT_KIND_INCLUDE, .include = wait_sample_opts },
	{ .kind = OPT_KIND_INCLUDE, .include = wait_stack_opts },
	OPT_END,
};

#undef S

static const struct wait_mode mode = {
	.command = "offcpu",
	.title = "Off-CPU time",
	.value_name = "offcpu",
	.has_target_stack = true,
	.shape = SHAPE_STACK,
};

static int offcpu_run(void *conf, int argc, char **argv, int *status, struct err *err)
{
	return wait_run(&mode, conf, argc, argv, status, err);
}

const struct command offcpu_command = {
	.name = "offcpu",
	.old_name = "offcputime",
	.summary = "where threads wait",
	.needs = FEATURE_BASE | FEATURE_BIT(RAW_TP) | FEATURE_BIT(RING_BUFFER),
	.usage = "[options] [duration | interval count] [-- program args...]",
	.about = "Adds up the time from when a thread is switched out to when it runs again, by the "
		 "stack with which it was switched out.  Waits that were open at the start and at "
		 "the end are in it, with the part that lies inside.  Without a duration it runs "
		 "until Ctrl-C.",
	.overhead = "2 to 3 us for each wait of what is traced: 100,000 per second cost a quarter of a "
		    "CPU.  Name a process on a busy host, or use --sample 1/N.",
	.examples = {
		{ "offcpu 5", "all threads for 5 seconds" },
		{ "offcpu -p 185 --state D 10", "disk waits of one process" },
		{ "offcpu -o out.svg 10", "an off-CPU flame graph to open in a browser" },
		{ "offcpu --split -m 1000 10", "waits of a millisecond and more, by kind" },
		{ "offcpu -K -f 5", "kernel stacks only, folded" },
	},
	.opts = offcpu_opts,
	.conf_size = sizeof(struct wait_conf),
	.defaults = wait_defaults,
	.check = wait_check,
	.run = offcpu_run,
	.release = wait_release,
};
