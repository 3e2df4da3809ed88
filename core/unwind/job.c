// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "unwind/job.h"

#include <errno.h>

#include "base/cleanup.h"
#include "base/clock.h"

/* The largest libraries of a compiler or browser take 60 ms, or 150 ms on a busy machine. */
#define FILE_CPU_NS (200 * NS_PER_MS)
#define FILE_BYTES  (256 << 20)

static void build(struct unwind_job *j)
{
	struct meter meter = { .max_cpu_ns = FILE_CPU_NS,
			       .max_bytes = FILE_BYTES,
			       .stop = &j->is_unwanted };
	struct elf_src src = j->src;
	struct elf e;
	int ret;

	meter_begin(&meter);
	src.meter = &meter;
	if (elf_init(&e, &src))
		return;
	unwind_rules_init(&j->rules);
	ret = unwind_table_build(&j->table, &e, &j->rules, j->max_rows);
	j->is_refused = ret == -E2BIG;
	j->is_built = !ret && meter.over == METER_GOES_ON;
	if (j->is_built)
		unwind_code_init(&j->code, &e);
	elf_release(&e);
}

void unwind_job_run(struct unwind_job *j)
{
	u64 began = clock_ns(CLOCK_THREAD_CPUTIME_ID);

	build(j);
	j->cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - began;
}

static void *run_thread(void *ctx)
{
	struct unwind_job *j = ctx;

	unwind_job_run(j);
	__atomic_store_n(&j->is_done, true, __ATOMIC_RELEASE);
	return NULL;
}

bool unwind_job_begin(struct unwind_job *j)
{
	j->is_threaded = !thread_start(&j->thread, run_thread, j);
	return j->is_threaded;
}

bool unwind_job_is_done(struct unwind_job *j)
{
	return __atomic_load_n(&j->is_done, __ATOMIC_ACQUIRE);
}

void unwind_job_release(struct unwind_job *j)
{
	__atomic_store_n(&j->is_unwanted, true, __ATOMIC_RELAXED);
	if (j->is_threaded)
		pthread_join(j->thread, NULL);
	unwind_table_release(&j->table);
	unwind_rules_release(&j->rules);
	unwind_code_release(&j->code);
	close_p(&j->src.fd);
}
