// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Memory: reads by address space, and strings and bytes read into our own memory.  All reads are by
 * helpers that may fault without harm, never by a direct load through a kernel pointer.
 */
#include "gen/gen_int.h"
#include "type/build.h"

#define UNROLLED_ZEROS 128 /* bytes; above this, one helper call is shorter */
#define PAGE_BYTES     4096

/* ---- addresses ------------------------------------------------------------------------------- */

void gen_address(struct gen *g, u8 reg, struct gen_place p)
{
	if (p.slot) {
		gen_emit(g, INSN_LOAD(BPF_DW, reg, BPF_REG_10, p.slot));
		gen_emit(g, INSN_ALU_K(BPF_AND, reg, (s32)p.mask));
		gen_emit(g, INSN_ALU_X(BPF_ADD, reg, p.base));
	} else {
		gen_emit(g, INSN_MOV_X(reg, p.base));
	}
	if (p.at_cursor)
		gen_emit(g, INSN_ALU_X(BPF_ADD, reg, R_CURSOR));
	if (p.off)
		gen_emit(g, INSN_ALU_K(BPF_ADD, reg, p.off));
}

struct gen_place gen_near(struct gen *g, struct gen_place p, u32 bytes, u8 reg)
{
	if (!p.at_cursor && !p.slot && p.off + (s32)bytes <= INT16_MAX)
		return p;
	gen_address(g, reg, p);
	return (struct gen_place){ .base = reg };
}

struct gen_temp_mark gen_temp_begin(const struct gen *g)
{
	return (struct gen_temp_mark){ .stack = g->in->stack_used, .scratch = g->temp };
}

struct gen_place gen_temp_scratch(struct gen *g, u32 bytes)
{
	struct gen_place p = { .base = R_SCRATCH, .off = (s32)g->temp };

	g->temp += (bytes + 7) & ~7U;
	if (g->temp > g->temp_max)
		g->temp_max = g->temp;
	return p;
}

struct gen_place gen_temp(struct gen *g, u32 bytes)
{
	if (bytes > GEN_SMALL)
		return gen_temp_scratch(g, bytes);
	return (struct gen_place){ .base = BPF_REG_10, .off = insns_stack(g->in, bytes) };
}

void gen_temp_end(struct gen *g, struct gen_temp_mark mark)
{
	insns_stack_pop(g->in, mark.stack);
	g->temp = mark.scratch;
}

/* A read of address 0 fails and leaves zeros. */
void gen_zero(struct gen *g, struct gen_place to, u32 bytes)
{
	gen_address(g, BPF_REG_1, to);
	if (bytes <= UNROLLED_ZEROS) {
		for (u32 i = 0; i < bytes; i += (u32)sizeof(u64))
			gen_emit(g, INSN_STORE_K(BPF_DW, BPF_REG_1, i, 0));
		return;
	}
	gen_emit(g, INSN_MOV_K(BPF_REG_2, (s32)bytes));
	gen_emit(g, INSN_MOV_K(BPF_REG_3, 0));
	gen_emit(g, INSN_CALL(BPF_FUNC_probe_read_kernel));
}

/* ---- reads ----------------------------------------------------------------------------------- */

/* A number of bytes: a constant, or a held value of at most `bytes`. */
struct amount {
	u32 bytes;
	const struct gen_saved *held;
};

/* Load a bounded value that was held into reg.  Before 5.11 the verifier forgets the bounds of
 * values on the stack, so they are checked again. */
static void load_bounded(struct gen *g, u8 reg, struct amount n, u32 absent)
{
	u8 from = gen_load_saved(g, n.held, reg);

	if (from != reg)
		gen_emit(g, INSN_MOV_X(reg, from));
	else
		gen_jump(g, INSN_JMP_K(BPF_JGT, reg, (s32)n.bytes), absent);
}

static void load_args(struct gen *g, struct gen_place to, struct amount n, u32 absent)
{
	gen_address(g, BPF_REG_1, to);
	if (n.held)
		load_bounded(g, BPF_REG_2, n, absent);
	else
		gen_emit(g, INSN_MOV_K(BPF_REG_2, (s32)n.bytes));
}

/* Jump to `to` if r3 is an address in the kernel's half. */
static void branch_kernel(struct gen *g, u32 to)
{
#if defined(__aarch64__)
	/* Bit 55 decides, because the byte above may be a tag. */
	gen_emit(g, INSN_MOV_X(BPF_REG_4, BPF_REG_3));
	gen_emit(g, INSN_ALU_K(BPF_LSH, BPF_REG_4, 8));
	gen_jump(g, INSN_JMP_K(BPF_JSLT, BPF_REG_4, 0), to);
#else
	gen_jump(g, INSN_JMP_K(BPF_JSLT, BPF_REG_3, 0), to);
#endif
}

