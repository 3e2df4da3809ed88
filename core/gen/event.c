// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Builds records in scratch (bpf/abi/event.h), with values one after the other, and sends them. */
#include "gen/gen_int.h"

#define AT_EVENT(field) (AT_RECORD + (s32)offsetof(struct event, field))

/* ---- values ---------------------------------------------------------------------------------- */

/* If the bits were on the stack, the verifier would follow each combination of them. */
static void set_bit(struct gen *g, struct gen_place bits, u32 i)
{
	struct gen_place at = gen_near(g, bits, sizeof(u64), BPF_REG_4);

	gen_emit(g, INSN_LOAD(BPF_DW, BPF_REG_2, at.base, at.off));
	insns_imm64(g->in, BPF_REG_3, 1ULL << i);
	gen_emit(g, INSN_ALU_X(BPF_OR, BPF_REG_2, BPF_REG_3));
	if (bits.base == BPF_REG_10)
		gen_blur(g, BPF_REG_2);
	gen_emit(g, INSN_STORE(BPF_DW, at.base, at.off, BPF_REG_2));
}

/* Begin the code that sets the bit of an absent value.  Returns false if no jump leads there.  The
 * code for a present value continues at *store. */
static bool begin_absent(struct gen *g, u32 absent, struct gen_place bits, u32 i, u32 *store)
{
	if (!insns_is_used(g->in, absent))
		return false;
	*store = insns_label(g->in);
	gen_jump(g, INSN_JA, *store);
	insns_place(g->in, absent);
	set_bit(g, bits, i);
	return true;
}

/* End it: r0 is `instead`. */
static void end_absent(struct gen *g, u32 store, s32 instead)
{
	gen_emit(g, INSN_MOV_K(BPF_REG_0, instead));
	insns_place(g->in, store);
}

/* For an absent value of a packed record. */
static void absent_packed(struct gen *g, u32 absent, u32 i, s32 instead)
{
	const struct gen_place bits = { .base = R_SCRATCH, .off = AT_EVENT(absent) };
	u32 store;

	if (begin_absent(g, absent, bits, i, &store))
		end_absent(g, store, instead);
}

static bool is_string(const struct tree *t)
{
	return t->type->kind == TYPE_STRING;
}

/* Store the length in `reg` (with EVENT_CUT) at p, before the data. */
static void store_length(struct gen *g, struct gen_place p, u8 reg)
{
	struct gen_place at = gen_near(g, p, sizeof(u32), BPF_REG_2);

	gen_emit(g, INSN_STORE(BPF_W, at.base, at.off, reg));
}

static struct gen_place place_after(struct gen_place p, u32 bytes)
{
	p.off += (s32)bytes;
	return p;
}

/*
 * To distinguish a string that is longer than its type's size from one that just fits, one more
 * byte is read, and removed again. r0 = number of bytes without the NUL, r1 = the same with
 * EVENT_CUT.
 */
static void cut_string(struct gen *g, u32 size)
{
	u32 whole = insns_label(g->in);

	gen_emit(g, INSN_MOV_K(BPF_REG_1, 0));
	gen_jump(g, INSN_JMP_K(BPF_JLE, BPF_REG_0, (s32)size), whole);
	gen_emit(g, INSN_MOV_K(BPF_REG_0, (s32)size));
	gen_emit(g, INSN_MOV32_K(BPF_REG_1, (s32)EVENT_CUT));
	insns_place(g->in, whole);
	gen_emit(g, INSN_ALU_K(BPF_SUB, BPF_REG_0, 1));
	gen_emit(g, INSN_ALU_X(BPF_OR, BPF_REG_1, BPF_REG_0));
}

#define TASK_COMM_BYTES 16 /* the kernel pads it with zeros */

