// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The fixed part of every compiled probe: filter, scratch, ring, open calls, paths. bpf/abi/fixed.h
 * describes how the compiled part calls it.  Nothing in here is attached except the hooks that
 * clean up tables.
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "bpf/abi/fixed.h"
#include "filter.bpf.h"
#include "hash.bpf.h"
#include "lost.bpf.h"
#include "probe_count.bpf.h"
#include "span.bpf.h"
#include "task.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

#define EINVAL 22
#define ENOENT 2

/* Set before loading. */
const volatile u32 event_max_bytes = sizeof(struct event); /* limit for a record without stacks */
const volatile u64 ring_wake_bytes = 0; /* wake the reader if this many bytes are in a ring */
const volatile u32 n_rings = 0;		/* one ring per CPU; 0: one for all CPUs */
const volatile u64 stack_seed[2] = {};	/* for the ids of stacks and of strings in keys */
const volatile bool has_cpus = false;	/* only CPUs in cpu_mask */
const volatile u64 cpu_mask[128] = {};

/* Scratch slots; the real value size is set before loading.  With n_long_slots the map is an
 * ordinary array, whose elements may be longer, with that many slots per CPU. */
const volatile u32 n_long_slots = 0;

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, FIXED_SCRATCH_N);
	__uint(key_size, sizeof(u32));
	__uint(value_size, sizeof(struct scratch));
} scratch SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} events SEC(".maps");

/* One ring per CPU: with many CPUs, all of them would compete for the lock of a single ring. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(u32));
	__uint(value_size, sizeof(u32));
	__array(
		values, struct {
			__uint(type, BPF_MAP_TYPE_RINGBUF);
			__uint(max_entries, 4096);
		});
} rings SEC(".maps");

/* Ids of the stacks that user space already has. */
struct hash_ids stacks_sent SEC(".maps");

#include "keytext.bpf.h"

/* ---- the current task --------------------------------------------------------------------- */

/* Plain loads, because helper calls are most of the cost of a cheap probe. */
static __always_inline u64 kernel_ids(struct task_struct *task)
{
	if (!task_is_typed())
		return bpf_get_current_pid_tgid();
	return (u64)(u32)task->tgid << 32 | (u32)task->pid;
}

static __always_inline u64 ids_of_current(struct task_struct *task)
{
	if (!filter.pidns_inum)
		return kernel_ids(task);
	return (u64)filter_tgid(task) << 32 | filter_tid(task);
}

static __always_inline u64 current_ids(void)
{
	return ids_of_current(task_current());
}

/* As the initial user namespace numbers it, like the helper. */
static __always_inline u32 current_uid(struct task_struct *task)
{
	return task_is_typed() ? task->cred->uid.val : (u32)bpf_get_current_uid_gid();
}

static __always_inline bool wants_cpu(void)
{
	u32 cpu = bpf_get_smp_processor_id();

	return !has_cpus || cpu_mask[cpu / 64 & 127] >> (cpu & 63) & 1;
}

FIXED_FN u64 fixed_wants(void *ctx)
{
	u64 ids = current_ids();

	if (!wants_cpu())
		return 0;
	return filter_wants(task_current(), ids >> 32, (u32)ids, task_is_typed());
}

FIXED_FN u64 fixed_wants_task(void *address)
{
	struct task_struct *task = address;

	return wants_cpu() && filter_wants(task, filter_tgid(task), filter_tid(task), false);
}

FIXED_FN u64 fixed_ids(void)
{
	return current_ids();
}

FIXED_FN u64 fixed_ppid(void)
{
	struct task_struct *task = task_current();

	return filter_tgid(BPF_CORE_READ(task, group_leader, real_parent));
}

/* ---- scratch ------------------------------------------------------------------------------ */

/* Slot i of this CPU; NULL: there are no more. */
static __always_inline struct scratch *slot_of_cpu(u32 i)
{
	u32 key = i;

	if (n_long_slots) {
		if (i >= n_long_slots)
			return NULL;
		key += bpf_get_smp_processor_id() * n_long_slots;
	}
	return bpf_map_lookup_elem(&scratch, &key);
}

static __always_inline struct scratch *taken(struct scratch *s, u32 probe, u32 slot, u64 is_timed)
{
	s->probe = probe;
	s->slot = slot;
	s->bytes = 0;
	if (is_timed)
		s->start_ns = bpf_ktime_get_ns();
	return s;
}

