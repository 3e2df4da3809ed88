// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "site/reach.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/procfile.h"
#include "base/str.h"

void reach_add(struct reach *r, u32 tgid)
{
	const u32 *known;

	r->is_limited = true;
	vec_for_each(known, &r->tgids)
		if (*known == tgid)
			return;
	vec_push(&r->tgids, tgid);
}

static bool add_thread(void *ctx, u32 tid)
{
	struct reach *r = ctx;
	size_t at = 0;
	u32 i;

	while (index_next(&r->by_tid, hash_u64(tid), &at, &i))
		if (r->tids.items[i] == tid)
			return true;
	index_add(&r->by_tid, hash_u64(tid), (u32)r->tids.n);
	vec_push(&r->tids, tid);
	return true;
}

void reach_add_threads(struct reach *r, u32 tgid)
{
	proc_each_thread("/proc", tgid, add_thread, r);
}

void reach_release(struct reach *r)
{
	vec_release(&r->tgids);
	vec_release(&r->tids);
	index_release(&r->by_tid);
	*r = (struct reach){ 0 };
}

bool reach_is_headless(u32 tgid)
{
	_cleanup_(str_release) struct str text = { 0 };
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/status", tgid);
	return !file_read(path, 65536, &text) && strstr(str_text(&text), "\nState:\tZ") &&
	       !strstr(str_text(&text), "\nThreads:\t1\n");
}
