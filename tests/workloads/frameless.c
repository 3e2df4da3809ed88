/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * frameless SECONDS [burn | sleep | signal | thread | far | frames | plug FILE]
 * frameless N calls
 * frameless-bare ...: the same, static and stripped, but for `plug`
 *
 * Built as distributions build, with optimisation and without frame pointers.  One chain of calls,
 * through the C library's qsort(), leads to its work, which goes on all the time: use the CPU;
 * sleep 5 ms at a time, in nanosleep() and in read(); use the CPU in the handler of a signal, on a
 * stack of its own; the same as `burn` in a second thread, or 40 KB of stack away from main(); in
 * frames of all kinds; or in a library that is loaded after half of the time.  The names of the
 * chain are printed, root first, as folded stacks show them.
 *
 * frames: 20 ms each in a function of its own, below a frame of 8 KB, an aligned frame of variable
 * size, 60 frames of one function, the child of a vfork(), and the handler of a signal that
 * interrupts a function which calls no others.
 *
 * calls: frameless_few() calls frameless_counted() through qsort() N times, and frameless_many()
 * three times as often.  frameless_counted() fires a USDT probe and calls getpgid().  The first 20
 * of frameless_few take 20 ms each.
 */
#include "note.h"
#include "work.h"

#include <alloca.h>
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

static void (*work)(void);
static u64 until;
static volatile u64 sink;

static bool is_over(void)
{
	return wall_ns() >= until;
}

#define SPIN(id)                                \
	NOINLINE void id(void);                 \
	NOINLINE void id(void)                  \
	{                                       \
		for (u64 i = 0; i < 50000; i++) \
			sink += i * i;          \
	}

SPIN(frameless_spin)
SPIN(frameless_below_wide)
SPIN(frameless_below_aligned)
SPIN(frameless_below_deep)
SPIN(frameless_in_child)
SPIN(frameless_interrupted)
SPIN(frameless_in_handler)

static void use_cpu(void)
{
	while (!is_over())
		frameless_spin();
}

NOINLINE void frameless_read(int fd)
{
	u64 n = 0;

	if (read(fd, &n, sizeof(n)) > 0)
		sink += n;
	barrier();
}

static void doze(void)
{
	const struct timespec t = { .tv_nsec = 5000000 };
	const struct timespec longer = { .tv_nsec = 10000000 };
	const struct itimerspec each = { longer, longer };
	int fd = timerfd_create(CLOCK_MONOTONIC, 0);

	timerfd_settime(fd, 0, &each, NULL);
	while (!is_over()) {
		nanosleep(&t, NULL);
		frameless_read(fd);
	}
}

static void on_signal(int signal)
{
	(void)signal;
	use_cpu();
}

static void raise_signal(void)
{
	static char stack[65536];
	const stack_t other = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK };

	sigaltstack(&other, NULL);
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
}

/* ---- frames of all kinds ---- */

static void spin_in(void (*spin)(void), u64 ms)
{
	u64 end = wall_ns() + ms * 1000000;

	while (wall_ns() < end)
		spin();
	barrier();
}

NOINLINE void frameless_wide(void)
{
	volatile u64 room[1024];

	room[sink % 1024] = 1;
	spin_in(frameless_below_wide, 20);
	sink += room[sink % 1024];
}

NOINLINE void frameless_aligned(u64 n)
{
	volatile u64 aligned[8] __attribute__((aligned(256)));
	volatile unsigned char *more = alloca(n);

	aligned[n % 8] = more[n / 2] = (unsigned char)n;
	spin_in(frameless_below_aligned, 20);
	sink += aligned[n % 8] + more[n / 2];
}

NOINLINE void frameless_deep(u64 n)
{
	if (n > 1)
		frameless_deep(n - 1);
	else
		spin_in(frameless_below_deep, 20);
	barrier();
}