/* Walk the user stack by unwind tables, and keep the flags for send() and stack(). */
static void walk_user(struct gen *g, bool is_key, struct gen_place result)
{
	gen_emit(g, INSN_MOV_X(BPF_REG_1, R_SCRATCH));
	gen_emit(g, INSN_MOV_K(BPF_REG_2, is_key));
	insns_fixed(g->in, FIXED_walk);
	gen_emit(g, INSN_STORE(BPF_DW, BPF_REG_10, result.off, BPF_REG_0));
}

/* The arguments of send() and, for a key, stack(), except r3: the context, scratch, and which
 * stacks. */
static void put_stacks(struct gen *g, u64 flags, bool is_key)
{
	bool is_user = flags & FIXED_SEND_USTACK;
	const struct tree *caller = is_user ? g->plan->hook.caller : NULL;
	struct gen_temp_mark mark = gen_temp_begin(g);
	struct gen_place walked = { 0 };

	if (is_user && g->plan->host.has_tables) {
		walked = gen_temp(g, sizeof(u64));
		walk_user(g, is_key, walked);
	}
	gen_emit(g, INSN_MOV_K(BPF_REG_5, 0));
	if (caller) {
		gen_value(g, caller, NO_LABEL);
		gen_emit(g, INSN_MOV_X(BPF_REG_5, BPF_REG_0));
		flags |= FIXED_SEND_CALLER;
	}
	gen_emit(g, INSN_MOV_X(BPF_REG_1, R_CTX));
	gen_emit(g, INSN_MOV_X(BPF_REG_2, R_SCRATCH));
	if (is_user && g->plan->host.has_tables) {
		gen_emit(g, INSN_LOAD(BPF_DW, BPF_REG_4, BPF_REG_10, walked.off));
		gen_emit(g, INSN_ALU_K(BPF_OR, BPF_REG_4, (s32)flags));
	} else {
		gen_emit(g, INSN_MOV_K(BPF_REG_4, (s32)flags));
	}
	gen_temp_end(g, mark);
}

/*
 * A saved string keeps the extra byte, which shows the reader that the string was truncated.  In a
 * key that byte is cleared, so that strings with the same beginning are one key, whose length has
 * EVENT_CUT.
 */
static void fixed_string(struct gen *g, const struct tree *t, struct gen_place at, u32 absent)
{
	struct gen_place text = place_after(at, sizeof(u32)), extra;
	u32 size = t->type->size, whole = insns_label(g->in);

	gen_string(g, t, text, size + 1, absent);
	if (!g->is_key) {
		gen_emit(g, INSN_ALU_K(BPF_SUB, BPF_REG_0, 1));
		store_length(g, at, BPF_REG_0);
		return;
	}
	gen_jump(g, INSN_JMP_K(BPF_JLE, BPF_REG_0, (s32)size), whole);
	extra = gen_near(g, place_after(text, size - 1), 1, BPF_REG_2);
	gen_emit(g, INSN_STORE_K(BPF_B, extra.base, extra.off, 0));
	insns_place(g->in, whole);
	cut_string(g, size);
	store_length(g, at, BPF_REG_1);
}

static void fixed_rest(struct gen *g, const struct tree *t, struct gen_place at, u32 absent)
{
	u32 bytes = gen_rest_bytes(t->type);

	if (t->type->kind == TYPE_STACK && t->kind == TREE_BUILTIN) {
		put_stacks(g, t->builtin == BUILTIN_USTACK ? FIXED_SEND_USTACK : FIXED_SEND_KSTACK,
			   true);
		gen_emit(g, INSN_MOV_K(BPF_REG_3, at.off - AT_RECORD));
		insns_fixed(g->in, FIXED_stack);
		gen_jump(g, INSN_JMP_K(BPF_JNE, BPF_REG_0, 0), absent);
		return;
	}
	gen_zero(g, at, bytes);
	if (t->type->kind == TYPE_STACK) {
		gen_saved_address(g, t, absent);
		gen_read(g, SPACE_KERNEL, at, bytes, absent);
		return;
	}
	if (g->is_key && t->kind == TREE_BUILTIN && t->builtin == BUILTIN_COMM) {
		gen_address(g, BPF_REG_1, place_after(at, sizeof(u32)));
		gen_emit(g, INSN_MOV_K(BPF_REG_2, TASK_COMM_BYTES));
		gen_emit(g, INSN_CALL(BPF_FUNC_get_current_comm));
		gen_emit(g, INSN_MOV_K(BPF_REG_0, TASK_COMM_BYTES));
	} else if (t->type->is_apart) {
		gen_key_text(g, t, at, absent);
		return;
	} else if (is_string(t)) {
		fixed_string(g, t, at, absent);
		return;
	} else {
		gen_bytes(g, t, place_after(at, sizeof(u32)), absent);
	}
	store_length(g, at, BPF_REG_0);
}

