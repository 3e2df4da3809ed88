// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "dump/lock.h"

#include <linux/futex.h>
#include <string.h>

#include "dump/call.h"

/* Offsets in glibc's locks, for 64-bit programs (sysdeps/nptl/bits/struct_mutex.h and
 * struct_rwlock.h). */
#define MUTEX_OWNER	8
#define RWLOCK_PHASE	8
#define RWLOCK_WRITERS	12
#define RWLOCK_WRITER	24
#define MUTEX_CONTENDED 2 /* the value of a mutex with waiters */

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

static u32 op_of(const struct taken *t)
{
	return (u32)t->more.args[1] & (u32)FUTEX_CMD_MASK;
}

bool lock_is_mutex(const struct taken *t)
{
	return op_of(t) == FUTEX_LOCK_PI || op_of(t) == 13; /* FUTEX_LOCK_PI2, Linux 5.14 */
}

/* The futex of a rwlock: which of its two words is it? */
static u32 rwlock_offset(const struct taken *t)
{
	return t->more.args[0] % 8 ? RWLOCK_WRITERS : RWLOCK_PHASE;
}

u32 lock_owner(const struct taken *t, enum lock_kind kind, const struct peeks *p)
{
	const void *word = peeks_get(p, t->peeks[PEEK_WORD]);
	const void *lock = peeks_get(p, t->peeks[PEEK_LOCK]);
	u32 value;

	if (!word || kind == LOCK_CONDITION || kind == LOCK_JOIN)
		return 0;
	if (kind == LOCK_RWLOCK)
		return lock ? word_at(lock, RWLOCK_WRITER - rwlock_offset(t)) : 0;
	value = word_at(word, 0);
	if (lock_is_mutex(t) || value & FUTEX_WAITERS)
		return value & FUTEX_TID_MASK;
	return lock && value == MUTEX_CONTENDED ? word_at(lock, MUTEX_OWNER) : 0;
}

u32 lock_joined(const struct taken *t, enum lock_kind kind, const struct peeks *p)
{
	const void *word = peeks_get(p, t->peeks[PEEK_WORD]);
	u32 expected = (u32)t->more.args[2];

	if (!word || lock_is_mutex(t) || (kind != LOCK_JOIN && kind != LOCK_UNKNOWN))
		return 0;
	return word_at(word, 0) == expected ? expected : 0;
}

u64 lock_address(const struct taken *t, enum lock_kind kind)
{
	return t->more.args[0] - (kind == LOCK_RWLOCK ? rwlock_offset(t) : 0);
}
