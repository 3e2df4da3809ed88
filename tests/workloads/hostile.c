/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * hostile [N [SECONDS]]: what a dump must not believe, for SECONDS (60).
 *
 *	orphan		N threads (100) that wait for a mutex whose owner has ended
 *	blind-poll, blind-select	in calls on three files, whose descriptors nobody can read
 *			any more
 *	closed		in epoll_wait() on a descriptor that is closed since
 *	counter		in a futex call on a counter that is the id of a thread
 *	normal		in a futex call on the word of a normal musl mutex, which looks as if this
 *			process's first thread owned it
 *	"\33[2J\n"	in pause()
 *
 * Prints "pid", when all of them wait.
 */
#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/select.h>

#include "waits.h"

enum {
	PAGE = 4096,
	N_FILES = 3
};

static pthread_mutex_t orphaned = PTHREAD_MUTEX_INITIALIZER;
static int files[2], polls;
static struct pollfd *polled;
static fd_set *selected;
static struct {
	unsigned int counter, unused, type, word;
} words __attribute__((aligned(8)));

static void *page(void)
{
	return mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void *lock_and_end(void *arg)
{
	pthread_mutex_lock(&orphaned);
	return arg;
}

static void *orphan(void *arg)
{
	set_name("orphan");
	pthread_mutex_lock(&orphaned);
	return arg;
}

static void *blind_poll(void *arg)
{
	set_name("blind-poll");
	poll(polled, N_FILES, -1);
	return arg;
}

static void *blind_select(void *arg)
{
	set_name("blind-select");
	select(files[0] + 1, selected, NULL, NULL, NULL);
	return arg;
}

static void *closed(void *arg)
{
	struct epoll_event e;

	set_name("closed");
	epoll_wait(polls, &e, 1, -1);
	return arg;
}

static void *counter(void *arg)
{
	set_name("counter");
	syscall(SYS_futex, &words.counter, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, words.counter,
		NULL, NULL, -1);
	return arg;
}

static void *normal(void *arg)
{
	set_name("normal");
	syscall(SYS_futex, &words.word, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, words.word, NULL);
	return arg;
}

static void *named(void *arg)
{
	set_name("\33[2J\n");
	pause();
	return arg;
}

static void prepare(void)
{
	struct epoll_event e = { .events = EPOLLIN };

	if (pipe(files))
		exit(1);
	polls = epoll_create1(0);
	epoll_ctl(polls, EPOLL_CTL_ADD, files[0], &e);
	polled = page();
	for (int i = 0; i < N_FILES; i++)
		polled[i] = (struct pollfd){ files[0], POLLIN, 0 };
	selected = page();
	FD_SET(files[0], selected);
	words.counter = (unsigned int)getpid();
	words.word = (unsigned int)getpid() | FUTEX_WAITERS;
}

/* Threads of this process in the state 'S', but for the first one. */
static int n_asleep(void)
{
	FILE *f = popen("cat /proc/$PPID/task/*/stat | sed 's/.*)//' | grep -c '^ S'", "r");
	int n = 0;

	if (!f || fscanf(f, "%d", &n) != 1)
		exit(1);
	pclose(f);
	return n - 1;
}

int main(int argc, char **argv)
{
	static void *(*const others[])(void *) = { blind_poll, blind_select, closed,
						   counter,    normal,	     named };
	int n = argc > 1 ? atoi(argv[1]) : 100;
	const int n_others = sizeof(others) / sizeof(*others);
	pthread_t thread;
	pthread_attr_t a;

	alarm(argc > 2 ? (unsigned)atoi(argv[2]) : 60);
	prepare();
	pthread_attr_init(&a);
	pthread_attr_setstacksize(&a, 1 << 16);
	pthread_create(&thread, &a, lock_and_end, NULL);
	pthread_join(thread, NULL);
	for (int i = 0; i < n; i++)
		if (pthread_create(&thread, &a, orphan, NULL))
			return 1;
	for (int i = 0; i < n_others; i++)
		pthread_create(&thread, &a, others[i], NULL);
	while (n_asleep() < n + n_others)
		sleep_ns(10 * MS);
	mprotect(polled, PAGE, PROT_NONE);
	mprotect(selected, PAGE, PROT_NONE);
	close(polls);
	printf("pid %d\n", getpid());
	fflush(stdout);
	pause();
	return 0;
}
