// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "dump/lock.h"

#include <linux/futex.h>
#include <string.h>

#include "dump/call.h"

/* Offsets in glibc's locks, for 64-bit programs (sysdeps/nptl/bits/struct_mutex.h and
 * struct_rwlock.h). */
#define MUTEX_OWNER	8
#define MUTEX_USERS	12
#define MUTEX_KIND	16
#define RWLOCK_PHASE	8
#define RWLOCK_WRITERS	12
#define RWLOCK_WRITER	24
#define MUTEX_CONTENDED 2 /* the value of a mutex with waiters */

#define KIND_BITS   0x3ff /* glibc has no others (nptl/pthreadP.h) */
#define KIND_ROBUST 0x10

/* The type of a musl mutex (src/thread/pthread_mutex_timedlock.c): type and robustness, without
 * which the lock has no owner; those, priority inheritance and sharing. */
#define MUSL_OWNED 0x7
#define MUSL_BITS  0x8f

/* Without underscores at the start, which differ by version. */
static const struct {
	const char *prefix;
	enum lock_kind kind;
} functions[] = {
	{ "lll_lock_wait", LOCK_MUTEX },
	{ "pthread_mutex_", LOCK_MUTEX },
	{ "mtx_lock", LOCK_MUTEX },
	{ "pthread_rwlock_", LOCK_RWLOCK },
	{ "pthread_cond_", LOCK_CONDITION },
	{ "cnd_", LOCK_CONDITION },
	{ "pthread_barrier_", LOCK_CONDITION },
	{ "sem_", LOCK_CONDITION },
	{ "new_sem_", LOCK_CONDITION },
	{ "pthread_join", LOCK_JOIN },
	{ "pthread_timedjoin", LOCK_JOIN },
	{ "pthread_clockjoin", LOCK_JOIN },
	{ "thrd_join", LOCK_JOIN },
};

enum lock_kind lock_kind_of(const char *function)
{
	const char *name = function + strspn(function, "_");

	if (!strncmp(name, "GI_", 3))
		name += 3 + strspn(name + 3, "_");
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++)
		if (!strncmp(name, functions[i].prefix, strlen(functions[i].prefix)))
			return functions[i].kind;
	return LOCK_UNKNOWN;
}

static u32 word_at(const void *bytes, u32 offset)
{
	u32 word;

	memcpy(&word, (const u8 *)bytes + offset, sizeof(word));
	return word;
}

static u32 op_of(const struct dump_thread *t)
{
	return (u32)t->more.args[1] & (u32)FUTEX_CMD_MASK;
}

bool lock_is_mutex(const struct dump_thread *t)
{
	return op_of(t) == FUTEX_LOCK_PI || op_of(t) == 13; /* FUTEX_LOCK_PI2, Linux 5.14 */
}

/* The futex of a rwlock: which of its two words is it? */
static u32 rwlock_offset(const struct dump_thread *t)
{
	return t->more.args[0] % 8 ? RWLOCK_WRITERS : RWLOCK_PHASE;
}

/*
 * The owner that glibc keeps in a mutex.  Other locks have the same values in their words: libc's
 * own locks, which consist of that word alone, and those of Go and Rust.  The words that follow
 * tell them apart.
 */
static u32 glibc_owner(const struct dump_thread *t, u32 value, const void *lock)
{
	u32 kind = lock ? word_at(lock, MUTEX_KIND) : 0, owner;

	if (!lock || t->more.args[0] % 8 || kind & ~(u32)KIND_BITS || !word_at(lock, MUTEX_USERS))
		return 0;
	owner = word_at(lock, MUTEX_OWNER);
	if (kind & KIND_ROBUST)
		return owner == (value & FUTEX_TID_MASK) ? owner : 0;
	return value == MUTEX_CONTENDED ? owner : 0;
}

/* The word of a musl mutex is its second one.  A normal mutex has no owner there but EBUSY, and
 * internal locks and rwlocks count their users there. */
static u32 musl_owner(const struct dump_thread *t, u32 value, const void *before)
{
	u32 type = before ? word_at(before, 0) : 0;

	if (t->more.args[0] % 8 != 4 || !(type & MUSL_OWNED) || type & ~(u32)MUSL_BITS)
		return 0;
	return value & FUTEX_WAITERS ? value & FUTEX_TID_MASK : 0;
}

u32 lock_owner(const struct dump_thread *t, enum lock_kind kind, const struct peeks *p)
{
	const void *word = peeks_get(p, t->peeks[PEEK_WORD]);
	const void *lock = peeks_get(p, t->peeks[PEEK_LOCK]);
	u32 value;

	if (!word || kind == LOCK_CONDITION || kind == LOCK_JOIN)
		return 0;
	if (kind == LOCK_RWLOCK)
		return lock ? word_at(lock, RWLOCK_WRITER - rwlock_offset(t)) : 0;
	value = word_at(word, 0);
	if (lock_is_mutex(t))
		return value & FUTEX_TID_MASK;
	return glibc_owner(t, value, lock)
		       ?: musl_owner(t, value, peeks_get(p, t->peeks[PEEK_BEFORE]));
}

u32 lock_joined(const struct dump_thread *t, enum lock_kind kind, const struct peeks *p)
{
	const void *word = peeks_get(p, t->peeks[PEEK_WORD]);
	u32 expected = (u32)t->more.args[2];

	if (!word || lock_is_mutex(t) || (kind != LOCK_JOIN && kind != LOCK_UNKNOWN))
		return 0;
	/* The kernel wakes whoever waits for the end of a thread, as if the word were shared. */
	if (t->more.args[1] & FUTEX_PRIVATE_FLAG)
		return 0;
	return word_at(word, 0) == expected ? expected : 0;
}

u64 lock_address(const struct dump_thread *t, enum lock_kind kind)
{
	return t->more.args[0] - (kind == LOCK_RWLOCK ? rwlock_offset(t) : 0);
}
