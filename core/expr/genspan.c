// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Spans: a start saves values, the end finds them (bpf/span.h).
 *
 * The end of a call finds its record by the frame that it leaves; the record stays in the map, the
 * next call at that depth overwrites it.  A return without a start is an event all the same, with
 * $entry's values and $latency absent.  The end of a keyed span is no event without a start: the
 * record is copied, then deleted, and whose deletion fails was too late.
 */
#include <errno.h>

#include "expr/genparts.h"

#define AT_START  ((s32)offsetof(struct span_record, start_ns))
#define AT_ABSENT ((s32)offsetof(struct span_record, absent))

bool gen_is_end(const struct gen_plan *p)
{
	return p->span != GEN_SPAN_NONE && p->action != GEN_START;
}

static bool is_keyed(const struct gen_plan *p)
{
	return p->span == GEN_SPAN_KEY || p->span == GEN_SPAN_THREAD;
}

bool gen_span_scratch(const struct gen_plan *p)
{
	return gen_is_end(p) && is_keyed(p);
}

static u32 span_key_bytes(const struct gen_plan *p)
{
	return p->span == GEN_SPAN_KEY ? gen_key_bytes(p->span_key, p->n_span_key)
				       : (u32)sizeof(u64);
}

/* The span's key at `at`; a thread's is the kernel's number for it. */
static void gen_span_key(struct gen *g, struct gen_place at, u32 absent)
{
	if (g->plan->span == GEN_SPAN_KEY) {
		gen_fixed_values(g, g->plan->span_key, g->plan->n_span_key, at, 0, absent);
		return;
	}
	gen_emit(g, INSN_CALL(BPF_FUNC_get_current_pid_tgid));
	gen_extend(g, BPF_REG_0, sizeof(u32), false);
	gen_emit(g, INSN_STORE(BPF_DW, at.base, at.off, BPF_REG_0));
}

/* struct span_slot at `at`; its depth + 1 is in r0. */
static void gen_slot(struct gen *g, struct gen_place at)
{
	s32 off = at.off;

	gen_emit(g, INSN_ALU_K(BPF_SUB, BPF_REG_0, 1));
	gen_emit(g,
		 INSN_STORE(BPF_H, BPF_REG_10, off + offsetof(struct span_slot, depth), BPF_REG_0));
	gen_emit(g, INSN_STORE_K(BPF_H, BPF_REG_10, off + offsetof(struct span_slot, span),
				 (s32)g->plan->span_index));
	gen_emit(g, INSN_CALL(BPF_FUNC_get_current_pid_tgid));
	gen_emit(g,
		 INSN_STORE(BPF_W, BPF_REG_10, off + offsetof(struct span_slot, tid), BPF_REG_0));
}

/* frame_push or frame_pop; the slot + 1 to r0 */
static void gen_frame(struct gen *g, u32 fn, u32 absent)
{
	gen_value(g, g->plan->stack_pointer, absent);
	gen_emit(g, INSN_MOV_X(BPF_REG_2, BPF_REG_0));
	gen_emit(g, INSN_MOV_K(BPF_REG_1, (s32)g->plan->span_index));
	insns_fixed(g->in, fn);
}

/* ---- ends ------------------------------------------------------------------------------------ */

/* r0 = the record, or NULL with $latency of no meaning. */
static void keep_record(struct gen *g)
{
	u32 none = insns_label(g->in);

	gen_emit(g, INSN_STORE(BPF_DW, BPF_REG_10, g->record, BPF_REG_0));
	gen_emit(g, INSN_STORE_K(BPF_DW, BPF_REG_10, g->latency, 0));
	gen_jump(g, INSN_JMP_K(BPF_JEQ, BPF_REG_0, 0), none);
	gen_emit(g, INSN_LOAD(BPF_DW, BPF_REG_1, BPF_REG_0, AT_START));
	gen_emit(g, INSN_STORE(BPF_DW, BPF_REG_10, g->latency, BPF_REG_1));
	gen_emit(g, INSN_CALL(BPF_FUNC_ktime_get_ns));
	gen_emit(g, INSN_LOAD(BPF_DW, BPF_REG_1, BPF_REG_10, g->latency));
	gen_emit(g, INSN_ALU_X(BPF_SUB, BPF_REG_0, BPF_REG_1));
	gen_emit(g, INSN_STORE(BPF_DW, BPF_REG_10, g->latency, BPF_REG_0));
	insns_place(g->in, none);
}