/*
 * Two variants of one function.  Before 6.0 nothing preempts a program, and a program that
 * interrupts it returns its slots before it ends: testing and then writing is safe.  Since 6.0
 * uprobe programs can be preempted, and need the atomic exchange (5.12; older kernels reject the
 * instruction).
 */
FIXED_FN struct scratch *fixed_take_plain(u32 probe, u64 is_timed)
{
	for (u32 i = 0; i < FIXED_SCRATCH_N; i++) {
		struct scratch *s = slot_of_cpu(i);

		if (!s)
			break;
		if (s->busy)
			continue;
		s->busy = 1;
		return taken(s, probe, i, is_timed);
	}
	COUNT(probe, busy);
	return NULL;
}

FIXED_FN struct scratch *fixed_take_exchange(u32 probe, u64 is_timed)
{
	for (u32 i = 0; i < FIXED_SCRATCH_N; i++) {
		struct scratch *s = slot_of_cpu(i);

		if (!s)
			break;
		if (__sync_lock_test_and_set(&s->busy, 1))
			continue;
		return taken(s, probe, i, is_timed);
	}
	COUNT(probe, busy);
	return NULL;
}

FIXED_FN u64 fixed_drop(struct scratch *s)
{
	if (s)
		s->busy = 0;
	return 0;
}

/* ---- sending ------------------------------------------------------------------------------ */

/* Set by the reader when it will look again soon in any case.  Waking it costs as much as writing
 * ten records. */
volatile u32 reader_comes = 0;

/* Wake the reader at the first record in an empty ring, unless it will look soon; and at the record
 * that fills the ring to ring_wake_bytes, because waiting longer would risk losses. */
static __always_inline u64 wake_flags(void *ring, u64 bytes)
{
	u64 waiting = bpf_ringbuf_query(ring, BPF_RB_AVAIL_DATA);
	u64 room = 16; /* a record takes 8 more bytes in the ring, and is rounded up */

	/* Not `bytes + 16`: for a register plus a constant, 6.12 applies the result of a comparison
	 * to the register itself, and forgets that `bytes` has a limit. */
	asm volatile("" : "+r"(room));
	room += bytes;
	if ((!waiting && !reader_comes) || waiting - ring_wake_bytes < room)
		return BPF_RB_FORCE_WAKEUP;
	return BPF_RB_NO_WAKEUP;
}

static __always_inline long output(void *data, u64 bytes)
{
	u32 cpu;
	void *ring;

	if (!n_rings)
		return bpf_ringbuf_output(&events, data, bytes, wake_flags(&events, bytes));
	cpu = bpf_get_smp_processor_id();
	ring = bpf_map_lookup_elem(&rings, &cpu);
	if (!ring)
		return -ENOENT;
	return bpf_ringbuf_output(ring, data, bytes, wake_flags(ring, bytes));
}

/* Walk a stack to `to`, which has room for `size` bytes, a constant; returns the bytes written. */
static __always_inline u32 walk(void *ctx, void *to, const u32 size, u64 is_user)
{
	long bytes = bpf_get_stack(ctx, to, size, is_user ? BPF_F_USER_STACK : 0);

	return bytes > 0 ? (u32)bytes & ~7U : 0;
}

static __always_inline u64 caller_of(u64 caller)
{
#ifdef __TARGET_ARCH_x86
	u64 *sp = (u64 *)caller;

	caller = 0;
	bpf_probe_read_user(&caller, sizeof(caller), sp);
#endif
	return caller;
}

/* Copy the frames that walk() has left. */
static __always_inline u32 copy_walked(struct scratch *s, void *to)
{
	u32 bytes = s->used * sizeof(u64);

	asm volatile("" : "+r"(bytes));
	if (bytes > EVENT_MAX_FRAMES * sizeof(u64))
		return 0;
	bpf_probe_read_kernel(to, bytes, s->stack.frames);
	return bytes;
}

/* The same for the user stack, by frame pointers; the caller comes first if `flags` requests it. */
static __always_inline u32 walk_user(void *ctx, u64 *to, u64 flags, u64 caller)
{
	const u32 max_bytes = EVENT_MAX_FRAMES * sizeof(u64);
	u32 n;

	if (!(flags & FIXED_SEND_CALLER))
		return walk(ctx, to, max_bytes, 1);
	to[0] = caller_of(caller);
	n = walk(ctx, &to[1], max_bytes - sizeof(u64), 1);
	return n ? n + sizeof(u64) : 0;
}

