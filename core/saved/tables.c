// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Stores frames, nodes and tasks, each once: a stack that occurs again costs only a few
 * look-ups. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memlimit.h"
#include "model/order.h"
#include "saved/saved_int.h"

/* The number of reports for which there is always room. */
#define REPORTS_ALWAYS 1000

int reading_fail(struct reading *r, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return err_set(r->err, ERR_FAIL, "%s:%llu: %s", r->in.name, r->in.line, text);
}

int reading_too_much(struct reading *r)
{
	return reading_fail(r, "the sum of the values does not fit in 64 bits");
}

/* Interned strings are equal if their addresses are. */
static u64 frame_hash(const struct frame *f)
{
	u64 h = hash_mix((uintptr_t)f->name, (uintptr_t)f->module);

	h = hash_mix(h, (uintptr_t)f->linkage);
	h = hash_mix(h, f->vaddr ^ f->addr << 1);
	return hash_mix(h, f->off ^ (u64)f->kind << 60);
}

static bool is_same_frame(const struct frame *a, const struct frame *b)
{
	return a->name == b->name && a->linkage == b->linkage && a->module == b->module &&
	       a->build_id == b->build_id && a->addr == b->addr && a->vaddr == b->vaddr &&
	       a->off == b->off && a->kind == b->kind;
}

void saved_look(struct saved *s)
{
	struct saved_tables *t = s->tables;

	t->is_full = t->is_full || mem_is_over() || t->nodes.n >= SAVED_NONE / 2;
}

static u32 find_frame(struct saved *s, const struct frame *f, bool can_add)
{
	struct saved_tables *t = s->tables;
	u64 hash = frame_hash(f);
	size_t at = 0;
	u32 id;

	while (index_next(&t->by_frame, hash, &at, &id))
		if (is_same_frame(&t->frames.items[id], f))
			return id;
	if (!can_add)
		return SAVED_NONE;
	id = (u32)t->frames.n;
	vec_push(&t->frames, *f);
	index_add(&t->by_frame, hash, id);
	return id;
}

u32 saved_frame(struct saved *s, const struct frame *f)
{
	return find_frame(s, f, !s->tables->is_full);
}

static u32 find_child(struct saved *s, u32 parent, u32 frame, bool can_add)
{
	struct saved_tables *t = s->tables;
	u64 hash = hash_u64((u64)parent << 32 | frame);
	size_t at = 0;
	u32 id;

	if (frame == SAVED_NONE)
		return 0;
	while (index_next(&t->by_node, hash, &at, &id))
		if (t->nodes.items[id].parent == parent && t->nodes.items[id].frame == frame)
			return id;
	if (!can_add)
		return 0;
	id = (u32)t->nodes.n;
	vec_push(&t->nodes, (struct stack_node){ .parent = parent, .frame = frame });
	index_add(&t->by_node, hash, id);
	return id;
}

u32 saved_child(struct saved *s, u32 parent, u32 frame)
{
	return find_child(s, parent, frame, !s->tables->is_full);
}

void *saved_alloc(struct saved *s, size_t n, size_t size)
{
	return arena_alloc(&s->tables->arena, n + 1, size);
}

const char *const *saved_list(struct saved *s, const char *const *texts, size_t n)
{
	const char **list = saved_alloc(s, n, sizeof(*list));

	memcpy(list, texts, n * sizeof(*list));
	return list;
}

u32 saved_note(struct saved *s, const char *name)
{
	const struct frame note = { .name = intern(&s->strings, name), .kind = FRAME_NOTE };

	return find_child(s, 0, find_frame(s, &note, true), true);
}

static bool is_same_task(const struct stack_task *a, const struct stack_task *b)
{
	return a->root == b->root && a->comm == b->comm && a->cgroup == b->cgroup &&
	       a->pid == b->pid && a->tid == b->tid && a->cpu == b->cpu;
}

u32 saved_task(struct saved *s, struct stack_task task)
{
	struct saved_tables *t = s->tables;
	size_t at = 0;
	u64 hash;
	u32 id;

	if (t->label)
		task = (struct stack_task){ .root = t->label, .pid = -1, .tid = -1, .cpu = -1 };
	hash = hash_mix((uintptr_t)task.root, (uintptr_t)task.comm);
	hash = hash_mix(hash, (uintptr_t)task.cgroup);
	hash = hash_mix(hash_mix(hash, (u64)task.pid), (u64)task.tid ^ (u64)task.cpu << 32);
	while (index_next(&t->by_task, hash, &at, &id))
		if (is_same_task(&t->tasks.items[id], &task))
			return id;
	if (t->is_full)
		return 0;
	id = (u32)t->tasks.n;
	vec_push(&t->tasks, task);
	index_add(&t->by_task, hash, id);
	return id;
}

/* ---- chains of wakers ---- */

static u64 chain_hash(const struct waker_link *links, u32 n, enum chain_end end)
{
	u64 h = hash_mix(n, end);

	for (u32 i = 0; i < n; i++) {
		h = hash_mix(h, (u64)links[i].kind << 32 | links[i].task);
		h = hash_mix(h, (u64)links[i].kernel << 32 | links[i].user);
		h = hash_mix(h, (uintptr_t)links[i].name);
	}
	return h;
}

static bool is_same_link(const struct waker_link *a, const struct waker_link *b)
{
	return a->kind == b->kind && a->task == b->task && a->kernel == b->kernel &&
	       a->user == b->user && a->name == b->name && !a->value && !b->value;
}

static bool is_same_chain(const struct saved_tables *t, const struct waker_chain *chain,
			  const struct waker_link *links, u32 n, enum chain_end end)
{
	if (chain->n != n || chain->end != end)
		return false;
	for (u32 i = 0; i < n; i++)
		if (!is_same_link(&t->links.items[chain->first + i], &links[i]))
			return false;
	return true;
}

