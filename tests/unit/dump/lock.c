// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "dump/lock.h"

#include <linux/futex.h>

#include "dump/call.h"
#include "test.h"

/* A thread in a futex call on `words`, which are read. */
static struct dump_thread waiter(struct peeks *p, u64 at, u32 op, u32 value, const u32 *words)
{
	struct dump_thread t = { .state = 1, .more = { .args = { at, op, value } } };

	t.peeks[PEEK_WORD] = peeks_add(p, 1, 1, at, 4);
	t.peeks[PEEK_LOCK] = peeks_add(p, 1, 1, at, LOCK_BYTES);
	for (u32 i = 0; i < 2; i++) {
		memcpy(p->v.items[i].bytes, words, LOCK_BYTES);
		p->v.items[i].n_got = p->v.items[i].n;
	}
	return t;
}

/* The owner that a futex word and those after it tell. */
static u32 owner_by(u64 at, u32 op, const u32 *words)
{
	struct peeks p = { 0 };
	struct dump_thread t = waiter(&p, at, op, words[0], words);
	u32 owner = lock_owner(&t, LOCK_UNKNOWN, &p);

	peeks_release(&p);
	return owner;
}

/* The same for a mutex of musl, whose type is in the word before. */
static u32 musl_owner_by(u32 type, u32 word)
{
	const u32 words[5] = { word };
	struct peeks p = { 0 };
	struct dump_thread t = waiter(&p, 0x1004, FUTEX_WAIT, word, words);
	u32 owner;

	t.peeks[PEEK_BEFORE] = peeks_add(&p, 1, 1, 0x1000, 4);
	memcpy(p.v.items[2].bytes, &type, sizeof(type));
	p.v.items[2].n_got = 4;
	owner = lock_owner(&t, LOCK_UNKNOWN, &p);
	peeks_release(&p);
	return owner;
}

TEST(functions_tell_the_kind)
{
	CHECK(lock_kind_of("___pthread_mutex_lock") == LOCK_MUTEX);
	CHECK(lock_kind_of("__GI___lll_lock_wait") == LOCK_MUTEX);
	CHECK(lock_kind_of("__pthread_rwlock_wrlock") == LOCK_RWLOCK);
	CHECK(lock_kind_of("pthread_cond_timedwait@@GLIBC_2.3.2") == LOCK_CONDITION);
	CHECK(lock_kind_of("__pthread_clockjoin_ex") == LOCK_JOIN);
	CHECK(lock_kind_of("__futex_abstimed_wait_common") == LOCK_UNKNOWN);
	CHECK(lock_kind_of("") == LOCK_UNKNOWN);
}

TEST(a_contended_mutex_has_its_owner_in_the_third_word)
{
	const u32 held[] = { 2, 0, 4711, 1, 0 }, let_go[] = { 0, 0, 4711, 1, 0 };
	struct peeks p = { 0 }, q = { 0 };
	struct dump_thread t = waiter(&p, 0x1000, FUTEX_WAIT, 2, held);
	struct dump_thread u = waiter(&q, 0x1000, FUTEX_WAIT, 2, let_go);

	CHECK_U64(lock_owner(&t, LOCK_UNKNOWN, &p), 4711);
	CHECK_U64(lock_owner(&t, LOCK_CONDITION, &p), 0);
	CHECK_U64(lock_owner(&u, LOCK_MUTEX, &q), 0);
	peeks_release(&p);
	peeks_release(&q);
}

/* Values of other locks, in a process that has a thread 4711 or one with a small number. */
TEST(words_that_only_look_like_a_mutex_have_no_owner)
{
	const u32 nobody[] = { 2, 0, 4711, 0, 0 }, no_kind[] = { 2, 0, 4711, 1, 0x5555 };
	const u32 counted[] = { FUTEX_WAITERS | 3, 0, 8, 1, 0 };

	CHECK_U64(owner_by(0x1000, FUTEX_WAIT, nobody), 0);
	CHECK_U64(owner_by(0x1000, FUTEX_WAIT, no_kind), 0);
	CHECK_U64(owner_by(0x1000, FUTEX_WAIT, counted), 0);
}

