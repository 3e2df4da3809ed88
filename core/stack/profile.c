// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "stack/profile.h"

#include <errno.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "bpf/abi/filter.h"
#include "bpf/abi/stack.h"
#include "profile.skel.h"
#include "run/handlers.h"
#include "run/prog.h"
#include "stack/occurrences.h"

struct profile {
	const struct profile_conf *conf;
	struct collect c;
	struct occurrences counted;
	struct perf_spec spec, second; /* second.name NULL: there is no second event */
	struct profile_bpf *skel;
};

static struct perf_spec rate_of(const struct profile_conf *conf, const struct profile_event *e)
{
	return (struct perf_spec){ .freq_hz = e->period ? 0 : conf->frequency_hz,
				   .period = e->period ? e->period : conf->period };
}

/* The event that is divided by the first. */
static int choose_second(struct profile *p, struct err *err)
{
	struct run_info *run = &p->c.engine.info.run;
	int ret;

	if (!p->conf->second.name)
		return 0;
	p->second = rate_of(p->conf, &p->conf->second);
	ret = perf_spec_parse(p->conf->second.name, &p->second, err);
	if (!ret && p->second.type == p->spec.type && p->second.config == p->spec.config)
		return err_set(err, ERR_USAGE, "%s divided by %s is always 1", p->second.name,
			       p->spec.name);
	run->second_event = p->second.name;
	run->second_freq_hz = p->second.freq_hz;
	run->second_period = p->second.period;
	return ret;
}

static int choose_event(struct profile *p, struct err *err)
{
	struct run_info *run = &p->c.engine.info.run;
	const char *name = p->conf->first.name ?: p->conf->event;
	int ret = 0;

	p->spec = rate_of(p->conf, &p->conf->first);
	if (name)
		ret = perf_spec_parse(name, &p->spec, err);
	else
		perf_spec_default(&p->spec);
	run->event = p->spec.name;
	run->freq_hz = p->spec.freq_hz;
	run->period = p->spec.period;
	return ret ?: choose_second(p, err);
}

static int open_program(struct profile *p, struct err *err)
{
	struct bpf_object_open_opts opts;
	size_t n;
	const void *object = profile_bpf__elf_bytes(&n);
	int ret = prog_open_opts(p->conf->collect.btf, object, n, &opts, err);

	if (ret)
		return ret;
	p->skel = profile_bpf__open_opts(&opts);
	prog_drop_object();
	if (!p->skel)
		return prog_explain(errno, "open", "the sampling program", err);
	p->counted = (struct occurrences){ .c = &p->c,
					   .window = &p->skel->bss->stack_window,
					   .weights = { .first_period = p->spec.period,
							.second_period = p->second.period } };
	return 0;
}

/* The period of an event that is sampled at a rate varies: each of its samples is sent with it. */
static u32 events_to_send(const struct profile *p)
{
	u32 events = 0;

	if (p->second.name && !p->spec.period)
		events |= 1U << STACK_FIRST_EVENT;
	if (p->second.name && !p->second.period)
		events |= 1U << STACK_SECOND_EVENT;
	return events;
}

static int load_program(struct profile *p, struct err *err)
{
	const struct collect_conf *conf = &p->conf->collect;
	struct profile_bpf *skel = p->skel;
	const struct collect_rodata ro = { COLLECT_RODATA(skel) };
	int ret;

	p->c.engine.filter.conf.include_idle = p->conf->include_idle;
	ret = collect_prepare(&p->c, skel->obj, &ro, err)
		      ?: collect_set_max(skel->obj, "counts", conf->max_counts, err);
	if (ret)
		return ret;
	skel->rodata->want_kernel = !conf->user_only;
	skel->rodata->want_user = !conf->kernel_only;
	skel->rodata->want_samples =
		conf->wants_samples ? 1U << STACK_FIRST_EVENT : events_to_send(p);
	skel->rodata->key = collect_stack_key(conf);
	bpf_program__set_autoload(skel->progs.profile_second, p->second.name);
	ret = handlers_load(skel->skeleton);
	if (ret)
		return prog_explain(-ret, "load", "the sampling program", err);
	return collect_load(&p->c, &(struct collect_kernel){ COLLECT_KERNEL(skel) }, err);
}

static int load(void *ctx, struct err *err)
{
	return choose_event(ctx, err) ?: open_program(ctx, err) ?: load_program(ctx, err);
}

/* The sampling program is attached per CPU; the other hooks follow forks. */
static int attach(void *ctx, struct err *err)
{
	struct profile *p = ctx;
	const struct u32_list *cpus = &p->conf->collect.target.cpus;
	int ret;

	bpf_program__set_autoattach(p->skel->progs.profile_sample, false);
	bpf_program__set_autoattach(p->skel->progs.profile_second, false);
	ret = profile_bpf__attach(p->skel);
	if (ret)
		return prog_explain(-ret, "attach", "the fork hook", err);
	if (p->second.name)
		perfev_add(&p->c.engine.perf, &p->second, p->skel->progs.profile_second);
	return perfev_open(&p->c.engine.perf, &p->spec, cpus->v.items, cpus->v.n,
			   p->skel->progs.profile_sample, err);
}

static void detach(void *ctx)
{
	struct profile *p = ctx;

	perfev_detach(&p->c.engine.perf);
	handlers_detach(p->skel->skeleton);
}

/* "cycles at 49 Hz", "every 1000 cycles" */
static void describe_event(const struct perf_spec *spec, char *out, size_t size)
{
	if (spec->period)
		snprintf(out, size, "every %llu %s", spec->period, spec->name);
	else
		snprintf(out, size, "%s at %llu Hz", spec->name, spec->freq_hz);
}

static void describe(void *ctx, char *out, size_t size)
{
	const struct profile *p = ctx;
	char first[64], second[64];

	describe_event(&p->spec, first, sizeof(first));
	if (p->second.name)
		describe_event(&p->second, second, sizeof(second));
	snprintf(out, size, "Sampling %s%s%s", first, p->second.name ? " and " : "",
		 p->second.name ? second : "");
}

static const struct collect_programs programs = {
	.load = load,
	.attach = attach,
	.detach = detach,
	.describe = describe,
};

static void release(struct profile *p)
{
	samples_release(&p->counted.samples);
	weights_release(&p->counted.weights);
	collect_release(&p->c);
	profile_bpf__destroy(p->skel);
}

int profile_run(const struct profile_conf *conf, int argc, char **argv, int *status,
		struct err *err)
{
	_cleanup_(release) struct profile p = {
		.conf = conf,
		.c = {
			.conf = &conf->collect,
			.programs = &programs,
			.programs_ctx = &p,
			.source = &occurrence_source,
			.source_ctx = &p.counted,
			.engine.info.run = {
				.command = "profile",
				.title = "CPU profile",
				.value_name = "samples",
				.unit = UNIT_SAMPLES,
			},
		},
	};

	return collect_run(&p.c, argc, argv, status, err);
}
