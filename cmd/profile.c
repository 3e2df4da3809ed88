// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* bperf profile: samples by stack. */
#include "bpf/abi/filter.h"
#include "bpf/abi/stack.h"

#include "cmd/command.h"
#include "host/feature.h"
#include "profile.skel.h"
#include "run/prog.h"
#include "stack/collect.h"
#include "stack/counted.h"

#include <errno.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"

#define FREQUENCY_DEFAULT 49
#define FREQUENCY_MAX	  1000000

struct profile_conf {
	struct collect_conf collect;
	const char *event;
	u64 frequency_hz, period; /* at most one of the two is set */
	bool include_idle;
};

#define S struct profile_conf

static const struct opt profile_opts[] = {
	OPT_HEADING("Sampling"),
	OPT_U64('F', "frequency", S, frequency_hz, 1, FREQUENCY_MAX, "HZ",
		"samples per second and CPU (49)", .conflicts = "c"),
	OPT_U64('c', "count", S, period, 1, UINT64_MAX, "N", "one sample every N events",
		.conflicts = "F"),
	OPT_STRING('e', "event", S, event, "EVENT",
		   "what to sample by: cycles, cpu-clock, page-faults, ... or rHEX "
		   "(cycles, or cpu-clock without a PMU)",
		   .complete = COMPLETE_EVENT),
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
	OPT_INCLUDE(S, collect.output, output_opts),
	OPT_END,
};

#undef S

static void profile_defaults(void *conf)
{
	struct profile_conf *c = conf;

	collect_defaults(&c->collect);
}

static int profile_check(void *conf, const struct opt_rest *rest, struct err *err)
{
	struct profile_conf *c = conf;

	if (!c->frequency_hz && !c->period)
		c->frequency_hz = FREQUENCY_DEFAULT;
	return collect_check(&c->collect, rest, err);
}

static void profile_release(void *conf)
{
	struct profile_conf *c = conf;

	collect_release_conf(&c->collect);
}

static int choose_event(const struct profile_conf *conf, struct perf_spec *spec, struct err *err)
{
	*spec = (struct perf_spec){ .freq_hz = conf->frequency_hz, .period = conf->period };
	if (conf->event)
		return perf_spec_parse(conf->event, spec, err);
	perf_spec_default(spec);
	return 0;
}

static int load(struct collect *c, struct profile_bpf *skel, const struct profile_conf *conf,
		struct err *err)
{
	const struct collect_rodata ro = {
		.filter = &skel->rodata->filter,
		.filter_comm = &skel->rodata->filter_comm,
		.stack_seed = skel->rodata->stack_seed,
		.stack_max_frames = &skel->rodata->stack_max_frames,
		.stack_ring_wake = &skel->rodata->stack_ring_wake,
	};
	const struct collect_kernel kernel = {
		.obj = skel->obj,
		.generation = &skel->bss->stack_generation,
		.lost = skel->bss->lost,
	};
	int ret;

	c->filter.conf.include_idle = conf->include_idle;
	ret = collect_prepare(c, skel->obj, &ro, err)
		      ?: collect_set_max(skel->obj, "counts", conf->collect.max_counts, err);
	if (ret)
		return ret;
	skel->rodata->want_kernel = !conf->collect.user_only;
	skel->rodata->want_user = !conf->collect.kernel_only;
	skel->rodata->key = collect_stack_key(&conf->collect);
	ret = profile_bpf__load(skel);
	if (ret)
		return prog_explain(-ret, "load", "the sampling program", err);
	return collect_load(c, &kernel, err);
}

/* The sampling program is attached per CPU; the other hooks follow forks. */
static int attach(struct collect *c, struct profile_bpf *skel, const struct perf_spec *spec,
		  struct err *err)
{
	int ret;

	bpf_program__set_autoattach(skel->progs.profile_sample, false);
	ret = profile_bpf__attach(skel);
	if (ret)
		return prog_explain(-ret, "attach", "the fork hook", err);
	return perfev_open(&c->perf, spec, c->conf->target.cpus.v.items, c->conf->target.cpus.v.n,
			   skel->progs.profile_sample, err);
}