/* enum event_flags for a user stack of n words. */
static __always_inline u16 user_flags(u32 n, u64 flags)
{
	u16 end = flags & EVENT_END;

	if (flags & FIXED_SEND_WALKED)
		return end;
	if (!n)
		return task_has_user_memory() ? EVENT_USER_FAULT : EVENT_NO_USER;
	return flags & FIXED_SEND_CALLER ? end | EVENT_HAS_CALLER : end;
}

static __always_inline void fill_header(struct event *e, u32 probe)
{
	struct task_struct *task = task_current();
	u64 ids = ids_of_current(task);

	e->probe = probe;
	e->flags = 0;
	e->cpu = bpf_get_smp_processor_id();
	e->tgid = ids >> 32;
	e->tid = (u32)ids;
	e->uid = current_uid(task);
	e->n_kernel = 0;
	e->n_user = 0;
	e->exec_id = 0;
	task_comm(task, e->comm);
}

/* Append the frames to a record of `bytes` bytes; returns its new size. */
static __always_inline u32 add_stacks(void *ctx, struct scratch *s, u32 bytes, u64 flags,
				      u64 caller)
{
	struct event *e = &s->event;
	struct task_struct *task = task_current();
	u32 n;

	if (flags & FIXED_SEND_KSTACK) {
		n = walk(ctx, (void *)e + bytes, EVENT_MAX_FRAMES * sizeof(u64), 0);
		e->n_kernel = n / sizeof(u64);
		bytes += n;
	}
	if (flags & FIXED_SEND_USTACK) {
		e->exec_id = (u16)TASK_READ(task, self_exec_id);
		/* The verifier lost the bounds when the sum was spilled. */
		if (bytes > event_max_bytes + EVENT_MAX_FRAMES * sizeof(u64))
			return bytes;
		n = flags & FIXED_SEND_WALKED ? copy_walked(s, (void *)e + bytes)
					      : walk_user(ctx, (void *)e + bytes, flags, caller);
		e->n_user = n / sizeof(u64);
		bytes += n;
		e->flags |= user_flags(n, flags);
	}
	return bytes;
}

FIXED_FN u64 fixed_send(void *ctx, struct scratch *s, u32 probe, u64 flags, u64 caller)
{
	struct event *e;
	u32 bytes;
	struct probe_count *count = bpf_map_lookup_elem(&probe_counts, &probe);

	if (!s)
		return 0;
	e = &s->event;
	bytes = s->bytes;
	if (!count || bytes < sizeof(*e) || bytes > event_max_bytes)
		goto out;
	fill_header(e, probe);
	e->time_ns = s->start_ns;
	__sync_fetch_and_add(&count->hits, 1);
	e->seq = count->hits;
	if (e->absent)
		__sync_fetch_and_add(&count->absent, 1);
	if (flags)
		bytes = add_stacks(ctx, s, bytes, flags, caller);
	e->bytes = bytes;
	/* Keeps clang from testing another value, from which the verifier would learn nothing about
	 * `bytes`. */
	asm volatile("" : "+r"(bytes));
	if (bytes > event_max_bytes + 2 * EVENT_MAX_FRAMES * sizeof(u64))
		goto out;
	if (output(e, bytes))
		__sync_fetch_and_add(&count->ring_full, 1);
	else
		__sync_fetch_and_add(&count->sent, 1);
out:
	s->busy = 0;
	return 0;
}

/* ---- stacks as keys ----------------------------------------------------------------------- */

/* Incremented by user space when every stack is to be sent again. */
u32 stack_generation = 0;

static __always_inline void hash_stack(struct event_stack *st, u32 n, u64 owner)
{
	st->generation = stack_generation;
	hash_words(st->frames, n, EVENT_MAX_FRAMES, stack_seed[0] ^ owner,
		   stack_seed[1] + n + (st->generation << 8), st->id);
}

/* User addresses have a meaning only within a process, and only until it executes another
 * program. */
static __always_inline u64 program_id(void)
{
	return current_ids() >> 32 | (u64)TASK_READ(task_current(), self_exec_id) << 32;
}

