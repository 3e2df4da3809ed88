/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * stalled [SECONDS [tame]]: threads in known states, for SECONDS (60).  Each waits in stall_NAME:
 *
 *	dead-a, dead-b	for each other's mutex
 *	twice		for a mutex that it has locked itself
 *	owner		in nanosleep, with the locks that these wait for:
 *	  locked-0..2	a mutex; pi: one with priority inheritance; robust: a robust one
 *	  rw-read, rw-write	a rwlock
 *	condition, semaphore, joiner (of owner)
 *	reader, writer	of a pipe whose other end is in the child "stall-peer"
 *	local		recv() from a unix socket, tcp: from a TCP socket; their other ends are in
 *			"stall-peer" and in this process
 *	poller		poll() of the reader's pipe and the unix socket, selecter: select(),
 *			epoller: epoll_wait() of one of them
 *	napper		clock_nanosleep() until an absolute time
 *	parent		in waitpid() for "stall-peer"
 *	vforker		in vfork(): uninterruptible, until its child has ended; not with "tame"
 *	spinner		nowhere: it spins in stall_spin
 *
 * Main waits in pause().  Prints for each thread "NAME_tid", "NAME_from" and "NAME_by": a time
 * before its wait began, and one when it was seen to wait (CLOCK_MONOTONIC, ns); the addresses of
 * the locks; "peer", "port", and at last "pid".
 */
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "waits.h"

enum {
	PIPE_BYTES = 1 << 20
};

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER, with_condition = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t pi, robust, own = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t are_locked;
static sem_t semaphore;
static pthread_t owner_thread;
static int to_us[2], from_us[2], local[2], tcp[2];
static pid_t peer;
static u64 until;

/* ---- waits ---- */

#define STALL(name, call)                 \
	NOINLINE void stall_##name(void); \
	NOINLINE void stall_##name(void)  \
	{                                 \
		call;                     \
		barrier();                \
	}

static char byte, bytes[PIPE_BYTES];

static void sleep_long(void)
{
	sleep_ns(1000 * SEC);
}

static void do_poll(void)
{
	struct pollfd fds[] = { { to_us[0], POLLIN, 0 }, { local[0], POLLIN, 0 } };

	poll(fds, 2, 600000);
}

static void do_select(void)
{
	fd_set in;

	FD_ZERO(&in);
	FD_SET(to_us[0], &in);
	select(to_us[0] + 1, &in, NULL, NULL, NULL);
}

static void do_epoll(void)
{
	struct epoll_event e = { .events = EPOLLIN };
	int fd = epoll_create1(EPOLL_CLOEXEC);

	epoll_ctl(fd, EPOLL_CTL_ADD, local[0], &e);
	epoll_wait(fd, &e, 1, -1);
}

static void do_nap(void)
{
	struct timespec at = { .tv_sec = (time_t)((until + 500 * SEC) / SEC) };

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
}

/* The child shares our memory, and must not return. */
static void do_vfork(void)
{
	if (vfork())
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		sleep_long();
}

static void spin(void)
{
	while (wall_ns() < until)
		barrier();
}

static void write_all(void)
{
	while (write(from_us[1], bytes, sizeof(bytes)) > 0)
		;
}

STALL(dead_a, pthread_mutex_lock(&second))
STALL(dead_b, pthread_mutex_lock(&first))
STALL(twice, pthread_mutex_lock(&own))
STALL(owner, sleep_long())
STALL(locked, pthread_mutex_lock(&held))
STALL(pi, pthread_mutex_lock(&pi))
STALL(robust, pthread_mutex_lock(&robust))
STALL(rw_read, pthread_rwlock_rdlock(&rwlock))
STALL(rw_write, pthread_rwlock_wrlock(&rwlock))
STALL(condition, pthread_cond_wait(&condition, &with_condition))
STALL(semaphore, sem_wait(&semaphore))
STALL(joiner, pthread_join(owner_thread, NULL))
STALL(reader, (void)!read(to_us[0], &byte, 1))
STALL(writer, write_all())
STALL(local, recv(local[0], &byte, 1, 0))
STALL(tcp, recv(tcp[0], &byte, 1, 0))
STALL(poller, do_poll())
STALL(selecter, do_select())
STALL(epoller, do_epoll())
STALL(napper, do_nap())
STALL(parent, waitpid(peer, NULL, 0))
STALL(vforker, do_vfork())
STALL(spin, spin())
STALL(main, pause())

/* ---- threads ---- */

static void lock_first(void)
{
	pthread_mutex_lock(&first);
	pthread_barrier_wait(&are_locked);
}

static void lock_second(void)
{
	pthread_mutex_lock(&second);
	pthread_barrier_wait(&are_locked);
}

static void lock_all(void)
{
	pthread_mutex_lock(&held);
	pthread_mutex_lock(&pi);
	pthread_mutex_lock(&robust);
	pthread_rwlock_wrlock(&rwlock);
	pthread_barrier_wait(&are_locked);
}

static void lock_own(void)
{
	pthread_mutex_lock(&own);
}

static void lock_condition(void)
{
	pthread_mutex_lock(&with_condition);
}

