// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "host/perfnames.h"

#include <linux/perf_event.h>

#define HW(id) PERF_TYPE_HARDWARE, PERF_COUNT_HW_##id
#define SW(id) PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##id
#define CACHE(id, result)                                                                 \
	PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_##id | PERF_COUNT_HW_CACHE_OP_READ << 8 | \
				    PERF_COUNT_HW_CACHE_RESULT_##result << 16

static const struct perf_name events[] = {
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

const struct perf_name *perf_names(size_t *n)
{
	*n = ARRAY_SIZE(events);
	return events;
}
