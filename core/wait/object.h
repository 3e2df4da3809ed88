/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* --waits: describe the object that a thread waits for. */
#ifndef WAIT_OBJECT_H
#define WAIT_OBJECT_H

#include "base/str.h"
#include "bpf/abi/object.h"
#include "bpf/abi/stack.h"
#include "stack/store.h"
#include "wait/sockets.h"

/* Fill in which system calls wait for their first argument: enum object_arg, indexed by the call's
 * number. */
void wait_object_calls(__u8 calls[OBJECT_CALLS]);

/* Add the object's description, without brackets: "pipe:[4711]".  Returns false if there is no
 * object, or if it is a futex. */
bool wait_object_add(struct str *text, const struct wait_object *o, u32 tgid);

/* The same for a descriptor that is open in a process now.  Returns false if none has this number.
 */
bool wait_object_add_fd(struct str *text, u32 tgid, u32 fd, struct sockets *sockets);

/* Set the leaf of a stack to the object after the record's frames, such as
 * "[tcp 127.0.0.1:5432 > 127.0.0.1:40112]", in `text`, or to its futex.  The record has been
 * checked for completeness. */
void wait_object_of_record(const struct stack_record *rec, struct str *text, struct raw_stack *out);

/* The same for a thread that is asleep now, from /proc. */
void wait_object_of_sleeper(__u32 tgid, __u32 tid, struct sockets *sockets, struct str *text,
			    struct raw_stack *out);

#endif
