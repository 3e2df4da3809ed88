// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Opens and loads the kernel side for the options of a run. */
#include "wait/wait_int.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "host/btf.h"
#include "run/earlymaps.h"
#include "run/handlers.h"
#include "run/prog.h"
#include "sym/landmarks.h"
#include "wait/kernel.h"
#include "wait/object.h"
#include "wait/startup.h"

static u32 thread_bytes(const struct wait *w)
{
	return (u32)(sizeof(struct wait_thread) + w->levels * sizeof(struct wait_link));
}

/* The three maps that are large. */
static struct early_maps large_maps(const struct wait *w)
{
	u32 n = (u32)w->conf->collect.max_counts;

	return (struct early_maps){
		.maps = { { .name = "wait_threads",
			    .key_size = sizeof(u32),
			    .value_size = thread_bytes(w),
			    .max_entries = (u32)wait_threads_max() },
			  { .name = "wait_sums",
			    .key_size = sizeof(struct stack_id),
			    .value_size = sizeof(struct wait_sum),
			    .max_entries = n },
			  { .name = "stack_seen",
			    .key_size = sizeof(struct stack_id),
			    .value_size = sizeof(u8),
			    .max_entries = n } },
		.n = 3,
	};
}

/* The large maps exist already, and keep their sizes, even if the number of threads has changed. */
static int size_maps(struct wait *w, struct early_maps *large, struct err *err)
{
	struct bpf_object *obj = w->skel->obj;
	int ret;

	ret = bpf_map__set_value_size(w->skel->maps.wait_threads, thread_bytes(w));
	if (ret)
		return err_errno(err, -ret, "cannot size the table wait_threads");
	ret = collect_set_max(obj, "wait_paths", w->conf->path ? w->conf->collect.max_counts : 1,
			      err);
	for (u32 i = 0; i < large->n && !ret; i++)
		ret = collect_set_max(obj, large->maps[i].name, large->maps[i].max_entries, err);
	if (ret)
		return ret;
	ret = early_maps_give(large, obj);
	return ret ? err_errno(err, -ret, "cannot use the tables of waits") : 0;
}

static bool is_typed(const char *btf_path)
{
	return !btf_path && !access("/sys/kernel/btf/vmlinux", R_OK);
}

static void choose_programs(struct wait *w, const char *btf_path)
{
	struct wait_bpf *skel = w->skel;
	const struct {
		struct bpf_program *typed, *raw;
	} hooks[] = {
		{ skel->progs.wait_switch, skel->progs.wait_switch_raw },
		{ skel->progs.wait_waking, skel->progs.wait_waking_raw },
		{ skel->progs.wait_wakeup_new, skel->progs.wait_wakeup_new_raw },
		{ skel->progs.wait_exec, skel->progs.wait_exec_raw },
	};
	bool typed = is_typed(btf_path);

	for (size_t i = 0; i < ARRAY_SIZE(hooks); i++) {
		bpf_program__set_autoload(hooks[i].typed, typed);
		bpf_program__set_autoload(hooks[i].raw, !typed);
	}
	bpf_program__set_autoload(skel->progs.wait_sample, w->conf->with_cpu);
	bpf_program__set_autoload(skel->progs.wait_irq_entry, w->levels);
	bpf_program__set_autoload(skel->progs.wait_irq_exit, w->levels);
}

static void allow_unwinding(struct wait *w)
{
	struct wait_bpf__bss *bss = w->skel->bss;

	bss->unwind_is_on =
		!w->conf->kernel_unwinder && wait_can_unwind(&w->landmarks, bss->unwind_hiding);
}

/* The symbolizer gets the text too, so that a short run need not read it again. */
int wait_read_landmarks(struct wait *w, struct err *err)
{
	int ret;

	w->has_landmarks = true;
	if (!w->asks || !landmarks_ask(&w->landmarks, &w->c->engine.ksyms.source, w->levels)) {
		landmarks_release(&w->landmarks);
		ret = landmarks_read("/proc", &w->kallsyms, &w->landmarks, err);
		if (ret)
			return ret;
		symbolizer_give_kallsyms(w->c->engine.sym, &w->kallsyms.text);
	}
	allow_unwinding(w);
	return 0;
}

int wait_set_irq_ranges(struct wait *w, struct err *err)
{
	struct wait_range *irqs = (struct wait_range *)w->skel->bss->irq_ranges;
	struct wait_range *returns = (struct wait_range *)w->skel->bss->return_ranges;
	u32 n;
	int ret;

	if (!w->levels)
		return 0;
	ret = wait_read_landmarks(w, err);
	if (ret)
		return ret;
	n = wait_ranges(&w->landmarks, LANDMARK_IRQ, LANDMARK_IPI, irqs, WAIT_IRQ_RANGES);
	if (n > WAIT_IRQ_RANGES || wait_ranges(&w->landmarks, LANDMARK_RETURN, LANDMARK_RETURN,
					       returns, WAIT_RETURN_RANGES) > WAIT_RETURN_RANGES)
		return err_set(err, ERR_KERNEL,
			       "this kernel has more interrupt entries than bperf supports");
	if (n)
		w->skel->bss->irq_bytes = irqs[n - 1].end - irqs[0].start;
	return 0;
}

u32 wait_stack_key(const struct wait *w)
{
	u32 key = collect_stack_key(&w->conf->collect);

	/* --sample caps the waits of each thread at its lifetime, and single waits are shown by
	 * thread, so threads must be told apart. */
	return w->conf->state_table || w->conf->weight > 1 || w->conf->collect.wants_waits
		       ? key | STACK_KEY_TID
		       : key;
}

