/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* --waits: what a thread waits for, in words. */
#ifndef WAIT_OBJECT_H
#define WAIT_OBJECT_H

#include "base/str.h"
#include "bpf/abi/object.h"
#include "bpf/abi/stack.h"
#include "wait/sockets.h"

/* Which system calls wait for their first argument, by number: enum object_arg. */
void wait_object_calls(__u8 calls[OBJECT_CALLS]);

/* "[tcp 127.0.0.1:5432 > 127.0.0.1:40112]" for what stands behind the record's frames, in `text`;
 * NULL: nothing does.  The record is whole. */
const char *wait_object_text(const struct stack_record *rec, struct str *text);

/* The same for a thread that sleeps now, as /proc tells. */
const char *wait_object_of_sleeper(__u32 tgid, __u32 tid, struct sockets *sockets,
				   struct str *text);

#endif
