/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * calls WHAT N [WHAT N]...: each exactly N times, in order.
 *
 *	getpid, getppid	the system call
 *	compat	a 32-bit system call: getpid, whose number in 64-bit ones is writev's (x86-64
 *		with CONFIG_IA32_EMULATION; elsewhere the end of the program, status 70)
 *	say	call_say(i, "text <i>"), i from 0
 *	point	call_point(&(struct point){ i, -i })
 *	recurse	call_recurse(N) down to call_recurse(1): N nested calls
 *	jump	call_jump(i): never returns (longjmp)
 *	page	call_page(s): s is "page <i>" in a page that was never touched
 *	long	call_page(s), once: s is N times 'x', in pages that were never touched
 *	argv	call_argv(a): a is { "first", such a page, no address, "last" }
 *	args	call_argv(a), once: a is N times "x"
 *	open	openat of "page <i>", which does not exist, in a page that was never touched
 *	nowhere	openat of a name at no address
 *	exec	execve of /proc/self/exe, in a child; the name is in such a page, too
 *	options	a TCP socket; setsockopt of SO_REUSEADDR and TCP_NODELAY, to 1 in the last
 *		4 bytes of a page; fcntl of FD_CLOEXEC, O_NONBLOCK and a duplicate above 100
 *	talk	sendto and recvfrom of "\1\0\377abc\n" and its NUL, then the same into 3 bytes
 *		(MSG_TRUNC), then nothing to receive; setxattr of the text and getxattr of
 *		its size, of a file that does not exist
 *	threads	call_say, N times in each of 8 threads
 *	nap	sleeps N milliseconds
 *	rate	from here on getppid is called N times per second (the rate that was
 *		reached is printed on stderr)
 */
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "jobs.h"

#define N_THREADS  8
#define PAGE_BYTES 4096

struct point {
	int x;
	long y;
	char name[8];
};

NOINLINE long call_say(int i, const char *text);
NOINLINE long call_say(int i, const char *text)
{
	barrier();
	return i + (long)strlen(text);
}

NOINLINE int call_point(const struct point *p);
NOINLINE int call_point(const struct point *p)
{
	barrier();
	return p->x - 1;
}

NOINLINE int call_recurse(int depth);
NOINLINE int call_recurse(int depth)
{
	int below = depth > 1 ? call_recurse(depth - 1) : 0;

	barrier();
	return below + 1;
}

static jmp_buf back;

NOINLINE int call_jump(int i);
NOINLINE int call_jump(int i)
{
	if (i >= 0)
		longjmp(back, 1);
	barrier();
	return 0;
}

NOINLINE int call_argv(const char *const *argv);
NOINLINE int call_argv(const char *const *argv)
{
	barrier();
	return argv[0] != NULL;
}

NOINLINE int call_page(const char *text);
NOINLINE int call_page(const char *text)
{
	barrier();
	return text != NULL;
}

static void do_getpid(int n)
{
	for (int i = 0; i < n; i++)
		raw_syscall(SYS_getpid, 0, 0, 0, 0);
}

static int rate; /* per second; 0: no limit */

static void do_rate(int n)
{
	rate = n;
}

static void do_getppid(int n)
{
	u64 start = clock_ns(CLOCK_MONOTONIC);

	for (int i = 0; i < n; i++) {
		while (rate && clock_ns(CLOCK_MONOTONIC) - start < i * SEC / (u64)rate)
			;
		raw_syscall(SYS_getppid, 0, 0, 0, 0);
	}
	if (rate)
		fprintf(stderr, "rate %llu\n",
			(unsigned long long)((u64)n * SEC / (clock_ns(CLOCK_MONOTONIC) - start)));
}

static void no_compat(int sig)
{
	(void)sig;
	_exit(70);
}

static void do_compat(int n)
{
	signal(SIGSEGV, no_compat);
	for (int i = 0; i < n; i++) {
#if defined(__x86_64__)
		long nr = 20, ret;

		__asm__ volatile("int $0x80"
				 : "=a"(ret)
				 : "a"(nr)
				 : "memory", "r8", "r9", "r10", "r11");
		if (ret == getpid())
			continue;
#endif
		no_compat(0);
	}
}

static void do_say(int n)
{
	char text[32];

	for (int i = 0; i < n; i++) {
		snprintf(text, sizeof(text), "text %d", i);
		call_say(i, text);
	}
}

static void do_point(int n)
{
	for (int i = 0; i < n; i++)
		call_point(&(struct point){ i, -i, "point" });
}

static void do_recurse(int n)
{
	call_recurse(n);
}

static void do_jump(int n)
{
	for (volatile int i = 0; i < n; i++)
		if (!setjmp(back))
			call_jump(i);
}

/* A fresh mapping of a file: its pages are in the cache but not in our page table. */
static char *map_bytes(const char *bytes, size_t n)
{
	char path[] = "/tmp/bperf-calls-XXXXXX";
	int fd = mkstemp(path);
	char *pages;

	unlink(path);
	if (write(fd, bytes, n) != (ssize_t)n)
		exit(1);
	pages = mmap(NULL, n, PROT_READ, MAP_PRIVATE, fd, 0);
	if (pages == MAP_FAILED)
		exit(1);
	madvise(pages, n, MADV_RANDOM);
	close(fd);
	return pages;
}

