// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * String comparison: literals are compared as constants in the code, two strings word by word, and
 * globs by an automaton whose states are the bits of a register.
 */
#include "base/glob.h"
#include "gen/gen_int.h"

/* Above this many words a loop is shorter; the verifier follows each round. */
#define UNROLLED_WORDS 32

static bool is_text(const struct tree *t)
{
	return t->kind == TREE_TEXT;
}

/* The targets of a comparison, which jumps to `to` if the equality of the strings is `when`. */
struct outcome {
	u32 differ; /* the target once they are known to differ */
	u32 to;
	bool when;
};

static struct outcome verdict_begin(struct gen *g, u32 to, bool when)
{
	return (struct outcome){ .differ = when ? insns_label(g->in) : to, .to = to, .when = when };
}

/* The end of the code for equal strings. */
static void verdict_end(struct gen *g, const struct outcome *v)
{
	if (!v->when)
		return;
	gen_jump(g, INSN_JA, v->to);
	insns_place(g->in, v->differ);
}

/* ---- literals -------------------------------------------------------------------------------- */

/* Jump to `differ` unless the n bytes of `bytes` (with a NUL if n is larger) are at `at`.  Aligned
 * as the stack requires. */
static void compare_bytes(struct gen *g, struct gen_place at, struct view bytes, u32 n, u32 differ)
{
	u32 i = 0;

	at = gen_near(g, at, n, BPF_REG_3);
	/* The strings cannot differ, but the label must be reachable. */
	if (!n) {
		gen_emit(g, INSN_MOV_K(BPF_REG_1, 0));
		gen_jump(g, INSN_JMP_K(BPF_JNE, BPF_REG_1, 0), differ);
	}
	while (i < n) {
		u32 size = n - i >= 8 ? 8 : n - i >= 4 ? 4 : n - i >= 2 ? 2 : 1;
		u64 want = 0;

		for (u32 k = 0; k < size && i + k < bytes.n; k++)
			((u8 *)&want)[k] = (u8)bytes.p[i + k];
		if (size < 8 && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
			want >>= 64 - 8 * size;
		gen_emit(g, INSN_LOAD(gen_width(size), BPF_REG_1, at.base, (at.off + (s32)i)));
		if ((s64)want == (s32)want) {
			gen_jump(g, INSN_JMP_K(BPF_JNE, BPF_REG_1, (s32)want), differ);
		} else {
			insns_imm64(g->in, BPF_REG_2, want);
			gen_jump(g, INSN_JMP_X(BPF_JNE, BPF_REG_1, BPF_REG_2), differ);
		}
		i += size;
	}
}

u32 gen_deciding_bytes(const struct tree *t)
{
	u32 n = (u32)t->b->string.n;

	switch (t->match) {
	case MATCH_EQ:
		return t->index && t->index <= n ? t->index : n + 1;
	case MATCH_PREFIX:
	case MATCH_BYTES:
	default:
		return n;
	}
}

/* comm is always read as a whole; its last byte is 0. */
#define COMM_BYTES 16

static bool is_comm(const struct tree *t)
{
	return t->kind == TREE_BUILTIN && t->builtin == BUILTIN_COMM;
}

static void match_literal(struct gen *g, const struct tree *t, u32 differ, u32 absent)
{
	struct gen_temp_mark mark = gen_temp_begin(g);
	u32 n = gen_deciding_bytes(t);
	struct gen_place at = gen_temp(g, n + 1 > COMM_BYTES ? n + 1 : COMM_BYTES);

	if (is_comm(t->a)) {
		gen_address(g, BPF_REG_1, at);
		gen_emit(g, INSN_MOV_K(BPF_REG_2, COMM_BYTES));
		gen_emit(g, INSN_CALL(BPF_FUNC_get_current_comm));
		n = n < COMM_BYTES ? n : COMM_BYTES;
	} else if (t->match == MATCH_BYTES) {
		enum space space = gen_string_address(g, t->a, absent);

		gen_read(g, space, at, n, absent);
	} else {
		/* Bytes after the NUL may be anything, because the literal's bytes before it are
		 * not 0.  Even if no byte matters, one is read, because an absent string has no
		 * prefix. */
		gen_string(g, t->a, at, n ? n + 1 : 2, absent);
	}
	compare_bytes(g, at, t->b->string, n, differ);
	gen_temp_end(g, mark);
}

/* ---- two strings ----------------------------------------------------------------------------- */

static u32 string_bytes(const struct tree *t)
{
	u32 n = is_text(t) ? (u32)t->string.n + 1 : t->type->size;

	return (n + 7) & ~7U;
}

/* Write both strings to zeroed memory of `bytes` bytes. */
static void compare_words(struct gen *g, struct gen_place a, struct gen_place b, u32 bytes,
			  u32 differ)
{
	u32 loop;

	if (bytes <= UNROLLED_WORDS * sizeof(u64)) {
		a = gen_near(g, a, bytes, BPF_REG_4);
		b = gen_near(g, b, bytes, BPF_REG_5);
		for (s32 i = 0; i < (s32)bytes; i += (s32)sizeof(u64)) {
			gen_emit(g, INSN_LOAD(BPF_DW, BPF_REG_1, a.base, (a.off + i)));
			gen_emit(g, INSN_LOAD(BPF_DW, BPF_REG_2, b.base, (b.off + i)));
			gen_jump(g, INSN_JMP_X(BPF_JNE, BPF_REG_1, BPF_REG_2), differ);
		}
		return;
	}
	gen_loop_jumps(g, bytes / (u32)sizeof(u64));
	loop = insns_label(g->in);
	gen_address(g, BPF_REG_4, a);
	gen_address(g, BPF_REG_5, b);
	gen_emit(g, INSN_MOV_K(BPF_REG_3, 0));
	insns_place(g->in, loop);
	gen_emit(g, INSN_LOAD(BPF_DW, BPF_REG_1, BPF_REG_4, 0));
	gen_emit(g, INSN_LOAD(BPF_DW, BPF_REG_2, BPF_REG_5, 0));
	gen_jump(g, INSN_JMP_X(BPF_JNE, BPF_REG_1, BPF_REG_2), differ);
	gen_emit(g, INSN_ALU_K(BPF_ADD, BPF_REG_4, sizeof(u64)));
	gen_emit(g, INSN_ALU_K(BPF_ADD, BPF_REG_5, sizeof(u64)));
	gen_emit(g, INSN_ALU_K(BPF_ADD, BPF_REG_3, sizeof(u64)));
	gen_jump(g, INSN_JMP_K(BPF_JLT, BPF_REG_3, (s32)bytes), loop);
}

static void match_strings(struct gen *g, const struct tree *t, u32 differ, u32 absent)
{
	struct gen_temp_mark mark = gen_temp_begin(g);
	u32 an = string_bytes(t->a), bn = string_bytes(t->b);
	u32 bytes = an > bn ? an : bn;
	struct gen_place a, b;

	/* strncmp: both strings are truncated at this length, and a NUL appended. */
	if (t->index && t->index < bytes) {
		bytes = (t->index + 1 + 7) & ~7U;
		an = bn = t->index + 1;
	}
	a = gen_temp_scratch(g, bytes);
	b = gen_temp_scratch(g, bytes);
	gen_zero(g, a, bytes);
	gen_string(g, t->a, a, an < bytes ? an : bytes, absent);
	gen_zero(g, b, bytes);
	gen_string(g, t->b, b, bn < bytes ? bn : bytes, absent);
	compare_words(g, a, b, bytes, differ);
	gen_temp_end(g, mark);
}

/* ---- globs ----------------------------------------------------------------------------------- */

/* The verifier follows every round of a loop and gives up after a million instructions. */
#define GLOB_STEPS 150
#define MAX_STEPS  600000

/* r3 = the byte. r4 = the states to which it leads.  The code has no branches: it handles ranges of
 * bytes with the same result by arithmetic on values that the verifier does not know, for which it
 * follows only one path. */
static void gen_step(struct gen *g, const struct glob *glob)
{
	u64 usual = glob_states_by(glob, 0xff); /* the states for most bytes */

	insns_imm64(g->in, BPF_REG_4, usual);
	for (u32 lo = 1, hi; lo < 256; lo = hi + 1) {
		u64 states = glob_states_by(glob, lo);

		for (hi = lo; hi < 255 && glob_states_by(glob, hi + 1) == states;)
			hi++;
		if (states == usual)
			continue;
		/*
		 * r0 = 1 if lo <= r3 <= hi: the byte minus lo, unsigned, is at most hi - lo.
		 * Multiplied with the states instead of using a mask of -1 or 0: newer verifiers
		 * follow both values of such a mask (seen on 6.18.44: above a million steps instead
		 * of 4,000).
		 */
		gen_emit(g, INSN_MOV_X(BPF_REG_0, BPF_REG_3));
		gen_emit(g, INSN_ALU32_K(BPF_SUB, BPF_REG_0, (s32)lo));
		gen_emit(g, INSN_ALU_K(BPF_SUB, BPF_REG_0, (s32)(hi - lo + 1)));
		gen_emit(g, INSN_ALU_K(BPF_RSH, BPF_REG_0, 63));
		insns_imm64(g->in, BPF_REG_5, states ^ usual);
		gen_emit(g, INSN_ALU_X(BPF_MUL, BPF_REG_0, BPF_REG_5));
		gen_emit(g, INSN_ALU_X(BPF_XOR, BPF_REG_4, BPF_REG_0));
	}
}

/* r1: the string; r2: its end (a constant, the end of its memory).  Leaves the states in a register
 * that is held. */
static void run_glob(struct gen *g, const struct glob *glob, struct gen_place at, u32 bytes,
		     u32 differ)
{
	u32 loop = insns_label(g->in), end = insns_label(g->in);
	u32 used = g->in->stack_used;
	s32 states = insns_stack(g->in, sizeof(u64));

	gen_emit(g, INSN_MOV_K(BPF_REG_0, 1));
	gen_emit(g, INSN_STORE(BPF_DW, BPF_REG_10, states, BPF_REG_0));
	gen_emit(g, INSN_MOV_K(BPF_REG_2, 0));
	insns_place(g->in, loop);
	gen_address(g, BPF_REG_1, at);
	gen_emit(g, INSN_ALU_X(BPF_ADD, BPF_REG_1, BPF_REG_2));
	gen_emit(g, INSN_LOAD(BPF_B, BPF_REG_3, BPF_REG_1, 0));
	gen_jump(g, INSN_JMP_K(BPF_JEQ, BPF_REG_3, 0), end);
	gen_step(g, glob);
	/* states = states << 1 & step | states & loop */
	gen_emit(g, INSN_LOAD(BPF_DW, BPF_REG_0, BPF_REG_10, states));
	gen_emit(g, INSN_MOV_X(BPF_REG_3, BPF_REG_0));
	gen_emit(g, INSN_ALU_K(BPF_LSH, BPF_REG_0, 1));
	gen_emit(g, INSN_ALU_X(BPF_AND, BPF_REG_0, BPF_REG_4));
	insns_imm64(g->in, BPF_REG_4, glob->loop);
	gen_emit(g, INSN_ALU_X(BPF_AND, BPF_REG_3, BPF_REG_4));
	gen_emit(g, INSN_ALU_X(BPF_OR, BPF_REG_0, BPF_REG_3));
	gen_blur(g, BPF_REG_0);
	gen_emit(g, INSN_STORE(BPF_DW, BPF_REG_10, states, BPF_REG_0));
	gen_jump(g, INSN_JMP_K(BPF_JEQ, BPF_REG_0, 0), differ);
	gen_emit(g, INSN_ALU_K(BPF_ADD, BPF_REG_2, 1));
	gen_jump(g, INSN_JMP_K(BPF_JLT, BPF_REG_2, (s32)bytes), loop);
	insns_place(g->in, end);
	gen_emit(g, INSN_LOAD(BPF_DW, BPF_REG_0, BPF_REG_10, states));
	insns_imm64(g->in, BPF_REG_1, 1ULL << glob->n);
	gen_emit(g, INSN_ALU_X(BPF_AND, BPF_REG_0, BPF_REG_1));
	gen_jump(g, INSN_JMP_K(BPF_JEQ, BPF_REG_0, 0), differ);
	insns_stack_pop(g->in, used);
}

static void match_glob(struct gen *g, const struct tree *t, u32 differ, u32 absent)
{
	struct gen_temp_mark mark = gen_temp_begin(g);
	struct gen_place at;
	struct glob glob;
	u32 n;

	if (gen_is_prefix(t->b->string)) {
		struct tree text = *t->b, prefix = *t;

		text.string.n--;
		prefix.match = MATCH_PREFIX;
		prefix.b = &text;
		match_literal(g, &prefix, differ, absent);
		return;
	}
	if (!glob_read(t->b->string, &glob)) {
		gen_refuse(g, t->b->at, "the pattern is too long: 63 characters at most");
		return;
	}
	n = string_bytes(t->a);
	g->steps += (u64)n * GLOB_STEPS;
	if (g->steps > MAX_STEPS) {
		gen_refuse(g, t->at,
			   "the strings are too long for a pattern; -Z makes them shorter");
		return;
	}
	gen_loop_jumps(g, 2 * n);
	at = gen_temp_scratch(g, n);
	gen_string(g, t->a, at, n, absent);
	run_glob(g, &glob, at, n, differ);
	gen_temp_end(g, mark);
}

bool gen_is_prefix(struct view p)
{
	if (!p.n || p.p[p.n - 1] != '*')
		return false;
	for (size_t i = 0; i + 1 < p.n; i++)
		if (strchr("*?[\\", p.p[i]))
			return false;
	return true;
}

void gen_match(struct gen *g, const struct tree *t, u32 to, bool when, u32 absent)
{
	struct outcome v = verdict_begin(g, to, when);

	if (t->match == MATCH_GLOB)
		match_glob(g, t, v.differ, absent);
	else if (is_text(t->b))
		match_literal(g, t, v.differ, absent);
	else
		match_strings(g, t, v.differ, absent);
	verdict_end(g, &v);
}
