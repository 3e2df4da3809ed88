/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Used by the hooks of wait.bpf.c: configuration, maps, per-thread state, stacks, the identity of a
 * wait, and counting.
 */
#ifndef BPF_WAIT_BPF_H
#define BPF_WAIT_BPF_H

#include "bpf/abi/wait.h"
#include "filter.bpf.h"
#include "object.bpf.h"
#include "orc.bpf.h"
#include "stack.bpf.h"

const volatile u32 wait_levels = 0; /* levels of wakers; 0: wakers are not recorded */
const volatile u32 wait_key = 0;    /* enum stack_key */
const volatile bool want_kernel = true;
const volatile bool want_user = true;
const volatile bool want_target_stack = true;
const volatile bool want_running = false; /* count time on CPUs too (--states) */
const volatile u64 sample_ns = 0;	  /* time that one CPU sample stands for (--with-cpu) */
const volatile bool want_objects = false; /* record the object that is waited for (--waits) */
const volatile bool want_path = false;
const volatile bool want_all_wakers = false; /* include wakers that cannot have caused the wait */
const volatile bool user_threads_only = false;
const volatile bool kernel_threads_only = false;
const volatile bool filter_may_change = false; /* in a thread's life: tests of comm, cgroup, user */
const volatile bool has_cpus = false; /* count only waits that begin on the CPUs in cpu_mask */
const volatile u64 cpu_mask[WAIT_CPU_WORDS] = {};
const volatile bool has_prev_state = false; /* sched_switch has a prev_state argument (5.18) */
const volatile u64 min_ns = 0, max_ns = ~0ULL;
const volatile bool has_states = false; /* count only waits in these states: */
const volatile bool want_ready = false; /* state 0: runnable */
const volatile bool want_idle = false;	/* TASK_IDLE (both of its bits) */
const volatile u32 state_mask = 0;	/* any of these bits */
const volatile u32 sample_below = 0;	/* share of waits counted, of 2^32; 0: all */
const volatile bool want_split = false; /* one sum of squares per part (--split) */
const volatile u64 irq_bytes = 0; /* from the start of the first range to the end of the last */
const volatile struct wait_range irq_ranges[WAIT_IRQ_RANGES] = {};
const volatile struct wait_range return_ranges[WAIT_RETURN_RANGES] = {};

/* The current window.  Before the first window begins, every interval is sent as a record. */
struct wait_span wait_spans[2] = { { .since = ~0ULL, .until = ~0ULL } };
u32 wait_span_at = 0;

/* The program after `--`, while it is held until all hooks are attached; 0: none. */
u32 wait_held_tid = 0;

/* Threads that started after this time were seen at birth; 0: not known yet. */
u64 wait_attached_ns = 0;

/* User space has finished filling the filter's lists. */
bool wait_settled = false;

/* Nonzero if a thread with that PID (modulo WAIT_SLOTS) has or had an entry in `wait_threads`. */
#define WAIT_SLOTS 4096
u8 wait_slots[WAIT_SLOTS] = {};

/* The value size is set before loading, to fit the number of links in use. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(u32));
	__uint(value_size, sizeof(struct wait_thread) + WAIT_MAX_LEVELS * sizeof(struct wait_link));
} wait_threads SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, struct stack_id);
	__type(value, struct wait_sum);
} wait_sums SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, struct stack_id);
	__type(value, struct wait_path);
} wait_paths SEC(".maps");

/* Stacks that user space already has. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, struct stack_id);
	__type(value, u8);
} stack_seen SEC(".maps");

/* No locking is needed: the hooks run with interrupts off. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct wait_cpu);
} wait_cpus SEC(".maps");

/* Too large for a BPF stack. */
#define WAIT_THREAD_WORDS \
	((sizeof(struct wait_thread) + WAIT_MAX_LEVELS * sizeof(struct wait_link)) / sizeof(u64))
const u64 wait_no_thread[WAIT_THREAD_WORDS] = {};

static __always_inline struct wait_cpu *wait_cpu(void)
{
	u32 zero = 0;

	return bpf_map_lookup_elem(&wait_cpus, &zero);
}

