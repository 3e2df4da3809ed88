// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "dump/process.h"

#include <stdio.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/num.h"
#include "base/procfile.h"
#include "base/str.h"

#define COMM_BYTES     64
#define CHILDREN_BYTES (1 << 20)

const char *process_comm(u32 pid, struct intern *strings)
{
	_cleanup_(str_release) struct str text = { 0 };
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/comm", pid);
	if (file_read(path, COMM_BYTES, &text) || !text.n)
		return NULL;
	return intern_n(strings, text.p, text.n - 1);
}

/* NSpid has the numbers from our namespace to the innermost one. */
u32 process_inner(u32 pid)
{
	_cleanup_(str_release) struct str text = { 0 };
	struct view list, number;
	char path[64];
	u64 n = 0;

	snprintf(path, sizeof(path), "/proc/%u/status", pid);
	if (file_read(path, PROC_STATUS_BYTES, &text) ||
	    !proc_status_field(str_view(&text), "NSpid", &list))
		return 0;
	while (view_split(&list, '\t', &number))
		if (!num_parse_dec(number, &n))
			return 0;
	return (u32)n;
}

void process_children(u32 tgid, u32 tid, struct pid_list *out)
{
	_cleanup_(str_release) struct str text = { 0 };
	struct view rest, number;
	char path[64];
	u64 pid;

	snprintf(path, sizeof(path), "/proc/%u/task/%u/children", tgid, tid);
	if (file_read(path, CHILDREN_BYTES, &text))
		return;
	rest = str_view(&text);
	while (view_split(&rest, ' ', &number))
		if (num_parse_dec(number, &pid))
			vec_push(&out->v, (u32)pid);
}

/* ---- threads by number ---- */

static const struct process_thread *find(const struct process_threads *p, u32 tgid, u32 inner)
{
	size_t at = 0;
	u32 i;

	while (p->v.items && index_next(&p->by_inner, hash_mix(tgid, inner), &at, &i))
		if (p->v.items[i].tgid == tgid && p->v.items[i].inner == inner)
			return &p->v.items[i];
	return NULL;
}

static void add(struct process_threads *p, u32 tgid, u32 tid, u32 inner)
{
	index_add(&p->by_inner, hash_mix(tgid, inner), (u32)p->v.n);
	vec_push(&p->v, (struct process_thread){ .tgid = tgid, .tid = tid, .inner = inner });
}

struct listing {
	struct process_threads *threads;
	u32 tgid;
};

static bool add_thread(void *ctx, u32 tid)
{
	const struct listing *l = ctx;
	u32 inner = process_inner(tid);

	if (inner)
		add(l->threads, l->tgid, tid, inner);
	return true;
}

u32 process_thread_find(struct process_threads *p, u32 tgid, u32 inner)
{
	struct listing l = { p, tgid };
	const struct process_thread *found;

	if (!find(p, tgid, 0)) {
		add(p, tgid, 0, 0);
		proc_each_thread("/proc", tgid, add_thread, &l);
	}
	found = inner ? find(p, tgid, inner) : NULL;
	return found ? found->tid : 0;
}

void process_threads_release(struct process_threads *p)
{
	vec_release(&p->v);
	index_release(&p->by_inner);
}
