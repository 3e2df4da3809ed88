// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "wait/sockets.h"

#include <string.h>
#include <sys/socket.h>

#include "test.h"

#define UNIX_LINE(inode, path) \
	"0000000000000000: 00000002 00000000 00010000 0001 01 " inode " " path "\n"

static const struct wait_object *find(const struct sockets *s, u64 id)
{
	const struct wait_object *o;

	vec_for_each(o, &s->v)
		if (o->id == id)
			return o;
	return NULL;
}

static void read_table(struct sockets *s, const char *table, const char *text)
{
	struct lines l;

	lines_init_text(&l, view_of(text));
	sockets_add(s, table, &l);
	sockets_sort(s);
}

TEST(an_address_is_read_as_the_kernel_writes_it)
{
	struct sockets s = { 0 };
	const struct wait_object *o;

	read_table(&s, "tcp",
		   "  sl  local_address rem_address   st\n"
		   "   0: 0100007F:1F90 0200007F:9C40 01 00000000:00000000 00:00000000 00000000"
		   "     0        0 4354771 1 0000000000000000\n");
	o = find(&s, 4354771);
	CHECK(o && o->family == AF_INET && o->type == SOCK_STREAM);
	CHECK_U64(o->local_port, 8080);
	CHECK_U64(o->peer_port, 40000);
	CHECK(!memcmp(o->peer, (u8[]){ 127, 0, 0, 2 }, 4));
	sockets_release(&s);
}

/* A path with a line break in it looks like the line of another socket. */
TEST(a_socket_cannot_name_another_one)
{
	struct sockets s = { 0 };
	const struct wait_object *o;

	read_table(&s, "unix",
		   UNIX_LINE("100", "/run/true") UNIX_LINE("200", "/tmp/x")
			   UNIX_LINE("100", "/run/false") UNIX_LINE("300", "@abstract"));
	CHECK(!find(&s, 100));
	o = find(&s, 200);
	CHECK(o);
	CHECK_STR(o->name, "/tmp/x");
	o = find(&s, 300);
	CHECK(o && !o->name[0]);
	sockets_release(&s);
}
