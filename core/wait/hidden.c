// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "wait/hidden.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/log.h"
#include "base/num.h"
#include "base/procfile.h"
#include "base/str.h"

/* The state letter in /proc/TID/stat; 0: not found. */
static char state_of(u32 tid)
{
	_cleanup_(str_release) struct str text = { 0 };
	struct view state;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/stat", tid);
	if (file_read(path, PROC_STAT_BYTES, &text) ||
	    !proc_stat_field(str_view(&text), STAT_STATE, &state))
		return 0;
	return state.p[0];
}

bool hidden_is_runnable(u32 tid)
{
	return state_of(tid) == 'R';
}

static bool add_thread(void *ctx, u32 tid)
{
	struct hidden *h = ctx;

	vec_push(&h->tids, tid);
	return true;
}

void hidden_add_process(struct hidden *h, u32 tgid)
{
	proc_each_thread("/proc", tgid, add_thread, h);
}

void hidden_take(struct hidden *h, u32 tid)
{
	u32 *t;

	vec_for_each(t, &h->tids)
		if (*t == tid) {
			*t = h->tids.items[--h->tids.n];
			return;
		}
}

/* The scan leaves zombies out as well. */
static bool is_alive(u32 tid)
{
	char state = state_of(tid);

	return state && !strchr("ZXx", state);
}

void hidden_say(const struct hidden *h)
{
	const u32 *tid;
	u64 n = 0;

	vec_for_each(tid, &h->tids)
		n += is_alive(*tid);
	if (n)
		log_warn("hidden-threads",
			 "%llu watched threads %s hidden from tracing on this host: they are "
			 "missing from the report or incomplete",
			 n, n == 1 ? "is" : "are");
}

void hidden_release(struct hidden *h)
{
	vec_release(&h->tids);
}