static __always_inline struct stack_record *unwind_record(void)
{
	struct wait_cpu *cpu = wait_cpu();

	return cpu ? &cpu->rec : NULL;
}

/* ---- tasks: read by plain loads where the verifier knows their type (tp_btf) ---- */

#define READ(typed, task, field) ((typed) ? (task)->field : BPF_CORE_READ(task, field))

static __always_inline bool is_other_kind(struct task_struct *task, bool typed)
{
	if (user_threads_only && READ(typed, task, flags) & PF_KTHREAD)
		return true;
	return kernel_threads_only && !(READ(typed, task, flags) & PF_KTHREAD);
}

static __noinline bool wait_wants(struct task_struct *task, bool typed)
{
	u32 tid, tgid;

	if (is_other_kind(task, typed))
		return false;
	if (filter.pidns_inum) {
		tid = filter_tid(task);
		tgid = filter_tgid(task);
	} else {
		tid = READ(typed, task, pid);
		tgid = READ(typed, task, tgid);
	}
	return filter_wants(task, tgid, tid, typed);
}

/*
 * True for idle threads and threads excluded by kind or ID.  This is decided from one or two cache
 * lines before anything else is read: if one process is watched, most switches of a busy host are
 * of such threads.  Other filter criteria may change during a thread's life, so a thread that has
 * an entry is let through: it may have to be forgotten.
 */
static __always_inline bool is_out(struct task_struct *task, bool typed)
{
	u32 tid = READ(typed, task, pid);

	if (!tid)
		return true;
	if (wait_levels > 1)
		return false; /* any thread may be the waker of a waker */
	if (is_other_kind(task, typed))
		return true;
	if (!filter.pidns_inum && filter_is_out(READ(typed, task, tgid), tid))
		return true;
	return filter_may_change && !wait_slots[tid % WAIT_SLOTS] && !wait_wants(task, typed);
}

/* The thread's entry; NULL if there is none, or if it belongs to an earlier thread with this
 * PID. */
static __always_inline struct wait_thread *wait_find(struct task_struct *task, bool typed)
{
	u32 pid = READ(typed, task, pid);
	struct wait_thread *t = bpf_map_lookup_elem(&wait_threads, &pid);

	if (t && (t->start_time != READ(typed, task, start_time) || t->has_left))
		return NULL;
	return t;
}

/*
 * True if the task was its process's first thread until another thread's exec took over its TID.
 * It now has that thread's TID but still its own start time, and is about to exit; its remaining
 * switches are not recorded.  This is not inlined, because `typed` would then leave the registers
 * in wait_make() and no longer be a constant to the verifier.
 */
static __noinline bool is_former_first(struct task_struct *task, bool typed)
{
	u64 start_time = READ(typed, task, start_time);

	if (READ(typed, task, pid) == READ(typed, task, tgid))
		return false;
	if (typed)
		return task->group_leader->start_time == start_time;
	return BPF_CORE_READ(task, group_leader, start_time) == start_time;
}

/* True during exec: the task may have taken over another thread's TID since its last switch-in. */
static __always_inline bool is_executing(struct task_struct *task)
{
	return bpf_core_field_exists(task->in_execve) &&
	       BPF_CORE_READ_BITFIELD_PROBED(task, in_execve);
}

/* Returns NULL if the task must not be recorded, or if the table is full (counted as lost). */
static __noinline struct wait_thread *wait_make(struct task_struct *task, bool typed)
{
	u32 pid = READ(typed, task, pid);
	struct wait_thread *t;

	if (is_former_first(task, typed))
		return NULL;
	wait_slots[pid % WAIT_SLOTS] = 1;
	if (bpf_map_update_elem(&wait_threads, &pid, wait_no_thread, BPF_ANY)) {
		lost_add(BPF_LOST_MAP_FULL);
		return NULL;
	}
	t = bpf_map_lookup_elem(&wait_threads, &pid);
	if (!t)
		return NULL;
	t->start_time = READ(typed, task, start_time);
	t->task = (u64)task;
	if (filter.pidns_inum) {
		t->tid = filter_tid(task);
		t->tgid = filter_tgid(task);
	} else {
		t->tid = pid;
		t->tgid = READ(typed, task, tgid);
	}
	bpf_probe_read_kernel(t->comm, sizeof(t->comm), &task->comm);
	if (wait_wants(task, typed))
		t->flags = WAIT_WANTED;
	return t;
}

