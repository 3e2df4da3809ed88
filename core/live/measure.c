// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "live/measure.h"

#include <unistd.h>

#include "base/memlimit.h"
#include "live/launch.h"
#include "live/live.h"

/* Divide the duration into windows of at most a second.  Without a duration, the run lasts until
 * the user quits. */
static void set_windows(const struct live_part *p)
{
	if (!*p->interval_ns) {
		*p->interval_ns = NS_PER_SEC;
		*p->count = 0;
	} else if (*p->count == 1 && *p->interval_ns > NS_PER_SEC) {
		*p->count = (*p->interval_ns + NS_PER_SEC - 1) / NS_PER_SEC;
		*p->interval_ns /= *p->count;
	}
}

/* Like this process, its parent, which shows the run, is not a target. */
static void leave_out_parent(struct target *t)
{
	if (!t->include_self && !t->pids.v.n && !t->tids.v.n && !t->program)
		vec_push(&t->not_pids.v, (u32)getppid());
}

int live_measure(const char *name, const struct live_part *part, bool *has_shown, int *status,
		 struct err *err)
{
	const struct live_opts opts = { .title = name,
					.has_commands = true,
					.delimited = part->delimited };
	struct launched launched;
	struct live_source source;
	int ret;

	*has_shown = false;
	set_windows(part);
	part->output->json = true;
	ret = launch(&launched, err);
	if (!ret && !launched.pid)
		leave_out_parent(part->target);
	if (ret || !launched.pid)
		return ret;
	*has_shown = true;
	source_init(&source, name, launched.pid, launched.fd, launched.messages_fd);
	ret = mem_limit_begin(err) ?: live_run(&source, 1, &opts, status, err);
	source_release(&source);
	return ret;
}
