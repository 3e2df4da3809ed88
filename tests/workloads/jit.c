/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * jit [SECONDS [map|nomap|ask|old|deaf|NAME]]: machine code written at run time.  Two functions
 * share CPU time 3:1; "map" writes /tmp/perf-PID.map (PID as this process sees itself) with the
 * names jit_hot and jit_cold, any other word is used as the name of the first; "nomap" writes none.
 * "ask" writes it when it is asked as a JVM is: by the signal SIGQUIT while there is a file
 * /tmp/.attach_pidPID, then by a request to the socket /tmp/.java_pidPID.  "old" does not know the
 * request, "deaf" takes the signal and never listens.  At the end it prints how many signals it
 * got.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "work.h"

#define CODE_BYTES 4096
#define COLD_AT	   256

/* void f(u64 n): a frame, a loop that counts n down, back. */
#if defined(__x86_64__)
static const unsigned char code[] = {
	0x55,		  /* push %rbp */
	0x48, 0x89, 0xe5, /* mov %rsp,%rbp */
	0x48, 0xff, 0xcf, /* dec %rdi */
	0x75, 0xfb,	  /* jne -5 */
	0x5d, 0xc3,	  /* pop %rbp; ret */
};
#elif defined(__aarch64__)
static const unsigned int code[] = {
	0xa9bf7bfd, /* stp x29, x30, [sp, #-16]! */
	0x910003fd, /* mov x29, sp */
	0xf1000400, /* subs x0, x0, #1 */
	0x54ffffe1, /* b.ne -4 */
	0xa8c17bfd, /* ldp x29, x30, [sp], #16 */
	0xd65f03c0, /* ret */
};
#endif

static void write_map(const void *hot, const void *cold, const char *name)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	unlink(path);
	f = fopen(path, "wx");
	if (!f)
		exit(1);
	fprintf(f, "%lx %x %s\n%lx %x jit_cold\n", (unsigned long)hot, (unsigned int)sizeof(code),
		name, (unsigned long)cold, (unsigned int)sizeof(code));
	fclose(f);
}

/* ---- maps on request ---- */

static struct {
	const char *how;
	char *area;
	int pipe[2];
	volatile sig_atomic_t n_signals;
} asked;

static void on_quit(int signal)
{
	(void)signal;
	asked.n_signals++;
	if (write(asked.pipe[1], "", 1) < 0)
		_exit(1);
}

static void answer(int peer)
{
	static const char want[] = "1\0jcmd\0Compiler.perfmap\0\0";
	char got[sizeof(want)];
	const char *reply = "0\nWritten\n";

	if (recv(peer, got, sizeof(got), MSG_WAITALL) != (ssize_t)sizeof(got) ||
	    memcmp(got, want, sizeof(want)))
		reply = "1\nwrong request\n";
	else if (!strcmp(asked.how, "old"))
		reply = "1\njava.lang.IllegalArgumentException: Unknown diagnostic command\n";
	else
		write_map(asked.area, asked.area + COLD_AT, "jit_hot");
	if (send(peer, reply, strlen(reply), MSG_NOSIGNAL) < 0)
		exit(1);
	close(peer);
}

static void *listen_for_requests(void *arg)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	char byte, trigger[64];

	snprintf(trigger, sizeof(trigger), "/tmp/.attach_pid%d", getpid());
	snprintf(at.sun_path, sizeof(at.sun_path), "/tmp/.java_pid%d", getpid());
	do {
		if (read(asked.pipe[0], &byte, 1) != 1)
			exit(1);
	} while (access(trigger, F_OK) || !strcmp(asked.how, "deaf"));
	unlink(at.sun_path);
	if (bind(fd, (struct sockaddr *)&at, sizeof(at)) || listen(fd, 4))
		exit(1);
	for (;;)
		answer(accept(fd, NULL, NULL));
	return arg;
}

static void take_requests(const char *how, char *area)
{
	pthread_t thread;

	asked.how = how;
	asked.area = area;
	if (pipe(asked.pipe) || pthread_create(&thread, NULL, listen_for_requests, NULL))
		exit(1);
	signal(SIGQUIT, on_quit);
}

NOINLINE void run_jit(void (*hot)(u64), void (*cold)(u64), u64 budget, u64 limit);
NOINLINE void run_jit(void (*hot)(u64), void (*cold)(u64), u64 budget, u64 limit)
{
	while (cpu_ns() < budget && wall_ns() < limit) {
		hot(300000);
		cold(100000);
	}
	barrier();
}

int main(int argc, char **argv)
{
	u64 ns = arg_ns(argc, argv, 1, 1);
	const char *how = argc > 2 ? argv[2] : "map";
	char *area =
		mmap(NULL, CODE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (area == MAP_FAILED)
		return 1;
	memcpy(area, code, sizeof(code));
	memcpy(area + COLD_AT, code, sizeof(code));
	__builtin___clear_cache(area, area + CODE_BYTES);
	if (mprotect(area, CODE_BYTES, PROT_READ | PROT_EXEC))
		return 1;
	if (!strcmp(how, "ask") || !strcmp(how, "old") || !strcmp(how, "deaf"))
		take_requests(how, area);
	else if (strcmp(how, "nomap"))
		write_map(area, area + COLD_AT, strcmp(how, "map") ? how : "jit_hot");
	say_pid();
	run_jit((void (*)(u64))(uintptr_t)area, (void (*)(u64))(uintptr_t)(area + COLD_AT), ns,
		wall_limit(ns));
	if (asked.how)
		printf("signals %d\n", (int)asked.n_signals);
	return 0;
}
