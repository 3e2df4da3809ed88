// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Calls and spans: an entry or start saves values, and the return or end finds them
 * (bpf/abi/span.h).
 *
 * A return finds its record by its stack frame; the record stays in the map and is overwritten by
 * the next call at that depth.  A return without an entry is an event, too, but the values of
 * $entry and $latency are absent.  The end of a span without a start is not an event.  At an end,
 * the record is copied, then deleted; if the deletion fails, another end was faster.  Most spans
 * are not in the table, but in the bins before it (bin.c).
 */
#include <errno.h>

#include "gen/gen_int.h"

#define AT_START  ((s32)offsetof(struct span_record, start_ns))
#define AT_ABSENT ((s32)offsetof(struct span_record, absent))

bool gen_is_return(const struct gen_plan *p)
{
	return p->call.stack_pointer && p->work.action != GEN_ENTER;
}

bool gen_is_end(const struct gen_plan *p)
{
	return p->spans.by != GEN_SPAN_NONE && p->work.action != GEN_START;
}

u32 gen_span_key_bytes(const struct gen_plan *p)
{
	return p->spans.by == GEN_SPAN_KEY ? gen_key_bytes(p->spans.key, p->spans.n_key)
					   : (u32)sizeof(u64);
}

u32 gen_span_record_bytes(const struct gen_plan *p)
{
	return p->work.action == GEN_START ? gen_saved_bytes(p->work.values, p->work.n_values)
					   : gen_saved_bytes(p->spans.kept.values, p->spans.kept.n);
}

/* Write the span's key to `at`; for spans by thread it is the kernel's id. */
static void gen_span_key(struct gen *g, struct gen_place at, u32 absent)
{
	if (g->plan->spans.by == GEN_SPAN_KEY) {
		gen_fixed_values(g, g->plan->spans.key, g->plan->spans.n_key, at, NULL, absent);
		return;
	}
	gen_emit(g, INSN_CALL(BPF_FUNC_get_current_pid_tgid));
	gen_extend(g, BPF_REG_0, sizeof(u32), false);
	at = gen_near(g, at, sizeof(u64), BPF_REG_1);
	gen_emit(g, INSN_STORE(BPF_DW, at.base, at.off, BPF_REG_0));
}

/* The key of a start or end: a temporary that is kept for the whole program. */
static struct gen_place make_span_key(struct gen *g, bool is_in_scratch)
{
	u32 bytes = gen_span_key_bytes(g->plan);
	struct gen_place key = is_in_scratch ? gen_temp_scratch(g, bytes) : gen_temp(g, bytes);
	u32 absent = insns_label(g->in), there = insns_label(g->in);

	gen_span_key(g, key, absent);
	if (!insns_is_used(g->in, absent))
		return key;
	gen_jump(g, INSN_JA, there);
	gen_count_absent(g, absent, g->end);
	insns_place(g->in, there);
	return key;
}

/* Build struct span_slot at `at`; the depth is in r0. */
static void gen_slot(struct gen *g, struct gen_place at)
{
	s32 off = at.off;

	gen_emit(g,
		 INSN_STORE(BPF_H, BPF_REG_10, off + offsetof(struct span_slot, depth), BPF_REG_0));
	gen_emit(g, INSN_STORE_K(BPF_H, BPF_REG_10, off + offsetof(struct span_slot, span),
				 (s32)g->plan->call.index));
	if (g->plan->call.is_single) {
		gen_emit(g, INSN_CALL(BPF_FUNC_get_current_task));
		gen_emit(g, INSN_ALU_K(BPF_RSH, BPF_REG_0, SPAN_TASK_SHIFT));
	} else {
		gen_emit(g, INSN_CALL(BPF_FUNC_get_current_pid_tgid));
	}
	gen_emit(g, INSN_STORE(BPF_W, BPF_REG_10, off + offsetof(struct span_slot, thread),
			       BPF_REG_0));
}

/* Call frame_push or frame_pop, and build the slot that it returns at `slot`; jump to `none` if it
 * returns none. */
static void gen_frame(struct gen *g, u32 fn, struct gen_place slot, u32 none)
{
	gen_value(g, g->plan->call.stack_pointer, none);
	gen_emit(g, INSN_MOV_X(BPF_REG_2, BPF_REG_0));
	gen_emit(g, INSN_MOV_K(BPF_REG_1, (s32)g->plan->call.index));
	insns_fixed(g->in, fn);
	gen_jump(g, INSN_JMP_K(BPF_JEQ, BPF_REG_0, 0), none);
	gen_emit(g, INSN_ALU_K(BPF_SUB, BPF_REG_0, 1));
	gen_slot(g, slot);
}