/* The same for value i of a fixed layout, at `at`. */
static void absent_fixed(struct gen *g, u32 absent, const struct tree *t, struct gen_place at,
			 struct gen_place bits, u32 i)
{
	u32 store;

	if (!begin_absent(g, absent, bits, i, &store))
		return;
	if (g->is_key && !gen_is_scalar(t))
		gen_zero(g, at, gen_rest_bytes(t->type));
	else if (gen_is_read_again(t))
		gen_keep_address(g, t, at);
	end_absent(g, store, 0);
}

/* A key whose stack is absent could not be shown, so there is no bit for that. */
static bool has_bit(const struct gen *g, const struct tree *t)
{
	return !g->is_key || t->type->kind != TYPE_STACK;
}

void gen_fixed_values(struct gen *g, const struct tree *const *values, u32 n, struct gen_place at,
		      const struct gen_place *bits, u32 absent)
{
	if (bits) {
		struct gen_place none = gen_near(g, *bits, sizeof(u64), BPF_REG_1);

		gen_emit(g, INSN_STORE_K(BPF_DW, none.base, none.off, 0));
	}
	for (u32 i = 0; i < n; i++) {
		struct gen_place to = place_after(at, gen_fixed_at(values, n, i));
		bool is_marked = bits && has_bit(g, values[i]);
		u32 label = is_marked ? insns_label(g->in) : absent;

		if (gen_is_scalar(values[i]))
			gen_value(g, values[i], label);
		else
			fixed_rest(g, values[i], to, label);
		if (is_marked)
			absent_fixed(g, label, values[i], to, *bits, i);
		if (!gen_is_scalar(values[i]))
			continue;
		to = gen_near(g, to, sizeof(u64), BPF_REG_1);
		gen_emit(g, INSN_STORE(BPF_DW, to.base, to.off, BPF_REG_0));
	}
}

/* ---- events ---------------------------------------------------------------------------------- */

/*
 * The offset of the next string is kept in the scratch slot, not in a register: the verifier does
 * not track values there.  All paths through one value, absent or of any length, therefore end in
 * the same state, and the next value is checked only once.  With the cursor in a register, whose
 * range each path widens differently, the number of steps doubled with every value.
 */
static void keep_cursor(struct gen *g)
{
	gen_emit(g, INSN_STORE(BPF_W, R_SCRATCH, AT_BYTES, R_CURSOR));
}

static void load_cursor(struct gen *g, u32 max)
{
	gen_emit(g, INSN_LOAD(BPF_W, R_CURSOR, R_SCRATCH, AT_BYTES));
	gen_jump(g, INSN_JMP_K(BPF_JGT, R_CURSOR, (s32)max), g->end);
}

