/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counting intervals: a sum per identity (stack, wakers and the end of the chain), or a record for
 * each interval that a sum cannot hold.
 */
#ifndef BPF_WAIT_COUNT_BPF_H
#define BPF_WAIT_COUNT_BPF_H

#include "hash.bpf.h"
#include "stack.bpf.h"
#include "wait_conf.bpf.h"
#include "wait_cpu.bpf.h"

static __always_inline void wait_hash_id(struct stack_id *sum, const struct stack_id *id)
{
	sum->hash[0] = (sum->hash[0] ^ id->hash[0]) * 0x9fb21c651e98df25ULL;
	sum->hash[1] = (sum->hash[1] + id->hash[1]) * 0xd6e8feb86659fd93ULL;
	sum->hash[0] ^= sum->hash[0] >> 32;
	sum->hash[1] ^= sum->hash[1] >> 29;
}

static __always_inline void wait_identify(const struct stack_id *waiter,
					  const struct wait_thread *t, u32 n_links, u32 end,
					  struct stack_id *out)
{
	if (!wait_levels) {
		*out = *waiter;
		return;
	}
	out->hash[0] = stack_seed[1] + end;
	out->hash[1] = stack_seed[0] + n_links;
	wait_hash_id(out, waiter);
	for (u32 i = 0; i < WAIT_MAX_LEVELS; i++) {
		if (i >= wait_levels || i >= n_links)
			break;
		wait_hash_id(out, &t->links[i].stack);
	}
}

/* ---- counting ---- */

static __always_inline struct wait_interval *wait_begin_interval(struct wait_cpu *cpu)
{
	__builtin_memset(&cpu->interval, 0, sizeof(cpu->interval));
	return &cpu->interval;
}

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
	out->waiter = w->waiter;
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
	out->is_begun = t->is_begun;
	__builtin_memcpy(out->comm, t->comm, sizeof(out->comm));
	bytes = n * sizeof(struct wait_link);
	asm volatile("" : "+r"(bytes));
	/* The helper copies them, because the verifier would walk a loop once per link. */
	if (bytes <= sizeof(out->links))
		bpf_probe_read_kernel(out->links, bytes, t->links);
	bytes += WAIT_RECORD_FIXED_BYTES;
	out->bytes = bytes;
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

/* The record of the wait did not fit in the ring: its time is added to that of all such waits.
 * --states finds what it has not seen itself. */
static __always_inline void wait_add_unsent(const struct wait_interval *w, u32 parity)
{
	static const struct stack_id unsent = { { WAIT_UNSENT, WAIT_UNSENT } };
	static const struct wait_sum none;
	struct wait_sum *sum;

	if (wait_levels || want_kind || w->flags & WAIT_RUNNING)
		return;
	bpf_map_update_elem(&wait_sums, &unsent, &none, BPF_NOEXIST);
	sum = bpf_map_lookup_elem(&wait_sums, &unsent);
	if (sum)
		wait_add_sum(sum, w, parity);
}

/* The first interval of an identity is sent as a record, which tells user space what the identity
 * stands for; while the table is full, every interval is. */
static __noinline void wait_count(struct wait_cpu *cpu, const struct wait_interval *w,
				  const struct wait_thread *t, u32 pid)
{
	static const struct wait_path no_path;
	static const struct wait_sum none;
	const struct wait_window *window =
		&wait_windows[*(volatile u32 *)&wait_window_at % WAIT_WINDOWS];
	bool is_next = w->off_ns >= window->until;
	bool is_inside = is_next ? window->next == WAIT_NEXT_SUM : w->on_ns <= window->until;
	bool is_whole = is_inside && w->off_ns >= window->since && !(w->flags & WAIT_TOTALS);
	struct wait_sum *sum = NULL;

	if (is_next && window->next == WAIT_NEXT_DROP)
		return;
	cpu->n_taken++;
	if (is_whole)
		sum = bpf_map_lookup_elem(&wait_sums, &w->id);
	if (sum) {
		wait_add_sum(sum, w, window->number + is_next);
		if (want_path)
			wait_add_path(w, t, window->number + is_next);
		return;
	}
	if (!wait_send(cpu, w, t, pid, WAIT_REC_INTERVAL)) {
		if (is_whole)
			wait_add_unsent(w, window->number + is_next);
		return;
	}
	if (!is_whole)
		return;
	if (want_path && !(w->flags & WAIT_RUNNING))
		bpf_map_update_elem(&wait_paths, &w->id, &no_path, BPF_NOEXIST);
	bpf_map_update_elem(&wait_sums, &w->id, &none, BPF_NOEXIST);
}

#endif
