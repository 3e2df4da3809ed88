// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The root frame of a task, derived from the facts that are known about it. */
#include "model/report.h"

bool task_add_root(struct str *out, const struct stack_task *task)
{
	if (task->comm && task->pid >= 0 && task->tid >= 0)
		str_addf(out, "%s-%lld/%lld", task->comm, task->pid, task->tid);
	else if (task->comm)
		str_adds(out, task->comm);
	else if (task->cgroup)
		str_adds(out, task->cgroup);
	else if (task->cpu >= 0)
		str_addf(out, "cpu %lld", task->cpu);
	else
		return false;
	return true;
}