struct read_helpers {
	s32 user, kernel;
};

static const struct read_helpers by_probe = { BPF_FUNC_probe_read_user,
					      BPF_FUNC_probe_read_kernel };
static const struct read_helpers by_probe_str = { BPF_FUNC_probe_read_user_str,
						  BPF_FUNC_probe_read_kernel_str };
static const struct read_helpers by_copy = { .user = BPF_FUNC_copy_from_user };

/* r0 = address; the helper leaves its result in r0. */
static void call_read(struct gen *g, enum space space, struct gen_place to, struct amount n,
		      struct read_helpers by, u32 absent)
{
	u32 other, end;

	gen_emit(g, INSN_MOV_X(BPF_REG_3, BPF_REG_0));
	load_args(g, to, n, absent);
	if (space != SPACE_EITHER) {
		gen_emit(g, INSN_CALL(space == SPACE_USER ? by.user : by.kernel));
		return;
	}
	other = insns_label(g->in);
	end = insns_label(g->in);
	branch_kernel(g, other);
	gen_emit(g, INSN_CALL(by.user));
	gen_jump(g, INSN_JA, end);
	insns_place(g->in, other);
	gen_emit(g, INSN_CALL(by.kernel));
	insns_place(g->in, end);
}

static bool may_sleep(const struct gen *g, enum space space)
{
	return g->plan->hook.is_sleepable && space == SPACE_USER;
}

/* Load the held address into r0 again. */
static void again(struct gen *g, const struct gen_saved *h)
{
	u8 reg = gen_load_saved(g, h, BPF_REG_0);

	if (reg != BPF_REG_0)
		gen_emit(g, INSN_MOV_X(BPF_REG_0, reg));
}

static void read_amount(struct gen *g, enum space space, struct gen_place to, struct amount n,
			u32 absent)
{
	struct gen_saved h;
	u32 done;

	if (!may_sleep(g, space)) {
		call_read(g, space, to, n, by_probe, absent);
		gen_jump(g, INSN_JMP_K(BPF_JNE, BPF_REG_0, 0), absent);
		return;
	}
	/* Most pages are present, and checking that is cheaper than a read that may sleep. */
	done = insns_label(g->in);
	h = gen_save(g, BPF_REG_0);
	call_read(g, space, to, n, by_probe, absent);
	gen_jump(g, INSN_JMP_K(BPF_JEQ, BPF_REG_0, 0), done);
	again(g, &h);
	call_read(g, space, to, n, by_copy, absent);
	gen_jump(g, INSN_JMP_K(BPF_JNE, BPF_REG_0, 0), absent);
	insns_place(g->in, done);
	gen_drop_saved(g, &h);
}

void gen_read(struct gen *g, enum space space, struct gen_place to, u32 size, u32 absent)
{
	read_amount(g, space, to, (struct amount){ .bytes = size }, absent);
}

void gen_load(struct gen *g, const struct tree *t, u32 absent)
{
	struct gen_temp_mark mark = gen_temp_begin(g);
	struct gen_place slot = { .base = BPF_REG_10 };

	if (g->known.is_loaded && tree_same(t, g->known.load)) {
		gen_emit(g, INSN_LOAD(BPF_DW, BPF_REG_0, BPF_REG_10, g->known.slot));
		return;
	}
	gen_value(g, t->a, absent);
	if (t->offset)
		gen_emit(g, INSN_ALU_K(BPF_ADD, BPF_REG_0, (s32)t->offset));
	slot.off = insns_stack(g->in, sizeof(u64));
	gen_read(g, t->space, slot, t->type->size, absent);
	gen_emit(g, INSN_LOAD(gen_width(t->type->size), BPF_REG_0, BPF_REG_10, slot.off));
	gen_bits(g, t);
	gen_temp_end(g, mark);
	if (t == g->known.load) {
		gen_emit(g, INSN_STORE(BPF_DW, BPF_REG_10, g->known.slot, BPF_REG_0));
		g->known.is_loaded = true;
	}
}

/* ---- strings --------------------------------------------------------------------------------- */

/* For an empty string in user memory, kernels up to at least 6.12 return 0, newer ones (6.18)
 * return 1. */
void gen_check_length(struct gen *g, u32 cap, u32 absent)
{
	u32 some = insns_label(g->in);

	gen_jump(g, INSN_JMP_K(BPF_JSGT, BPF_REG_0, 0), some);
	gen_jump(g, INSN_JMP_K(BPF_JSLT, BPF_REG_0, 0), absent);
	gen_emit(g, INSN_MOV_K(BPF_REG_0, 1));
	insns_place(g->in, some);
	gen_jump(g, INSN_JMP_K(BPF_JSGT, BPF_REG_0, (s32)cap), absent);
}