/* Describes the target for the banner. */
static void whom(const struct target *t, char *out, size_t size)
{
	bool has_filter =
		t->cgroups.v.n || t->comms.v.n || t->uids.v.n || t->cgroupmap || t->mntnsmap;

	if (t->program)
		snprintf(out, size, "%s and its children", t->program[0]);
	else if (t->pids.v.n)
		snprintf(out, size, "%zu process%s", t->pids.v.n, t->pids.v.n > 1 ? "es" : "");
	else if (t->tids.v.n)
		snprintf(out, size, "%zu thread%s", t->tids.v.n, t->tids.v.n > 1 ? "s" : "");
	else if (has_filter)
		snprintf(out, size, "what the filter lets through");
	else if (t->cpus.v.n)
		snprintf(out, size, "%zu CPU%s", t->cpus.v.n, t->cpus.v.n > 1 ? "s" : "");
	else
		snprintf(out, size, "all CPUs");
}

/* For interactive use; scripts do not want it in their logs. */
static void banner(const struct profile_conf *conf, const struct perf_spec *spec)
{
	char rate[64], target[128], span[64] = "";

	if (!isatty(STDERR_FILENO))
		return;
	if (spec->period)
		snprintf(rate, sizeof(rate), "every %llu %s", spec->period, spec->name);
	else
		snprintf(rate, sizeof(rate), "%s at %llu Hz", spec->name, spec->freq_hz);
	if (conf->collect.interval_ns)
		snprintf(span, sizeof(span), ", %g s",
			 (double)conf->collect.interval_ns / (double)NS_PER_SEC);
	whom(&conf->collect.target, target, sizeof(target));
	log_note("Sampling %s: %s%s, Ctrl-C to end.", rate, target, span);
}

static void describe_run(struct collect *c, const struct perf_spec *spec, int argc, char **argv)
{
	c->info.run.command = "profile";
	c->info.run.title = "CPU profile";
	c->info.run.argc = argc;
	c->info.run.argv = argv;
	c->info.run.version = BPERF_VERSION;
	c->info.run.value_name = "samples";
	c->info.run.unit = UNIT_SAMPLES;
	c->info.run.event = spec->name;
	c->info.run.freq_hz = spec->freq_hz;
	c->info.run.period = spec->period;
	c->info.run.interval_ns = c->conf->interval_ns;
	c->info.run.count = c->conf->interval_ns ? c->conf->count : 0;
	c->info.run.filter = str_text(&c->filter.json);
}

static void detach(void *ctx)
{
	struct collect *c = ctx;

	perfev_detach(&c->perf);
}

static void skel_destroy(struct profile_bpf **skel)
{
	profile_bpf__destroy(*skel);
}

static int profile_run(void *conf_, int argc, char **argv, int *status, struct err *err)
{
	const struct profile_conf *conf = conf_;
	_cleanup_(skel_destroy) struct profile_bpf *skel = NULL;
	_cleanup_(collect_release) struct collect c;
	struct bpf_object_open_opts opts;
	size_t n;
	const void *object = profile_bpf__elf_bytes(&n);
	struct counted counted;
	struct perf_spec spec;
	u64 start = now_ns();
	int ret;

	ret = collect_open(&c, &conf->collect, err) ?: choose_event(conf, &spec, err) ?:
	      prog_open_opts(conf->collect.btf, object, n, &opts, err);
	if (ret)
		return ret;
	skel = profile_bpf__open_opts(&opts);
	if (!skel)
		return prog_explain(errno, "open", "the sampling program", err);
	counted = (struct counted){ .c = &c, .window = &skel->bss->stack_window };
	c.source = &counted_source;
	c.source_ctx = &counted;
	ret = load(&c, skel, conf, err) ?: attach(&c, skel, &spec, err);
	if (ret)
		return ret;
	log_info("sampling after %.1f ms", (double)(now_ns() - start) / (double)NS_PER_MS);
	describe_run(&c, &spec, argc, argv);
	banner(conf, &spec);
	return collect_run(&c, detach, &c, status, err);
}

const struct command profile_command = {
	.name = "profile",
	.summary = "where CPU time is spent",
	.needs = FEATURE_BASE | FEATURE_BIT(PERF_EVENT) | FEATURE_BIT(RING_BUFFER),
	.usage = "[options] [duration | interval count] [-- program args...]",
	.about = "Samples what runs on each CPU, 49 times per second, and counts the samples by "
		 "stack: user frames, kernel frames, process.  Without a duration it runs until "
		 "Ctrl-C.",
	.overhead = "About 3 us per sample and CPU: 0.02 % of a CPU at 49 Hz.  User stacks are "
		    "walked by frame pointers: code built without them shows short stacks.",
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
	.run = profile_run,
	.release = profile_release,
};
