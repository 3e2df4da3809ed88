// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "bpf/abi/unwind.h"

#include "wait/kernel.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/mem.h"
#include "host/rawbtf.h"

u32 wait_ranges(const struct landmarks *landmarks, enum landmark_kind first,
		enum landmark_kind last, struct wait_range *out, u32 max)
{
	const struct landmark *p;
	u64 end = 0;
	u32 n = 0;

	for (u32 i = 0; i < max; i++)
		out[i] = (struct wait_range){ UINT64_MAX, UINT64_MAX };
	vec_for_each(p, &landmarks->v) {
		if (p->kind < first || p->kind > last)
			continue;
		n += !n || end != p->start;
		end = p->end;
		if (n > max)
			continue;
		if (out[n - 1].start == UINT64_MAX)
			out[n - 1].start = p->start;
		out[n - 1].end = end;
	}
	return n;
}

bool wait_can_unwind(const struct landmarks *landmarks, u64 *hiding)
{
	const struct landmark *p;
	bool has_orc = false;
	u32 n = 0;

	vec_for_each(p, &landmarks->v) {
		has_orc |= p->kind == LANDMARK_ORC;
		if (p->kind != LANDMARK_HIDING)
			continue;
		if (n == UNWIND_HIDING)
			return false;
		hiding[n++] = p->start;
	}
	return has_orc;
}

void wait_say_unwound(int cpus_fd, u64 n_checked, u64 n_wrong)
{
	_cleanup_(free_p) struct unwind_cpu *cpus = NULL;
	int n_cpus = libbpf_num_possible_cpus();
	u64 n_read = 0, n_walked = 0, n_others = 0;
	u32 zero = 0;

	if (log_level() < LOG_VERBOSE || n_cpus <= 0)
		return;
	cpus = mem_alloc((size_t)n_cpus, sizeof(*cpus));
	if (bpf_map_lookup_elem(cpus_fd, &zero, cpus))
		return;
	for (int i = 0; i < n_cpus; i++) {
		n_read += cpus[i].n_read;
		n_walked += cpus[i].n_walked;
		n_others += cpus[i].n_others;
	}
	log_info("kernel stacks: %llu read, %llu walked, %llu of these compared, %llu differed; "
		 "%llu were not to be read",
		 n_read, n_walked, n_checked, n_wrong, n_others);
}

bool wait_has_prev_state(const struct rawbtf *kernel)
{
	u32 id = rawbtf_find(kernel, "btf_trace_sched_switch", BTF_KIND_TYPEDEF);
	const struct btf_type *t = rawbtf_type(kernel, id);

	t = t ? rawbtf_type(kernel, t->type) : NULL; /* pointer */
	t = t ? rawbtf_type(kernel, t->type) : NULL; /* function */
	return t && btf_is_func_proto(t) &&
	       btf_vlen(t) >= 5; /* the first parameter is the hook's context */
}
