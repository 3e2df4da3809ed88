/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The limit on bperf's own memory (--max-memory).  Code that stores data from the host asks here
 * first, and folds data that does not fit.  Memory means resident memory as reported by the kernel,
 * so that allocations by libraries are included.
 *
 * Stored data is reported later, and writing a report needs memory too: data is refused once a part
 * of the limit is used, and the rest is reserved for the report.
 */
#ifndef BASE_MEMLIMIT_H
#define BASE_MEMLIMIT_H

#include "base/err.h"
#include "base/types.h"

#define MEM_LIMIT_DEFAULT ((u64)256 << 20)
#define MEM_LIMIT_MIN	  ((u64)32 << 20)

/* Set the limit in bytes; 0, the default, means no limit. */
void mem_limit_set(u64 bytes);
u64 mem_limit(void);

/* Call it when everything is loaded and nothing is measured yet: memory that is resident by then is
 * not data, and the rest of the limit is divided between data and reports.  Fails if hardly
 * anything is left. */
int mem_limit_begin(struct err *err);

/* true: store no more data.  Cheap enough to call for each stack: the kernel is asked once in 64
 * calls, so an answer is at most 64 calls old. */
bool mem_is_over(void);

/* Resident bytes now; 0: unknown. */
u64 mem_resident(void);

/* Return freed memory to the kernel, as far as it consists of whole pages.  The next
 * mem_is_over() is up to date. */
void mem_trim(void);

#endif
