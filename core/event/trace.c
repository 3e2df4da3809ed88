// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "event/trace.h"

#include <errno.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/num.h"
#include "event/bind.h"
#include "event/stream.h"

#define PAGE_BYTES 4096
/* Time between two reads of a ring that contained records. */
#define POLL_NS	   (20 * NS_PER_MS)
/* While the output's reader does not read: how long to wait before signals and ticks are
 * checked. */
#define READER_MS  50

/* ---- from specs to probes ------------------------------------------------------------------ */

struct trace {
	const struct trace_conf *conf;
	struct proberun run;
	struct flow flow;
	int timer_fd;
	struct overhead overhead;
	bool is_failed, is_over; /* is_failed: an output failed; is_over: too expensive */
	u64 n_unread;		 /* sent events that could not be read */
	struct err *err;
};

static u64 ring_bytes(u64 pages)
{
	bool is_one = libbpf_num_possible_cpus() <= PROBES_ONE_RING_CPUS;
	u64 n = is_one ? (u64)libbpf_num_possible_cpus() : 1;

	return num_power_of_two(pages * PAGE_BYTES * n, PAGE_BYTES, 1U << 30);
}

static int add_specs(void *ctx, struct err *err)
{
	struct trace *t = ctx;
	const struct trace_conf *conf = t->conf;
	const struct spec_opts spec = { 0 };
	struct probes *probes = &t->run.probes;
	int ret = 0;

	probes->opts.binary_compare = conf->binary_compare;
	probes->opts.wants_types = true;
	probes->opts.wants_kstack = conf->kernel_stack;
	probes->opts.ring_bytes = ring_bytes(conf->buffer_pages);
	if (conf->includes.v.n)
		log_note("-I is not needed: types come from BTF.");
	for (size_t i = 0; i < conf->run.n_words && !ret; i++)
		ret = probes_add(probes, conf->run.words[i], SPEC_TRACE, &spec, err);
	return ret;
}

/* Is any of the values a user stack, or usym(x)? */
static bool has_user_code(const struct probe *probe)
{
	for (size_t i = 0; i < probe->groups.n; i++) {
		const struct probe_group *g = probe->groups.items[i];

		for (u32 v = 0; v < g->n_values; v++)
			if ((g->values[v]->type->kind == TYPE_STACK &&
			     g->values[v]->type->space == SPACE_USER) ||
			    g->values[v]->type->show == SHOW_USYM)
				return true;
	}
	return false;
}

/* Does any output need the mappings of processes? */
static bool wants_mappings(const struct trace *t)
{
	const struct probes *probes = &t->run.probes;
	bool wants = t->conf->user_stack;

	for (size_t i = 0; i < probes->v.n; i++) {
		const struct format_piece *p;

		vec_for_each(p, &probes->v.items[i]->format.pieces)
			wants |= p->kind == FORMAT_USYM;
		wants |= has_user_code(probes->v.items[i]);
	}
	return wants;
}

static int bind_values(void *ctx, struct err *err)
{
	struct trace *t = ctx;
	const struct bind_opts bind = { t->conf->kernel_stack, t->conf->user_stack };
	int ret = bind_events(&t->run.probes, &bind, err);

	t->run.wants_mappings = !ret && wants_mappings(t);
	return ret;
}

/* ---- the run ------------------------------------------------------------------------------ */

static int open_flow(void *ctx, struct err *err)
{
	struct trace *t = ctx;
	struct proberun *run = &t->run;
	const struct flow_opts opts = {
		.max_events = t->conf->max_events,
		.contains = t->conf->contains,
		.unit_texts = t->conf->csv && t->conf->heading,
		.aggregate = t->conf->aggregate,
		.unique = t->conf->unique,
		.kernel_stacks = t->conf->kernel_stack,
		.user_stacks = t->conf->user_stack,
		.has_mappings = run->wants_mappings,
		.max_frames = runinfo_max_frames(&run->engine.info),
	};
	struct engine *e = &run->engine;
	int ret = flow_init(&t->flow, &opts, run, err);

	ret = ret ?: overhead_init(&t->overhead, &t->conf->max_overhead, &run->probes, err);
	if (ret)
		return ret;
	t->err = err;
	t->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (t->timer_fd < 0)
		return err_errno(err, errno, "cannot make a timer");
	return session_watch(&e->session, t->timer_fd, 0, err);
}

static void arm_timer(const struct trace *t)
{
	const struct itimerspec in = { .it_value = { .tv_nsec = (long)POLL_NS } };

	timerfd_settime(t->timer_fd, 0, &in, NULL);
}

