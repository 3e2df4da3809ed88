// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* How long stacks may wait for the tables of large files. */
#include "run/engine.h"

#include <signal.h>

#include "base/clock.h"
#include "base/stop.h"
#include "test.h"

/* A run whose window ends `ns` from now on. */
static struct engine running(s64 ns)
{
	u64 now = now_ns();

	return (struct engine){ .session = { .start_ns = now - NS_PER_SEC,
					     .window.due_ns = now + (u64)ns } };
}

TEST(stacks_wait_until_the_window_ends)
{
	struct engine e = running((s64)(100 * NS_PER_SEC));

	CHECK(engine_can_wait(&e));
	e.session.window.due_ns = now_ns();
	CHECK(!engine_can_wait(&e));
	e.session.window.next_due_ns = now_ns() + 100 * NS_PER_SEC; /* the report is being made */
	CHECK(engine_can_wait(&e));
}

TEST(a_signal_ends_the_wait_for_tables)
{
	struct engine e = running((s64)(100 * NS_PER_SEC));

	stop_catch();
	stop_start_is_over();
	CHECK(engine_can_wait(&e));
	raise(SIGINT);
	CHECK(!engine_can_wait(&e));
	e.is_detached = true;
	e.detached_ns = now_ns();
	CHECK(engine_can_wait(&e)); /* its report is still worth a moment, until the next signal */
	usleep(60000);		    /* two signals at once count as one */
	raise(SIGINT);
	CHECK(!engine_can_wait(&e));
}

TEST(all_tables_together_do_not_delay_the_last_report_by_more_than_two_seconds)
{
	struct engine e = running(-(s64)NS_PER_SEC);

	e.is_detached = true;
	e.detached_ns = now_ns();
	CHECK(engine_can_wait(&e));
	e.detached_ns -= 2 * NS_PER_SEC;
	CHECK(!engine_can_wait(&e));
}
