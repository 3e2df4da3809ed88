// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Programs at user functions run in the context of their thread: decides which of them should be
 * sleepable (those that read user memory that may be paged out), and that they can be preempted.
 *
 * Programs at system calls are never sleepable, although Linux 7.3 allows it: while one sleeps, the
 * kernel skips it for all other threads on its CPU, which was every second event of three processes
 * that opened names in new pages.
 */
#include <bpf/btf.h>
#include <string.h>

#include "probe/probes_int.h"

struct needs {
	bool user_memory, stack;
};

static bool is_read(const struct tree *t)
{
	return t->kind == TREE_LOAD || t->kind == TREE_STRING || t->kind == TREE_BYTES ||
	       (t->kind == TREE_BUILTIN && t->builtin == BUILTIN_JOIN);
}

static void look(const struct tree *t, struct needs *n)
{
	if (!t)
		return;
	n->stack |= t->type && t->type->kind == TYPE_STACK;
	n->user_memory |= is_read(t) && t->space == SPACE_USER;
	look(t->a, n);
	look(t->b, n);
	look(t->c, n);
	look(t->length, n);
}

static void scan_plan(const struct gen_plan *plan, struct needs *n)
{
	look(plan->predicate, n);
	look(plan->spans.when, n);
	for (u32 i = 0; i < plan->spans.n_key; i++)
		look(plan->spans.key[i], n);
	for (u32 i = 0; i < plan->work.n_values; i++)
		look(plan->work.values[i], n);
	for (u32 i = 0; i < plan->work.n_key; i++)
		look(plan->work.key[i], n);
	look(plan->work.value, n);
	n->stack |= plan->work.want_kstack || plan->work.want_ustack;
}

static bool is_in_user_code(const struct probe_group *g)
{
	return site_kind_is_user(group_site(g, 0)->kind);
}

bool probes_has_cpu_stacks(const struct probes *p)
{
	struct err ignored = { 0 };
	const struct btf *btf = kernel_btf(p->kernel, &ignored);
	s32 id = btf ? btf__find_by_name_kind(btf, "bpf_prog_aux", BTF_KIND_STRUCT) : -1;
	const struct btf_type *t = id > 0 ? btf__type_by_id(btf, (u32)id) : NULL;

	for (u32 i = 0; t && i < btf_vlen(t); i++)
		if (!strcmp(btf__name_by_offset(btf, btf_members(t)[i].name_off), "priv_stack_ptr"))
			return true;
	return false;
}

bool probes_is_preempted(const struct probes *p, const struct probe_group *g)
{
	return p->has_cpu_stacks && is_in_user_code(g);
}

bool probes_may_sleep(const struct probe_group *g)
{
	struct needs n = { 0 };

	if (!is_in_user_code(g))
		return false;
	scan_plan(&g->gen, &n);
	if (g->has_entry)
		scan_plan(&g->entry, &n);
	return n.user_memory && !n.stack;
}

bool probes_reads_unpaged(const struct probe_group *g)
{
	const struct site *s = group_site(g, 0);
	bool is_call = attach_method_is_syscall(g->part->plan->method) || s->is_syscall_wrapper;
	bool is_entry = s->kind == SITE_SYSCALL || s->kind == SITE_FUNC ||
			(s->kind == SITE_TRACEPOINT && !site_is_syscall_exit(s));
	struct needs n = { 0 };

	if (!is_call || !is_entry)
		return false;
	scan_plan(&g->gen, &n);
	return n.user_memory;
}