static void find_call(struct gen *g)
{
	struct gen_temp_mark mark = gen_temp_begin(g);
	struct gen_place slot = gen_temp(g, sizeof(struct span_slot));
	u32 none = insns_label(g->in);

	gen_frame(g, FIXED_frame_pop, none);
	gen_jump(g, INSN_JMP_K(BPF_JEQ, BPF_REG_0, 0), none);
	gen_slot(g, slot);
	gen_lookup(g, g->plan->span_fd, slot);
	insns_place(g->in, none);
	keep_record(g);
	gen_temp_end(g, mark);
}

/* Where the key and the copy of a keyed span's record are, all through the program: the first
 * temporaries in scratch. */
static struct gen_place key_place(struct gen *g)
{
	struct gen_place key = gen_temp_scratch(g, span_key_bytes(g->plan));

	g->span_key = key.off;
	return key;
}

static void find_keyed(struct gen *g)
{
	const struct gen_plan *p = g->plan;
	u32 bytes = gen_saved_bytes(p->saved, p->n_saved), found = insns_label(g->in);
	u32 absent = insns_label(g->in);
	struct gen_place key = key_place(g), copy = gen_temp_scratch(g, bytes);

	gen_span_key(g, key, absent);
	gen_lookup(g, p->span_fd, key);
	gen_jump(g, INSN_JMP_K(BPF_JNE, BPF_REG_0, 0), found);
	gen_count_probe(g, offsetof(struct probe_count, no_start));
	gen_jump(g, INSN_JA, g->end);
	if (insns_is_used(g->in, absent)) {
		insns_place(g->in, absent);
		gen_count_probe(g, offsetof(struct probe_count, absent));
		gen_jump(g, INSN_JA, g->end);
	}
	insns_place(g->in, found);
	gen_emit(g, INSN_MOV_X(BPF_REG_3, BPF_REG_0));
	gen_address(g, BPF_REG_1, copy);
	gen_emit(g, INSN_MOV_K(BPF_REG_2, (s32)bytes));
	gen_emit(g, INSN_CALL(BPF_FUNC_probe_read_kernel));
	gen_jump(g, INSN_JMP_K(BPF_JNE, BPF_REG_0, 0), g->end);
	gen_address(g, BPF_REG_0, copy);
	keep_record(g);
}

void gen_find_start(struct gen *g)
{
	g->record = insns_stack(g->in, sizeof(u64));
	g->latency = insns_stack(g->in, sizeof(u64));
	if (is_keyed(g->plan))
		find_keyed(g);
	else
		find_call(g);
}

void gen_end_span(struct gen *g)
{
	struct gen_place key = { .base = R_SCRATCH, .off = g->span_key };
	u32 mine;

	if (!is_keyed(g->plan))
		return;
	mine = insns_label(g->in);
	gen_address(g, BPF_REG_2, key);
	insns_map(g->in, BPF_REG_1, g->plan->span_fd);
	gen_emit(g, INSN_CALL(BPF_FUNC_map_delete_elem));
	gen_jump(g, INSN_JMP_K(BPF_JEQ, BPF_REG_0, 0), mine);
	gen_count_probe(g, offsetof(struct probe_count, no_start));
	gen_jump(g, INSN_JA, g->end);
	insns_place(g->in, mine);
}

/* ---- what was saved -------------------------------------------------------------------------- */

/* The record to r0; absent when there is none or the value's bit is set. */
static void gen_record(struct gen *g, u32 index, u32 absent)
{
	gen_emit(g, INSN_LOAD(BPF_DW, BPF_REG_0, BPF_REG_10, g->record));
	gen_jump(g, INSN_JMP_K(BPF_JEQ, BPF_REG_0, 0), absent);
	gen_emit(g, INSN_LOAD(BPF_DW, BPF_REG_1, BPF_REG_0, AT_ABSENT));
	if (index)
		gen_emit(g, INSN_ALU_K(BPF_RSH, BPF_REG_1, (s32)index));
	gen_jump(g, INSN_JMP_K(BPF_JSET, BPF_REG_1, 1), absent);
}

