/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shared by workloads that wait: waiting without libc frames, and a thread's own measurement of it.
 *
 * A thread knows how long its system calls took (`ns`) and how much of the time from a bit before
 * to a bit after it was on a CPU (`cpu`).  Its time off the CPU is at most `ns` and at least the
 * difference (less the time that interrupts took from it, on kernels that account interrupts
 * apart).
 */
#ifndef WAITS_H
#define WAITS_H

#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "work.h"

struct waited {
	u64 n, ns, cpu;
	u64 delayed; /* the thread's waits for a CPU, also outside of the calls: wait_over() */
	u64 from, cpu_from;
};

INLINE void wait_begins(struct waited *w)
{
	w->cpu_from = cpu_ns();
	w->from = wall_ns();
}

INLINE void wait_ends(struct waited *w)
{
	w->ns += wall_ns() - w->from;
	w->cpu += cpu_ns() - w->cpu_from;
	w->n++;
}

/* A lower bound of its time off the CPU. */
static inline u64 off_cpu(const struct waited *w)
{
	return w->ns > w->cpu ? w->ns - w->cpu : 0;
}

/* "NAME_n", "NAME_ns" (wall time of the calls), "NAME_off" (less CPU time) and "NAME_blocked" (less
 * waits for a CPU): each a lower bound. */
static inline void say_waited(const char *name, const struct waited *w)
{
	u64 off = off_cpu(w);

	printf("%s_n %llu\n%s_ns %llu\n%s_off %llu\n%s_blocked %llu\n", name,
	       (unsigned long long)w->n, name, (unsigned long long)w->ns, name,
	       (unsigned long long)off, name,
	       (unsigned long long)(off > w->delayed ? off - w->delayed : 0));
	fflush(stdout);
}

INLINE long sleep_ns(u64 ns)
{
	struct timespec t = { .tv_sec = (time_t)(ns / SEC), .tv_nsec = (long)(ns % SEC) };

	return raw_syscall(SYS_nanosleep, (long)&t, 0, 0, 0);
}

/* A function with this name, which sleeps. */
#define NAP(name)                   \
	NOINLINE void name(u64 ns); \
	NOINLINE void name(u64 ns)  \
	{                           \
		sleep_ns(ns);       \
		barrier();          \
	}

/* For words shared between processes: a private futex is looked up by the address space. */
INLINE void futex_wait(u32 *word, u32 value)
{
	raw_syscall(SYS_futex, (long)word, FUTEX_WAIT, value, 0);
}

INLINE void futex_wake(u32 *word, u32 n)
{
	raw_syscall(SYS_futex, (long)word, FUTEX_WAKE, n, 0);
}

INLINE u32 load(const u32 *word)
{
	return __atomic_load_n(word, __ATOMIC_SEQ_CST);
}

INLINE void store(u32 *word, u32 value)
{
	__atomic_store_n(word, value, __ATOMIC_SEQ_CST);
}

static inline void set_name(const char *name)
{
	prctl(PR_SET_NAME, name);
}

static inline pid_t my_tid(void)
{
	return (pid_t)syscall(SYS_gettid);
}

/* Pin to the first or last CPU that we may use. */
static inline void pin(bool last)
{
	cpu_set_t may, one;

	if (sched_getaffinity(0, sizeof(may), &may))
		return;
	CPU_ZERO(&one);
	for (int i = 0; i < CPU_SETSIZE; i++) {
		if (!CPU_ISSET(i, &may))
			continue;
		if (last)
			CPU_ZERO(&one);
		CPU_SET(i, &one);
		if (!last)
			break;
	}
	sched_setaffinity(0, sizeof(one), &one);
}

/* In a child: it must not outlive the parent, which a test may kill. */
static inline void die_with_parent(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
}

/* Memory that children share with us; zeros. */
static inline void *shared(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		exit(1);
	return p;
}

/* Nanoseconds that the calling thread ran and waited for a CPU, as the scheduler counts them. */
static inline void schedstat(u64 *ran, u64 *delayed)
{
	unsigned long long a = 0, b = 0;
	FILE *f = fopen("/proc/thread-self/schedstat", "r");

	if (f && fscanf(f, "%llu %llu", &a, &b) != 2)
		a = b = 0;
	if (f)
		fclose(f);
	*ran = a;
	*delayed = b;
}

/* Called at its end by the thread that waited. */
static inline void wait_over(struct waited *w)
{
	u64 ran;

	schedstat(&ran, &w->delayed);
}

/* How often the calling thread was switched away, voluntarily and not. */
static inline void switch_counts(u64 *voluntary, u64 *forced)
{
	struct rusage u;

	getrusage(RUSAGE_THREAD, &u);
	*voluntary = (u64)u.ru_nvcsw;
	*forced = (u64)u.ru_nivcsw;
}

#endif
