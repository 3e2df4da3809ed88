/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Small pieces of other processes' memory, such as the words of a lock: all of them are read at
 * once, without stopping anybody. */
#ifndef DUMP_PEEK_H
#define DUMP_PEEK_H

#include "base/mem.h"
#include "base/types.h"

#define PEEK_BYTES 128

struct peek {
	u32 tgid, tid; /* in our PID namespace */
	u64 at;
	u32 n;		 /* bytes wanted, at most PEEK_BYTES */
	u32 n_got;	 /* after peeks_read(): n or 0 */
	bool is_refused; /* we may not read this process's memory */
	u8 bytes[PEEK_BYTES];
};

struct peeks {
	VEC(struct peek) v;
};

/* Ask for memory; returns the index of the piece + 1. */
u32 peeks_add(struct peeks *p, u32 tgid, u32 tid, u64 at, u32 n);
/* Read all pieces.  Those that cannot be read, or not in time, stay empty. */
void peeks_read(struct peeks *p);
/* The number of threads whose memory we may not read.  Their pieces were added one after the
 * other. */
u32 peeks_n_refused(const struct peeks *p);
/* The bytes of piece `id` (index + 1); NULL: id is 0, or it was not read. */
const void *peeks_get(const struct peeks *p, u32 id);
void peeks_release(struct peeks *p);

#endif