/* How long the current thread has been on its CPU, as the scheduler knows it; UINT64_MAX if this
 * kernel does not tell. */
static __always_inline u64 ran_ns(struct task_struct *prev, bool typed)
{
	struct cfs_rq *queue = NULL;

	if (!bpf_core_field_exists(prev->sched_info.last_arrival) ||
	    !bpf_core_field_exists(prev->se.cfs_rq) || !bpf_core_field_exists(queue->rq))
		return ~0ULL;
	if (typed)
		return prev->se.cfs_rq->rq->clock - prev->sched_info.last_arrival;
	return BPF_CORE_READ(prev, se.cfs_rq, rq, clock) -
	       BPF_CORE_READ(prev, sched_info.last_arrival);
}

/* Growth of a thread's CPU clock; 0 if it went back, because another thread has taken over
 * the TID. */
static __always_inline u64 growth(u64 from, u64 to)
{
	return to > from ? to - from : 0;
}

/* ---- stacks ---- */

static __always_inline void wait_fill_owner(struct stack_record *rec, struct task_struct *task)
{
	u64 ids = bpf_get_current_pid_tgid();

	if (filter.pidns_inum) {
		rec->tgid = filter_tgid(task);
		rec->tid = wait_key & STACK_KEY_TID ? filter_tid(task) : 0;
	} else {
		rec->tgid = ids >> 32;
		rec->tid = wait_key & STACK_KEY_TID ? (u32)ids : 0;
	}
	rec->start_time = wait_key & STACK_KEY_TID ? TASK_READ(task, start_time) : 0;
	rec->cpu = wait_key & STACK_KEY_CPU ? bpf_get_smp_processor_id() : 0;
	rec->cgroup = wait_key & STACK_KEY_CGROUP ? bpf_get_current_cgroup_id() : 0;
	rec->exec_id = TASK_READ(task, self_exec_id);
	rec->flags = 0;
	rec->n_kernel = 0;
	rec->n_user = 0;
	rec->n_more = 0;
	task_comm(task, rec->comm);
}

/* Copy the current thread's name to its entry; true if it has changed. */
static __always_inline bool wait_take_comm(struct wait_thread *t, struct task_struct *task)
{
	u64 *was = (u64 *)t->comm, is[2];

	task_comm(task, (char *)is);
	if (is[0] == was[0] && is[1] == was[1])
		return false;
	was[0] = is[0];
	was[1] = is[1];
	return true;
}

/* Append the object that is waited for to the stack. */
static __always_inline void wait_add_object(struct stack_record *rec, struct task_struct *task)
{
	u32 n = rec->n_kernel + rec->n_user;
	struct wait_object *object;

	if (n > 2 * STACK_MAX_FRAMES)
		return;
	object = (void *)&rec->frames[n];
	__builtin_memset(object, 0, sizeof(*object));
	object_read(task, object);
	if (object->kind)
		rec->n_more = OBJECT_WORDS;
}

/*
 * Compute the id of the stack in the CPU's record.  A global function, because those are verified
 * once, not per call site, and this one has the longest loop; on 5.10 they can only take numbers.
 * Returns 0.
 */
__noinline int wait_identify_stack(void);
__noinline int wait_identify_stack(void)
{
	struct wait_cpu *cpu = wait_cpu();

	if (cpu)
		stack_identify(&cpu->rec);
	return 0;
}

/*
 * Identify the stack in the CPU's record, and send it if user space does not have it. `last` is the
 * thread's last stack of this kind, `is_sent` says whether user space has it: most threads wait
 * again where they waited before.  The wakers' stacks change more often, so each CPU remembers
 * some, too.
 */