TEST(a_robust_mutex_has_its_owner_twice)
{
	const u32 robust[] = { FUTEX_WAITERS | 4711, 0, 4711, 1, 0x10 };
	const u32 passed_on[] = { FUTEX_WAITERS | 4711, 0, 4712, 1, 0x10 };

	CHECK_U64(owner_by(0x1000, FUTEX_WAIT, robust), 4711);
	CHECK_U64(owner_by(0x1000, FUTEX_WAIT, passed_on), 0);
}

TEST(the_word_of_a_mutex_with_priority_inheritance_is_its_owner)
{
	const u32 words[] = { FUTEX_WAITERS | 4711, 0, 8, 0, 0 };

	CHECK_U64(owner_by(0x1000, FUTEX_LOCK_PI | FUTEX_PRIVATE_FLAG, words), 4711);
}

/* EBUSY is 16, which may be the number of a thread, too. */
TEST(musl_keeps_no_owner_of_normal_mutexes)
{
	CHECK_U64(musl_owner_by(0, FUTEX_WAITERS | 16), 0);
	CHECK_U64(musl_owner_by(0x5555, FUTEX_WAITERS | 16), 0);
	CHECK_U64(musl_owner_by(1, FUTEX_WAITERS | 4711), 4711);
	CHECK_U64(musl_owner_by(128 | 4, FUTEX_WAITERS | 4711), 4711);
	CHECK_U64(musl_owner_by(1, 4711), 0);
}

TEST(both_words_of_a_rwlock_lead_to_its_writer)
{
	const u32 phase[] = { 1, 2, 3, 4, 4711 }, writers[] = { 1, 2, 3, 4712, 4 };
	struct peeks p = { 0 }, q = { 0 };
	struct dump_thread t = waiter(&p, 0x1008, FUTEX_WAIT, 1, phase);
	struct dump_thread u = waiter(&q, 0x100c, FUTEX_WAIT, 1, writers);

	CHECK_U64(lock_owner(&t, LOCK_RWLOCK, &p), 4711);
	CHECK_U64(lock_owner(&u, LOCK_RWLOCK, &q), 4712);
	CHECK_U64(lock_address(&t, LOCK_RWLOCK), 0x1000);
	CHECK_U64(lock_address(&u, LOCK_RWLOCK), 0x1000);
	peeks_release(&p);
	peeks_release(&q);
}

TEST(a_join_compares_the_id_of_the_thread)
{
	const u32 words[] = { 4711, 0, 0, 0, 0 };
	struct peeks p = { 0 };
	struct dump_thread t = waiter(&p, 0x1000, FUTEX_WAIT_BITSET, 4711, words);

	CHECK_U64(lock_joined(&t, LOCK_JOIN, &p), 4711);
	CHECK_U64(lock_joined(&t, LOCK_UNKNOWN, &p), 4711);
	CHECK_U64(lock_joined(&t, LOCK_MUTEX, &p), 0);
	t.more.args[1] |= FUTEX_PRIVATE_FLAG; /* a counter that has the value of a thread's id */
	CHECK_U64(lock_joined(&t, LOCK_UNKNOWN, &p), 0);
	t.more.args[1] = FUTEX_WAIT_BITSET;
	t.more.args[2] = 4712;
	CHECK_U64(lock_joined(&t, LOCK_JOIN, &p), 0);
	peeks_release(&p);
}

TEST(memory_that_was_not_read_tells_nothing)
{
	const u32 words[] = { 2, 0, 4711, 1, 0 };
	struct peeks p = { 0 };
	struct dump_thread t = waiter(&p, 0x1000, FUTEX_WAIT, 2, words);

	p.v.items[1].n_got = 0;
	CHECK_U64(lock_owner(&t, LOCK_MUTEX, &p), 0);
	p.v.items[0].n_got = 0;
	CHECK_U64(lock_joined(&t, LOCK_JOIN, &p), 0);
	peeks_release(&p);
}