NOINLINE void frameless_parent(void)
{
	pid_t pid = vfork();

	if (!pid) {
		spin_in(frameless_in_child, 20);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static void on_alarm(int signal)
{
	(void)signal;
	spin_in(frameless_in_handler, 20);
}

NOINLINE void frameless_alarmed(void)
{
	const struct itimerval once = { .it_value.tv_usec = 1000 };

	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &once, NULL);
	spin_in(frameless_interrupted, 10);
}

static void all_frames(void)
{
	while (!is_over()) {
		frameless_wide();
		frameless_aligned(64 + sink % 64);
		frameless_deep(60);
		frameless_parent();
		frameless_alarmed();
	}
}

/* ---- the chain ---- */

NOINLINE int frameless_compare(const void *a, const void *b)
{
	(void)a;
	(void)b;
	if (!is_over())
		work();
	barrier();
	return 0;
}

/* Each keeps something on its stack, so that frames have different sizes. */
#define LINK(id, next, words)                               \
	NOINLINE int id(int n);                             \
	NOINLINE int id(int n)                              \
	{                                                   \
		volatile u64 room[words];                   \
		int ret;                                    \
                                                            \
		room[n % (words)] = (u64)n;                 \
		ret = next(n + 1) + (int)room[n % (words)]; \
		barrier();                                  \
		return ret;                                 \
	}

static int sort_two(int n)
{
	u64 two[2] = { (u64)n, 1 };

	qsort(two, 2, sizeof(*two), frameless_compare);
	return (int)two[0];
}

LINK(frameless_4, sort_two, 3)
LINK(frameless_3, frameless_4, 90)
LINK(frameless_2, frameless_3, 1)
LINK(frameless_1, frameless_2, 17)

NOINLINE void frameless_counted(void)
{
	NOTE("counted", "0", "");
	sink += (u64)syscall(SYS_getpgid, 0);
}

NOINLINE void frameless_few(u64 n)
{
	const struct timespec t = { .tv_nsec = 20000000 };

	for (u64 i = 0; i < n; i++) {
		sort_two(1);
		if (i < 20)
			nanosleep(&t, NULL);
	}
	barrier();
}

NOINLINE void frameless_many(u64 n)
{
	for (u64 i = 0; i < 3 * n; i++)
		sort_two(2);
	barrier();
}

static int make_calls(u64 n)
{
	until = UINT64_MAX;
	work = frameless_counted;
	frameless_few(n);
	frameless_many(n);
	return 0;
}

static void *in_thread(void *arg)
{
	frameless_1(0);
	return arg;
}

static const char *plug_path;

static void burn_in_plug(void)
{
	void (*spin)(void) = NULL;
#ifndef FRAMELESS_BARE
	void *plug = dlopen(plug_path, RTLD_NOW);

	if (plug)
		*(void **)&spin = dlsym(plug, "frameless_plug");
#endif
	while (spin && !is_over())
		spin();
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[2] : "burn";
	volatile char *room = alloca(!strcmp(what, "far") ? 40000 : 1);
	pthread_t thread;
	u64 ns;

	room[0] = 0;
	if (!strcmp(what, "calls"))
		return make_calls((u64)atol(argv[1]));
	ns = arg_ns(argc, argv, 1, 1);
	until = wall_ns() + ns;
	work = !strcmp(what, "sleep")	 ? doze
	       : !strcmp(what, "signal") ? raise_signal
	       : !strcmp(what, "frames") ? all_frames
					 : use_cpu;
	say_pid();
	printf("chain frameless_1;frameless_2;frameless_3;frameless_4\n");
	fflush(stdout);
	if (!strcmp(what, "plug") && argc > 3) {
		plug_path = argv[3];
		until -= ns / 2;
		use_cpu();
		until += ns / 2;
		work = burn_in_plug;
	}
	if (strcmp(what, "thread") != 0) {
		frameless_1(0);
		return 0;
	}
	if (pthread_create(&thread, NULL, in_thread, NULL))
		return 1;
	pthread_join(thread, NULL);
	return 0;
}
