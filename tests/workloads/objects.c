/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * objects KIND [ROUNDS [MS [PATH]]]: waits ROUNDS times (5) for MS milliseconds (100) in
 * object_wait, in a system call on file descriptors; its child, "object-waker", ends the waits.
 *
 *	splice		from a pipe with data to a socket that is full
 *	sendfile	from a file, the program's own, to a socket that is full
 *	stop		in read() of a pipe; the child stops us during all of the wait, except for
 *			50 ms before the end and 50 ms after the start
 *	hold		in read() of a pipe, for another process to stop or freeze us
 *	unix		in read() of a client's socket without a name; the server's is bound to PATH
 *
 * Prints "object_ns", the time of the calls.
 */
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "waits.h"

enum {
	BYTES = 4096
};

static int ends[2]; /* the object that we wait for; [1] is the child's */
static int from[2]; /* a pipe for splice, a file for sendfile */
static int over[2]; /* the child has done its part of a round */
static char block[BYTES];

static void wait_read(void)
{
	raw_syscall(SYS_read, ends[0], (long)block, 1, 0);
}

static void wait_splice(void)
{
	if (write(from[1], block, 1) == 1)
		splice(from[0], NULL, ends[0], NULL, 1, 0);
}

static void wait_sendfile(void)
{
	off_t at = 0;

	sendfile(ends[0], from[0], &at, BYTES);
}

static void send_byte(u64 ns)
{
	sleep_ns(ns);
	if (write(ends[1], "x", 1) != 1)
		exit(1);
}

/* Make room by reading the sent data; when it is all there, the socket is full again. */
static void drain(u64 ns)
{
	sleep_ns(ns);
	while (recv(ends[1], block, BYTES, MSG_DONTWAIT) > 0)
		;
}

static void stop_parent(u64 ns)
{
	sleep_ns(50 * MS);
	kill(getppid(), SIGSTOP);
	sleep_ns(ns);
	kill(getppid(), SIGCONT);
	send_byte(50 * MS);
}

static void make_pipe(const char *path)
{
	(void)path;
	if (pipe(ends))
		exit(1);
}

static void make_full(const char *path)
{
	(void)path;
	/* To a stream socket, 5.10 adds pages if the data that is waiting there has room for
	 * them. */
	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) || pipe(from))
		exit(1);
}

static void make_full_and_file(const char *path)
{
	make_full(path);
	from[0] = open("/proc/self/exe", O_RDONLY);
}

static void make_client(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int listener = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	ends[0] = socket(AF_UNIX, SOCK_STREAM, 0);
	if (bind(listener, (struct sockaddr *)&address, sizeof(address)) || listen(listener, 1) ||
	    connect(ends[0], (struct sockaddr *)&address, sizeof(address)))
		exit(1);
	ends[1] = accept(listener, NULL, NULL);
}

static const struct kind {
	const char *name;
	void (*make)(const char *path);
	void (*wait)(void);
	void (*end)(u64 ns);
	bool is_full;
} kinds[] = {
	{ "splice", make_full, wait_splice, drain, true },
	{ "sendfile", make_full_and_file, wait_sendfile, drain, true },
	{ "stop", make_pipe, wait_read, stop_parent, false },
	{ "hold", make_pipe, wait_read, send_byte, false },
	{ "unix", make_client, wait_read, send_byte, false },
};

static const struct kind *kind_of(const char *name)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(kinds[i].name, name))
			return &kinds[i];
	exit(64);
}

static void fill(void)
{
	while (send(ends[0], block, BYTES, MSG_DONTWAIT) > 0)
		;
}

NOINLINE void object_wait(const struct kind *k);
NOINLINE void object_wait(const struct kind *k)
{
	k->wait();
	barrier();
}

int main(int argc, char **argv)
{
	const struct kind *k = kind_of(argc > 1 ? argv[1] : "hold");
	u64 rounds = arg_u64(argc, argv, 2, 5), ns = arg_u64(argc, argv, 3, 100) * MS;
	struct waited waited = { 0 };
	int ready[2];

	k->make(argc > 4 ? argv[4] : "objects.sock");
	if (pipe(ready) || pipe(over))
		return 1;
	say_pid();
	if (!fork()) {
		die_with_parent();
		set_name("object-waker");
		for (u64 i = 0; i < rounds && read(ready[0], block, 1) == 1; i++) {
			k->end(ns);
			if (write(over[1], "x", 1) != 1)
				return 1;
		}
		return 0;
	}
	for (u64 i = 0; i < rounds; i++) {
		if (k->is_full)
			fill();
		if (write(ready[1], "x", 1) != 1)
			return 1;
		wait_begins(&waited);
		object_wait(k);
		wait_ends(&waited);
		if (read(over[0], block, 1) != 1)
			return 1;
	}
	wait(NULL);
	wait_over(&waited);
	say_waited("object", &waited);
	return 0;
}