static char *map_pages(int n)
{
	char *bytes = calloc((size_t)n, PAGE_BYTES), *pages;

	for (int i = 0; i < n; i++)
		snprintf(bytes + (size_t)i * PAGE_BYTES, PAGE_BYTES, "page %d", i);
	pages = map_bytes(bytes, (size_t)n * PAGE_BYTES);
	free(bytes);
	return pages;
}

static void do_page(int n)
{
	char *pages = map_pages(n);

	for (int i = 0; i < n; i++)
		call_page(pages + (size_t)i * PAGE_BYTES);
}

/* It begins and ends within a page. */
static void do_long(int n)
{
	char *bytes = calloc((size_t)n + 100, 1);

	memset(bytes + 99, 'x', (size_t)n);
	call_page(map_bytes(bytes, (size_t)n + 100) + 99);
	free(bytes);
}

static void do_argv(int n)
{
	char *pages = map_pages(n);

	for (int i = 0; i < n; i++) {
		const char *argv[] = { "first", pages + (size_t)i * PAGE_BYTES, (char *)1, "last",
				       NULL };

		call_argv(argv);
	}
}

static void do_args(int n)
{
	const char **argv = calloc((size_t)n + 1, sizeof(*argv));

	for (int i = 0; i < n; i++)
		argv[i] = "x";
	call_argv(argv);
	free(argv);
}

static void do_open(int n)
{
	char *pages = map_pages(n);

	for (int i = 0; i < n; i++)
		raw_syscall(SYS_openat, AT_FDCWD, (long)(pages + (size_t)i * PAGE_BYTES), O_RDONLY,
			    0);
}

static void do_nowhere(int n)
{
	for (int i = 0; i < n; i++)
		raw_syscall(SYS_openat, AT_FDCWD, 8, O_RDONLY, 0);
}

static void do_exec(int n)
{
	static const char name[] = "/proc/self/exe";
	const char *argv[] = { "calls", NULL };

	for (int i = 0; i < n; i++) {
		char *page = map_bytes(name, sizeof(name));
		pid_t pid = fork();

		if (!pid)
			_exit((int)raw_syscall(SYS_execve, (long)page, (long)argv, 0, 0));
		waitpid(pid, NULL, 0);
	}
}

/* Nothing can be read after the value. */
static void do_options(int n)
{
	const int one = 1;
	char *pages = mmap(NULL, 2 * PAGE_BYTES, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void *last = memcpy(pages + PAGE_BYTES - sizeof(one), &one, sizeof(one));

	mprotect(pages + PAGE_BYTES, PAGE_BYTES, PROT_NONE);
	for (int i = 0; i < n; i++) {
		int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_TCP);

		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, last, sizeof(one));
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, last, sizeof(one));
		fcntl(fd, F_SETFD, FD_CLOEXEC);
		fcntl(fd, F_SETFL, O_NONBLOCK);
		fcntl(fd, F_DUPFD, 100);
	}
}

/* The last message does not fit into the buffer.  Nothing can be read after the buffers. */
static void do_talk(int n)
{
	static const char text[] = "\1\0\377abc\n";
	char *pages = mmap(NULL, 2 * PAGE_BYTES, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *said = memcpy(pages + PAGE_BYTES - sizeof(text), text, sizeof(text));
	int fds[2];

	mprotect(pages + PAGE_BYTES, PAGE_BYTES, PROT_NONE);
	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, fds))
		_exit(1);
	for (int i = 0; i < n; i++) {
		send(fds[0], said, sizeof(text), 0);
		recv(fds[1], said, sizeof(text), 0);
		send(fds[0], said, sizeof(text), 0);
		recv(fds[1], pages + PAGE_BYTES - 3, 3, MSG_TRUNC);
		recv(fds[1], said, sizeof(text), MSG_DONTWAIT);
		memcpy(said, text, sizeof(text));
		setxattr("/nowhere", "user.x", said, sizeof(text), 0);
		getxattr("/nowhere", "user.x", NULL, 0);
	}
}

static void *run_thread(void *n)
{
	do_say((int)(long)n);
	return NULL;
}

static void do_threads(int n)
{
	pthread_t threads[N_THREADS];

	for (int i = 0; i < N_THREADS; i++)
		pthread_create(&threads[i], NULL, run_thread, (void *)(long)n);
	for (int i = 0; i < N_THREADS; i++)
		pthread_join(threads[i], NULL);
}

static void do_nap(int n)
{
	usleep((unsigned)n * 1000);
}

static const struct job jobs[] = {
	{ "getpid", do_getpid },   { "getppid", do_getppid }, { "say", do_say },
	{ "point", do_point },	   { "recurse", do_recurse }, { "jump", do_jump },
	{ "page", do_page },	   { "threads", do_threads }, { "nap", do_nap },
	{ "rate", do_rate },	   { "compat", do_compat },   { "argv", do_argv },
	{ "args", do_args },	   { "long", do_long },	      { "open", do_open },
	{ "nowhere", do_nowhere }, { "exec", do_exec },	      { "options", do_options },
	{ "talk", do_talk },
};

int main(int argc, char **argv)
{
	return run_jobs(jobs, sizeof(jobs) / sizeof(jobs[0]), argc, argv);
}
