// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* bperf profile: samples by stack. */
#include "stack/profile.h"
#include "cmd/command.h"
#include "cmd/live.h"
#include "host/feature.h"
#include "render/render.h"

#define FREQUENCY_DEFAULT 49
#define FREQUENCY_MAX	  1000000

#define S struct profile_conf

static const struct opt profile_opts[] = {
	OPT_HEADING("Sampling"),
	OPT_U64('F', "frequency", S, frequency_hz, 1, FREQUENCY_MAX, "HZ",
		"samples per second on each CPU (49)", .conflicts = "c"),
	OPT_U64('c', "count", S, period, 1, UINT64_MAX, "N", "one sample every N events",
		.conflicts = "F"),
	OPT_STRING('e', "event", S, event, "EVENT",
		   "the event to sample by: cycles, cpu-clock, page-faults, ... or rHEX (cycles, "
		   "or cpu-clock without a PMU)",
		   .complete = COMPLETE_EVENT),
	OPT_STRING(0, "ratio", S, ratio, "A/B",
		   "sample B, and colour by the number of A for each: instructions/cycles, "
		   "page-faults/cpu-clock",
		   .complete = COMPLETE_EVENT, .conflicts = "event color-by"),
	OPT_STRING(0, "color-by", S, color_by, "A",
		   "the same for the event of -e: colour by the number of A for each",
		   .complete = COMPLETE_EVENT),
	OPT_FLAG(0, "timeline", S, collect.timeline,
		 "html, json: samples over time too, in bins of 50 ms"),
	OPT_FLAG('I', "include-idle", S, include_idle, "sample idle CPUs too"),
	OPT_INCLUDE(S, collect, collect_opts),
	OPT_FLAG('A', "address", S, collect.addresses, "raw addresses, and offsets after names"),
	OPT_FLAG('T', "timestamp", S, collect.timestamp, "a line with the time before each report"),
	OPT_LETTER('f', "folded"),
	OPT_INCLUDE(S, collect.target, target_opts),
	OPT_LETTER('p', "pid"),
	OPT_LETTER('L', "tid"),
	OPT_LETTER('t', "tid"),
	OPT_LETTER('C', "cpu"),
	OPT_FLAG('g', NULL, S, has_call_graph, "perf's option: stacks are always taken",
		 .is_hidden = true),
	OPT_STRING(0, "call-graph", S, call_graph, "HOW", "the same: --unwind says how",
		   .is_hidden = true),
	OPT_INCLUDE(S, collect.output, output_opts),
	OPT_INCLUDE(S, collect.output, output_live_opts),
	OPT_INCLUDE(S, collect.output, output_single_opts),
	OPT_END,
};

#undef S

static void profile_defaults(void *conf)
{
	struct profile_conf *c = conf;

	collect_defaults(&c->collect);
}

static int check_ratio(struct profile_conf *c, struct err *err)
{
	int ret = profile_take_ratio(c, err);

	if (ret || !c->second.name || !c->collect.wants_samples)
		return ret;
	err_set(err, ERR_USAGE, "%s: single samples are those of one event",
		c->ratio ? "--ratio" : "--color-by");
	return err_hint(err, "leave out --timeline, and outputs as perf or pftrace");
}

static int profile_check(void *conf, const struct opt_rest *rest, struct err *err)
{
	struct profile_conf *c = conf;
	const struct output_conf *output = &c->collect.output;

	if (!c->frequency_hz && !c->period)
		c->frequency_hz = FREQUENCY_DEFAULT;
	c->collect.wants_samples =
		c->collect.timeline ||
		output_needs_singles(output->format, output->files.v.items, output->files.v.n);
	return check_ratio(c, err) ?: collect_check(&c->collect, rest, err);
}

static void profile_release(void *conf)
{
	struct profile_conf *c = conf;

	profile_release_ratio(c);
	collect_release_conf(&c->collect);
}

static int run(void *conf, int argc, char **argv, int *status, struct err *err)
{
	return profile_run(conf, argc, argv, status, err);
}

static struct live_part profile_live(void *conf)
{
	struct profile_conf *c = conf;

	return live_of_stacks(&c->collect);
}

const struct command profile_command = {
	.name = "profile",
	.summary = "where CPU time is spent",
	.needs = FEATURE_BASE | FEATURE_BIT(PERF_EVENT) | FEATURE_BIT(RING_BUFFER),
	.usage = "[options] [duration | interval count] [-- program args...]",
	.about = "Samples the code that runs on each CPU, 49 times per second, and counts samples by "
		 "stack: user frames, kernel frames, process.  Without a duration it runs until "
		 "Ctrl-C.",
	.overhead = "About 3 to 10 us per sample on each CPU: 0.05 % of it at 49 Hz.  User stacks are "
		    "walked by the call frame information of files, which is read when it is first "
		    "needed.",
	.examples = {
		{ "profile 5", "all CPUs for 5 seconds" },
		{ "profile -F 99 -p 185 10", "one process at 99 Hz for 10 seconds" },
		{ "profile -o out.svg 10", "a flame graph to open in a browser" },
		{ "profile 1 5", "five reports of one second each" },
		{ "profile --functions -- make -j8", "the functions that a build spends time in" },
	},
	.opts = profile_opts,
	.conf_size = sizeof(struct profile_conf),
	.defaults = profile_defaults,
	.check = profile_check,
	.run = run,
	.live = profile_live,
	.release = profile_release,
};