/* Page in the address in r0, by reading a byte. */
static void fault_in(struct gen *g)
{
	struct gen_temp_mark mark = gen_temp_begin(g);
	struct gen_place byte = { .base = BPF_REG_10, .off = insns_stack(g->in, sizeof(u64)) };

	call_read(g, SPACE_USER, byte, (struct amount){ .bytes = 1 }, by_copy, NO_LABEL);
	gen_temp_end(g, mark);
}

void gen_read_string(struct gen *g, enum space space, struct gen_place to, u32 cap, u32 absent)
{
	struct amount n = { .bytes = cap };
	struct gen_saved h;
	u32 done;

	if (!may_sleep(g, space)) {
		call_read(g, space, to, n, by_probe_str, absent);
		gen_check_length(g, cap, absent);
		return;
	}
	/* Before 6.12 there is no sleeping read of strings.  Page in the page in which the string
	 * begins and the next one, then read again; for a long string, another page. */
	done = insns_label(g->in);
	h = gen_save(g, BPF_REG_0);
	call_read(g, space, to, n, by_probe_str, absent);
	gen_jump(g, INSN_JMP_K(BPF_JSGT, BPF_REG_0, 0), done);
	again(g, &h);
	fault_in(g);
	for (u32 pages = 0; pages * PAGE_BYTES < cap; pages++) {
		if (pages)
			gen_jump(g, INSN_JMP_K(BPF_JSGT, BPF_REG_0, 0), done);
		again(g, &h);
		gen_emit(g, INSN_ALU_K(BPF_OR, BPF_REG_0, PAGE_BYTES - 1));
		gen_emit(g, INSN_ALU_K(BPF_ADD, BPF_REG_0, (s32)(pages * PAGE_BYTES) + 1));
		fault_in(g);
		again(g, &h);
		call_read(g, space, to, n, by_probe_str, absent);
	}
	insns_place(g->in, done);
	gen_drop_saved(g, &h);
	gen_check_length(g, cap, absent);
}

/* The bound `length` of t, limited to max; held. */
static struct gen_saved save_length(struct gen *g, const struct tree *length, u32 max, u32 absent)
{
	u32 small = insns_label(g->in);

	gen_value(g, length, absent);
	if (length->type->is_signed) {
		/* Negative lengths count as 0. */
		gen_emit(g, INSN_MOV_X(BPF_REG_1, BPF_REG_0));
		gen_emit(g, INSN_ALU_K(BPF_ARSH, BPF_REG_1, 63));
		gen_emit(g, INSN_ALU_K(BPF_XOR, BPF_REG_1, -1));
		gen_emit(g, INSN_ALU_X(BPF_AND, BPF_REG_0, BPF_REG_1));
	}
	gen_jump(g, INSN_JMP_K(BPF_JLE, BPF_REG_0, (s32)max), small);
	gen_emit(g, INSN_MOV_K(BPF_REG_0, (s32)max));
	insns_place(g->in, small);
	return gen_save(g, BPF_REG_0);
}

/*
 * No byte beyond the length may be read, because it could lie in a page that is not present.  The
 * bytes are therefore read into a copy, with a NUL appended, and the string is taken from the copy.
 * If not all of them can be read, the string's own NUL may still precede the unreadable ones.
 */
static void read_bounded(struct gen *g, const struct tree *t, struct gen_place to, u32 cap,
			 u32 absent)
{
	struct gen_temp_mark mark = gen_temp_begin(g);
	struct gen_place copy = gen_temp_scratch(g, cap + (u32)sizeof(u64));
	struct gen_saved h = save_length(g, t->length, cap - 1, absent);
	struct amount n = { .bytes = cap - 1, .held = &h };
	u32 missing = insns_label(g->in), end = insns_label(g->in);
	struct gen_saved address;

	gen_value(g, t->a, absent);
	address = gen_save(g, BPF_REG_0);
	read_amount(g, t->space, copy, n, missing);
	gen_address(g, BPF_REG_1, copy);
	load_bounded(g, BPF_REG_2, n, absent);
	gen_emit(g, INSN_ALU_X(BPF_ADD, BPF_REG_1, BPF_REG_2));
	gen_emit(g, INSN_STORE_K(BPF_B, BPF_REG_1, 0, 0));
	gen_address(g, BPF_REG_0, copy);
	gen_read_string(g, SPACE_KERNEL, to, cap, absent);
	gen_jump(g, INSN_JA, end);
	insns_place(g->in, missing);
	again(g, &address);
	gen_read_string(g, t->space, to, cap, absent);
	insns_place(g->in, end);
	gen_drop_saved(g, &address);
	gen_drop_saved(g, &h);
	gen_temp_end(g, mark);
}