static __always_inline void wait_know(struct wait_cpu *cpu, struct stack_id *last, u8 *is_sent)
{
	struct stack_record *rec = &cpu->rec;
	struct stack_id *known;
	u8 one = 1;

	wait_identify_stack();
	if (*is_sent && rec->id.hash[0] == last->hash[0] && rec->id.hash[1] == last->hash[1])
		return;
	*last = rec->id;
	*is_sent = true;
	known = &cpu->known[rec->id.hash[0] % WAIT_KNOWN];
	if (known->hash[0] == rec->id.hash[0] && known->hash[1] == rec->id.hash[1])
		return;
	if (bpf_map_lookup_elem(&stack_seen, &rec->id)) {
		*known = rec->id;
		return;
	}
	stack_fill_header(rec, WAIT_REC_STACK);
	/* If stack_seen is full, the stack is sent again whenever neither the thread nor the CPU
	 * remembers it. */
	if (stack_send(rec)) {
		bpf_map_update_elem(&stack_seen, &rec->id, &one, BPF_ANY);
		*known = rec->id;
	} else {
		*is_sent = false;
	}
}

/*
 * Binary search.  The ranges are sorted; unused ones are filled with the highest address.  Without
 * branches, since each would double the paths that the verifier walks.  Kernel addresses differ by
 * less than 2^63, so the sign of a difference compares them.  A global function, so that it is not
 * verified again for every frame.
 */
__noinline bool wait_is_irq_entry(u64 at);
__noinline bool wait_is_irq_entry(u64 at)
{
	u64 i = 0;

#pragma clang loop unroll(full)
	for (u64 step = WAIT_IRQ_RANGES / 2; step; step /= 2) {
		s64 below = at - irq_ranges[(i + step) & (WAIT_IRQ_RANGES - 1)].start;

		asm volatile("" : "+r"(below));
		i += step & ~(below >> 63);
		asm volatile("" : "+r"(i));
	}
	i &= WAIT_IRQ_RANGES - 1;
	return (at - irq_ranges[i].start) < (irq_ranges[i].end - irq_ranges[i].start);
}

/* True if one of the n leaf frames is on the return path from an interrupt: what was called from
 * there is the task's own doing, such as dying of a signal. */
__noinline bool wait_is_back(u32 n);
__noinline bool wait_is_back(u32 n)
{
	struct wait_cpu *cpu = wait_cpu();

	if (!cpu)
		return false;
	for (u32 i = 0; i < STACK_MAX_FRAMES; i++) {
		u64 at;

		if (i >= n)
			break;
		at = cpu->rec.frames[i];
		for (u32 r = 0; r < WAIT_RETURN_RANGES; r++)
			if (at - return_ranges[r].start <
			    return_ranges[r].end - return_ranges[r].start)
				return true;
	}
	return false;
}

/* Number of leaf frames in the CPU's record that belong to the interrupt that called wake-up; 0: it
 * was no interrupt. */
__noinline u32 wait_irq_frames(void);
__noinline u32 wait_irq_frames(void)
{
	struct wait_cpu *cpu = wait_cpu();

	if (!cpu)
		return 0;
	for (u32 i = 0; i < STACK_MAX_FRAMES; i++) {
		u64 at;

		/* Volatile: otherwise the verifier would know a different value at each exit of the
		 * loop. */
		if (i >= *(volatile u8 *)&cpu->rec.n_kernel)
			break;
		at = cpu->rec.frames[i];
		if (at - irq_ranges[0].start < irq_bytes && wait_is_irq_entry(at))
			return wait_is_back(i) ? 0 : i + 1;
	}
	return 0;
}

/* Compares the name, which no other kernel thread has; user programs can call themselves
 * anything. */
static __always_inline bool wait_is_ksoftirqd(struct task_struct *task,
					      const struct stack_record *rec)
{
	u64 name;

	__builtin_memcpy(&name, "ksoftirqd/", sizeof(name));
	return *(const u64 *)rec->comm == name && TASK_READ(task, flags) & PF_KTHREAD;
}

