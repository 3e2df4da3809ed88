/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sockets by inode number, as /proc/PID/net has them: what threads wait for that were asleep before
 * the hooks, under the names that the hooks would have read.
 */
#ifndef WAIT_SOCKETS_H
#define WAIT_SOCKETS_H

#include "base/mem.h"
#include "base/types.h"
#include "bpf/abi/object.h"

struct sockets {
	u64 netns; /* inode number of the network namespace that was read last; 0: none was */
	VEC(struct wait_object) v;
};

/* The socket of that number in the process's network namespace; NULL: of no kind that is known.
 * Valid until the next call. */
const struct wait_object *sockets_find(struct sockets *s, u32 tgid, u64 inode);

/*
 * The name of what a unix socket is connected to, where it has none itself; as the hooks do it.
 * No table of /proc's tells of peers.  The process's descriptor is borrowed for the time of two
 * calls, for which we need the rights that its system calls are read with.
 */
void socket_read_peer(u32 tgid, u32 fd, struct wait_object *o);
void sockets_release(struct sockets *s);

#endif
