// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "stack/counts.h"

#include <bpf/bpf.h>
#include <errno.h>

#include "base/cleanup.h"
#include "base/no_preempt.h"
#include "run/mapread.h"

/* The value of `stack_cpus` of each possible CPU. */
struct cpu_values {
	VEC(struct stack_cpu) v;
};

static void cpu_values_release(struct cpu_values *c)
{
	vec_release(&c->v);
}

static bool read_cpus(const struct bpf_object *obj, struct cpu_values *out)
{
	int n_cpus = libbpf_num_possible_cpus();
	u32 zero = 0;

	if (n_cpus <= 0)
		return false;
	out->v.n = 0;
	vec_reserve(&out->v, n_cpus);
	if (bpf_map_lookup_elem(bpf_object__find_map_fd_by_name(obj, "stack_cpus"), &zero,
				out->v.items))
		return false;
	out->v.n = (size_t)n_cpus;
	return true;
}

u64 counts_taken(const struct bpf_object *obj)
{
	_cleanup_(no_preempt_end) struct no_preempt guard;
	_cleanup_(cpu_values_release) struct cpu_values cpus = { 0 };
	struct stack_cpu *cpu;
	u64 sum = 0;

	no_preempt_begin(&guard);
	if (read_cpus(obj, &cpus))
		vec_for_each(cpu, &cpus.v)
			sum += cpu->n_taken;
	return sum;
}

static void give(const struct counts_taker *to, const struct stack_id *id,
		 const struct stack_count *n)
{
	if (n->n[0] | n->n[1])
		to->take(to->ctx, id, n);
}

static void give_entry(void *to, const void *id, const void *n)
{
	give(to, id, n);
}

static int read_table(const struct bpf_object *obj, const struct counts_taker *to, struct err *err)
{
	struct counts_taker taker = *to;

	return hash_read_map(bpf_object__find_map_by_name(obj, "counts"), give_entry, &taker, err);
}

static u64 evictions(const struct cpu_values *cpus)
{
	struct stack_cpu *cpu;
	u64 sum = 0;

	vec_for_each(cpu, &cpus->v)
		sum += cpu->evictions;
	return sum;
}

static void give_slots(const struct cpu_values *cpus, const struct counts_taker *to)
{
	struct stack_cpu *cpu;

	vec_for_each(cpu, &cpus->v)
		for (u32 i = 0; i < STACK_SLOTS; i++)
			give(to, &cpu->slots[i].id, &cpu->slots[i].count);
}

/* Counters that move from a slot to the table during the reading would be read twice or not at all:
 * read again until none has moved. */
#define READ_TRIES 5

int counts_read(const struct bpf_object *obj, const struct counts_taker *to, struct err *err)
{
	_cleanup_(no_preempt_end) struct no_preempt guard;
	_cleanup_(cpu_values_release) struct cpu_values before = { 0 }, after = { 0 };
	int ret = 0;

	no_preempt_begin(&guard);
	for (u32 i = 0; i < READ_TRIES && !ret; i++) {
		to->restart(to->ctx);
		if (!read_cpus(obj, &before))
			return err_errno(err, errno, "cannot read the counters of each CPU");
		ret = read_table(obj, to, err);
		if (!ret && !read_cpus(obj, &after))
			return err_errno(err, errno, "cannot read the counters of each CPU");
		if (!ret && evictions(&before) == evictions(&after))
			break;
	}
	if (!ret)
		give_slots(&after, to);
	return ret;
}

void counts_each_held(const struct bpf_object *obj, void (*take)(void *ctx, const u64 id[2]),
		      void *ctx)
{
	_cleanup_(no_preempt_end) struct no_preempt guard;
	_cleanup_(cpu_values_release) struct cpu_values cpus = { 0 };
	struct stack_cpu *cpu;

	no_preempt_begin(&guard);
	if (!read_cpus(obj, &cpus))
		return;
	vec_for_each(cpu, &cpus.v)
		for (u32 i = 0; i < STACK_SLOTS; i++)
			take(ctx, (const u64 *)cpu->slots[i].id.hash);
}

void counts_forget(const struct bpf_object *obj, const struct forgotten *f)
{
	forgotten_delete(f, bpf_object__find_map_fd_by_name(obj, "counts"));
}