/* Work done in an interrupt does not belong to the interrupted thread: clear the ids and set the
 * interrupt's name. */
static __always_inline void wait_disown(struct wait_cpu *cpu)
{
	struct stack_record *rec = &cpu->rec;

	rec->tgid = rec->tid = rec->cpu = rec->exec_id = 0;
	rec->cgroup = rec->start_time = 0;
	rec->flags = STACK_INTERRUPT;
	__builtin_memcpy(rec->comm, cpu->irq, sizeof(rec->comm));
}

/* Record the waker's stack in t->links[0]; returns false if the waker is an interrupt. */
static __always_inline bool wait_walk_waker(void *ctx, struct wait_cpu *cpu, struct wait_thread *t,
					    enum unwind_site site)
{
	struct task_struct *task = task_current();
	struct stack_record *rec = &cpu->rec;
	bool is_thread = true;
	u32 n;

	wait_fill_owner(rec, task);
	unwind_kernel(ctx, rec, task, site);
	n = wait_irq_frames();
	if (n) {
		rec->n_kernel = n;
		is_thread = false;
	} else if (!(u32)bpf_get_current_pid_tgid() || wait_is_ksoftirqd(task, rec)) {
		is_thread = false;
	}
	if (!is_thread) {
		wait_disown(cpu);
	} else {
		if (!want_kernel)
			rec->n_kernel = 0;
		if (want_user)
			stack_walk_user(ctx, rec, task);
	}
	wait_know(cpu, &t->links[0].stack, &t->is_link_sent);
	return is_thread;
}

/* ---- waiter and wakers as one identity ---- */

static __always_inline void wait_hash_id(struct stack_id *sum, const struct stack_id *id)
{
	sum->hash[0] = (sum->hash[0] ^ id->hash[0]) * 0x9fb21c651e98df25ULL;
	sum->hash[1] = (sum->hash[1] + id->hash[1]) * 0xd6e8feb86659fd93ULL;
	sum->hash[0] ^= sum->hash[0] >> 32;
	sum->hash[1] ^= sum->hash[1] >> 29;
}

static __always_inline void wait_identify(const struct stack_id *target,
					  const struct wait_thread *t, u32 n_links, u32 end,
					  struct stack_id *out)
{
	if (!wait_levels) {
		*out = *target;
		return;
	}
	out->hash[0] = stack_seed[1] + end;
	out->hash[1] = stack_seed[0] + n_links;
	wait_hash_id(out, target);
	for (u32 i = 0; i < WAIT_MAX_LEVELS; i++) {
		if (i >= wait_levels || i >= n_links)
			break;
		wait_hash_id(out, &t->links[i].stack);
	}
}

/* ---- counting ---- */

struct wait_interval {
	struct stack_id id, target;
	u64 off_ns, waking_ns, on_ns, was_on_ns;
	u64 ns[WAIT_N_PARTS];
	u64 value; /* the counted time: blocked time with wakers, else the whole interval */
	u32 n_links, end;
	u8 flags;
};

static __noinline bool wait_send(struct wait_cpu *cpu, const struct wait_interval *w,
				 const struct wait_thread *t, u32 pid, u32 kind)
{
	struct wait_record *out = &cpu->out;
	u32 n = wait_levels ? w->n_links : 0;
	u64 flags = BPF_RB_NO_WAKEUP, bytes;

	if (n > wait_levels)
		n = wait_levels;
	out->id = w->id;
	out->time_ns = bpf_ktime_get_ns();
	out->kind = kind;
	out->target = w->target;
	out->start_time = t->start_time;
	out->off_ns = w->off_ns;
	out->waking_ns = w->waking_ns;
	out->on_ns = w->on_ns;
	out->was_on_ns = w->was_on_ns;
	out->utime = w->ns[WAIT_UTIME];
	out->stime = w->ns[WAIT_STIME];
	out->pid = pid;
	out->tgid = t->tgid;
	out->tid = t->tid;
	out->flags = w->flags;
	out->n_links = n;
	out->end = w->end;
	__builtin_memcpy(out->comm, t->comm, sizeof(out->comm));
	/* Computed before the loop, while the verifier knows nothing about n; after it, the
	 * verifier would walk the rest of the function once per value of n. */
	bytes = WAIT_RECORD_FIXED_BYTES + n * sizeof(struct wait_link);
	out->bytes = bytes;
	asm volatile("" : "+r"(bytes));
	for (u32 i = 0; i < WAIT_MAX_LEVELS; i++) {
		if (i >= wait_levels || i >= n)
			break;
		out->links[i] = t->links[i];
	}
	if (bpf_ringbuf_query(&stacks, BPF_RB_AVAIL_DATA) >= stack_ring_wake)
		flags = BPF_RB_FORCE_WAKEUP;
	if (bytes > sizeof(*out))
		return false;
	if (!bpf_ringbuf_output(&stacks, out, bytes, flags))
		return true;
	lost_add(BPF_LOST_RING_FULL);
	return false;
}

