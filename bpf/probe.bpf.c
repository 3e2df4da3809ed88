// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The fixed part of every compiled probe: filter, scratch, ring, open calls, paths. bpf/abi/fixed.h
 * says how the compiled part gets to it; nothing in here is ever attached but the two hooks that
 * keep tables tidy.
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
const volatile u32 event_max_bytes = sizeof(struct event); /* of a record without its stacks */
const volatile u64 ring_wake_bytes = 0;			   /* waiting in a ring: worth waking for */
const volatile u32 n_rings = 0;				   /* 0: one for all CPUs */
const volatile u64 stack_seed[2] = {};
const volatile bool has_cpus = false; /* only those in cpu_mask */
const volatile u64 cpu_mask[128] = {};

/* Scratch: the value's real size is set before loading.  With n_long_slots it is an ordinary array,
 * whose elements may be long, of so many slots for each CPU. */
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

/* Above some number of CPUs they would fight for one ring's lock. */
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

/* Stacks that user space has, by identity. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__uint(key_size, 2 * sizeof(u64));
	__uint(value_size, sizeof(u32));
} stacks_sent SEC(".maps");

/* ---- who ---------------------------------------------------------------------------------- */

static __always_inline u64 current_ids(void)
{
	struct task_struct *task;

	if (!filter.pidns_inum)
		return bpf_get_current_pid_tgid();
	task = task_current();
	return (u64)filter_tgid(task) << 32 | filter_tid(task);
}

