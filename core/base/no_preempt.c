// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/no_preempt.h"

void no_preempt_begin(struct no_preempt *u)
{
	const struct sched_param lowest = { .sched_priority = 1 };

	u->policy = sched_getscheduler(0);
	if ((u->policy != SCHED_OTHER && u->policy != SCHED_BATCH && u->policy != SCHED_IDLE) ||
	    sched_getparam(0, &u->param) ||
	    sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &lowest))
		u->policy = -1;
}

void no_preempt_end(const struct no_preempt *u)
{
	if (u->policy >= 0)
		sched_setscheduler(0, u->policy, &u->param);
}

/* Calls, about 0.1 ms, after which other tasks get a chance to run. */
#define SERIES_CALLS 64

void no_preempt_call(struct no_preempt_series *s)
{
	if (s->n % SERIES_CALLS == 0) {
		no_preempt_series_end(s);
		no_preempt_begin(&s->guard);
	}
	s->n++;
}

void no_preempt_series_end(const struct no_preempt_series *s)
{
	if (s->n)
		no_preempt_end(&s->guard);
}