/* A stack that could not be sent is counted, and sent when it occurs again. */
static __always_inline void send_stack(struct scratch *s, u32 n, u64 flags)
{
	struct event_stack *st = &s->stack;
	u32 bytes = __builtin_offsetof(struct event_stack, frames) + n * sizeof(u64), one = 1;

	if (bpf_map_lookup_elem(&stacks_sent, st->id))
		return;
	fill_header(&st->event, s->probe);
	st->event.time_ns = s->start_ns;
	st->event.flags = EVENT_IS_STACK;
	st->event.bytes = bytes;
	st->event.exec_id = (u16)TASK_READ(task_current(), self_exec_id);
	if (flags & FIXED_SEND_USTACK) {
		st->event.n_user = n;
		st->event.flags |= user_flags(n, flags);
	} else {
		st->event.n_kernel = n;
	}
	asm volatile("" : "+r"(bytes));
	if (bytes > sizeof(*st))
		return;
	/* Mark it as sent only now: if there was no room for it, it must be sent again. */
	if (output(st, bytes)) {
		COUNT(s->probe, ring_full);
		return;
	}
	bpf_map_update_elem(&stacks_sent, st->id, &one, BPF_ANY);
}

FIXED_FN u64 fixed_stack(void *ctx, struct scratch *s, u32 to, u64 flags, u64 caller)
{
	const u32 max_bytes = EVENT_MAX_FRAMES * sizeof(u64);
	bool is_user = flags & FIXED_SEND_USTACK;
	/* The copy has been sent, with the id in s->stack. */
	bool is_copy = (flags & EVENT_END) == STACK_END_COPY << EVENT_END_SHIFT;
	u32 n;
	u64 *out;

	if (!s)
		return (u64)-EINVAL;
	if (flags & FIXED_SEND_WALKED)
		n = s->used * sizeof(u64);
	else
		n = is_user ? walk_user(ctx, s->stack.frames, flags, caller)
			    : walk(ctx, s->stack.frames, max_bytes, 0);
	n /= sizeof(u64);
	if (n > EVENT_MAX_FRAMES)
		return (u64)-EINVAL;
	s->used = n; /* the verifier would track a different n for each round of the loop */
	if (!is_copy)
		hash_stack(&s->stack, n, is_user ? program_id() ^ (flags & EVENT_END) << 56 : 0);
	asm volatile("" : "+r"(to));
	if (to > event_max_bytes)
		return (u64)-EINVAL;
	n = s->used;
	if (n > EVENT_MAX_FRAMES)
		return (u64)-EINVAL;
	out = (void *)&s->event + to;
	out[0] = s->stack.id[0];
	out[1] = s->stack.id[1];
	if (!is_copy)
		send_stack(s, n, flags);
	return 0;
}

#include "probe_walk.bpf.h"

/* ---- paths -------------------------------------------------------------------------------- */

/* State of path() on its way to the root.  It is in scratch memory, not in registers, because the
 * verifier would follow every path that leads to different values in registers. */
struct walk_up {
	struct dentry *dentry;
	struct vfsmount *mnt;
	u64 n; /* parts so far */
	struct path root;
};

#define WALK_UP(s) ((struct walk_up *)(void *)&(s)->parts[FIXED_PATH_PARTS])

/* One step: from the root of a mount to its mount point, or to the parent directory; false: at the
 * top. */
static __always_inline bool path_step(struct scratch *s, struct walk_up *w)
{
	struct dentry *d = w->dentry, *parent;
	struct vfsmount *mnt = w->mnt;
	struct mount *mount, *below;

	if (d == w->root.dentry && (!mnt || mnt == w->root.mnt))
		return false;
	if (mnt && d == BPF_CORE_READ(mnt, mnt_root)) {
		mount = (void *)mnt - bpf_core_field_offset(struct mount, mnt);
		below = BPF_CORE_READ(mount, mnt_parent);
		if (below == mount)
			return false;
		w->dentry = BPF_CORE_READ(mount, mnt_mountpoint);
		w->mnt = (void *)below + bpf_core_field_offset(struct mount, mnt);
		return true;
	}
	parent = BPF_CORE_READ(d, d_parent);
	if (parent == d || w->n >= FIXED_PATH_PARTS)
		return false;
	s->parts[w->n & (FIXED_PATH_PARTS - 1)] = (u64)d;
	w->n++;
	w->dentry = parent;
	return true;
}