/* Put the record of the thread's only call into r0, or NULL. */
static void find_single(struct gen *g, struct gen_place slot)
{
	gen_emit(g, INSN_MOV_K(BPF_REG_0, 0));
	gen_slot(g, slot);
	gen_lookup(g, g->plan->call.kept.fd, slot);
}

/* ---- returns and ends ------------------------------------------------------------------------ */

static struct gen_found new_found(struct gen *g)
{
	return (struct gen_found){ .record = insns_stack(g->in, sizeof(u64)),
				   .latency = insns_stack(g->in, sizeof(u64)) };
}

/* Put the time of the event into r0.  A slot contains it already; reading the clock takes 25 ns. */
static void load_now(struct gen *g)
{
	if (g->has_slot && g->plan->work.action != GEN_NOTHING)
		gen_emit(g, INSN_LOAD(BPF_DW, BPF_REG_0, R_SCRATCH, AT_TAKEN));
	else
		gen_emit(g, INSN_CALL(BPF_FUNC_ktime_get_ns));
}

/* r0 = the record; or NULL, in which case the latency has no meaning. */
static void keep_record(struct gen *g, const struct gen_found *found)
{
	u32 none = insns_label(g->in);

	gen_emit(g, INSN_STORE(BPF_DW, BPF_REG_10, found->record, BPF_REG_0));
	gen_emit(g, INSN_STORE_K(BPF_DW, BPF_REG_10, found->latency, 0));
	gen_jump(g, INSN_JMP_K(BPF_JEQ, BPF_REG_0, 0), none);
	gen_emit(g, INSN_LOAD(BPF_DW, BPF_REG_1, BPF_REG_0, AT_START));
	gen_emit(g, INSN_STORE(BPF_DW, BPF_REG_10, found->latency, BPF_REG_1));
	load_now(g);
	gen_emit(g, INSN_LOAD(BPF_DW, BPF_REG_1, BPF_REG_10, found->latency));
	gen_emit(g, INSN_ALU_X(BPF_SUB, BPF_REG_0, BPF_REG_1));
	gen_emit(g, INSN_STORE(BPF_DW, BPF_REG_10, found->latency, BPF_REG_0));
	insns_place(g->in, none);
}

/* Take the record of the call, which is now over: the record is marked as having no start. */
static void take_single(struct gen *g, struct gen_place slot)
{
	u32 none = insns_label(g->in), open = insns_label(g->in), done = insns_label(g->in);

	find_single(g, slot);
	gen_jump(g, INSN_JMP_K(BPF_JEQ, BPF_REG_0, 0), none);
	gen_emit(g, INSN_LOAD(BPF_DW, BPF_REG_1, BPF_REG_0, AT_START));
	gen_jump(g, INSN_JMP_K(BPF_JNE, BPF_REG_1, 0), open);
	insns_place(g->in, none);
	gen_count_probe(g, offsetof(struct probe_count, no_start));
	gen_emit(g, INSN_MOV_K(BPF_REG_0, 0));
	insns_place(g->in, open);
	keep_record(g, &g->call);
	gen_emit(g, INSN_LOAD(BPF_DW, BPF_REG_1, BPF_REG_10, g->call.record));
	gen_jump(g, INSN_JMP_K(BPF_JEQ, BPF_REG_1, 0), done);
	gen_emit(g, INSN_STORE_K(BPF_DW, BPF_REG_1, AT_START, 0));
	insns_place(g->in, done);
}

void gen_find_entry(struct gen *g)
{
	u32 none = insns_label(g->in);
	struct gen_temp_mark mark;
	struct gen_place slot;

	g->call = new_found(g);
	mark = gen_temp_begin(g);
	slot = gen_temp(g, sizeof(struct span_slot));
	if (g->plan->call.is_single) {
		take_single(g, slot);
	} else {
		gen_frame(g, FIXED_frame_pop, slot, none);
		gen_lookup(g, g->plan->call.kept.fd, slot);
		insns_place(g->in, none);
		keep_record(g, &g->call);
	}
	gen_temp_end(g, mark);
}

static void no_start(struct gen *g)
{
	if (!g->plan->spans.ignores_unstarted)
		gen_count_probe(g, offsetof(struct probe_count, no_start));
	gen_jump(g, INSN_JA, g->end);
}

