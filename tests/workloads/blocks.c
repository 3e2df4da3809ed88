/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * blocks [N [MS]]: threads that each block N times (300) for some MS milliseconds (2), each thread
 * only in its own system call, until a timer ends it or its partner writes.  Then all of them block
 * once more, and the main thread prints the stacks that the kernel shows for them, leaf first:
 * "stack THREAD FUNCTION...".  These stacks lack functions that only schedule
 * (stack_trace_save_tsk).
 */
#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>

#include "waits.h"

static u64 n_blocks, block_ns;
static u32 n_done, is_over;

static void block_nap(u64 ns, int fd)
{
	(void)fd;
	sleep_ns(ns);
}

static void block_futex(u64 ns, int fd)
{
	struct timespec t = { .tv_sec = (time_t)(ns / SEC), .tv_nsec = (long)(ns % SEC) };
	u32 word = 0;

	(void)fd;
	syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &t, NULL, 0);
}

static void block_poll(u64 ns, int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	poll(&p, 1, (int)(ns / MS));
}

static void block_select(u64 ns, int fd)
{
	struct timeval t = { .tv_sec = (time_t)(ns / SEC), .tv_usec = (long)(ns % SEC / 1000) };
	fd_set set;

	FD_ZERO(&set);
	FD_SET(fd, &set);
	select(fd + 1, &set, NULL, NULL, &t);
}

static void block_epoll(u64 ns, int fd)
{
	struct epoll_event e;

	epoll_wait(fd, &e, 1, (int)(ns / MS));
}

static void block_read(u64 ns, int fd)
{
	char c[8];

	(void)ns;
	if (read(fd, c, sizeof(c)) < 0)
		barrier();
}

static void block_receive(u64 ns, int fd)
{
	char c[8];

	(void)ns;
	recv(fd, c, sizeof(c), 0);
}

enum {
	NAP,
	FUTEX,
	POLL,
	SELECT,
	EPOLL,
	PIPE,
	EVENTFD,
	UNIX,
	UNIX_READ
};

static struct blocker {
	const char *name;
	void (*block)(u64 ns, int fd);
	int fd, partner; /* partner: the descriptor to write to, to end it; -1: a timer ends it */
	u32 tid;
} blockers[] = {
	[NAP] = { "b-nap", block_nap, -1, -1, 0 },
	[FUTEX] = { "b-futex", block_futex, -1, -1, 0 },
	[POLL] = { "b-poll", block_poll, -1, -1, 0 },
	[SELECT] = { "b-select", block_select, -1, -1, 0 },
	[EPOLL] = { "b-epoll", block_epoll, -1, -1, 0 },
	[PIPE] = { "b-pipe", block_read, -1, -1, 0 },
	[EVENTFD] = { "b-eventfd", block_read, -1, -1, 0 },
	[UNIX] = { "b-unix", block_receive, -1, -1, 0 },
	[UNIX_READ] = { "b-unixread", block_read, -1, -1, 0 },
};
#define N_BLOCKERS (sizeof(blockers) / sizeof(*blockers))

static void wake(const struct blocker *b)
{
	u64 one = 1;

	if (b->partner >= 0 && write(b->partner, &one, sizeof(one)) < 0)
		barrier();
}

static void *run(void *arg)
{
	struct blocker *b = arg;

	set_name(b->name);
	store(&b->tid, (u32)my_tid());
	for (u64 i = 0; i < n_blocks; i++)
		b->block(block_ns, b->fd);
	__atomic_add_fetch(&n_done, 1, __ATOMIC_SEQ_CST);
	for (;;)
		b->block(600 * SEC, b->fd);
	return NULL;
}

static void *wake_all(void *arg)
{
	(void)arg;
	set_name("b-waker");
	while (!load(&is_over)) {
		sleep_ns(block_ns);
		for (size_t i = 0; i < N_BLOCKERS; i++)
			wake(&blockers[i]);
	}
	return NULL;
}

static void make_fds(void)
{
	int pair[2];

	if (pipe(pair))
		exit(1);
	blockers[POLL].fd = blockers[SELECT].fd = pair[0]; /* nothing ever comes */
	blockers[EPOLL].fd = epoll_create1(0);
	if (pipe(pair))
		exit(1);
	blockers[PIPE].fd = pair[0];
	blockers[PIPE].partner = pair[1];
	blockers[EVENTFD].fd = blockers[EVENTFD].partner = eventfd(0, 0);
	for (int i = UNIX; i <= UNIX_READ; i++) {
		if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
			exit(1);
		blockers[i].fd = pair[0];
		blockers[i].partner = pair[1];
	}
}

/* "[<0>] do_nanosleep+0x6a/0x160" is "do_nanosleep". */
static void say_stack(const struct blocker *b)
{
	char path[64], line[256];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%u/stack", b->tid);
	f = fopen(path, "r");
	if (!f)
		return;
	printf("stack %s", b->name);
	while (fgets(line, sizeof(line), f)) {
		char *name = strchr(line, ' ');

		if (name)
			printf("%.*s", (int)strcspn(name, "+"), name);
	}
	printf("\n");
	fclose(f);
}

int main(int argc, char **argv)
{
	pthread_t thread;

	n_blocks = arg_u64(argc, argv, 1, 300);
	block_ns = arg_u64(argc, argv, 2, 2) * MS;
	if (n_blocks > 1000000 || block_ns > 1000 * MS)
		return 64;
	alarm(120);
	make_fds();
	for (size_t i = 0; i < N_BLOCKERS; i++)
		if (pthread_create(&thread, NULL, run, &blockers[i]))
			return 1;
	if (pthread_create(&thread, NULL, wake_all, NULL))
		return 1;
	say_pid();
	while (load(&n_done) < N_BLOCKERS)
		sleep_ns(10 * MS);
	store(&is_over, 1);
	pthread_join(thread, NULL);
	/* By then the waker's remaining data is read, and all threads stay where they are. */
	sleep_ns(200 * MS);
	for (size_t i = 0; i < N_BLOCKERS; i++)
		say_stack(&blockers[i]);
	return 0;
}
