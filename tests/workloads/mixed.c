/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * mixed [SECONDS]: one thread for each way to spend time, for SECONDS (1): "mx-user" burns,
 * "mx-system" calls the kernel, "mx-sleep" sleeps, "mx-pipe" and "mx-net" read from a pipe and a
 * socket that "mx-feeder" writes into, "mx-poll" waits in ppoll for the same feeder.  "mx-lock",
 * "mx-cond" and "mx-futex" wait in futex calls, which the feeder ends: as for a mutex, as for a
 * condition variable, and in a way that fits neither; "mx-child" waits for a process.  Each burns 5
 * ms of its own for every wait.  Prints for each thread "wall-NAME", "ran-NAME", "delayed-NAME" (as
 * /proc/.../schedstat counts), "waited-NAME" and "switches-NAME".
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "waits.h"

static u64 end;
/* Values of the futexes: that of a musl mutex with waiters; the others count on from 16, because 2
 * is a mutex. */
static u32 mutex = FUTEX_WAITERS, condition = 16, other = 16;
static int fds[3][2]; /* for pipe, net, poll; [1] is the feeder's */

static void do_user(void)
{
	burn_ns(10 * MS);
}

static void do_system(void)
{
	u64 until = cpu_ns() + 10 * MS;
	char block[4096];
	int zero = open("/dev/zero", O_RDONLY);

	while (cpu_ns() < until)
		for (u32 i = 0; i < 64; i++)
			raw_syscall(SYS_read, zero, (long)block, sizeof(block), 0);
	close(zero);
}

NOINLINE void do_sleep(void);
NOINLINE void do_sleep(void)
{
	sleep_ns(20 * MS);
	barrier();
}

static void do_read(int fd)
{
	char c;

	raw_syscall(SYS_read, fd, (long)&c, 1, 0);
}

NOINLINE void do_pipe(void);
NOINLINE void do_pipe(void)
{
	do_read(fds[0][0]);
	barrier();
}

NOINLINE void do_net(void);
NOINLINE void do_net(void)
{
	do_read(fds[1][0]);
	barrier();
}

NOINLINE void do_poll(void);
NOINLINE void do_poll(void)
{
	struct pollfd p = { .fd = fds[2][0], .events = POLLIN };

	raw_syscall(SYS_ppoll, (long)&p, 1, 0, 0);
	do_read(p.fd);
	barrier();
}

NOINLINE void do_lock(void);
NOINLINE void do_lock(void)
{
	u32 seen = load(&mutex);

	if (wall_ns() < end)
		futex_wait(&mutex, seen);
	barrier();
}

NOINLINE void do_condition(void);
NOINLINE void do_condition(void)
{
	u32 seen = load(&condition);

	if (wall_ns() < end)
		syscall(SYS_futex, &condition, FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, seen, NULL,
			NULL, FUTEX_BITSET_MATCH_ANY);
	barrier();
}

NOINLINE void do_futex_wait(void);
NOINLINE void do_futex_wait(void)
{
	u32 seen = load(&other);

	if (wall_ns() < end)
		futex_wait(&other, seen);
	barrier();
}

NOINLINE void do_wait_child(void);
NOINLINE void do_wait_child(void)
{
	pid_t pid = fork();

	if (!pid) {
		sleep_ns(10 * MS);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	barrier();
}

static void tell(u32 *word)
{
	store(word, load(word) + 1);
	futex_wake(word, INT32_MAX);
}

/* Keeps the others going; at the end, once more than they can ask for.  A thread that gets no CPU
 * leaves bytes unread: if there are enough of them, do not wait for it. */
static void do_feed(void)
{
	u32 rounds = wall_ns() + 30 * MS < end ? 1 : 100;

	sleep_ns(20 * MS);
	for (u32 r = 0; r < rounds; r++) {
		for (int i = 0; i < 3; i++)
			if (write(fds[i][1], "x", 1) != 1 && errno != EAGAIN)
				exit(1);
		tell(&mutex);
		tell(&condition);
		tell(&other);
		if (rounds > 1)
			sleep_ns(MS);
	}
}

static struct kind {
	const char *name;
	void (*wait)(void);
	bool burns;
	pthread_t thread;
	pid_t tid;
	u64 wall, ran, delayed, switches;
	struct waited waited;
} kinds[] = {
	{ .name = "mx-user", .wait = do_user },
	{ .name = "mx-system", .wait = do_system },
	{ .name = "mx-sleep", .wait = do_sleep, .burns = true },
	{ .name = "mx-pipe", .wait = do_pipe, .burns = true },
	{ .name = "mx-net", .wait = do_net, .burns = true },
	{ .name = "mx-poll", .wait = do_poll, .burns = true },
	{ .name = "mx-lock", .wait = do_lock, .burns = true },
	{ .name = "mx-cond", .wait = do_condition, .burns = true },
	{ .name = "mx-futex", .wait = do_futex_wait, .burns = true },
	{ .name = "mx-child", .wait = do_wait_child, .burns = true },
	{ .name = "mx-feeder", .wait = do_feed },
};

#define N_KINDS (sizeof(kinds) / sizeof(kinds[0]))

static void *body(void *arg)
{
	struct kind *k = arg;
	u64 from = wall_ns(), voluntary, forced;

	set_name(k->name);
	k->tid = my_tid();
	while (wall_ns() < end) {
		wait_begins(&k->waited);
		k->wait();
		wait_ends(&k->waited);
		if (k->burns)
			burn_ns(5 * MS);
	}
	schedstat(&k->ran, &k->delayed);
	switch_counts(&voluntary, &forced);
	k->switches = voluntary + forced;
	k->wall = wall_ns() - from;
	return NULL;
}

int main(int argc, char **argv)
{
	end = wall_ns() + arg_ns(argc, argv, 1, 1);
	if (pipe(fds[0]) || socketpair(AF_UNIX, SOCK_STREAM, 0, fds[1]) || pipe(fds[2]))
		return 1;
	for (int i = 0; i < 3; i++)
		fcntl(fds[i][1], F_SETFL, O_NONBLOCK);
	say_pid();
	for (size_t i = 0; i < N_KINDS; i++)
		if (pthread_create(&kinds[i].thread, NULL, body, &kinds[i]))
			return 1;
	for (size_t i = 0; i < N_KINDS; i++) {
		struct kind *k = &kinds[i];

		pthread_join(k->thread, NULL);
		printf("tid-%s %d\nwall-%s %llu\nran-%s %llu\ndelayed-%s %llu\nwaited-%s "
		       "%llu\nswitches-%s %llu\n",
		       k->name, k->tid, k->name, (unsigned long long)k->wall, k->name,
		       (unsigned long long)k->ran, k->name, (unsigned long long)k->delayed, k->name,
		       (unsigned long long)off_cpu(&k->waited), k->name,
		       (unsigned long long)k->switches);
	}
	return 0;
}