#define UNROLLED_COPY 64 /* bytes; above this, a helper call is shorter */

/* Copy the record at r0. */
static void copy_record(struct gen *g, struct gen_place to, u32 bytes)
{
	if (bytes <= UNROLLED_COPY) {
		gen_address(g, BPF_REG_1, to);
		for (u32 i = 0; i < bytes; i += (u32)sizeof(u64)) {
			gen_emit(g, INSN_LOAD(BPF_DW, BPF_REG_2, BPF_REG_0, i));
			gen_emit(g, INSN_STORE(BPF_DW, BPF_REG_1, i, BPF_REG_2));
		}
		return;
	}
	gen_emit(g, INSN_MOV_X(BPF_REG_3, BPF_REG_0));
	gen_address(g, BPF_REG_1, to);
	gen_emit(g, INSN_MOV_K(BPF_REG_2, (s32)bytes));
	gen_emit(g, INSN_CALL(BPF_FUNC_probe_read_kernel));
	gen_jump(g, INSN_JMP_K(BPF_JNE, BPF_REG_0, 0), g->end);
}

/* Put the time of the end into g->span, where the latency will be. */
static void keep_end(struct gen *g)
{
	load_now(g);
	gen_emit(g, INSN_STORE(BPF_DW, BPF_REG_10, g->span.latency, BPF_REG_0));
}

/* Copy the record from the table and delete it; if that fails, another end was faster. */
static void take_from_table(struct gen *g, struct gen_place key, struct gen_place copy, u32 none)
{
	const struct gen_plan *p = g->plan;

	gen_lookup(g, p->spans.kept.fd, key);
	gen_jump(g, INSN_JMP_K(BPF_JEQ, BPF_REG_0, 0), none);
	copy_record(g, copy, gen_span_record_bytes(p));
	keep_end(g);
	gen_address(g, BPF_REG_2, key);
	insns_map(g->in, BPF_REG_1, p->spans.kept.fd);
	gen_emit(g, INSN_CALL(BPF_FUNC_map_delete_elem));
	gen_extend(g, BPF_REG_0, sizeof(s32), true);
	gen_jump(g, INSN_JMP_K(BPF_JNE, BPF_REG_0, 0), none);
}

/* The record is copied, because another thread may start a span with this key at once. */
void gen_end_span(struct gen *g)
{
	const struct gen_plan *p = g->plan;
	u32 bytes = gen_span_record_bytes(p), other = insns_label(g->in);
	u32 none = insns_label(g->in), found = insns_label(g->in), go_on = insns_label(g->in);
	u32 later = insns_label(g->in);
	struct gen_place key = make_span_key(g, g->has_slot), copy;
	struct gen_saved bin;

	copy = g->has_slot ? gen_temp_scratch(g, bytes) : gen_temp(g, bytes);
	g->span = new_found(g);
	if (gen_has_bins(p)) {
		bin = gen_bin(g, key);
		gen_bin_end(g, &bin, key, &copy, other);
		keep_end(g);
		gen_jump(g, INSN_JA, found);
		insns_place(g->in, other);
		gen_bin_branch_alone(g, &bin, none);
	}
	take_from_table(g, key, copy, none);
	if (gen_has_bins(p)) {
		gen_bin_add_others(g, &bin, -1);
		gen_drop_saved(g, &bin);
	}
	insns_place(g->in, found);
	gen_address(g, BPF_REG_0, copy);
	gen_emit(g, INSN_STORE(BPF_DW, BPF_REG_10, g->span.record, BPF_REG_0));
	gen_emit(g, INSN_LOAD(BPF_DW, BPF_REG_1, BPF_REG_0, AT_START));
	gen_emit(g, INSN_LOAD(BPF_DW, BPF_REG_0, BPF_REG_10, g->span.latency));
	/* A span that began after this program had read the clock was 0 ns long. */
	gen_jump(g, INSN_JMP_X(BPF_JGE, BPF_REG_0, BPF_REG_1), later);
	gen_emit(g, INSN_MOV_X(BPF_REG_0, BPF_REG_1));
	insns_place(g->in, later);
	gen_emit(g, INSN_ALU_X(BPF_SUB, BPF_REG_0, BPF_REG_1));
	gen_emit(g, INSN_STORE(BPF_DW, BPF_REG_10, g->span.latency, BPF_REG_0));
	gen_jump(g, INSN_JA, go_on);
	insns_place(g->in, none);
	no_start(g);
	insns_place(g->in, go_on);
}

