// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "probe/overhead.h"
#include "probe/probes_int.h"

#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/num.h"
#include "host/cpus.h"
#include "run/prog.h"
#include "run/runinfo.h"

#define PERCENT_MAX	 10000
#define TICKS_PER_SECOND 10

int overhead_parse(void *field, const char *text, struct err *err)
{
	struct overhead_limit *limit = field;
	u64 n;

	if (!strcmp(text, "off"))
		n = 0;
	else if (!num_parse_dec(view_of(text), &n) || n > PERCENT_MAX)
		return err_set(err, ERR_USAGE, "'%s' is not a number from 0 to %u, or off", text,
			       PERCENT_MAX);
	*limit = (struct overhead_limit){ .is_given = true, .percent = (u32)n };
	return 0;
}

static u32 default_percent(void)
{
	struct cpus cpus = { 0 };
	u32 n;

	cpus_online(&cpus);
	n = (u32)cpus.v.n;
	cpus_release(&cpus);
	return n * OVERHEAD_PER_CPU;
}

static int turn_on(struct overhead *o, struct err *err)
{
	o->stats_fd = prog_stats_enable(err);
	return o->stats_fd < 0 ? o->stats_fd : 0;
}

static void turn_off(struct overhead *o)
{
	if (o->stats_fd >= 0)
		close(o->stats_fd);
	o->stats_fd = -1;
}

int overhead_init(struct overhead *o, const struct overhead_limit *limit, const struct probes *p,
		  struct err *err)
{
	struct err ignored = { 0 };
	int ret;

	*o = (struct overhead){ .stats_fd = -1 };
	if (limit->is_given) {
		o->percent = limit->percent;
		o->window_ns = NS_PER_SEC;
	} else if (!probes_has_filter(p, true)) {
		o->percent = default_percent();
		o->window_ns = OVERHEAD_SECONDS * NS_PER_SEC;
	}
	if (!o->percent)
		return 0;
	ret = turn_on(o, limit->is_given ? err : &ignored);
	turn_off(o);
	if (ret)
		o->percent = 0;
	return limit->is_given ? ret : 0;
}

static void begin_slice(struct overhead *o, const struct probes *p, u64 now)
{
	struct err ignored = { 0 };

	if (turn_on(o, &ignored))
		return;
	o->slice_ns = now;
	o->slice_cost_ns = probes_runs(p).cost_ns;
}

static void end_slice(struct overhead *o, const struct probes *p, u64 now)
{
	if (o->stats_fd < 0 || now <= o->slice_ns)
		return;
	o->share = (probes_runs(p).cost_ns - o->slice_cost_ns) * 1024 / (now - o->slice_ns);
	turn_off(o);
}

static bool is_too_much(struct overhead *o)
{
	u64 percent = o->sum_cost_ns * 100 / o->sum_ns;

	o->sum_ns = o->sum_cost_ns = 0;
	if (percent <= o->percent)
		return false;
	log_warn("overhead",
		 "stopped: the probes and bperf used %llu %% of a CPU, and the limit is %u %% "
		 "(--max-overhead PERCENT, or off)",
		 percent, o->percent);
	return true;
}

/* A second of the window is over. */
static bool add_second(struct overhead *o, u64 now)
{
	u64 own_ns = runinfo_cpu_ns();

	if (o->begin_ns) {
		o->sum_ns += now - o->begin_ns;
		o->sum_cost_ns += own_ns - o->own_ns + (now - o->begin_ns) * o->share / 1024;
	}
	o->begin_ns = now;
	o->own_ns = own_ns;
	return o->sum_ns && o->sum_ns + NS_PER_SEC / 2 >= o->window_ns && is_too_much(o);
}

bool overhead_tick(struct overhead *o, const struct probes *p, u64 now)
{
	u64 phase = o->tick++ % TICKS_PER_SECOND;

	if (!o->percent)
		return false;
	if (!phase)
		begin_slice(o, p, now);
	if (phase != 1)
		return false;
	end_slice(o, p, now);
	return add_second(o, now);
}

void overhead_release(struct overhead *o)
{
	turn_off(o);
}
