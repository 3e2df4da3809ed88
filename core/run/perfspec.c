// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The events that -e knows, by name. */
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/num.h"
#include "opt/opt.h"
#include "run/perfev.h"

#define HW(id) PERF_TYPE_HARDWARE, PERF_COUNT_HW_##id
#define SW(id) PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##id
#define CACHE(id, result)                                                                 \
	PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_##id | PERF_COUNT_HW_CACHE_OP_READ << 8 | \
				    PERF_COUNT_HW_CACHE_RESULT_##result << 16

static const struct {
	const char *name;
	u32 type;
	u64 config;
	const char *what;
} events[] = {
	{ "cpu-clock", SW(CPU_CLOCK), "time, by a timer on each CPU" },
	{ "task-clock", SW(TASK_CLOCK), "time, by the running task's clock" },
	{ "page-faults", SW(PAGE_FAULTS), "page faults" },
	{ "faults", SW(PAGE_FAULTS), "page faults" },
	{ "minor-faults", SW(PAGE_FAULTS_MIN), "page faults without disk access" },
	{ "major-faults", SW(PAGE_FAULTS_MAJ), "page faults with disk access" },
	{ "context-switches", SW(CONTEXT_SWITCHES), "switches from one task to another" },
	{ "cs", SW(CONTEXT_SWITCHES), "switches from one task to another" },
	{ "cpu-migrations", SW(CPU_MIGRATIONS), "moves of a task to another CPU" },
	{ "migrations", SW(CPU_MIGRATIONS), "moves of a task to another CPU" },
	{ "alignment-faults", SW(ALIGNMENT_FAULTS), "unaligned accesses" },
	{ "emulation-faults", SW(EMULATION_FAULTS), "instructions emulated" },
	{ "cycles", HW(CPU_CYCLES), "CPU cycles" },
	{ "cpu-cycles", HW(CPU_CYCLES), "CPU cycles" },
	{ "ref-cycles", HW(REF_CPU_CYCLES), "CPU cycles at the nominal frequency" },
	{ "bus-cycles", HW(BUS_CYCLES), "bus cycles" },
	{ "instructions", HW(INSTRUCTIONS), "instructions retired" },
	{ "cache-references", HW(CACHE_REFERENCES), "last level cache accesses" },
	{ "cache-misses", HW(CACHE_MISSES), "last level cache misses" },
	{ "branches", HW(BRANCH_INSTRUCTIONS), "branches retired" },
	{ "branch-instructions", HW(BRANCH_INSTRUCTIONS), "branches retired" },
	{ "branch-misses", HW(BRANCH_MISSES), "branches mispredicted" },
	{ "stalled-cycles-frontend", HW(STALLED_CYCLES_FRONTEND), "cycles without instructions" },
	{ "stalled-cycles-backend", HW(STALLED_CYCLES_BACKEND), "cycles without resources" },
	{ "L1-dcache-loads", CACHE(L1D, ACCESS), "first level data cache loads" },
	{ "L1-dcache-load-misses", CACHE(L1D, MISS), "first level data cache load misses" },
	{ "L1-icache-load-misses", CACHE(L1I, MISS), "first level code cache misses" },
	{ "LLC-loads", CACHE(LL, ACCESS), "last level cache loads" },
	{ "LLC-load-misses", CACHE(LL, MISS), "last level cache load misses" },
	{ "dTLB-load-misses", CACHE(DTLB, MISS), "data TLB misses" },
	{ "iTLB-load-misses", CACHE(ITLB, MISS), "code TLB misses" },
};

/* "r01c4": the PMU's own number. */
static bool parse_raw(const char *text, struct perf_spec *out)
{
	if (text[0] != 'r' || !num_parse_hex(view_of(text + 1), &out->config))
		return false;
	out->type = PERF_TYPE_RAW;
	out->name = text;
	return true;
}

int perf_spec_parse(const char *text, struct perf_spec *out, struct err *err)
{
	const char *names[ARRAY_SIZE(events)], *near;

	for (size_t i = 0; i < ARRAY_SIZE(events); i++) {
		names[i] = events[i].name;
		if (strcmp(text, events[i].name))
			continue;
		out->name = events[i].name;
		out->type = events[i].type;
		out->config = events[i].config;
		return 0;
	}
	if (parse_raw(text, out))
		return 0;
	err_set(err, ERR_USAGE, "there is no event '%s'", text);
	near = opt_nearest(text, names, ARRAY_SIZE(names));
	if (near)
		return err_hint(err, "did you mean '%s'?", near);
	return err_hint(err, "cpu-clock, cycles, instructions, cache-misses, page-faults, "
			     "context-switches, ... or rHEX for a raw PMU event");
}

void perf_spec_names(void (*add)(void *ctx, const char *name, const char *what), void *ctx)
{
	for (size_t i = 0; i < ARRAY_SIZE(events); i++)
		add(ctx, events[i].name, events[i].what);
}

void perf_spec_default(struct perf_spec *out)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.disabled = 1,
	};
	struct err err = { 0 };
	int fd;

	fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	perf_spec_parse(fd >= 0 || errno == EACCES || errno == EPERM ? "cycles" : "cpu-clock", out,
			&err);
	if (fd >= 0)
		close(fd);
}
