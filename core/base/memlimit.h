/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The one limit on the memory that bperf takes for itself (--max-memory).  Who takes in what the
 * host sends asks here first, and folds what there is no room for.  Memory is what is resident, as
 * the kernel tells it: nothing that a library takes is left out.
 *
 * What is taken in is reported later, and a report takes memory too: the doors close when a part
 * of the limit is used, and the rest is the report's.
 */
#ifndef BASE_MEMLIMIT_H
#define BASE_MEMLIMIT_H

#include "base/types.h"

#define MEM_LIMIT_DEFAULT ((u64)256 << 20)
#define MEM_LIMIT_MIN	  ((u64)32 << 20)

/* In bytes; 0: no limit, as it is before the first call. */
void mem_limit_set(u64 bytes);
u64 mem_limit(void);

/* No more may be taken in.  Asks the kernel once in a while, so it is cheap enough for each stack:
 * an answer is at most 64 calls old. */
bool mem_is_over(void);

/* Resident bytes now; 0: not known. */
u64 mem_resident(void);

/* Gives what was freed back to the kernel, as far as it is in whole pages. */
void mem_trim(void);

#endif
