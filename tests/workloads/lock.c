/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * lock [ROUNDS [MS [HOW]]]: thread "holder" holds a lock for MS milliseconds (20) in each of ROUNDS
 * (20), while "waiter" waits for it in wait_for_lock; the holder releases it in release_lock.  HOW
 * the holder spends that time: "sleep" in hold_asleep, "burn" in hold_burning, "mutex" as "sleep"
 * with pthread's mutex, "apart" as "sleep" with the two on different CPUs.
 */
#include <pthread.h>

#include "waits.h"

enum {
	FREE,
	HELD,
	GIVEN_UP
};

static u32 lock;
static u32 turn; /* odd: the holder has the lock, even: it's the waiter's */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static u64 rounds, hold_ns;
static bool by_burning, by_mutex, apart;
static struct waited waited;

NOINLINE void wait_for_lock(void);
NOINLINE void wait_for_lock(void)
{
	if (by_mutex)
		pthread_mutex_lock(&mutex);
	else
		while (load(&lock) == HELD)
			futex_wait(&lock, HELD);
	barrier();
}

NOINLINE void release_lock(void);
NOINLINE void release_lock(void)
{
	if (by_mutex) {
		pthread_mutex_unlock(&mutex);
	} else {
		store(&lock, FREE);
		futex_wake(&lock, 1);
	}
	barrier();
}

NOINLINE void hold_asleep(void);
NOINLINE void hold_asleep(void)
{
	sleep_ns(hold_ns);
	barrier();
}

NOINLINE void hold_burning(void);
NOINLINE void hold_burning(void)
{
	u64 end = wall_ns() + hold_ns;

	while (wall_ns() < end)
		burn();
	barrier();
}

NOINLINE void wait_for_turn(u32 value);
NOINLINE void wait_for_turn(u32 value)
{
	for (u32 seen; (seen = load(&turn)) < value;)
		futex_wait(&turn, seen);
	barrier();
}

NOINLINE void give_turn(void);
NOINLINE void give_turn(void)
{
	store(&turn, load(&turn) + 1);
	futex_wake(&turn, 1);
	barrier();
}

static void *holder(void *arg)
{
	set_name("holder");
	if (apart)
		pin(false);
	printf("holder %d\n", my_tid());
	for (u32 i = 0; i < rounds; i++) {
		if (by_mutex)
			pthread_mutex_lock(&mutex);
		else
			store(&lock, HELD);
		give_turn();
		if (by_burning)
			hold_burning();
		else
			hold_asleep();
		release_lock();
		wait_for_turn(2 * i + 2);
	}
	return arg;
}

static void *waiter(void *arg)
{
	set_name("waiter");
	if (apart)
		pin(true);
	printf("waiter %d\n", my_tid());
	for (u32 i = 0; i < rounds; i++) {
		wait_for_turn(2 * i + 1);
		wait_begins(&waited);
		wait_for_lock();
		wait_ends(&waited);
		if (by_mutex)
			pthread_mutex_unlock(&mutex);
		give_turn();
	}
	wait_over(&waited);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	const char *how = argc > 3 ? argv[3] : "sleep";

	rounds = arg_u64(argc, argv, 1, 20);
	hold_ns = arg_u64(argc, argv, 2, 20) * MS;
	by_burning = !strcmp(how, "burn");
	by_mutex = !strcmp(how, "mutex");
	apart = !strcmp(how, "apart");
	if (rounds > 100000 || hold_ns > 10 * SEC)
		return 64;
	say_pid();
	if (pthread_create(&threads[0], NULL, holder, NULL) ||
	    pthread_create(&threads[1], NULL, waiter, NULL))
		return 1;
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	say_waited("lock", &waited);
	printf("held_ns %llu\n", (unsigned long long)(rounds * hold_ns));
	return 0;
}
