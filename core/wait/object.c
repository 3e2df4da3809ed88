// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "wait/object.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/num.h"

/* System calls that may wait for the file in their first argument.  Calls that wait for several
 * files (poll, select, epoll_wait; splice and sendfile have two) are recognized by their stacks. */
static const u32 fd_calls[] = {
	SYS_read,	  SYS_readv,	       SYS_pread64,	    SYS_preadv,
	SYS_preadv2,	  SYS_write,	       SYS_writev,	    SYS_pwrite64,
	SYS_pwritev,	  SYS_pwritev2,	       SYS_recvfrom,	    SYS_recvmsg,
	SYS_recvmmsg,	  SYS_sendto,	       SYS_sendmsg,	    SYS_sendmmsg,
	SYS_accept,	  SYS_accept4,	       SYS_connect,	    SYS_fsync,
	SYS_fdatasync,	  SYS_syncfs,	       SYS_fallocate,	    SYS_ftruncate,
	SYS_flock,	  SYS_ioctl,	       SYS_fcntl,	    SYS_getdents64,
	SYS_mq_timedsend, SYS_mq_timedreceive, SYS_sync_file_range,
};

static enum object_arg arg_kind(u64 nr)
{
	for (size_t i = 0; i < ARRAY_SIZE(fd_calls); i++)
		if (fd_calls[i] == nr)
			return OBJECT_ARG_FD;
	return nr == SYS_futex ? OBJECT_ARG_FUTEX : OBJECT_ARG_OTHER;
}

void wait_object_calls(__u8 calls[OBJECT_CALLS])
{
	for (u32 nr = 0; nr < OBJECT_CALLS; nr++)
		calls[nr] = (__u8)arg_kind(nr);
}

static void add_address(struct str *text, u16 family, const u8 *address, u16 port)
{
	char buf[INET6_ADDRSTRLEN];

	if (!port) {
		str_adds(text, "*");
		return;
	}
	inet_ntop(family, address, buf, sizeof(buf));
	str_addf(text, family == AF_INET6 ? "[%s]:%u" : "%s:%u", buf, port);
}

/* The process chose the name; the renderers escape what cannot be printed. */
static void add_name(struct str *text, const struct wait_object *o)
{
	size_t n = strnlen(o->name, sizeof(o->name));

	if (n)
		str_addf(text, " %.*s", (int)n, o->name);
	else
		str_addf(text, ":[%llu]", o->id);
}

static void add_socket(struct str *text, const struct wait_object *o)
{
	bool is_stream = o->type == SOCK_STREAM;

	if (o->family == AF_UNIX) {
		str_adds(text, "unix");
		add_name(text, o);
	} else if (o->family == AF_INET || o->family == AF_INET6) {
		str_adds(text, is_stream ? "tcp " : o->type == SOCK_DGRAM ? "udp " : "ip ");
		add_address(text, o->family, o->local, o->local_port);
		if (o->peer_port)
			str_adds(text, " > ");
		if (o->peer_port)
			add_address(text, o->family, o->peer, o->peer_port);
	} else {
		str_addf(text, "socket family %u:[%llu]", o->family, o->id);
	}
}

/* True if the last part of a link in /proc/PID/fd is this file's name, which may be truncated. */
static bool is_name(const char *part, const struct wait_object *o)
{
	size_t n = strnlen(o->name, sizeof(o->name));

	if (strncmp(part, o->name, n))
		return false;
	return n == sizeof(o->name) - 1 || !part[n] || !strcmp(part + n, " (deleted)");
}

/* Add the whole path, if the descriptor still refers to the file that the thread waited for. */
static void add_file(struct str *text, const struct wait_object *o, u32 tgid)
{
	char link[64], path[4096];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/%u/fd/%u", tgid, o->fd);
	n = readlink(link, path, sizeof(path) - 1);
	if (n > 0) {
		const char *slash;

		path[n] = '\0';
		slash = strrchr(path, '/');
		if (slash && is_name(slash + 1, o)) {
			str_addf(text, "file %s", path);
			return;
		}
	}
	str_adds(text, "file");
	add_name(text, o);
}

bool wait_object_add(struct str *text, const struct wait_object *o, u32 tgid)
{
	switch ((enum object_kind)o->kind) {
	case OBJECT_FILE:
		add_file(text, o, tgid);
		return true;
	case OBJECT_ANON:
		str_addf(text, "anon_inode:%.*s", (int)sizeof(o->name), o->name);
		return true;
	case OBJECT_PIPE:
		str_addf(text, "pipe:[%llu]", o->id);
		return true;
	case OBJECT_SOCKET:
		add_socket(text, o);
		return true;
	default:
		return false;
	}
}

