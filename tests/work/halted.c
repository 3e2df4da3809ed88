/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * halted: thread "mover" waits for 200 ms in a splice from a pipe that has data to a socket
 * that is full; then main is stopped for 200 ms while it waits in read_on for a pipe, which has
 * something a bit later.
 */
#include <pthread.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "waits.h"

#define WAIT_NS (200 * MS)

static int pipe_fds[2], sockets[2];

NOINLINE void read_on(int fd);
NOINLINE void read_on(int fd)
{
	char c;

	raw_syscall(SYS_read, fd, (long)&c, 1, 0);
	barrier();
}

static void *mover(void *arg)
{
	set_name("mover");
	splice(pipe_fds[0], NULL, sockets[0], NULL, 1, 0);
	return arg;
}

static void fill(int fd)
{
	static char bytes[4096];

	fcntl(fd, F_SETFL, O_NONBLOCK);
	while (write(fd, bytes, sizeof(bytes)) > 0)
		;
	while (write(fd, bytes, 1) > 0)
		;
	fcntl(fd, F_SETFL, 0);
}

static void drain(int fd)
{
	static char bytes[4096];

	fcntl(fd, F_SETFL, O_NONBLOCK);
	while (read(fd, bytes, sizeof(bytes)) > 0)
		;
}

/* Who stops its parent, lets it go on, and gives it something to read. */
static void stop_and_go(pid_t parent, int fd)
{
	die_with_parent();
	sleep_ns(WAIT_NS / 4);
	kill(parent, SIGSTOP);
	sleep_ns(WAIT_NS);
	kill(parent, SIGCONT);
	sleep_ns(WAIT_NS / 4);
	_exit(write(fd, "", 1) != 1);
}

int main(void)
{
	pthread_t thread;
	int status;

	if (pipe(pipe_fds) || socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) ||
	    write(pipe_fds[1], "", 1) != 1)
		return 1;
	fill(sockets[0]);
	pthread_create(&thread, NULL, mover, NULL);
	sleep_ns(WAIT_NS);
	drain(sockets[1]);
	pthread_join(thread, NULL);
	if (!fork())
		stop_and_go(getppid(), pipe_fds[1]);
	read_on(pipe_fds[0]);
	wait(&status);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