/* Write one string or bytes at the cursor, and advance it. */
static void packed_rest(struct gen *g, const struct tree *t, u32 i)
{
	struct gen_place at = { .base = R_SCRATCH, .at_cursor = true };
	u32 absent = insns_label(g->in), size = t->type->size;

	if (t->type->kind == TYPE_STACK) {
		size = gen_rest_bytes(t->type);
		gen_saved_address(g, t, absent);
		gen_read(g, SPACE_KERNEL, place_after(at, sizeof(u32)), size, absent);
		gen_emit(g, INSN_MOV_K(BPF_REG_0, (s32)size));
	} else if (is_string(t)) {
		gen_string(g, t, place_after(at, sizeof(u32)), size + 1, absent);
	} else {
		gen_bytes(g, t, place_after(at, sizeof(u32)), absent);
	}
	absent_packed(g, absent, i, is_string(t) ? 1 : 0);
	if (is_string(t))
		cut_string(g, size);
	else
		gen_emit(g, INSN_MOV_X(BPF_REG_1, BPF_REG_0));
	store_length(g, at, BPF_REG_1);
	gen_address(g, BPF_REG_2, at);
	gen_emit(g, INSN_ALU_X(BPF_ADD, BPF_REG_2, BPF_REG_0));
	gen_emit(g, INSN_STORE_K(BPF_DW, BPF_REG_2, sizeof(u32), 0));
	gen_emit(g, INSN_ALU_K(BPF_ADD, BPF_REG_0, (s32)sizeof(u32) + 7));
	gen_emit(g, INSN_ALU_K(BPF_AND, BPF_REG_0, -8));
	gen_emit(g, INSN_ALU_X(BPF_ADD, R_CURSOR, BPF_REG_0));
	keep_cursor(g);
}

/* Write all strings and bytes, from `at` on; r9 = their end. */
static void packed_rests(struct gen *g, u32 at)
{
	const struct gen_plan *p = g->plan;

	gen_emit(g, INSN_MOV_K(R_CURSOR, (s32)at));
	keep_cursor(g);
	g->held |= 2;
	for (u32 i = 0; i < p->work.n_values; i++) {
		if (gen_is_scalar(p->work.values[i]) || gen_is_frames(p->work.values[i]))
			continue;
		load_cursor(g, at);
		packed_rest(g, p->work.values[i], i);
		at += gen_packed_bytes(p->work.values[i]->type);
	}
	load_cursor(g, at);
	g->held &= (u8)~2;
}

static void build_event(struct gen *g)
{
	const struct gen_plan *p = g->plan;
	s32 at = AT_RECORD + (s32)sizeof(struct event);

	gen_emit(g, INSN_STORE_K(BPF_DW, R_SCRATCH, AT_EVENT(absent), 0));
	gen_site(g, BPF_REG_0);
	gen_emit(g, INSN_STORE(BPF_W, R_SCRATCH, AT_EVENT(site), BPF_REG_0));
	for (u32 i = 0; i < p->work.n_values; i++) {
		u32 absent = insns_label(g->in);

		if (!gen_is_scalar(p->work.values[i]))
			continue;
		gen_value(g, p->work.values[i], absent);
		absent_packed(g, absent, i, 0);
		gen_emit(g, INSN_STORE(BPF_DW, R_SCRATCH, at, BPF_REG_0));
		at += (s32)sizeof(u64);
	}
	packed_rests(g, (u32)at);
	gen_emit(g, INSN_ALU_K(BPF_SUB, R_CURSOR, AT_RECORD));
	keep_cursor(g);
}

static u64 stacks_wanted(const struct gen_plan *p)
{
	u64 flags = (p->work.want_kstack ? FIXED_SEND_KSTACK : 0U) |
		    (p->work.want_ustack ? FIXED_SEND_USTACK : 0U);

	for (u32 i = 0; i < p->work.n_values; i++)
		if (gen_is_frames(p->work.values[i]))
			flags |= p->work.values[i]->builtin == BUILTIN_USTACK ? FIXED_SEND_USTACK
									      : FIXED_SEND_KSTACK;
	return flags;
}

void gen_event(struct gen *g)
{
	build_event(g);
	put_stacks(g, stacks_wanted(g->plan), false);
	gen_emit(g, INSN_MOV_K(BPF_REG_3, (s32)g->plan->probe));
	insns_fixed(g->in, FIXED_send);
	gen_jump(g, INSN_JA, g->exit);
}

void gen_nothing(struct gen *g)
{
	build_event(g);
	gen_emit(g, INSN_MOV_K(BPF_REG_0, 1));
	gen_emit(g, INSN_EXIT);
}
