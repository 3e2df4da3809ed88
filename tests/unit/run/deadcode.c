// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Removes dead code, and nothing else: random programs give the same number before and after. */
#include "run/deadcode.h"

#include <stdlib.h>

#include "base/mem.h"
#include "test.h"

#define DATA_FD 7
#define MAX	512

/* An options struct: bytes of which most are 0 or 1. */
static u8 options[64];
static const struct deadcode_data data = { DATA_FD, options, sizeof(options) };

struct code {
	struct bpf_insn insns[MAX];
	u32 n;
};

static u32 kept[MAX + 1];

static void add(struct code *c, u8 code, u32 dst, u32 src, s32 off, s32 imm)
{
	CHECK(c->n < MAX);
	c->insns[c->n++] = (struct bpf_insn){ .code = code,
					      .dst_reg = dst & 15,
					      .src_reg = src & 15,
					      .off = (__s16)off,
					      .imm = imm };
}

static void move(struct code *c, u32 dst, s32 imm)
{
	add(c, BPF_ALU64 | BPF_MOV | BPF_K, dst, 0, 0, imm);
}

static void leave(struct code *c)
{
	add(c, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

/* Load `n` bytes of the options. */
static void load_option(struct code *c, u32 dst, u8 size, s32 at)
{
	add(c, BPF_LD | BPF_IMM | BPF_DW, dst, BPF_PSEUDO_MAP_VALUE, 0, DATA_FD);
	add(c, 0, 0, 0, 0, at / 2);
	add(c, BPF_LDX | BPF_MEM | size, dst, dst, at - at / 2, 0);
}

static u32 prune(struct code *c)
{
	c->n = deadcode_remove(c->insns, c->n, &data, 1, kept);
	return c->n;
}

/* ---- single cases ---------------------------------------------------------------------------- */

TEST(an_option_that_is_off_takes_its_code_along)
{
	struct code c = { .n = 0 };

	move(&c, 0, 1);
	load_option(&c, 2, BPF_B, 0);
	add(&c, BPF_JMP | BPF_JEQ | BPF_K, 2, 0, 2, 0);
	move(&c, 1, 5);
	add(&c, BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_CALL, 0, 1); /* the function at 8 */
	leave(&c);
	add(&c, BPF_ALU64 | BPF_MOV | BPF_X, 0, 1, 0, 0);
	leave(&c);
	CHECK_U64(prune(&c), 2);
	CHECK_U64(c.insns[0].imm, 1);
	CHECK_U64(c.insns[1].code, BPF_JMP | BPF_EXIT);
	CHECK_U64(kept[7], 1);
	CHECK_U64(kept[8], 2);
	CHECK_U64(kept[10], 2);
}

TEST(an_option_that_is_on_costs_nothing_either)
{
	struct code c = { .n = 0 };

	options[0] = 1;
	load_option(&c, 6, BPF_B, 0);
	add(&c, BPF_JMP | BPF_JEQ | BPF_K, 6, 0, 4, 0);
	move(&c, 1, 5);
	add(&c, BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_CALL, 0, 3);
	add(&c, BPF_JMP | BPF_JA, 0, 0, 1, 0);
	move(&c, 3, 4); /* not reached */
	move(&c, 0, 1);
	leave(&c);
	add(&c, BPF_ALU64 | BPF_MOV | BPF_X, 0, 1, 0, 0);
	leave(&c);
	c.insns[5].imm = 4;
	CHECK_U64(prune(&c), 6);
	CHECK_U64(c.insns[1].code, BPF_JMP | BPF_CALL);
	CHECK_U64(c.insns[1].imm, 2); /* the function is at 4 now */
	CHECK_U64(kept[10], 4);
}

/* The verifier asks for each argument of a global function's type, whether it is read or not. */
TEST(arguments_are_passed_even_if_an_option_leaves_them_unread)
{
	struct code c = { .n = 0 };

	options[0] = 0;
	move(&c, 1, 5);
	move(&c, 2, 6);
	add(&c, BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_CALL, 0, 1);
	leave(&c);
	load_option(&c, 3, BPF_B, 0);
	move(&c, 0, 0);
	add(&c, BPF_JMP | BPF_JEQ | BPF_K, 3, 0, 1, 0);
	add(&c, BPF_ALU64 | BPF_MOV | BPF_X, 0, 2, 0, 0);
	leave(&c);
	CHECK_U64(prune(&c), 6);
	CHECK_U64(c.insns[0].dst_reg, 1);
	CHECK_U64(c.insns[1].dst_reg, 2);
}

TEST(a_number_that_differs_by_the_way_is_not_constant)
{
	struct code c = { .n = 0 };

	move(&c, 2, 1);
	add(&c, BPF_JMP | BPF_JGT | BPF_X, 1, 10, 1, 0);
	move(&c, 2, 0);
	move(&c, 0, 1);
	add(&c, BPF_JMP | BPF_JEQ | BPF_K, 2, 0, 1, 0);
	move(&c, 0, 2);
	leave(&c);
	CHECK_U64(prune(&c), 7);
}

TEST(a_loop_stays_a_loop)
{
	struct code c = { .n = 0 };

	move(&c, 0, 0);
	add(&c, BPF_ALU64 | BPF_ADD | BPF_K, 0, 0, 0, 1);
	add(&c, BPF_JMP | BPF_JLT | BPF_K, 0, 0, -2, 10);
	leave(&c);
	CHECK_U64(prune(&c), 4);
	CHECK(c.insns[2].off == -2);
}

TEST(a_jump_out_of_the_program_is_left_to_the_verifier)
{
	struct code c = { .n = 0 };

	move(&c, 2, 0);
	add(&c, BPF_JMP | BPF_JA, 0, 0, 100, 0);
	leave(&c);
	CHECK_U64(prune(&c), 3);
	CHECK_U64(kept[3], 3);
}

TEST(half_an_instruction_at_the_end_is_left_to_the_verifier)
{
	struct code c = { .n = 0 };

	add(&c, BPF_LD | BPF_IMM | BPF_DW, 1, 0, 0, 0);
	CHECK_U64(prune(&c), 1);
}

/* ---- random programs ------------------------------------------------------------------------- */

static u64 random_state;

static u32 roll(u32 n)
{
	random_state = random_state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (u32)(random_state >> 33) % n;
}

/* The results of instructions, written independently of the code under test. */
static u64 alu(u8 op, u64 a, u64 b, bool wide)
{
	u32 shift = (u32)b & (wide ? 63 : 31);

	switch (op) {
	case BPF_ADD:
		return a + b;
	case BPF_SUB:
		return a - b;
	case BPF_MUL:
		return a * b;
	case BPF_AND:
		return a & b;
	case BPF_OR:
		return a | b;
	case BPF_XOR:
		return a ^ b;
	case BPF_LSH:
		return a << shift;
	case BPF_RSH:
		return (wide ? a : (u32)a) >> shift;
	case BPF_ARSH:
		return wide ? (u64)((s64)a >> shift) : (u64)((s32)a >> shift);
	case BPF_NEG:
		return 0 - a;
	default:
		return b; /* BPF_MOV */
	}
}

static bool holds(u8 op, u64 a, u64 b, bool wide)
{
	s64 sa = wide ? (s64)a : (s32)a, sb = wide ? (s64)b : (s32)b;
	u64 ua = wide ? a : (u32)a, ub = wide ? b : (u32)b;

	return (op == BPF_JEQ && ua == ub) || (op == BPF_JNE && ua != ub) ||
	       (op == BPF_JGT && ua > ub) || (op == BPF_JGE && ua >= ub) ||
	       (op == BPF_JLT && ua < ub) || (op == BPF_JLE && ua <= ub) ||
	       (op == BPF_JSGT && sa > sb) || (op == BPF_JSGE && sa >= sb) ||
	       (op == BPF_JSLT && sa < sb) || (op == BPF_JSLE && sa <= sb) ||
	       (op == BPF_JSET && (ua & ub));
}

#define NO_END 0xdead /* the program did not end in time */

static u64 execute(const struct code *c, u32 at, const u64 *args, u32 *fuel)
{
	u64 r[11] = { 0 }, stack[8] = { 0 };

	memcpy(&r[1], args, 5 * sizeof(*args));
	r[10] = (u64)(stack + 8);
	for (; at<c->n && * fuel> 1; at++, --*fuel) {
		const struct bpf_insn *i = &c->insns[at];
		bool wide = BPF_CLASS(i->code) == BPF_ALU64 || BPF_CLASS(i->code) == BPF_JMP;
		u64 b = BPF_SRC(i->code) == BPF_X ? r[i->src_reg] : (u64)(s64)i->imm;
		u64 value = 0;

		switch (BPF_CLASS(i->code)) {
		case BPF_ALU:
		case BPF_ALU64:
			value = alu(BPF_OP(i->code), r[i->dst_reg], b, wide);
			r[i->dst_reg] = wide ? value : (u32)value;
			break;
		case BPF_LD:
			r[i->dst_reg] = i->src_reg ? (u64)options + (u64)i[1].imm
						   : (u32)i->imm | (u64)i[1].imm << 32;
			at++;
			break;
		case BPF_LDX:
			memcpy(&value, (u8 *)r[i->src_reg] + i->off,
			       BPF_SIZE(i->code) == BPF_DW  ? 8
			       : BPF_SIZE(i->code) == BPF_W ? 4
			       : BPF_SIZE(i->code) == BPF_H ? 2
							    : 1);
			r[i->dst_reg] = value;
			break;
		case BPF_STX:
			memcpy((u8 *)r[i->dst_reg] + i->off, &r[i->src_reg], 8);
			break;
		default:
			if (i->code == (BPF_JMP | BPF_EXIT))
				return r[0];
			if (i->code == (BPF_JMP | BPF_CALL)) {
				r[0] = i->src_reg == BPF_PSEUDO_CALL
					       ? execute(c, at + 1 + (u32)i->imm, &r[1], fuel)
					       : r[1] * 3 + r[2] * 5 + r[3] * 7 + r[4] * 11 + r[5];
				for (u32 reg = 1; reg <= 5; reg++)
					r[reg] = *fuel; /* not to be read */
			} else if (BPF_OP(i->code) == BPF_JA ||
				   holds(BPF_OP(i->code), r[i->dst_reg], b, wide)) {
				at += (u32)i->off;
			}
		}
	}
	return NO_END;
}

/* A function: groups of instructions, of which any can be the target of a jump. */
#define GROUPS 24

static void add_alu(struct code *c)
{
	static const u8 ops[] = { BPF_MOV, BPF_MOV, BPF_ADD, BPF_SUB, BPF_MUL,	BPF_AND,
				  BPF_OR,  BPF_XOR, BPF_LSH, BPF_RSH, BPF_ARSH, BPF_NEG };
	u8 op = ops[roll(ARRAY_SIZE(ops))], class = roll(2) ? BPF_ALU64 : BPF_ALU;
	u8 src = op != BPF_NEG && roll(2) ? BPF_X : BPF_K;

	add(c, class | op | src, roll(10), src ? roll(10) : 0, 0,
	    src || op == BPF_NEG ? 0 : (s32)roll(4) - 1);
}

static void add_jump(struct code *c)
{
	static const u8 ops[] = {
		BPF_JA,	 BPF_JEQ, BPF_JEQ,  BPF_JNE,  BPF_JNE,	BPF_JGT,  BPF_JGE,
		BPF_JLT, BPF_JLE, BPF_JSGT, BPF_JSGE, BPF_JSLT, BPF_JSLE, BPF_JSET
	};
	u8 op = ops[roll(ARRAY_SIZE(ops))], src = op != BPF_JA && roll(3) == 0 ? BPF_X : BPF_K;

	add(c, (op == BPF_JA || roll(2) ? BPF_JMP : BPF_JMP32) | op | src, roll(10),
	    src ? roll(10) : 0, 0, op == BPF_JA || src ? 0 : (s32)roll(4) - 1);
}

static void add_call(struct code *c, bool is_own)
{
	add(c, BPF_JMP | BPF_CALL, 0, is_own ? BPF_PSEUDO_CALL : 0, 0, 1);
	for (u32 reg = 1; reg <= 5; reg++)
		add(c, BPF_ALU64 | BPF_MOV | BPF_X, reg, 6 + roll(4), 0, 0);
}

static void add_group(struct code *c, bool may_call)
{
	static const u8 sizes[] = { BPF_B, BPF_B, BPF_H, BPF_W, BPF_DW };
	u32 kind = roll(10), reg = roll(10), size = roll(ARRAY_SIZE(sizes));

	if (kind < 3)
		add_alu(c);
	else if (kind < 5)
		load_option(c, reg, sizes[size], (s32)roll(sizeof(options) - 8));
	else if (kind < 8)
		add_jump(c);
	else if (kind == 8)
		add_call(c, may_call && roll(2));
	else if (roll(2))
		add(c, BPF_STX | BPF_MEM | BPF_DW, 10, reg, -8 - 8 * (s32)roll(8), 0);
	else
		add(c, BPF_LDX | BPF_MEM | BPF_DW, reg, 10, -8 - 8 * (s32)roll(8), 0);
}

/* Returns where the function begins. */
static u32 add_function(struct code *c, bool may_call)
{
	u32 at[GROUPS], begin = c->n, first;

	for (u32 reg = 0; reg <= 9; reg = reg == 0 ? 6 : reg + 1)
		add(c, BPF_ALU64 | BPF_MOV | BPF_X, reg, 1 + roll(5), 0, 0);
	first = c->n;
	for (u32 i = 0; i < GROUPS; i++) {
		at[i] = c->n;
		add_group(c, may_call);
	}
	leave(c);
	for (u32 i = first, group = 0; i < c->n; i++) {
		struct bpf_insn *insn = &c->insns[i];
		u8 class = BPF_CLASS(insn->code);

		while (group < GROUPS - 1 && at[group] <= i)
			group++;
		if ((class == BPF_JMP || class == BPF_JMP32) && BPF_OP(insn->code) != BPF_CALL &&
		    BPF_OP(insn->code) != BPF_EXIT)
			insn->off = (__s16)((s32)at[roll(8) ? group + roll(GROUPS - group)
							    : roll(GROUPS)] -
					    (s32)i - 1);
	}
	return begin;
}

static void make_program(struct code *c)
{
	u32 end, second;

	c->n = 0;
	add_function(c, true);
	end = c->n;
	second = add_function(c, false);
	for (u32 i = 0; i < end; i++)
		if (c->insns[i].src_reg == BPF_PSEUDO_CALL &&
		    c->insns[i].code == (BPF_JMP | BPF_CALL))
			c->insns[i].imm = (s32)second - (s32)i - 1;
}

#define N_PROGRAMS 5000

TEST(random_programs_do_the_same_as_before)
{
	u32 n_before = 0, n_after = 0, n_ended = 0;

	for (u32 seed = 1; seed <= N_PROGRAMS; seed++) {
		struct code before, after;

		random_state = seed;
		for (u32 i = 0; i < sizeof(options); i++)
			options[i] = (u8)(roll(8) ? roll(2) : roll(256));
		make_program(&before);
		after = before;
		prune(&after);
		CHECK(after.n <= before.n);
		n_before += before.n;
		n_after += after.n;
		for (u32 run = 0; run < 4; run++) {
			u64 args[5] = { roll(3), (u64)roll(3) - 1, roll(1 << 30), 0, 1 };
			u32 fuel = 2000, fuel_after = 2000;
			u64 want = execute(&before, 0, args, &fuel);

			if (fuel <= 1)
				continue;
			n_ended++;
			CHECK_U64(execute(&after, 0, args, &fuel_after), want);
			CHECK(fuel_after >= fuel);
		}
	}
	printf("# %u instructions before, %u after; %u of %u runs ended\n", n_before, n_after,
	       n_ended, 4 * N_PROGRAMS);
	CHECK(n_ended > 2 * N_PROGRAMS);
	CHECK(n_after < n_before * 3 / 4);
}
