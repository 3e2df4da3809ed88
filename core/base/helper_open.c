// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/helper_open.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/subprocess.h"

#define LOOK_MS	 50
#define MAX_IDLE 20 /* polls in which the helper is blocked: one second in total */
#define MAX_NS	 (10 * NS_PER_SEC)

/* Control message with one descriptor, for sendmsg(). */
union rights {
	struct cmsghdr head;
	char bytes[CMSG_SPACE(sizeof(int))];
};

struct task {
	int (*open)(void *ctx, struct str *said);
	void *ctx;
};

/* ---- the helper ---- */

static bool send_all(int sock, int ret, const struct str *said)
{
	union rights rights = { 0 };
	struct iovec parts[] = {
		{ &ret, sizeof(ret) },
		{ (void *)str_text(said), said->n },
	};
	struct msghdr m = { .msg_iov = parts, .msg_iovlen = 2 };

	if (said->n > HELPER_MAX_BYTES)
		return false;
	if (ret >= 0) {
		m.msg_control = rights.bytes;
		m.msg_controllen = sizeof(rights.bytes);
		rights.head = (struct cmsghdr){ .cmsg_len = CMSG_LEN(sizeof(int)),
						.cmsg_level = SOL_SOCKET,
						.cmsg_type = SCM_RIGHTS };
		memcpy(CMSG_DATA(&rights.head), &ret, sizeof(ret));
	}
	return sendmsg(sock, &m, MSG_NOSIGNAL) >= 0;
}

static bool helper_run(void *ctx, int out_fd, int sock)
{
	const struct task *t = ctx;
	struct str said = { 0 };
	int ret = t->open(t->ctx, &said);

	(void)out_fd;
	return send_all(sock, ret, &said);
}

/* ---- the parent ---- */

/* A helper that runs or waits for a CPU is not hung: it may be slow on a loaded host. */
static bool wait_readable(const struct helper *h, int sock)
{
	u64 end = now_ns() + MAX_NS;
	u32 n_idle = 0;

	while (n_idle < MAX_IDLE && now_ns() < end) {
		struct pollfd p = { .fd = sock, .events = POLLIN };

		if (poll(&p, 1, LOOK_MS) > 0)
			return true;
		n_idle += !helper_is_runnable(h);
	}
	return false;
}

static int receive_answer(int sock, struct str *said)
{
	union rights rights = { 0 };
	int ret = -EIO, fd = -1;
	struct iovec parts[] = {
		{ &ret, sizeof(ret) },
		{ str_reserve(said, HELPER_MAX_BYTES), HELPER_MAX_BYTES },
	};
	struct msghdr m = { .msg_iov = parts,
			    .msg_iovlen = 2,
			    .msg_control = rights.bytes,
			    .msg_controllen = sizeof(rights.bytes) };
	ssize_t n = recvmsg(sock, &m, MSG_CMSG_CLOEXEC);

	if (n < (ssize_t)sizeof(ret))
		return -EIO;
	said->n += (size_t)n - sizeof(ret);
	said->p[said->n] = '\0';
	if (ret < 0)
		return ret;
	if (CMSG_FIRSTHDR(&m) && rights.head.cmsg_type == SCM_RIGHTS)
		memcpy(&fd, CMSG_DATA(&rights.head), sizeof(fd));
	return fd < 0 ? -EIO : fd;
}

int helper_open(int (*open)(void *ctx, struct str *said), void *ctx, struct str *said)
{
	struct task t = { .open = open, .ctx = ctx };
	_cleanup_(close_p) int ours = -1;
	struct helper h;
	int ends[2], ret;
	bool has_answer;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return -errno;
	ours = ends[0];
	ret = helper_start(&h, ends[1], helper_run, &t);
	close(ends[1]);
	if (ret) /* a sandbox forbids clone(2): open it here */
		return open(ctx, said);
	has_answer = wait_readable(&h, ours);
	helper_end(&h, true); /* closing the file may hang too */
	return has_answer ? receive_answer(ours, said) : -ETIMEDOUT;
}