void wait_object_of_record(const struct stack_record *rec, struct str *text, struct raw_stack *out)
{
	struct wait_object o;

	if (rec->n_more < OBJECT_WORDS)
		return;
	memcpy(&o, &rec->frames[rec->n_kernel + rec->n_user], sizeof(o));
	if (o.kind == OBJECT_FUTEX) {
		out->futex = o.id;
		return;
	}
	text->n = 0;
	str_addc(text, '[');
	if (!wait_object_add(text, &o, rec->tgid))
		return;
	str_addc(text, ']');
	out->leaf = str_text(text);
}

/* Parses "202 0x7f... 0x80 ...": the call and its arguments in hex (fs/proc/base.c,
 * proc_pid_syscall). */
static bool read_call(u32 tgid, u32 tid, u64 *nr, u64 *arg)
{
	_cleanup_(str_release) struct str line = { 0 };
	struct view rest, word;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/task/%u/syscall", tgid, tid);
	if (file_read(path, 512, &line))
		return false;
	rest = str_view(&line);
	if (!view_split(&rest, ' ', &word) || !num_parse_dec(word, nr) ||
	    !view_split(&rest, ' ', &word) || word.n < 3)
		return false;
	word.p += 2;
	word.n -= 2;
	return num_parse_hex(word, arg);
}

/* Compare the function a thread sleeps in: "pipe_read" in wchan, "[<0>] pipe_read+0x..." in
 * stack. */
static bool sleeps_in(u32 tgid, u32 tid, const char *file, const char *function)
{
	static const char mark[] = "[<0>] ";
	_cleanup_(str_release) struct str text = { 0 };
	const char *at;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/task/%u/%s", tgid, tid, file);
	if (file_read(path, 1 << 16, &text))
		return false;
	at = str_text(&text);
	if (!strncmp(at, mark, sizeof(mark) - 1))
		at += sizeof(mark) - 1;
	return !strncmp(at, function, strlen(function));
}

/*
 * True if a cgroup's freezer has stopped the thread: during signal delivery, in a function that may
 * be inlined into get_signal(), or in __refrigerator() with cgroup v1.  On x86, wchan was 0 before
 * 5.16; reading `stack` needs CAP_SYS_ADMIN.
 */
static bool is_frozen(u32 tgid, u32 tid)
{
	static const char *const places[] = { "do_freezer_trap", "get_signal", "__refrigerator" };
	const char *file = sleeps_in(tgid, tid, "wchan", "0") ? "stack" : "wchan";

	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		if (sleeps_in(tgid, tid, file, places[i]))
			return true;
	return false;
}

/* Describe "socket:[4354771]" in the same words as the hooks. */
static bool add_open_socket(struct str *text, struct sockets *sockets, u32 tgid, u32 fd,
			    const char *target)
{
	static const char head[] = "socket:[";
	struct view rest = view_of(target), number;
	const struct wait_object *found = NULL;
	struct wait_object o;
	u64 inode;

	if (!view_starts(rest, head))
		return false;
	rest.p += sizeof(head) - 1;
	rest.n -= sizeof(head) - 1;
	if (view_split(&rest, ']', &number) && num_parse_dec(number, &inode))
		found = sockets_find(sockets, tgid, inode);
	if (!found)
		return false;
	o = *found;
	if (o.family == AF_UNIX && !o.name[0])
		socket_read_peer(tgid, fd, &o);
	add_socket(text, &o);
	return true;
}

bool wait_object_add_fd(struct str *text, u32 tgid, u32 fd, struct sockets *sockets)
{
	char link[64], target[4096];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/%u/fd/%u", tgid, fd);
	n = readlink(link, target, sizeof(target) - 1);
	if (n <= 0)
		return false;
	target[n] = '\0';
	if (!add_open_socket(text, sockets, tgid, fd, target))
		str_addf(text, target[0] == '/' ? "file %s" : "%s", target);
	return true;
}

void wait_object_of_sleeper(__u32 tgid, __u32 tid, struct sockets *sockets, struct str *text,
			    struct raw_stack *out)
{
	u64 nr, arg;

	if (!read_call(tgid, tid, &nr, &arg) || arg_kind(nr) == OBJECT_ARG_OTHER)
		return;
	if (is_frozen(tgid, tid))
		return;
	if (arg_kind(nr) == OBJECT_ARG_FUTEX) {
		out->futex = arg;
		return;
	}
	text->n = 0;
	str_addc(text, '[');
	if (!wait_object_add_fd(text, tgid, (u32)arg, sockets))
		return;
	str_addc(text, ']');
	out->leaf = str_text(text);
}