u32 saved_chain(struct saved *s, const struct waker_link *links, u32 n, enum chain_end end)
{
	struct saved_tables *t = s->tables;
	struct waker_chain chain = { .first = (u32)t->links.n, .n = n, .end = end };
	u64 hash = chain_hash(links, n, end);
	size_t at = 0;
	u32 id;

	while (index_next(&t->by_chain, hash, &at, &id))
		if (is_same_chain(t, &t->chains.items[id], links, n, end))
			return id;
	for (u32 i = 0; i < n; i++)
		vec_push(&t->links, links[i]);
	id = (u32)t->chains.n;
	vec_push(&t->chains, chain);
	index_add(&t->by_chain, hash, id);
	return id;
}

/* ---- rows ---- */

static bool add_to(u64 *sum, u64 v)
{
	return !__builtin_add_overflow(*sum, v, sum);
}

/* The row with the same stack and task as `like`; a new one if there is none. */
static struct stack_row *find_row(struct saved_tables *t, struct report *r,
				  const struct stack_row *like)
{
	u64 hash = hash_mix((u64)like->task << 32 | like->user,
			    (u64)like->kernel << 1 | like->is_whole);
	size_t at = 0;
	u32 id;

	while (index_next(&t->by_row, hash, &at, &id)) {
		struct stack_row *row = &r->stacks.items[id];

		if (row->task == like->task && row->user == like->user &&
		    row->kernel == like->kernel && row->is_whole == like->is_whole)
			return row;
	}
	index_add(&t->by_row, hash, (u32)r->stacks.n);
	vec_push(&r->stacks, (struct stack_row){ .task = like->task,
						 .user = like->user,
						 .kernel = like->kernel,
						 .is_whole = like->is_whole });
	return &r->stacks.items[r->stacks.n - 1];
}

int saved_count(struct reading *r, struct report *report, const struct stack_row *row, u32 *at)
{
	struct stack_row *sum = find_row(r->s->tables, report, row);

	if (!add_to(&report->total, row->value) || !add_to(&sum->value, row->value) ||
	    !add_to(&sum->count, row->count))
		return reading_too_much(r);
	report_count_whole(report, row);
	if (at)
		*at = (u32)(sum - report->stacks.items);
	return 0;
}

bool saved_stack(struct saved *s, const u32 *frames, size_t n, struct stack_row *row)
{
	const struct frame *all = s->tables->frames.items;
	size_t n_kernel = 0;
	bool is_cut = n > STACK_MAX_DEPTH;

	row->user = row->kernel = 0;
	if (is_cut)
		n = STACK_MAX_DEPTH - 1;
	for (size_t i = 0; i < n; i++)
		if (frames[i] == SAVED_NONE)
			return false;
	while (n_kernel < n && frame_is_kernel(all[frames[n_kernel]].kind))
		n_kernel++;
	if (is_cut && n_kernel < n)
		row->user = saved_note(s, NOTE_TRUNCATED);
	else if (is_cut)
		row->kernel = saved_note(s, NOTE_TRUNCATED);
	for (size_t i = n; i-- > 0;) {
		u32 *leaf = i < n_kernel ? &row->kernel : &row->user;

		*leaf = saved_child(s, *leaf, frames[i]);
		if (!*leaf)
			return false;
	}
	return true;
}

/* ---- modules ---- */

static bool starts_with_any(struct view v, const char *const *prefixes)
{
	for (; *prefixes; prefixes++)
		if (view_starts(v, *prefixes))
			return true;
	return false;
}

void saved_set_module(struct saved *s, struct frame *f, struct view file)
{
	static const char *const kernels[] = { "[kernel.", "[guest.kernel", "[kernel]", NULL };
	static const char *const jits[] = { "/tmp/perf-", "[JIT]", NULL };

	f->kind = FRAME_USER;
	if (!file.n || view_eq(file, "[unknown]") || view_eq(file, "inlined")) {
		f->module = NULL;
		return;
	}
	if (starts_with_any(file, kernels) || view_ends(file, "/vmlinux")) {
		f->kind = FRAME_KERNEL;
		f->module = intern(&s->strings, "[kernel]");
		return;
	}
	if (view_starts(file, "[vdso") || view_starts(file, "[vsyscall"))
		f->kind = FRAME_VDSO;
	else if (view_starts(file, "bpf_prog_") || view_eq(file, "[bpf]"))
		f->kind = FRAME_BPF;
	else if (starts_with_any(file, jits))
		f->kind = FRAME_JIT;
	else if (view_ends(file, ".ko"))
		f->kind = FRAME_MODULE;
	else if (file.p[0] == '[' && file.p[file.n - 1] == ']' && !memchr(file.p, ' ', file.n) &&
		 !view_starts(file, "[stack") && !view_starts(file, "[heap") &&
		 !view_starts(file, "[anon")) {
		f->kind = FRAME_MODULE;
		file = (struct view){ file.p + 1, file.n - 2 };
	}
	f->module = intern_n(&s->strings, file.p, file.n);
}

/* ---- reports ---- */

void saved_add_report(struct reading *r, struct report *report)
{
	report->interval = report->interval ? report->interval : r->file.n;
	saved_look(r->s);
	if (r->s->tables->is_full && r->file.n >= REPORTS_ALWAYS && !r->err->code)
		reading_fail(r, "more reports than --max-memory has room for");
	vec_push(&r->s->reports, *report);
	r->file.n++;
	index_release(&r->s->tables->by_row);
	*report = (struct report){ .kind = report->kind };
}