/* While events keep arriving, poll soon, and do not be woken for each record. */
static void drain(void *ctx)
{
	struct trace *t = ctx;
	u64 expirations;
	bool had_some;

	/* Reading the timer makes it unreadable again. */
	if (read(t->timer_fd, &expirations, sizeof(expirations)) < 0 && errno != EAGAIN)
		return;
	had_some = flow_drain(&t->flow);

	if (flow_show(&t->flow, now_ns(), t->err))
		t->is_failed = true;
	flow_forget(&t->flow);
	/* Events that are left in the rings would wake us again at once. */
	if (output_is_full(t->run.engine.out))
		output_wait(t->run.engine.out, READER_MS);
	had_some |= reorder_bytes(&t->flow.reorder) != 0;
	/* Read once more, because records that arrived since then did not wake us.  A record that
	 * is still being written is found at the next tick. */
	if (!had_some) {
		probes_set_polling(&t->run.probes, false);
		had_some = flow_drain(&t->flow);
	}
	if (!had_some)
		return;
	probes_set_polling(&t->run.probes, true);
	arm_timer(t);
}

static void on_tick(void *ctx, u64 now)
{
	struct trace *t = ctx;

	t->is_over |= overhead_tick(&t->overhead, &t->run.probes, now);
}

static bool is_done(void *ctx)
{
	const struct trace *t = ctx;

	return t->is_failed || t->is_over || flow_is_full(&t->flow);
}

static u64 taken(void *ctx)
{
	const struct trace *t = ctx;

	return t->flow.n_taken;
}

/* Events are printed as they arrive. */
static int report(void *ctx, struct session_window *w, struct err *err)
{
	struct trace *t = ctx;

	(void)w;
	if (!t->run.engine.is_detached)
		return 0;
	t->n_unread = flow_drain_rest(&t->flow);
	return flow_show(&t->flow, UINT64_MAX, err) ?: flow_show_same(&t->flow, err);
}

static void on_end(void *ctx, struct event_probe *counts, struct run_end *end)
{
	const struct trace *t = ctx;

	for (u32 i = 0; i < end->n_probes; i++) {
		counts[i].shown = t->flow.shown[i];
		counts[i].late = t->flow.late[i];
		/* Programs count all events, of which -M shows the first. */
		if (flow_is_full(&t->flow))
			counts[i].absent = t->flow.unreadable[i];
	}
	end->ledger.stacks.user = t->flow.n_user;
	memcpy(end->ledger.stacks.user_truncated, t->flow.user_truncated,
	       sizeof(t->flow.user_truncated));
	end->ledger.lost[LOST_stack_fault] = t->flow.n_stack_faults;
	end->ledger.lost[LOST_stack_full] += t->flow.n_stack_full;
	end->ledger.lost[LOST_map_full] += t->flow.n_folded;
	end->ledger.lost[LOST_ring_full] += t->n_unread + t->flow.n_bad + t->flow.n_given_up;
	if (t->n_unread)
		log_warn("events-lost",
			 t->n_unread == 1
				 ? "%llu event is still in the buffer, but cannot be read"
				 : "%llu events are still in the buffer, but cannot be read",
			 t->n_unread);
	if (t->flow.n_given_up)
		log_warn("events-lost",
			 t->flow.n_given_up == 1
				 ? "%llu event was read but not shown: the run was ended early"
				 : "%llu events were read but not shown: the run was ended early",
			 t->flow.n_given_up);
	proberun_say_malformed(t->flow.n_bad);
}

static const struct proberun_ops run_ops = {
	.doing = "Tracing",
	.add = add_specs,
	.bind = bind_values,
	.open = open_flow,
	.drain = drain,
	.on_tick = on_tick,
	.is_done = is_done,
	.taken = taken,
	.report = report,
	.end = on_end,
};

static u32 columns(const struct trace_conf *conf)
{
	u32 c = conf->csv ? EVENT_CSV : 0;

	if (conf->raw)
		return EVENT_RAW;
	c |= conf->wall_time ? EVENT_COLUMN_WALL : 0;
	c |= conf->unix_time ? EVENT_COLUMN_UNIX : conf->timestamp ? EVENT_COLUMN_SINCE : 0;
	c |= conf->print_cpu ? EVENT_COLUMN_CPU : 0;
	c |= conf->print_uid ? EVENT_COLUMN_UID : 0;
	return c;
}

static void release(struct trace *t)
{
	flow_release(&t->flow);
	overhead_release(&t->overhead);
	proberun_release(&t->run);
	close_p(&t->timer_fd);
}

int trace_run(const struct trace_conf *conf, int argc, char **argv, int *status, struct err *err)
{
	_cleanup_(release) struct trace t = {
		.conf = conf,
		.timer_fd = -1,
		.overhead.stats_fd = -1,
		.run = {
			.conf = &conf->run,
			.ops = &run_ops,
			.ctx = &t,
			.engine = {
				.kinds = REPORT_EVENTS,
				.render = {
					.addresses = conf->addresses,
					.event_columns = columns(conf),
					.heading = conf->heading,
				},
				.info.run = {
					.command = "trace",
					.title = "events",
					.value_name = "events",
					.unit = UNIT_EVENTS,
				},
			},
		},
	};

	return proberun_run(&t.run, argc, argv, status, err);
}