/* ---- entries and starts ---------------------------------------------------------------------- */

static const struct gen_place in_scratch = { .base = R_SCRATCH, .off = AT_RECORD };

/* Build the record at `at`: start time and values. */
static void build_record(struct gen *g, struct gen_place at)
{
	struct gen_place values = at, bits = at;

	values.off += (s32)sizeof(struct span_record);
	bits.off += AT_ABSENT;

	gen_fixed_values(g, g->plan->work.values, g->plan->work.n_values, values, &bits, NO_LABEL);
	/* The time comes last, so that our own work is not part of the measured time. */
	gen_emit(g, INSN_CALL(BPF_FUNC_ktime_get_ns));
	gen_emit(g, INSN_STORE(BPF_DW, at.base, at.off + AT_START, BPF_REG_0));
}

static void update(struct gen *g, int fd, struct gen_place key, struct gen_place record, u64 flags)
{
	gen_address(g, BPF_REG_2, key);
	gen_address(g, BPF_REG_3, record);
	gen_emit(g, INSN_MOV_K(BPF_REG_4, (s32)flags));
	insns_map(g->in, BPF_REG_1, fd);
	gen_emit(g, INSN_CALL(BPF_FUNC_map_update_elem));
	/* Up to at least 6.1, the result is an int in a register. */
	gen_extend(g, BPF_REG_0, sizeof(s32), true);
}

static void put_record(struct gen *g, struct gen_place slot)
{
	u32 done = insns_label(g->in);

	update(g, g->plan->call.kept.fd, slot, in_scratch, BPF_ANY);
	gen_jump(g, INSN_JMP_K(BPF_JEQ, BPF_REG_0, 0), done);
	gen_count_probe(g, offsetof(struct probe_count, map_full));
	insns_place(g->in, done);
}

/* Reuse the held record of the thread's last call for this one. */
static void renew_record(struct gen *g, const struct gen_saved *record)
{
	const struct gen_plan *p = g->plan;

	if (!p->work.n_values) {
		gen_emit(g, INSN_CALL(BPF_FUNC_ktime_get_ns));
		u8 reg = gen_load_saved(g, record, BPF_REG_1);

		gen_emit(g, INSN_STORE_K(BPF_DW, reg, AT_ABSENT, 0));
		gen_emit(g, INSN_STORE(BPF_DW, reg, AT_START, BPF_REG_0));
		return;
	}
	gen_emit(g, INSN_MOV_X(BPF_REG_1, gen_load_saved(g, record, BPF_REG_1)));
	gen_emit(g, INSN_MOV_K(BPF_REG_2, (s32)gen_saved_bytes(p->work.values, p->work.n_values)));
	gen_address(g, BPF_REG_3, (struct gen_place){ .base = R_SCRATCH, .off = AT_RECORD });
	gen_emit(g, INSN_CALL(BPF_FUNC_probe_read_kernel));
}

/* Create the record at a thread's first call. */
static void first_single(struct gen *g, struct gen_place slot)
{
	if (g->plan->work.n_values) {
		put_record(g, slot);
		return;
	}
	gen_take(g, g->exit);
	build_record(g, in_scratch);
	put_record(g, slot);
	gen_drop(g);
}

/*
 * A thread is in one system call at a time, so frames need not be distinguished, and its record is
 * written in place.  If only the time is saved, scratch is needed only for a thread's first call.
 */
static void enter_single(struct gen *g, struct gen_place slot)
{
	u32 is_first = insns_label(g->in), is_over = insns_label(g->in);
	struct gen_saved record;

	if (g->plan->work.n_values)
		build_record(g, in_scratch);
	find_single(g, slot);
	gen_jump(g, INSN_JMP_K(BPF_JEQ, BPF_REG_0, 0), is_first);
	record = gen_save(g, BPF_REG_0);
	gen_emit(g, INSN_LOAD(BPF_DW, BPF_REG_1, BPF_REG_0, AT_START));
	gen_jump(g, INSN_JMP_K(BPF_JEQ, BPF_REG_1, 0), is_over);
	gen_count_probe(g, offsetof(struct probe_count, missed));
	insns_place(g->in, is_over);
	renew_record(g, &record);
	gen_drop_saved(g, &record);
	gen_jump(g, INSN_JA, g->end);
	insns_place(g->in, is_first);
	first_single(g, slot);
}

