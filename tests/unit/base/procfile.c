// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Fields of a process, whatever it calls itself, and its threads. */
#include "base/procfile.h"

#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test.h"

TEST(a_field_is_counted_from_the_end_of_the_name)
{
	const struct view stat = view_of("12 (a) S 9 (b) R 34 56 78\n");
	struct view field;

	CHECK(proc_stat_field(stat, 3, &field) && view_eq(field, "R"));
	CHECK(proc_stat_field(stat, 5, &field) && view_eq(field, "56"));
	CHECK(!proc_stat_field(view_of("12 (a"), 3, &field));
	CHECK(!proc_stat_field(view_of(""), 3, &field));
	CHECK(!proc_stat_field(stat, 2, &field));
}

TEST(a_line_of_status_is_found_by_its_name)
{
	const struct view status = view_of("Name:\tTgid:\t1\nTgid:\t42\nPPid:\n");
	struct view field;

	CHECK(proc_status_field(status, "Tgid", &field) && view_eq(field, "42"));
	CHECK(!proc_status_field(status, "Tgi", &field));
	CHECK(!proc_status_field(status, "PPid", &field));
}

struct threads {
	u32 n, most;
	bool has_first;
};

static bool take(void *ctx, u32 tid)
{
	struct threads *t = ctx;

	t->has_first |= tid == (u32)getpid();
	return ++t->n < t->most;
}

static void *wait_for(void *gate)
{
	pthread_mutex_lock(gate);
	pthread_mutex_unlock(gate);
	return NULL;
}

TEST(threads_are_visited_until_the_visitor_has_enough)
{
	static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
	struct threads all = { .most = 100 }, one = { .most = 1 }, none = { .most = 100 };
	pthread_t threads[3];

	pthread_mutex_lock(&gate);
	for (size_t i = 0; i < ARRAY_SIZE(threads); i++)
		CHECK(!pthread_create(&threads[i], NULL, wait_for, &gate));
	proc_each_thread("/proc", (u32)getpid(), take, &all);
	proc_each_thread("/proc", (u32)getpid(), take, &one);
	proc_each_thread("/nonexistent", (u32)getpid(), take, &none);
	pthread_mutex_unlock(&gate);
	for (size_t i = 0; i < ARRAY_SIZE(threads); i++)
		pthread_join(threads[i], NULL);
	CHECK_U64(all.n, 4);
	CHECK(all.has_first);
	CHECK_U64(one.n, 1);
	CHECK_U64(none.n, 0);
}
