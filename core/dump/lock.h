/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds the owner of a lock in the lock's own memory.  A wrong owner is worse than none: a number
 * counts only if it is that of a thread of the same process, and the lock is still contended.
 *
 *	glibc mutex	lock  count  OWNER  users  kind	the futex is `lock`, which is 2,
 *						or the owner again if the mutex is robust
 *	glibc rwlock	...  8: phase  12: writers  ...  24: WRITER	the futex is one of these
 *	musl mutex	type  OWNER			the futex is the owner, unless the type is 0
 *	priority inheritance				the futex is the owner
 */
#ifndef DUMP_LOCK_H
#define DUMP_LOCK_H

#include "dump/peek.h"
#include "dump/threads.h"

/* The kind of a futex, by the functions of the thread that waits for it. */
enum lock_kind {
	LOCK_UNKNOWN,
	LOCK_MUTEX,
	LOCK_RWLOCK,
	LOCK_CONDITION, /* condition variables, semaphores, barriers: they have no owner */
	LOCK_JOIN,
};

/* By the name of a C library's function; LOCK_UNKNOWN: it is another function. */
enum lock_kind lock_kind_of(const char *function);

/* True if the call itself is that of a mutex: one with priority inheritance. */
bool lock_is_mutex(const struct dump_thread *t);
/* The number of the owner, in the thread's own PID namespace; 0: none, or not known. */
u32 lock_owner(const struct dump_thread *t, enum lock_kind kind, const struct peeks *p);
/* For a join: the number of the awaited thread, with which the call compares the word; 0: it is not
 * a join. */
u32 lock_joined(const struct dump_thread *t, enum lock_kind kind, const struct peeks *p);
/* The address that the program knows the lock by. */
u64 lock_address(const struct dump_thread *t, enum lock_kind kind);

#endif