static __always_inline u32 path_collect(struct scratch *s, void *dentry, void *mnt)
{
	struct fs_struct *fs = BPF_CORE_READ(task_current(), fs);
	struct walk_up *w = WALK_UP(s);

	w->dentry = dentry;
	w->mnt = mnt;
	w->n = 0;
	w->root.mnt = BPF_CORE_READ(fs, root.mnt);
	w->root.dentry = BPF_CORE_READ(fs, root.dentry);
	for (u32 i = 0; i < FIXED_PATH_PARTS + FIXED_PATH_MOUNTS; i++)
		if (!path_step(s, w))
			break;
	return w->n;
}

/* Append the next name of the path, the outermost first, at out[to + used]; false: there are no
 * more. */
static __always_inline bool path_add(struct scratch *s, struct walk_up *w, u32 to, u32 size)
{
	char *out = (char *)&s->event;
	struct dentry *d;
	u64 used = s->used;
	u32 at = to + used;
	long len;

	if (!w->n || used + 2 >= size)
		return false;
	w->n--;
	d = (void *)s->parts[w->n & (FIXED_PATH_PARTS - 1)];
	asm volatile("" : "+r"(at));
	if (at >= event_max_bytes)
		return false;
	out[at] = '/';
	/* A name has at most 255 bytes (NAME_MAX), for which there is room after the record. */
	len = bpf_probe_read_kernel_str(&out[at + 1], 256, BPF_CORE_READ(d, d_name.name));
	if (len <= 0)
		return false;
	s->used += len; /* len includes the NUL, which makes up for the slash */
	return true;
}

FIXED_FN u64 fixed_path(struct scratch *s, u32 to, void *dentry, void *mount, u32 size)
{
	char *out;

	if (!s || !dentry || size > FIXED_PATH_MAX)
		return (u64)-EINVAL;
	path_collect(s, dentry, mount);
	s->used = 0;
	for (u32 i = 0; i < FIXED_PATH_PARTS; i++)
		if (!path_add(s, WALK_UP(s), to, size))
			break;
	if (s->used)
		return s->used < size ? s->used : size;
	asm volatile("" : "+r"(to));
	if (to >= event_max_bytes)
		return (u64)-EINVAL;
	out = (char *)&s->event;
	out[to] = '/';
	return 1;
}

/* ---- the programs that carry the functions ------------------------------------------------ */

/*
 * One call of each function in FIXED_FNS, in that order.  The results do not matter, but clang must
 * not know that.  Most probes need only the first functions, and the verifier takes long for the
 * loops of the others, so there are variants with fewer functions.
 */
#define FIXED_FEW(take)                       \
	struct scratch *s;                    \
	u64 sum = fixed_wants(ctx);           \
                                              \
	s = take(0, sum);                     \
	if (!s)                               \
		return 0;                     \
	sum += fixed_drop(s);                 \
	sum += fixed_send(ctx, s, 0, 0, sum); \
	sum += fixed_ids();                   \
	sum += fixed_ppid()

#define FIXED_CALLS(take)                                                \
	FIXED_FEW(take);                                                 \
	sum += fixed_frame_push(0, sum);                                 \
	sum += fixed_frame_pop(0, sum);                                  \
	sum += fixed_text(s, sizeof(struct event), sizeof(*s), sum, 64); \
	sum += fixed_wants_task((void *)sum)

#define FIXED_ALL(take)                                                           \
	FIXED_CALLS(take);                                                        \
	sum += fixed_path(s, sizeof(struct event), (void *)sum, (void *)sum, 64); \
	sum += fixed_stack(ctx, s, sizeof(struct event), 0, sum)

#define FIXED_WALKED(take) \
	FIXED_ALL(take);   \
	sum += fixed_walk(s, sum)

#define FIXED(name, calls, take)    \
	SEC("raw_tp")               \
	int fixed_##name(void *ctx) \
	{                           \
		calls(take);        \
		return sum != 0;    \
	}

FIXED(few, FIXED_FEW, fixed_take_plain)
FIXED(few_exchange, FIXED_FEW, fixed_take_exchange)
FIXED(calls, FIXED_CALLS, fixed_take_plain)
FIXED(calls_exchange, FIXED_CALLS, fixed_take_exchange)
FIXED(all, FIXED_ALL, fixed_take_plain)
FIXED(all_exchange, FIXED_ALL, fixed_take_exchange)
FIXED(walked, FIXED_WALKED, fixed_take_plain)
FIXED(walked_exchange, FIXED_WALKED, fixed_take_exchange)
