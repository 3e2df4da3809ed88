// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "wait/sockets.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/memlimit.h"
#include "base/num.h"

#define MAX_BYTES (256 << 20) /* a million sockets */
#define MAX_WORDS 10

/* Split into words separated by blanks; returns their number, at most MAX_WORDS. */
static u32 words_of(struct view line, struct view out[MAX_WORDS])
{
	struct view word;
	u32 n = 0;

	while (n < MAX_WORDS && line.n) {
		if (!view_split(&line, ' ', &word)) {
			word = line;
			line.n = 0;
		}
		if (word.n)
			out[n++] = word;
	}
	return n;
}

/* Parses "0100007F:1F90": each 32 bits of the address as a number in host order, and the port. */
static bool parse_address(struct view text, u8 *address, u16 *port)
{
	struct view hex;
	u64 n;

	if (!view_split(&text, ':', &hex) || (hex.n != 8 && hex.n != 32))
		return false;
	for (u32 i = 0; i < hex.n / 8; i++) {
		u32 word;

		if (!num_parse_hex((struct view){ hex.p + 8 * i, 8 }, &n))
			return false;
		word = (u32)n;
		memcpy(address + 4 * i, &word, sizeof(word));
	}
	if (!num_parse_hex(text, &n))
		return false;
	*port = (u16)n;
	return true;
}

/* "0: 0100007F:1F90 0100007F:9C40 01 00000000:00000000 00:00000000 00000000 0 0 4354771 ..." */
static bool parse_inet(struct view line, struct wait_object *o)
{
	struct view words[MAX_WORDS];

	return words_of(line, words) == MAX_WORDS &&
	       parse_address(words[1], o->local, &o->local_port) &&
	       parse_address(words[2], o->peer, &o->peer_port) && num_parse_dec(words[9], &o->id);
}

/* "ffff...: 00000002 00000000 00010000 0001 01 4862018 /run/x", with a path only if the socket is
 * bound.  Abstract names begin with '@' here, but with a NUL where the hooks read them. */
static bool parse_unix(struct view line, struct wait_object *o)
{
	struct view words[MAX_WORDS];
	u32 n = words_of(line, words);

	if (n < 7 || !num_parse_dec(words[6], &o->id))
		return false;
	if (n > 7 && words[7].p[0] != '@')
		snprintf(o->name, sizeof(o->name), "%.*s", (int)(line.p + line.n - words[7].p),
			 words[7].p);
	return true;
}

static const struct table {
	const char *file;
	u16 family;
	u32 type;
	bool (*parse)(struct view line, struct wait_object *o);
} tables[] = {
	{ "tcp", AF_INET, SOCK_STREAM, parse_inet }, { "tcp6", AF_INET6, SOCK_STREAM, parse_inet },
	{ "udp", AF_INET, SOCK_DGRAM, parse_inet },  { "udp6", AF_INET6, SOCK_DGRAM, parse_inet },
	{ "raw", AF_INET, SOCK_RAW, parse_inet },    { "raw6", AF_INET6, SOCK_RAW, parse_inet },
	{ "unix", AF_UNIX, 0, parse_unix },
};

static void add_lines(struct sockets *s, const struct table *t, struct lines *text)
{
	struct view line;

	while (!mem_is_over() && lines_next(text, &line)) {
		struct wait_object o = { .kind = OBJECT_SOCKET, .family = t->family };

		o.type = t->type;
		if (t->parse(line, &o) && o.id)
			vec_push(&s->v, o);
	}
}

void sockets_add(struct sockets *s, const char *table, struct lines *text)
{
	for (size_t i = 0; i < ARRAY_SIZE(tables); i++)
		if (!strcmp(tables[i].file, table))
			add_lines(s, &tables[i], text);
}