static void gen_text(struct gen *g, const struct tree *t, struct gen_place to, u32 cap)
{
	u32 n = (u32)t->string.n, at = 0;

	if (n > cap - 1)
		n = cap - 1;
	gen_address(g, BPF_REG_1, to);
	for (; at + sizeof(u32) <= n; at += (u32)sizeof(u32)) {
		s32 word;

		memcpy(&word, t->string.p + at, sizeof(word));
		gen_emit(g, INSN_STORE_K(BPF_W, BPF_REG_1, at, word));
	}
	for (; at < n; at++)
		gen_emit(g, INSN_STORE_K(BPF_B, BPF_REG_1, at, t->string.p[at]));
	gen_emit(g, INSN_STORE_K(BPF_B, BPF_REG_1, at, 0));
	gen_emit(g, INSN_MOV_K(BPF_REG_0, (s32)n + 1));
}

static void gen_string_cond(struct gen *g, const struct tree *t, struct gen_place to, u32 cap,
			    u32 absent)
{
	u32 no = insns_label(g->in), end = insns_label(g->in);

	gen_branch(g, t->a, no, false, absent);
	gen_string(g, t->b, to, cap, absent);
	gen_jump(g, INSN_JA, end);
	insns_place(g->in, no);
	gen_string(g, t->c, to, cap, absent);
	insns_place(g->in, end);
	gen_blur(g, BPF_REG_0);
	gen_check_length(g, cap, absent);
}

enum space gen_string_address(struct gen *g, const struct tree *t, u32 absent)
{
	switch (t->kind) {
	case TREE_SAVED:
		gen_saved_address(g, t, absent);
		gen_emit(g, INSN_ALU_K(BPF_ADD, BPF_REG_0, (s32)sizeof(u32)));
		return SPACE_OWN;
	case TREE_STRING:
	case TREE_BYTES:
		gen_value(g, t->a, absent);
		return t->space;
	default:
		gen_value(g, t, absent);
		return t->type->space;
	}
}

void gen_string(struct gen *g, const struct tree *t, struct gen_place to, u32 cap, u32 absent)
{
	struct text_range outer = g->in->span;
	enum space space;

	if (t->at.n)
		g->in->span = t->at;
	if (t->kind == TREE_TEXT) {
		gen_text(g, t, to, cap);
	} else if (t->kind == TREE_COND) {
		gen_string_cond(g, t, to, cap, absent);
	} else if (t->kind == TREE_BUILTIN) {
		gen_builtin_string(g, t, to, cap, absent);
	} else if (t->length) {
		read_bounded(g, t, to, cap, absent);
	} else if (t->kind == TREE_SAVED) {
		gen_saved_string(g, t, to, cap, absent);
	} else {
		space = gen_string_address(g, t, absent);
		gen_read_string(g, space, to, cap, absent);
	}
	g->in->span = outer;
}

/* ---- bytes ----------------------------------------------------------------------------------- */

/* Bytes saved by a start are preceded by their number. */
static void gen_saved_bytes_of(struct gen *g, const struct tree *t, struct gen_place to, u32 absent)
{
	u32 small = insns_label(g->in);
	struct gen_saved h;
	u8 reg;

	gen_saved_address(g, t, absent);
	h = gen_save(g, BPF_REG_0);
	gen_emit(g, INSN_ALU_K(BPF_ADD, BPF_REG_0, (s32)sizeof(u32)));
	gen_read(g, SPACE_KERNEL, to, t->type->size, absent);
	reg = gen_load_saved(g, &h, BPF_REG_1);
	gen_emit(g, INSN_LOAD(BPF_W, BPF_REG_0, reg, 0));
	gen_drop_saved(g, &h);
	gen_jump(g, INSN_JMP_K(BPF_JLE, BPF_REG_0, (s32)t->type->size), small);
	gen_emit(g, INSN_MOV_K(BPF_REG_0, (s32)t->type->size));
	insns_place(g->in, small);
}

void gen_bytes(struct gen *g, const struct tree *t, struct gen_place to, u32 absent)
{
	struct text_range outer = g->in->span;
	struct gen_saved h;
	struct amount n;

	if (t->at.n)
		g->in->span = t->at;
	if (t->kind == TREE_BUILTIN) {
		gen_builtin_bytes(g, t, to, absent);
	} else if (t->kind == TREE_SAVED) {
		gen_saved_bytes_of(g, t, to, absent);
	} else if (t->length) {
		h = save_length(g, t->length, t->type->size, absent);
		n = (struct amount){ .bytes = t->type->size, .held = &h };
		gen_value(g, t->a, absent);
		read_amount(g, t->space, to, n, absent);
		load_bounded(g, BPF_REG_0, n, absent);
		gen_drop_saved(g, &h);
	} else {
		gen_value(g, t->a, absent);
		gen_read(g, t->space, to, t->type->size, absent);
		gen_emit(g, INSN_MOV_K(BPF_REG_0, (s32)t->type->size));
	}
	g->in->span = outer;
}
