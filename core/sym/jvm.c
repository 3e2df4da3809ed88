// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sym/jvm.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/num.h"
#include "base/procfile.h"
#include "base/subprocess.h"
#include "sym/regular_file.h"

#define LOOK_MS	       10
#define MAX_ANSWER     4096
/* The kernel accepts command lines of at most 6 MB. */
#define MAX_PROC_BYTES (8 << 20)

/* Version 1 of the protocol: a command and three arguments (HotSpot, attachListener_posix.cpp). */
static const char request[] = "1\0jcmd\0Compiler.perfmap\0\0";

/* From /proc/PID/status. */
struct ids {
	uid_t uid; /* effective */
	gid_t gid;
	u64 caught; /* signals that have handlers: bit N - 1 */
};

/* Time for the helper to tidy up before it is killed. */
#define TIDY_NS (100 * NS_PER_MS)

/* Shared with the helper. */
struct errand {
	struct jvm jvm;
	u64 deadline_ns;
	volatile bool is_cancelled;
};

/* ---- in the helper: does this process accept requests? ---- */

static int read_proc(const struct jvm *j, const char *name, struct str *out)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%u/%s", j->proc_root, j->tgid, name);
	return file_read(path, MAX_PROC_BYTES, out);
}

/* Column `nth`, from 0, of a line of /proc/PID/status. */
static bool status_column(struct view text, const char *name, int nth, struct view *out)
{
	struct view line;

	if (!proc_status_field(text, name, &line))
		return false;
	for (int i = 0; i <= nth; i++)
		if (!view_split(&line, '\t', out))
			return false;
	return true;
}

static bool read_ids(const struct jvm *j, struct ids *out)
{
	_cleanup_(str_release) struct str status = { 0 };
	struct view uid, gid, caught;
	u64 u, g;

	if (read_proc(j, "status", &status) || !status_column(str_view(&status), "Uid", 1, &uid) ||
	    !num_parse_dec(uid, &u) || !status_column(str_view(&status), "Gid", 1, &gid) ||
	    !num_parse_dec(gid, &g) || !status_column(str_view(&status), "SigCgt", 0, &caught) ||
	    !num_parse_hex(caught, &out->caught))
		return false;
	out->uid = (uid_t)u;
	out->gid = (gid_t)g;
	return true;
}

/* Is this argument on the JVM's command line?  True also if the command line cannot be read. */
static bool may_have_argument(const struct jvm *j, const char *want)
{
	_cleanup_(str_release) struct str text = { 0 };
	struct view rest, argument;

	if (read_proc(j, "cmdline", &text))
		return true;
	rest = str_view(&text);
	while (view_split(&rest, '\0', &argument))
		if (view_eq(argument, want))
			return true;
	return false;
}

/* Make its /tmp our working directory, with any file system that is mounted there, because the
 * paths of sockets must be short. */
static int enter_tmp(const struct jvm *j)
{
	char path[256];
	_cleanup_(close_p) int root = -1;
	DIR *tmp;
	int ret;

	snprintf(path, sizeof(path), "%s/%u/root", j->proc_root, j->tgid);
	root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return -errno;
	tmp = folder_open(root, "tmp", REGULAR_IN_ROOT);
	if (!tmp)
		return -ENOENT;
	ret = fchdir(dirfd(tmp)) ? -errno : 0;
	closedir(tmp);
	return ret;
}

/* Files and connections then belong to the JVM's user, who gains no rights by them. */
static int become(const struct ids *ids)
{
	if (geteuid() == 0 && setgroups(0, NULL))
		return -EPERM;
	if (setresgid(ids->gid, ids->gid, ids->gid) || setresuid(ids->uid, ids->uid, ids->uid))
		return -EPERM;
	prctl(PR_SET_PDEATHSIG, SIGKILL); /* changing the ids has cleared it */
	return 0;
}

/* ---- in the helper: the protocol ---- */

static int connect_to(const struct jvm *j, const char *name)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct ucred peer;
	socklen_t n = sizeof(peer);
	int ret = 0;

	if (fd < 0)
		return -errno;
	snprintf(to.sun_path, sizeof(to.sun_path), "%s", name);
	if (connect(fd, (const struct sockaddr *)&to, sizeof(to)))
		ret = -errno;
	/* Anybody may have created a socket of this name in /tmp. */
	else if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &n) || peer.pid != (pid_t)j->tgid)
		ret = -EPERM;
	if (!ret)
		return fd;
	close(fd);
	return ret;
}

static bool is_nobody_there(int ret)
{
	return ret == -ENOENT || ret == -ECONNREFUSED;
}

