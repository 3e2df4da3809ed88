/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shared by the workloads: a clock that counts only our own CPU time, bounds in wall time so that
 * none outlives its test, and system calls without libc frames (Debian's libc has no frame
 * pointers, and these programs are about exact stacks).
 */
#ifndef WORK_H
#define WORK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

typedef uint64_t u64;
typedef uint32_t u32;

#define MS  1000000ull
#define SEC 1000000000ull
#ifdef __clang__
#define NOINLINE __attribute__((noinline))
#else
#define NOINLINE __attribute__((noinline, noclone))
#endif

/* Keeps the compiler from merging, dropping or tail-calling the code before it. */
#define barrier() __asm__ volatile("" ::: "memory")

#define INLINE __attribute__((always_inline)) static inline

INLINE long raw_syscall(long nr, long a, long b, long c, long d)
{
#if defined(__x86_64__)
	register long r10 __asm__("r10") = d;
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10)
			 : "rcx", "r11", "memory");
	return ret;
#elif defined(__aarch64__)
	register long x8 __asm__("x8") = nr;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;

	__asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
	return x0;
#else
	return syscall(nr, a, b, c, d);
#endif
}

INLINE u64 clock_ns(clockid_t clock)
{
	struct timespec t = { 0 };

	raw_syscall(SYS_clock_gettime, clock, (long)&t, 0, 0);
	return (u64)t.tv_sec * SEC + (u64)t.tv_nsec;
}

INLINE u64 cpu_ns(void)
{
	return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

INLINE u64 wall_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

/* Some 10 to 100 us of pure user time. */
INLINE void burn(void)
{
	for (u32 i = 0; i < 50000; i++)
		__asm__ volatile("" : "+r"(i));
}

/* Burn until this thread has used `ns` more of CPU time; returns what it really used. */
INLINE u64 burn_ns(u64 ns)
{
	u64 start = cpu_ns(), used;

	do {
		burn();
		used = cpu_ns() - start;
	} while (used < ns);
	return used;
}

/* "1.5" as nanoseconds; a workload is started by a test, so a bad word just ends it. */
static inline u64 arg_ns(int argc, char **argv, int i, double seconds)
{
	char *end;
	double v = seconds;

	if (i < argc) {
		v = strtod(argv[i], &end);
		if (*end || v < 0 || v > 600) {
			fprintf(stderr, "%s: '%s' is not a number of seconds\n", argv[0], argv[i]);
			exit(64);
		}
	}
	return (u64)(v * 1e9);
}

static inline u64 arg_u64(int argc, char **argv, int i, u64 value)
{
	char *end;

	if (i >= argc)
		return value;
	value = strtoull(argv[i], &end, 10);
	if (*end || end == argv[i]) {
		fprintf(stderr, "%s: '%s' is not a number\n", argv[0], argv[i]);
		exit(64);
	}
	return value;
}

/* A machine under load may give us a tenth of a CPU: the wall-clock end for `ns` of CPU time. */
static inline u64 wall_limit(u64 ns)
{
	return wall_ns() + 10 * ns + 5 * SEC;
}

/* Print the pid first, so that a test can start it, read one line, and attach. */
static inline void say_pid(void)
{
	printf("pid %d\n", getpid());
	fflush(stdout);
}

#endif
