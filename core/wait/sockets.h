/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sockets by inode number, from /proc/PID/net: describes what a thread waits for if it was asleep
 * before the hooks were attached, in the same words as the hooks.
 */
#ifndef WAIT_SOCKETS_H
#define WAIT_SOCKETS_H

#include "base/lines.h"
#include "base/mem.h"
#include "base/types.h"
#include "bpf/abi/object.h"

struct sockets {
	u64 netns; /* inode number of the network namespace read last; 0: none */
	VEC(struct wait_object) v;
};

/* The socket with this inode number in the process's network namespace; NULL if it is of no known
 * kind.  Valid until the next call. */
const struct wait_object *sockets_find(struct sockets *s, u32 tgid, u64 inode);

/* The inode number of the socket at the other end of a TCP connection within this host; 0: there is
 * none in the process's network namespace. */
u64 sockets_find_peer(struct sockets *s, u32 tgid, const struct wait_object *o);

/*
 * For a unix socket without a name, set the name of its peer, as the hooks do.  /proc does not show
 * peers, so this duplicates the process's descriptor for the duration of two calls, which needs the
 * same rights as reading its system calls.
 */
void socket_read_peer(u32 tgid, u32 fd, struct wait_object *o);
void sockets_release(struct sockets *s);

/* Add the sockets of one table, such as "tcp6" or "unix"; sockets_sort() after the last one. */
void sockets_add(struct sockets *s, const char *table, struct lines *text);
/*
 * Sort the sockets for the search.  The path of a unix socket may contain line breaks, so a program
 * can forge lines for sockets of others: sockets that are listed twice are all dropped.
 */
void sockets_sort(struct sockets *s);

#endif
