// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "dump/age.h"

#include "model/thread.h"

void age_clock_take(struct age_clock *c, const struct dump_thread *t)
{
	s64 ahead = (s64)(t->time_ns - t->more.clock_ns);

	if (!t->more.clock_ns || (c->is_known && ahead >= c->ahead_ns))
		return;
	c->ahead_ns = ahead;
	c->is_known = true;
}

static u64 later(u64 a, u64 b)
{
	return a > b ? a : b;
}

/*
 * When the state began, by the run queues' clock; 0: not known.  The switch-out itself is recorded
 * nowhere, but the switch-in before it and the time that the thread ran since then are.  Interrupts
 * during that run are not part of it, nor of counted_ns: both are before the switch-out, by no more
 * than these interrupts.
 */
static u64 begin_of(const struct dump_thread *t)
{
	if (t->on_cpu)
		return t->more.arrived_ns;
	if (!t->state && t->more.queued_ns)
		return t->more.queued_ns;
	if (!t->more.ran_ns)
		return t->more.counted_ns;
	return later(t->more.arrived_ns + t->more.ran_ns, t->more.counted_ns);
}

u64 age_of(const struct age_clock *c, const struct dump_thread *t)
{
	u64 begin = begin_of(t), now = t->time_ns - (u64)c->ahead_ns;
	u64 life = t->time_ns > t->start_time ? t->time_ns - t->start_time : 0;
	u64 age = now > begin ? now - begin : 0;

	if (!c->is_known || !begin)
		return THREAD_AGE_UNKNOWN;
	return age < life ? age : life;
}