static void read_table(struct sockets *s, u32 tgid, const struct table *t)
{
	_cleanup_(lines_release) struct lines text = { .fd = -1 };
	_cleanup_(close_p) int fd = -1;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/net/%s", tgid, t->file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	lines_init(&text, fd, MAX_BYTES);
	add_lines(s, t, &text);
}

static int by_id(const void *a, const void *b)
{
	const struct wait_object *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

void sockets_sort(struct sockets *s)
{
	size_t n = 0;

	if (s->v.n)
		qsort(s->v.items, s->v.n, sizeof(*s->v.items), by_id);
	for (size_t i = 0, next; i < s->v.n; i = next) {
		for (next = i + 1; next < s->v.n && s->v.items[next].id == s->v.items[i].id;)
			next++;
		if (next == i + 1)
			s->v.items[n++] = s->v.items[i];
	}
	s->v.n = n;
}

/* Only one namespace is kept: the scan lists threads by process, and most are in the same
 * namespace. */
static void need_namespace(struct sockets *s, u32 tgid)
{
	struct stat st;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/ns/net", tgid);
	if (stat(path, &st) || st.st_ino == s->netns)
		return;
	s->netns = st.st_ino;
	s->v.n = 0;
	for (size_t i = 0; i < ARRAY_SIZE(tables); i++)
		read_table(s, tgid, &tables[i]);
	sockets_sort(s);
}

const struct wait_object *sockets_find(struct sockets *s, u32 tgid, u64 inode)
{
	const struct wait_object key = { .id = inode };

	need_namespace(s, tgid);
	return s->v.n ? bsearch(&key, s->v.items, s->v.n, sizeof(key), by_id) : NULL;
}

static bool is_loopback(const struct wait_object *o)
{
	static const u8 v6[16] = { [15] = 1 };

	return o->family == AF_INET ? o->peer[0] == 127 : !memcmp(o->peer, v6, sizeof(v6));
}

static bool is_other_end(const struct wait_object *a, const struct wait_object *b)
{
	return a->family == b->family && a->type == b->type && a->local_port == b->peer_port &&
	       a->peer_port == b->local_port && !memcmp(a->local, b->peer, sizeof(a->local)) &&
	       !memcmp(a->peer, b->local, sizeof(a->peer));
}

u64 sockets_find_peer(struct sockets *s, u32 tgid, const struct wait_object *o)
{
	const struct wait_object *other;

	if (o->type != SOCK_STREAM || !o->peer_port ||
	    (!is_loopback(o) && memcmp(o->local, o->peer, sizeof(o->local)) != 0))
		return 0;
	need_namespace(s, tgid);
	vec_for_each(other, &s->v)
		if (is_other_end(other, o))
			return other->id;
	return 0;
}

/* The descriptor may refer to another file by now. */
static bool is_inode(int fd, u64 inode)
{
	struct stat st;

	return !fstat(fd, &st) && st.st_ino == inode;
}

void socket_read_peer(u32 tgid, u32 fd, struct wait_object *o)
{
	_cleanup_(close_p) int process = (int)syscall(SYS_pidfd_open, tgid, 0);
	_cleanup_(close_p) int ours = -1;
	struct sockaddr_un own = { 0 }, peer = { 0 };
	socklen_t n_own = sizeof(own), n_peer = sizeof(peer);

	if (process >= 0)
		ours = (int)syscall(SYS_pidfd_getfd, process, fd, 0);
	if (ours < 0 || !is_inode(ours, o->id))
		return;
	/* A socket with a name of its own, even an unprintable (abstract) one, is shown by its
	 * number. */
	if (getsockname(ours, (struct sockaddr *)&own, &n_own) ||
	    n_own > offsetof(struct sockaddr_un, sun_path))
		return;
	if (!getpeername(ours, (struct sockaddr *)&peer, &n_peer))
		memcpy(o->name, peer.sun_path, sizeof(o->name) - 1);
}

void sockets_release(struct sockets *s)
{
	vec_release(&s->v);
	*s = (struct sockets){ 0 };
}
