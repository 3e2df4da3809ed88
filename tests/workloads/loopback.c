/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * loopback [ROUNDS [MS]]: a TCP connection over the loopback.  "tcp-server" waits in server_recv,
 * sleeps MS milliseconds (2) in server_nap and answers from server_send; "tcp-client" asks from
 * client_send and waits in client_recv.  The kernel delivers each message in the sender's context,
 * in a softirq that is run inline.
 */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "waits.h"

static struct waited *waited;

#define IO(name, nr)                                          \
	NOINLINE void name(int fd);                           \
	NOINLINE void name(int fd)                            \
	{                                                     \
		char c = 'x';                                 \
                                                              \
		if (raw_syscall(nr, fd, (long)&c, 1, 0) != 1) \
			exit(1);                              \
		barrier();                                    \
	}

IO(client_send, SYS_write)
IO(client_recv, SYS_read)
IO(server_send, SYS_write)
IO(server_recv, SYS_read)

NOINLINE void server_nap(u64 ns);
NOINLINE void server_nap(u64 ns)
{
	sleep_ns(ns);
	barrier();
}

static void serve(int listener, u64 rounds, u64 ns)
{
	int fd = accept(listener, NULL, NULL), one = 1;

	die_with_parent();
	set_name("tcp-server");
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	for (u64 i = 0; i < rounds; i++) {
		server_recv(fd);
		if (ns)
			server_nap(ns);
		server_send(fd);
	}
}

static void ask(const struct sockaddr_in *to, u64 rounds)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1;

	die_with_parent();
	set_name("tcp-client");
	if (connect(fd, (const struct sockaddr *)to, sizeof(*to)))
		exit(1);
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	for (u64 i = 0; i < rounds; i++) {
		client_send(fd);
		wait_begins(waited);
		client_recv(fd);
		wait_ends(waited);
	}
	wait_over(waited);
}

int main(int argc, char **argv)
{
	u64 rounds = arg_u64(argc, argv, 1, 100), ns = arg_u64(argc, argv, 2, 2) * MS;
	struct sockaddr_in addr = { .sin_family = AF_INET };
	socklen_t len = sizeof(addr);
	int listener = socket(AF_INET, SOCK_STREAM, 0);

	addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(listener, (struct sockaddr *)&addr, sizeof(addr)) || listen(listener, 1) ||
	    getsockname(listener, (struct sockaddr *)&addr, &len)) {
		perror("loopback");
		return 1;
	}
	waited = shared(sizeof(*waited));
	say_pid();
	printf("port %d\n", ntohs(addr.sin_port));
	fflush(stdout);
	if (!fork()) {
		serve(listener, rounds, ns);
		return 0;
	}
	if (!fork()) {
		ask(&addr, rounds);
		return 0;
	}
	while (wait(NULL) > 0)
		;
	say_waited("recv", waited);
	printf("nominal_ns %llu\n", (unsigned long long)(rounds * ns));
	return 0;
}
