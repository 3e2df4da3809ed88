// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "run/runinfo.h"

#include <sys/resource.h>
#include <sys/utsname.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/num.h"
#include "base/str.h"
#include "bpf/abi/event.h"
#include "host/cpus.h"
#include "run/prog.h"

static const char *first_line(struct intern *strings, const char *path)
{
	_cleanup_(str_release) struct str text = { 0 };
	struct view rest, line = { "", 0 };

	if (file_read(path, 4096, &text))
		return "";
	rest = str_view(&text);
	view_split(&rest, '\n', &line);
	return intern_n(strings, line.p, line.n);
}

void runinfo_fill(struct runinfo *r)
{
	_cleanup_(cpus_release) struct cpus online = { 0 };
	struct utsname u;

	cpus_online(&online);
	r->run.cpus_online = (u32)online.v.n;
	r->run.boot_id = first_line(&r->strings, "/proc/sys/kernel/random/boot_id");
	if (uname(&u))
		return;
	r->run.host = intern(&r->strings, u.nodename);
	r->run.kernel = intern(&r->strings, u.release);
	r->run.arch = intern(&r->strings, u.machine);
}

void runinfo_release(struct runinfo *r)
{
	intern_release(&r->strings);
}

u32 runinfo_max_frames(struct runinfo *r)
{
	const char *text = first_line(&r->strings, "/proc/sys/kernel/perf_event_max_stack");
	u64 n;

	if (!num_parse_dec(view_of(text), &n) || !n || n > EVENT_MAX_FRAMES)
		return EVENT_MAX_FRAMES;
	return (u32)n;
}

static u64 timeval_ns(const struct timeval *t)
{
	return (u64)t->tv_sec * NS_PER_SEC + (u64)t->tv_usec * NS_PER_US;
}

u64 runinfo_cpu_ns(void)
{
	struct rusage self;

	getrusage(RUSAGE_SELF, &self);
	return timeval_ns(&self.ru_utime) + timeval_ns(&self.ru_stime);
}

void runinfo_cost(const struct symbolizer *sym, const struct bpf_object *obj, struct ledger *l)
{
	struct symbol_stats stats;
	struct rusage self;

	getrusage(RUSAGE_SELF, &self);
	l->cost.user_ms = runinfo_cpu_ns() / NS_PER_MS;
	l->cost.rss_kb = (u64)self.ru_maxrss;
	l->cost.map_kb = prog_map_kb(obj);
	l->cost.bpf_runs = l->cost.bpf_ns = LOST_UNKNOWN;
	symbolizer_stats(sym, &stats);
	l->symbols.frames = stats.frames;
	l->symbols.symbolized = stats.symbolized;
	l->symbols.stripped = stats.stripped;
	l->symbols.jit_no_map = stats.jit_no_map;
	l->symbols.exited = stats.exited;
	l->symbols.too_costly = stats.costly;
	for (int i = 0; i < LEDGER_COSTLY_FILES && i < SYM_COSTLY_FILES; i++)
		l->symbols.costly_files[i] = stats.costly_files[i];
}