/* A file of this name tells the JVM that the signal is a request to listen. */
static int make_it_listen(const struct errand *e, u32 id, int process, const char *name)
{
	char trigger[32];
	int fd, ret = -ENOENT;

	snprintf(trigger, sizeof(trigger), ".attach_pid%u", id);
	fd = open(trigger, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	close(fd);
	if (syscall(SYS_pidfd_send_signal, process, SIGQUIT, NULL, 0))
		ret = -errno;
	while (is_nobody_there(ret) && now_ns() < e->deadline_ns && !e->is_cancelled) {
		usleep(LOOK_MS * 1000);
		ret = connect_to(&e->jvm, name);
	}
	unlink(trigger);
	return is_nobody_there(ret) ? -ETIMEDOUT : ret;
}

static int exchange(int fd)
{
	char text[MAX_ANSWER];
	size_t n = 0;
	ssize_t got;

	if (send(fd, request, sizeof(request), MSG_NOSIGNAL) != (ssize_t)sizeof(request))
		return -EIO;
	while ((got = read(fd, text + n, sizeof(text) - 1 - n)) > 0)
		n += (size_t)got;
	text[n] = '\0';
	if (!strncmp(text, "0\n", 2))
		return 0;
	return strstr(text, "nknown diagnostic command") ? -ENOSYS : -EIO;
}

static int run_errand(const struct errand *e, int process)
{
	const struct jvm *j = &e->jvm;
	u32 id = j->ns_tgid ? j->ns_tgid : j->tgid;
	_cleanup_(close_p) int fd = -1;
	char name[32];
	struct ids ids;
	int ret;

	if (!read_ids(j, &ids))
		return -ESRCH;
	if (!(ids.caught >> (SIGQUIT - 1) & 1) ||
	    may_have_argument(j, "-XX:+DisableAttachMechanism"))
		return -ENOTSUP;
	ret = enter_tmp(j) ?: become(&ids);
	if (ret)
		return ret;
	snprintf(name, sizeof(name), ".java_pid%u", id);
	ret = connect_to(j, name);
	if (is_nobody_there(ret))
		ret = make_it_listen(e, id, process, name);
	if (ret < 0)
		return ret;
	fd = ret;
	return exchange(fd);
}

static bool in_helper(void *ctx, int out_fd, int held_fd)
{
	s32 ret = run_errand(ctx, held_fd);

	return write(out_fd, &ret, sizeof(ret)) == (ssize_t)sizeof(ret);
}

/* ---- in the caller ---- */

/* true when the helper has answered, or has ended. */
static bool await(const struct helper *h, u64 until_ns, const volatile bool *stop,
		  void (*meanwhile)(void *ctx), void *ctx)
{
	do {
		struct pollfd p = { .fd = h->fd, .events = POLLIN };

		if (poll(&p, 1, LOOK_MS) > 0)
			return true;
		if (meanwhile)
			meanwhile(ctx);
	} while (now_ns() < until_ns && !(stop && *stop));
	return false;
}

static int send_errand(struct errand *e, const volatile bool *stop, void (*meanwhile)(void *ctx),
		       void *ctx)
{
	struct helper h;
	s32 answer = -EIO;
	int ret = helper_start(&h, e->jvm.process_fd, in_helper, e);
	bool is_done;

	if (ret)
		return ret;
	is_done = await(&h, e->deadline_ns, stop, meanwhile, ctx);
	e->is_cancelled = true;
	is_done = is_done || await(&h, now_ns() + TIDY_NS, NULL, meanwhile, ctx);
	if (!is_done)
		answer = -ETIMEDOUT;
	else if (read(h.fd, &answer, sizeof(answer)) != (ssize_t)sizeof(answer))
		answer = -EIO;
	helper_end(&h, !is_done);
	return stop && *stop && answer ? -ECANCELED : answer;
}

int jvm_write_map(const struct jvm *jvm, u64 deadline_ns, const volatile bool *stop,
		  void (*meanwhile)(void *ctx), void *ctx)
{
	struct errand *e =
		mmap(NULL, sizeof(*e), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int ret;

	if (e == MAP_FAILED)
		return -errno;
	*e = (struct errand){ .jvm = *jvm, .deadline_ns = deadline_ns };
	ret = send_errand(e, stop, meanwhile, ctx);
	munmap(e, sizeof(*e));
	return ret;
}

const char *jvm_error(int ret)
{
	switch (ret) {
	case -ESRCH:
		return "it has ended";
	case -ENOTSUP:
		return "it takes no requests (-Xrs, -XX:+DisableAttachMechanism)";
	case -ENOSYS:
		return "it does not know the request (JDK 17 and later do)";
	case -ETIMEDOUT:
		return "it did not answer in time";
	case -ECANCELED:
		return "the run was ended";
	case -EPERM:
		return "not permitted, or another process answered in its place";
	default:
		return "the request failed";
	}
}