/* Attribute the blocked time to the links. */
static __always_inline void wait_add_path(const struct wait_interval *w,
					  const struct wait_thread *t, u32 parity)
{
	struct wait_path *path = bpf_map_lookup_elem(&wait_paths, &w->id);
	u64 until = w->waking_ns;

	if (!path)
		return;
	for (u32 i = 0; i < WAIT_MAX_LEVELS; i++) {
		u64 from = w->off_ns;

		if (i >= wait_levels || i >= w->n_links)
			break;
		if (i + 1 < wait_levels && i + 1 < w->n_links && t->links[i + 1].waking_ns > from)
			from = t->links[i + 1].waking_ns;
		if (from > until)
			from = until;
		__sync_fetch_and_add(&path->ns[parity & 1][i], until - from);
		until = from;
	}
}

static __always_inline void wait_add_square(u64 *sum, u64 ns)
{
	u64 x = ns >> WAIT_SQUARE_SHIFT;

	if (x)
		__sync_fetch_and_add(sum, x * x);
}

static __always_inline void wait_add_sum(struct wait_sum *sum, const struct wait_interval *w,
					 u32 parity)
{
	parity &= 1;
	__sync_fetch_and_add(&sum->count[parity], 1);
	for (u32 i = 0; i < WAIT_N_PARTS; i++)
		if (w->ns[i])
			__sync_fetch_and_add(&sum->ns[parity][i], w->ns[i]);
	if (!(w->flags & WAIT_SAMPLED))
		return;
	if (!want_split) {
		wait_add_square(&sum->squares[parity][0], w->value);
		return;
	}
	for (u32 i = 0; i < WAIT_N_PARTS; i++)
		wait_add_square(&sum->squares[parity][i], w->ns[i]);
}

/* The first interval of an identity is sent as a record, which tells user space what the identity
 * stands for; while the table is full, every interval is. */
static __noinline void wait_count(struct wait_cpu *cpu, const struct wait_interval *w,
				  const struct wait_thread *t, u32 pid)
{
	static const struct wait_path no_path;
	static const struct wait_sum none;
	const struct wait_span *span = &wait_spans[*(volatile u32 *)&wait_span_at & 1];
	bool is_next = w->off_ns >= span->until;
	bool is_whole = w->off_ns >= span->since && (is_next || w->on_ns <= span->until) &&
			!(w->flags & WAIT_TOTALS);
	struct wait_sum *sum = NULL;

	if (is_next && span->is_last)
		return;
	cpu->n_taken++;
	if (is_whole)
		sum = bpf_map_lookup_elem(&wait_sums, &w->id);
	if (sum) {
		wait_add_sum(sum, w, span->window + is_next);
		if (want_path)
			wait_add_path(w, t, span->window + is_next);
		return;
	}
	if (!wait_send(cpu, w, t, pid, WAIT_REC_INTERVAL) || !is_whole)
		return;
	if (want_path && !(w->flags & WAIT_RUNNING))
		bpf_map_update_elem(&wait_paths, &w->id, &no_path, BPF_NOEXIST);
	bpf_map_update_elem(&wait_sums, &w->id, &none, BPF_NOEXIST);
}

#endif