static u64 times_1000(u64 us)
{
	return us < UINT64_MAX / 1000 ? us * 1000 : UINT64_MAX;
}

/* True if a thread may begin or cease to match the filter during its life. */
static bool filter_may_change(const struct filter_conf *f)
{
	return f->has_comms || f->has_not_comms || f->has_cgroups || f->has_not_cgroups ||
	       f->has_uids || f->has_not_uids || f->has_cgroupmap || f->has_mntnsmap;
}

static void set_rodata(struct wait *w)
{
	const struct wait_conf *conf = w->conf;
	const struct u32_list *cpus = &conf->collect.target.cpus;
	struct wait_bpf__rodata *ro = w->skel->rodata;
	const struct rawbtf *kernel = kernel_types_raw(conf->collect.btf);

	ro->wait_levels = w->levels;
	ro->wait_key = wait_stack_key(w);
	ro->want_kernel = !conf->collect.user_only;
	ro->want_user = !conf->collect.kernel_only && !conf->state_table;
	ro->want_running = conf->state_table;
	ro->want_kind = conf->state_table || conf->collect.wants_waits;
	ro->sample_ns = WAIT_SAMPLE_NS;
	ro->want_waiter_stack = w->mode->has_waiter_stack;
	ro->want_path = conf->path;
	ro->want_objects = conf->objects;
	wait_object_calls((u8 *)ro->object_calls);
	ro->want_all_wakers = conf->all_wakers;
	ro->user_threads_only = conf->user_threads;
	ro->kernel_threads_only = conf->kernel_threads;
	ro->filter_may_change = filter_may_change(&w->c->engine.filter.conf);
	ro->has_cpus = cpus->v.n != 0;
	for (size_t i = 0; i < cpus->v.n; i++)
		ro->cpu_mask[cpus->v.items[i] / 64] |= 1ULL << cpus->v.items[i] % 64;
	ro->has_prev_state = kernel && wait_has_prev_state(kernel);
	ro->min_ns = times_1000(conf->min_us);
	ro->max_ns = times_1000(conf->max_us);
	ro->filters_states = conf->filters_states;
	ro->want_ready = conf->want_ready;
	ro->want_idle = conf->want_idle;
	ro->state_mask = conf->state_mask;
	if (conf->weight > 1)
		ro->sample_below = (u32)(((u64)1 << 32) / conf->weight);
	ro->want_split = conf->split;
	if (w->faults.checks_stacks)
		ro->unwind_check = 1;
}

static int load_hooks(struct wait *w, struct early_maps *large, struct err *err)
{
	struct wait_bpf *skel = w->skel;
	const struct collect_rodata ro = {
		COLLECT_RODATA(skel),
		.ring_bytes = wait_n_threads() *
			      (sizeof(struct wait_record) -
			       (WAIT_MAX_LEVELS - w->levels) * sizeof(struct wait_link)),
	};
	struct collect_kernel kernel;
	int ret;

	choose_programs(w, w->conf->collect.btf);
	set_rodata(w);
	ret = collect_prepare(w->c, skel->obj, &ro, err) ?: size_maps(w, large, err);
	if (!ret && w->faults.ring_bytes)
		ret = collect_set_max(skel->obj, "stacks", w->faults.ring_bytes, err);
	if (ret)
		return ret;
	ret = handlers_load(skel->skeleton);
	if (ret)
		return prog_explain(-ret, "load", "the scheduler hooks", err);
	kernel = (struct collect_kernel){ COLLECT_KERNEL(skel), .misses_are_counted = true };
	return collect_load(w->c, &kernel, err);
}

static void init_waits(struct wait *w)
{
	const struct wait_conf *conf = w->conf;
	const struct collect_conf *collect = &conf->collect;

	w->c->store.landmarks = &w->landmarks;
	waits_init(&w->waits,
		   &(struct waits_conf){
			   .levels = w->levels,
			   .weight = conf->weight,
			   .want_path = conf->path,
			   .want_running = conf->state_table,
			   .split = conf->split,
			   .keeps_times = collect->wants_waits,
			   .may_change = filter_may_change(&w->c->engine.filter.conf),
			   .wants_ready = !conf->filters_states || conf->want_ready,
			   .has_cpus = collect->target.cpus.v.n,
			   .finished = conf->finished,
			   .min_ns = conf->state_table ? 0 : times_1000(conf->min_us),
			   .max_ns = times_1000(conf->max_us),
		   },
		   &w->c->store);
	w->waits.max_ids = 2 * (u32)collect->max_counts;
	w->states = (struct states){ .waits = &w->waits, .by_thread = conf->by_thread };
}

static int open_and_load(struct wait *w, struct early_maps *large, struct err *err)
{
	struct bpf_object_open_opts opts;
	size_t n;
	const void *object = wait_bpf__elf_bytes(&n);
	int ret;

	w->asks = ksyms_can_find(&w->c->engine.ksyms, w->conf->collect.btf);
	if (!w->asks)
		symtext_begin(&w->kallsyms, "/proc");
	ret = prog_open_opts(w->conf->collect.btf, object, n, &opts, err);
	if (ret)
		return ret;
	init_waits(w);
	w->skel = wait_bpf__open_opts(&opts);
	prog_drop_object();
	if (!w->skel)
		return prog_explain(errno, "open", "the scheduler hooks", err);
	return load_hooks(w, large, err);
}

int wait_load(struct wait *w, struct err *err)
{
	struct early_maps large = large_maps(w);
	int ret;

	early_maps_begin(&large);
	ret = open_and_load(w, &large, err);
	early_maps_end(&large);
	return ret;
}