FIXED_FN u64 fixed_wants(void *ctx)
{
	u64 ids = current_ids();

	if (has_cpus) {
		u32 cpu = bpf_get_smp_processor_id();

		if (!(cpu_mask[cpu / 64 & 127] >> (cpu & 63) & 1))
			return 0;
	}
	return filter_wants(task_current(), ids >> 32, (u32)ids, task_is_typed());
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

static __always_inline struct scratch *taken(struct scratch *s, u32 probe)
{
	s->probe = probe;
	s->bytes = 0;
	s->start_ns = bpf_ktime_get_ns();
	return s;
}

/*
 * Two forms of one function.  Before 6.0 nothing preempts a program, and what interrupts it gives
 * back what it took before it ends: looking and then writing is right.  From then on programs of
 * uprobes are preempted, and the exchange (5.12; older kernels refuse to read it) is needed.
 */
FIXED_FN struct scratch *fixed_take_plain(u32 probe)
{
	for (u32 i = 0; i < FIXED_SCRATCH_N; i++) {
		struct scratch *s = slot_of_cpu(i);

		if (!s)
			break;
		if (s->busy)
			continue;
		s->busy = 1;
		return taken(s, probe);
	}
	COUNT(probe, busy);
	return NULL;
}

FIXED_FN struct scratch *fixed_take_exchange(u32 probe)
{
	for (u32 i = 0; i < FIXED_SCRATCH_N; i++) {
		struct scratch *s = slot_of_cpu(i);

		if (!s)
			break;
		if (__sync_lock_test_and_set(&s->busy, 1))
			continue;
		return taken(s, probe);
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

/* The reader looks again soon, whatever comes; he sets it.  Waking him costs what ten records do.
 */
volatile u32 reader_comes = 0;

/* The first record in an empty ring wakes a reader who would not come; so does the one that fills
 * it so far that waiting would be a risk. */
static __always_inline u64 wake_flags(void *ring, u64 bytes)
{
	u64 waiting = bpf_ringbuf_query(ring, BPF_RB_AVAIL_DATA);
	u64 room = 16; /* a record takes 8 bytes more in the ring, and is rounded up */

	/* Not `bytes + 16`: of a register plus a constant, 6.12 carries what a comparison tells
	 * back to the register, and forgets that `bytes` has a limit. */
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

/* A user stack is there to be walked when the task has user memory of its own. */
static __always_inline bool has_user_memory(struct task_struct *task)
{
	return !(TASK_READ(task, flags) & PF_KTHREAD) && TASK_READ(task, mm);
}

/* One walk of a stack to `to`, which has room for `size` bytes, a constant; its bytes. */
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

/* The same of the user stack, with the caller before it where `flags` says so. */
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

/* enum event_flags of a user stack of n words. */
static __always_inline u16 user_flags(u32 n, u64 flags, struct task_struct *task)
{
	if (!n)
		return has_user_memory(task) ? EVENT_USER_FAULT : EVENT_NO_USER;
	return flags & FIXED_SEND_CALLER ? EVENT_HAS_CALLER : 0;
}

static __always_inline void fill_header(struct event *e, u32 probe)
{
	u64 ids = current_ids();

	e->probe = probe;
	e->flags = 0;
	e->cpu = bpf_get_smp_processor_id();
	e->tgid = ids >> 32;
	e->tid = (u32)ids;
	e->uid = (u32)bpf_get_current_uid_gid();
	e->n_kernel = 0;
	e->n_user = 0;
	e->exec_id = 0;
	bpf_get_current_comm(e->comm, sizeof(e->comm));
}

/* Frames behind a record of `bytes` bytes; the record's new size. */
static __always_inline u32 add_stacks(void *ctx, struct event *e, u32 bytes, u64 flags, u64 caller)
{
	struct task_struct *task = task_current();
	u32 n;

	if (flags & FIXED_SEND_KSTACK) {
		n = walk(ctx, (void *)e + bytes, EVENT_MAX_FRAMES * sizeof(u64), 0);
		e->n_kernel = n / sizeof(u64);
		bytes += n;
	}
	if (flags & FIXED_SEND_USTACK) {
		e->exec_id = (u16)TASK_READ(task, self_exec_id);
		/* Bounds that were lost when the sum was spilled. */
		if (bytes > event_max_bytes + EVENT_MAX_FRAMES * sizeof(u64))
			return bytes;
		n = walk_user(ctx, (void *)e + bytes, flags, caller);
		e->n_user = n / sizeof(u64);
		bytes += n;
		e->flags |= user_flags(n, flags, task);
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
		bytes = add_stacks(ctx, e, bytes, flags, caller);
	e->bytes = bytes;
	/* Keeps clang from testing something else that tells the verifier nothing. */
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

static __always_inline void hash_stack(struct event_stack *st, u32 n, u64 owner)
{
	hash_words(st->frames, n, EVENT_MAX_FRAMES, stack_seed[0] ^ owner, stack_seed[1] + n,
		   st->id);
}

/* A stack that could not be sent is counted; it is tried again when it comes again. */
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
		st->event.flags |= user_flags(n, flags, task_current());
	} else {
		st->event.n_kernel = n;
	}
	asm volatile("" : "+r"(bytes));
	if (bytes > sizeof(*st))
		return;
	/* Sent first, known after: one that found no room must be sent again. */
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
	u32 n;
	u64 *out;

	if (!s)
		return (u64)-EINVAL;
	n = is_user ? walk_user(ctx, s->stack.frames, flags, caller)
		    : walk(ctx, s->stack.frames, max_bytes, 0);
	n /= sizeof(u64);
	if (n > EVENT_MAX_FRAMES)
		return (u64)-EINVAL;
	s->used = n; /* the verifier would keep what each turn of the loop tells about n */
	/* A user address means something within its process only. */
	hash_stack(&s->stack, n, is_user ? current_ids() >> 32 : 0);
	asm volatile("" : "+r"(to));
	if (to > event_max_bytes)
		return (u64)-EINVAL;
	n = s->used;
	if (n > EVENT_MAX_FRAMES)
		return (u64)-EINVAL;
	out = (void *)&s->event + to;
	out[0] = s->stack.id[0];
	out[1] = s->stack.id[1];
	send_stack(s, n, flags);
	return 0;
}

/* ---- paths -------------------------------------------------------------------------------- */

/*
 * What path() knows on its way to the root.  In scratch memory and not in registers: the verifier
 * would follow each of the ways that they could have got their values.
 */
struct walk_up {
	struct dentry *dentry;
	struct vfsmount *mnt;
	u64 n; /* parts so far */
	struct path root;
};

#define WALK_UP(s) ((struct walk_up *)(void *)&(s)->parts[FIXED_PATH_PARTS])

/* One step: over a mount point to the mount below it, or a directory up.  false: at the top. */
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

/* The next name of the path, the outermost first, to out[to + used].  false: that was all. */
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
	/* A name has at most 255 bytes (NAME_MAX); behind the record there is room. */
	len = bpf_probe_read_kernel_str(&out[at + 1], 256, BPF_CORE_READ(d, d_name.name));
	if (len <= 0)
		return false;
	s->used += len; /* the slash for the NUL */
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
 * One call of each function of FIXED_FNS, in its order.  What they return decides nothing, but
 * clang must not know.  Most probes need only the first ones, and the verifier takes its time with
 * the loops of the others: so there are programs
 * with few of them and with more.
 */
#define FIXED_FEW(take)                       \
	struct scratch *s;                    \
	u64 sum = fixed_wants(ctx);           \
                                              \
	s = take(0);                          \
	if (!s)                               \
		return 0;                     \
	sum += fixed_drop(s);                 \
	sum += fixed_send(ctx, s, 0, 0, sum); \
	sum += fixed_ids();                   \
	sum += fixed_ppid()

#define FIXED_CALLS(take)                \
	FIXED_FEW(take);                 \
	sum += fixed_frame_push(0, sum); \
	sum += fixed_frame_pop(0, sum)

#define FIXED_ALL(take)                                                           \
	FIXED_CALLS(take);                                                        \
	sum += fixed_path(s, sizeof(struct event), (void *)sum, (void *)sum, 64); \
	sum += fixed_stack(ctx, s, sizeof(struct event), 0, sum)

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