static struct stalled {
	const char *name;
	void (*stall)(void), (*before)(void);
	bool spins;
	pthread_t thread;
	pid_t tid;
	u64 from, by;
} all[] = {
	/* The ones that take locks are first. */
	{ "owner", stall_owner, lock_all, false, 0, 0, 0, 0 },
	{ "dead-a", stall_dead_a, lock_first, false, 0, 0, 0, 0 },
	{ "dead-b", stall_dead_b, lock_second, false, 0, 0, 0, 0 },
	{ "twice", stall_twice, lock_own, false, 0, 0, 0, 0 },
	{ "locked-0", stall_locked, NULL, false, 0, 0, 0, 0 },
	{ "locked-1", stall_locked, NULL, false, 0, 0, 0, 0 },
	{ "locked-2", stall_locked, NULL, false, 0, 0, 0, 0 },
	{ "pi", stall_pi, NULL, false, 0, 0, 0, 0 },
	{ "robust", stall_robust, NULL, false, 0, 0, 0, 0 },
	{ "rw-read", stall_rw_read, NULL, false, 0, 0, 0, 0 },
	{ "rw-write", stall_rw_write, NULL, false, 0, 0, 0, 0 },
	{ "condition", stall_condition, lock_condition, false, 0, 0, 0, 0 },
	{ "semaphore", stall_semaphore, NULL, false, 0, 0, 0, 0 },
	{ "joiner", stall_joiner, NULL, false, 0, 0, 0, 0 },
	{ "reader", stall_reader, NULL, false, 0, 0, 0, 0 },
	{ "writer", stall_writer, NULL, false, 0, 0, 0, 0 },
	{ "local", stall_local, NULL, false, 0, 0, 0, 0 },
	{ "tcp", stall_tcp, NULL, false, 0, 0, 0, 0 },
	{ "poller", stall_poller, NULL, false, 0, 0, 0, 0 },
	{ "selecter", stall_selecter, NULL, false, 0, 0, 0, 0 },
	{ "epoller", stall_epoller, NULL, false, 0, 0, 0, 0 },
	{ "napper", stall_napper, NULL, false, 0, 0, 0, 0 },
	{ "parent", stall_parent, NULL, false, 0, 0, 0, 0 },
	{ "spinner", stall_spin, NULL, true, 0, 0, 0, 0 },
	{ "vforker", stall_vforker, NULL, false, 0, 0, 0, 0 },
};

enum {
	N_LOCKERS = 3,
	N_ALL = sizeof(all) / sizeof(*all)
};

static void *thread(void *arg)
{
	struct stalled *s = arg;

	set_name(s->name);
	if (s->before)
		s->before();
	s->from = wall_ns();
	__atomic_store_n(&s->tid, my_tid(), __ATOMIC_SEQ_CST);
	s->stall();
	return NULL;
}

/* The state in /proc: 'S' or 'D' when the thread waits. */
static char state_of(pid_t tid)
{
	char path[64], text[256], *end;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
	f = fopen(path, "r");
	if (!f || !fgets(text, sizeof(text), f))
		exit(1);
	fclose(f);
	end = strrchr(text, ')');
	return end && end[1] ? end[2] : 0;
}

/* The thread reaches its call right after it has told its id: a preempted thread is not asleep. */
static void wait_until_stalled(struct stalled *s)
{
	while (!__atomic_load_n(&s->tid, __ATOMIC_SEQ_CST) || (state_of(s->tid) == 'R') != s->spins)
		sleep_ns(MS);
	s->by = wall_ns();
}

/* ---- setup ---- */

static void make_locks(void)
{
	pthread_mutexattr_t a;

	pthread_mutexattr_init(&a);
	pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(&pi, &a);
	pthread_mutexattr_init(&a);
	pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&robust, &a);
	sem_init(&semaphore, 0, 0);
	pthread_barrier_init(&are_locked, NULL, N_LOCKERS + 1);
}

static void connect_tcp(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t n = sizeof(at);
	int listener = socket(AF_INET, SOCK_STREAM, 0);

	tcp[1] = socket(AF_INET, SOCK_STREAM, 0);
	if (bind(listener, (void *)&at, n) || listen(listener, 1) ||
	    getsockname(listener, (void *)&at, &n) || connect(tcp[1], (void *)&at, n))
		exit(1);
	tcp[0] = accept(listener, NULL, NULL);
	printf("port %d\n", ntohs(at.sin_port));
}

static void start_peer(void)
{
	peer = fork();
	if (peer)
		return;
	die_with_parent();
	set_name("stall-peer");
	close(to_us[0]);
	close(from_us[1]);
	close(local[0]);
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 60;
	int n = argc > 2 && !strcmp(argv[2], "tame") ? N_ALL - 1 : N_ALL;

	until = wall_ns() + (u64)(seconds * 1e9);
	alarm((unsigned)seconds + 1);
	if (pipe(to_us) || pipe(from_us) || socketpair(AF_UNIX, SOCK_STREAM, 0, local))
		return 1;
	make_locks();
	start_peer();
	close(to_us[1]);
	close(from_us[0]);
	close(local[1]);
	connect_tcp();
	for (int i = 0; i < n; i++) {
		pthread_create(&all[i].thread, NULL, thread, &all[i]);
		if (i == N_LOCKERS - 1)
			pthread_barrier_wait(&are_locked);
		owner_thread = all[0].thread;
	}
	for (int i = 0; i < n; i++) {
		wait_until_stalled(&all[i]);
		printf("%s_tid %d\n%s_from %llu\n%s_by %llu\n", all[i].name, all[i].tid,
		       all[i].name, (unsigned long long)all[i].from, all[i].name,
		       (unsigned long long)all[i].by);
	}
	printf("own %p\nfirst %p\nsecond %p\nheld %p\npi %p\nrobust %p\nrwlock %p\npeer %d\npid %d\n",
	       (void *)&own, (void *)&first, (void *)&second, (void *)&held, (void *)&pi,
	       (void *)&robust, (void *)&rwlock, peer, getpid());
	fflush(stdout);
	stall_main();
	return 0;
}
