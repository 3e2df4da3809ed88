// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/undisturbed.h"

#include <string.h>
#include <sys/utsname.h>

void undisturbed_begin(struct undisturbed *u)
{
	const struct sched_param lowest = { .sched_priority = 1 };

	u->policy = sched_getscheduler(0);
	if ((u->policy != SCHED_OTHER && u->policy != SCHED_BATCH && u->policy != SCHED_IDLE) ||
	    sched_getparam(0, &u->param) ||
	    sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &lowest))
		u->policy = -1;
}

void undisturbed_end(const struct undisturbed *u)
{
	if (u->policy >= 0)
		sched_setscheduler(0, u->policy, &u->param);
}

bool kernel_preempts(void)
{
	static const char *const models[] = { "PREEMPT ", "PREEMPT_RT", "PREEMPT(lazy)",
					      "PREEMPT(full)", "PREEMPT_LAZY" };
	static int is_one = -1;
	struct utsname u;

	if (is_one >= 0)
		return is_one;
	is_one = 0;
	if (!uname(&u))
		for (size_t i = 0; i < sizeof(models) / sizeof(*models); i++)
			is_one |= strstr(u.version, models[i]) != NULL;
	return is_one;
}
