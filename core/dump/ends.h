/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Finds the processes at the other end of pipes and sockets, by the descriptors in /proc. */
#ifndef DUMP_ENDS_H
#define DUMP_ENDS_H

#include "base/mem.h"
#include "base/types.h"

struct end {
	u64 inode; /* the pipe's, or that of the socket at the other end */
	bool is_pipe;
	bool wants_reader; /* a pipe: a process that reads from it; else one that writes to it */
	u32 tgid;	   /* the process that waits */
	u32 found;	   /* a process that has it; itself only if no other does; 0: none */
	u32 n_more;	   /* others that have it */
};

struct ends {
	VEC(struct end) v;
};

/* Find all ends at once, in a fifth of a second at most.  Returns false if that was not enough for
 * all processes. */
bool ends_find(struct ends *e);

#endif
