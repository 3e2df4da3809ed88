// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* bperf offcpu: time off CPU by the stack that waits. */
#include "cmd/command.h"
#include "cmd/live.h"
#include "host/feature.h"
#include "wait/wait.h"

#define S struct wait_conf

static const char *const color_names[] = {
	[WAIT_COLOR_KIND] = "kind", [WAIT_COLOR_OFF_CPU] = "off-cpu", NULL
};

static const struct opt offcpu_opts[] = {
	OPT_HEADING("Waits"),
	OPT_FLAG(0, "split", S, split, "a leaf frame with the state of the thread"),
	OPT_FLAG(0, "waits", S, objects,
		 "a leaf frame with the object that was waited for: file, socket, futex"),
	OPT_FLAG(0, "with-cpu", S, with_cpu,
		 "include time on CPUs, sampled: all of a process's time in one picture"),
	OPT_CHOICE(
		0, "color-by", S, color_by, color_names, "WHAT",
		"svg, html: kind of frame (kind), or share of time off the CPU (off-cpu; implies "
		"--with-cpu)",
		.conflicts = "states"),
	OPT_FLAG(
		0, "states", S, state_table,
		"a table of each process's wall time by state, running and waiting",
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
	.has_waiter_stack = true,
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
	.about = "Adds up the time from each switch-out of a thread to its next switch-in, by the "
		 "stack with which it was switched out.  Waits that are open at the start or at "
		 "the end are included, with the part inside the run.  Without a duration it runs "
		 "until Ctrl-C.",
	.overhead = "2 to 3 us for each wait of a traced thread: 100,000 per second cost a quarter of "
		    "a CPU.  On a busy host, choose a process, or use --sample 1/N.",
	.examples = {
		{ "offcpu 5", "all threads for 5 seconds" },
		{ "offcpu -p 185 --state D 10", "disk waits of one process" },
		{ "offcpu -o out.svg 10", "an off-CPU flame graph to open in a browser" },
		{ "offcpu --split -m 1000 10", "waits of a millisecond and more, by state" },
		{ "offcpu -K -f 5", "kernel stacks only, folded" },
	},
	.opts = offcpu_opts,
	.conf_size = sizeof(struct wait_conf),
	.defaults = wait_defaults,
	.check = wait_check,
	.run = offcpu_run,
	.live = wait_live,
	.release = wait_release_conf,
};