bool gen_enter_scratch(const struct gen_plan *p)
{
	return !p->call.is_single || p->work.n_values;
}

void gen_enter(struct gen *g)
{
	struct gen_temp_mark mark = gen_temp_begin(g);
	struct gen_place slot = gen_temp(g, sizeof(struct span_slot));

	if (g->plan->call.is_single) {
		enter_single(g, slot);
	} else {
		build_record(g, in_scratch);
		gen_frame(g, FIXED_frame_push, slot, g->end);
		put_record(g, slot);
	}
	gen_temp_end(g, mark);
	gen_jump(g, INSN_JA, g->end);
}

static bool is_small(const struct tree *const *values, u32 n)
{
	for (u32 i = 0; i < n; i++)
		if (!gen_is_scalar(values[i]) || gen_needs_scratch(values[i]))
			return false;
	return true;
}

/* A few numbers are put together on the stack: taking a slot costs as much as reading the clock. */
bool gen_start_scratch(const struct gen_plan *p)
{
	return gen_saved_bytes(p->work.values, p->work.n_values) > GEN_SMALL ||
	       gen_span_key_bytes(p) > GEN_SMALL || !is_small(p->work.values, p->work.n_values) ||
	       (p->spans.by == GEN_SPAN_KEY && !is_small(p->spans.key, p->spans.n_key));
}

/* The same for an end, unless it needs a slot in any case. */
bool gen_end_scratch(const struct gen_plan *p)
{
	u32 bytes = gen_span_record_bytes(p) + gen_span_key_bytes(p);

	return bytes > GEN_SMALL ||
	       (p->spans.by == GEN_SPAN_KEY && !is_small(p->spans.key, p->spans.n_key));
}

/* Another start with this key must not be replaced without being counted, so try to insert a new
 * one first. */
static void start_in_table(struct gen *g, struct gen_place key, struct gen_place record,
			   const struct gen_saved *bin)
{
	int fd = g->plan->spans.kept.fd;
	u32 full = insns_label(g->in), missed = insns_label(g->in);

	if (bin)
		gen_bin_add_others(g, bin, 1);
	update(g, fd, key, record, BPF_NOEXIST);
	gen_jump(g, INSN_JMP_K(BPF_JEQ, BPF_REG_0, 0), g->end);
	if (bin)
		gen_bin_add_others(g, bin, -1);
	gen_jump(g, INSN_JMP_K(BPF_JNE, BPF_REG_0, -EEXIST), full);
	if (!g->plan->spans.keeps_first) {
		/* If the other span has just ended, nothing would be replaced, and the bin's count
		 * would be wrong: then this start is counted as missed. */
		update(g, fd, key, record, BPF_EXIST);
		gen_jump(g, INSN_JMP_K(BPF_JEQ, BPF_REG_0, -ENOENT), missed);
		gen_jump(g, INSN_JMP_K(BPF_JNE, BPF_REG_0, 0), full);
	}
	insns_place(g->in, missed);
	gen_count_probe(g, offsetof(struct probe_count, missed));
	gen_jump(g, INSN_JA, g->end);
	insns_place(g->in, full);
	gen_count_probe(g, offsetof(struct probe_count, span_full));
	gen_jump(g, INSN_JA, g->end);
}

/* Copy a value that the update leaves as it is from the open span, whose address is in `old`. */
static void keep_value(struct gen *g, const struct gen_saved *old, struct gen_place record, u32 i)
{
	const struct gen_work *w = &g->plan->work;
	s32 at = (s32)(sizeof(struct span_record) + gen_fixed_at(w->values, w->n_values, i));
	u8 reg = gen_load_saved(g, old, BPF_REG_0);

	record.off += at;
	if (gen_is_scalar(w->values[i])) {
		gen_emit(g, INSN_LOAD(BPF_DW, BPF_REG_0, reg, at));
		record = gen_near(g, record, sizeof(u64), BPF_REG_1);
		gen_emit(g, INSN_STORE(BPF_DW, record.base, record.off, BPF_REG_0));
		return;
	}
	if (reg != BPF_REG_0)
		gen_emit(g, INSN_MOV_X(BPF_REG_0, reg));
	gen_emit(g, INSN_ALU_K(BPF_ADD, BPF_REG_0, at));
	gen_read(g, SPACE_KERNEL, record, gen_rest_bytes(w->values[i]->type), g->end);
}

/* Copy those values of the open span at r0 that the update leaves as they are, and the bits that
 * tell which of them could not be read. */