static s32 saved_at(struct gen *g, u32 index)
{
	return (s32)(sizeof(struct span_record) +
		     gen_fixed_at(g->plan->saved, g->plan->n_saved, index));
}

void gen_saved(struct gen *g, const struct tree *t, u32 absent)
{
	gen_record(g, t->index, absent);
	gen_emit(g, INSN_LOAD(BPF_DW, BPF_REG_0, BPF_REG_0, saved_at(g, t->index)));
}

void gen_saved_address(struct gen *g, const struct tree *t, u32 absent)
{
	gen_record(g, t->index, absent);
	gen_emit(g, INSN_ALU_K(BPF_ADD, BPF_REG_0, saved_at(g, t->index)));
}

/* ---- starts ---------------------------------------------------------------------------------- */

/* The record in scratch: when it began, its values. */
static void build_record(struct gen *g)
{
	struct gen_place values = { .base = R_SCRATCH,
				    .off = AT_RECORD + (s32)sizeof(struct span_record) };

	gen_emit(g, INSN_STORE_K(BPF_DW, R_SCRATCH, AT_RECORD + AT_ABSENT, 0));
	gen_fixed_values(g, g->plan->values, g->plan->n_values, values, AT_RECORD + AT_ABSENT,
			 NO_LABEL);
	/* Last, so that our own work is no part of what is measured. */
	gen_emit(g, INSN_CALL(BPF_FUNC_ktime_get_ns));
	gen_emit(g, INSN_STORE(BPF_DW, R_SCRATCH, AT_RECORD + AT_START, BPF_REG_0));
}

static void update(struct gen *g, struct gen_place key, u64 flags)
{
	gen_address(g, BPF_REG_2, key);
	gen_address(g, BPF_REG_3, (struct gen_place){ .base = R_SCRATCH, .off = AT_RECORD });
	gen_emit(g, INSN_MOV_K(BPF_REG_4, (s32)flags));
	insns_map(g->in, BPF_REG_1, g->plan->span_fd);
	gen_emit(g, INSN_CALL(BPF_FUNC_map_update_elem));
	/* Up to 6.1 at least what comes back is an int in a register. */
	gen_extend(g, BPF_REG_0, sizeof(s32), true);
}

static void start_call(struct gen *g)
{
	struct gen_temp_mark mark = gen_temp_begin(g);
	struct gen_place slot = gen_temp(g, sizeof(struct span_slot));

	gen_frame(g, FIXED_frame_push, g->end);
	gen_jump(g, INSN_JMP_K(BPF_JEQ, BPF_REG_0, 0), g->end);
	gen_slot(g, slot);
	update(g, slot, BPF_ANY);
	gen_jump(g, INSN_JMP_K(BPF_JEQ, BPF_REG_0, 0), g->end);
	gen_count_probe(g, offsetof(struct probe_count, map_full));
	gen_temp_end(g, mark);
}

/* Nobody else's start may be replaced unseen: first as a new one. */
static void start_keyed(struct gen *g)
{
	struct gen_place key = key_place(g);
	u32 full = insns_label(g->in), absent = insns_label(g->in);

	gen_span_key(g, key, absent);
	update(g, key, BPF_NOEXIST);
	gen_jump(g, INSN_JMP_K(BPF_JEQ, BPF_REG_0, 0), g->end);
	gen_jump(g, INSN_JMP_K(BPF_JNE, BPF_REG_0, -EEXIST), full);
	if (!g->plan->keep_first) {
		update(g, key, BPF_ANY);
		gen_jump(g, INSN_JMP_K(BPF_JNE, BPF_REG_0, 0), full);
	}
	gen_count_probe(g, offsetof(struct probe_count, missed));
	gen_jump(g, INSN_JA, g->end);
	if (insns_is_used(g->in, absent)) {
		insns_place(g->in, absent);
		gen_count_probe(g, offsetof(struct probe_count, absent));
		gen_jump(g, INSN_JA, g->end);
	}
	insns_place(g->in, full);
	gen_count_probe(g, offsetof(struct probe_count, map_full));
}

void gen_start(struct gen *g)
{
	build_record(g);
	if (is_keyed(g->plan))
		start_keyed(g);
	else
		start_call(g);
	gen_jump(g, INSN_JA, g->end);
}