static void keep_values(struct gen *g, struct gen_place record)
{
	const struct gen_work *w = &g->plan->work;
	struct gen_saved old = gen_save(g, BPF_REG_0);
	u64 kept = 0;
	u8 reg;

	for (u32 i = 0; i < w->n_values; i++) {
		if (!w->values[i]->is_kept)
			continue;
		keep_value(g, &old, record, i);
		kept |= 1ULL << i;
	}
	if (kept) {
		reg = gen_load_saved(g, &old, BPF_REG_0);
		gen_emit(g, INSN_LOAD(BPF_DW, BPF_REG_0, reg, AT_ABSENT));
		insns_imm64(g->in, BPF_REG_1, kept);
		gen_emit(g, INSN_ALU_X(BPF_AND, BPF_REG_0, BPF_REG_1));
		gen_emit(g, INSN_LOAD(BPF_DW, BPF_REG_1, record.base, record.off + AT_ABSENT));
		gen_emit(g, INSN_ALU_X(BPF_OR, BPF_REG_0, BPF_REG_1));
		gen_emit(g, INSN_STORE(BPF_DW, record.base, record.off + AT_ABSENT, BPF_REG_0));
	}
	gen_drop_saved(g, &old);
}

/* Replace the values of an open span, but not its time.  If it ends meanwhile, nothing is left to
 * update. */
static void update_in_table(struct gen *g, struct gen_place key, struct gen_place record)
{
	int fd = g->plan->spans.kept.fd;

	gen_lookup(g, fd, key);
	gen_jump(g, INSN_JMP_K(BPF_JEQ, BPF_REG_0, 0), g->end);
	gen_emit(g, INSN_LOAD(BPF_DW, BPF_REG_1, BPF_REG_0, AT_START));
	gen_emit(g, INSN_STORE(BPF_DW, record.base, record.off + AT_START, BPF_REG_1));
	keep_values(g, record);
	update(g, fd, key, record, BPF_EXIST);
	gen_jump(g, INSN_JA, g->end);
}

void gen_start(struct gen *g)
{
	u32 table = insns_label(g->in);
	struct gen_place key, record = in_scratch;
	struct gen_saved bin;

	if (!gen_start_scratch(g->plan))
		record = gen_temp(g, gen_span_record_bytes(g->plan));
	build_record(g, record);
	key = make_span_key(g, gen_start_scratch(g->plan));
	if (g->plan->spans.is_update) {
		update_in_table(g, key, record);
		return;
	}
	if (!gen_has_bins(g->plan)) {
		start_in_table(g, key, record, NULL);
		return;
	}
	bin = gen_bin(g, key);
	gen_bin_start(g, &bin, key, record, table);
	insns_place(g->in, table);
	start_in_table(g, key, record, &bin);
	gen_drop_saved(g, &bin);
}

/* When a thread exits, the spans that it started are over. */
int gen_forget_thread(const struct gen_plan *plan, const struct text *t, struct insns *in,
		      struct err *err)
{
	struct gen g = { .in = in, .plan = plan, .text = t, .err = err };
	u32 other = insns_label(in), missed = insns_label(in);
	struct gen_place key = gen_temp(&g, sizeof(u64));
	struct gen_saved bin;

	g.end = g.exit = insns_label(in);
	gen_span_key(&g, key, NO_LABEL);
	if (gen_has_bins(plan)) {
		bin = gen_bin(&g, key);
		gen_bin_end(&g, &bin, key, NULL, other);
		gen_jump(&g, INSN_JA, missed);
		insns_place(in, other);
		gen_bin_branch_alone(&g, &bin, g.end);
	}
	gen_address(&g, BPF_REG_2, key);
	insns_map(in, BPF_REG_1, plan->spans.kept.fd);
	gen_emit(&g, INSN_CALL(BPF_FUNC_map_delete_elem));
	gen_extend(&g, BPF_REG_0, sizeof(s32), true);
	gen_jump(&g, INSN_JMP_K(BPF_JNE, BPF_REG_0, 0), g.end);
	if (gen_has_bins(plan))
		gen_bin_add_others(&g, &bin, -1);
	insns_place(in, missed);
	gen_count_probe(&g, offsetof(struct probe_count, missed));
	insns_place(in, g.end);
	gen_emit(&g, INSN_MOV_K(BPF_REG_0, 0));
	gen_emit(&g, INSN_EXIT);
	return insns_finish(in, t, err);
}
