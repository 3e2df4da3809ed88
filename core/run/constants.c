// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Sparse conditional constant propagation (Wegman and Zadeck 1991) over the registers: only code
 * that can be reached with the constants known so far is followed, and code that is followed may
 * show that a register is not constant after all.
 */
#include <stdlib.h>
#include <string.h>

#include "run/deadcode_int.h"

/* Knowledge about a register at a point of the program. */
enum kind {
	ANYTHING,
	NUMBER,
	DATA, /* an address in read-only data: the index of the data << 32 | the offset in it */
};

struct regs {
	u64 value[N_REGS];
	u8 kind[N_REGS];
};

/* A point that several ways lead to. */
struct point {
	bool is_reached;
	bool is_waiting;
	struct regs regs; /* true on each way that leads here */
};

struct walk {
	struct dead_pass *pass;
	u32 *point_of; /* by instruction: its point + 1, or 0 */
	VEC(struct point) points;
	VEC(u32) waiting; /* instructions whose point changed */
};

/* ---- values ---------------------------------------------------------------------------------- */

static void forget(struct regs *r, u32 reg)
{
	if (reg < N_REGS) {
		r->kind[reg] = ANYTHING;
		r->value[reg] = 0;
	}
}

static void forget_range(struct regs *r, u32 from, u32 to)
{
	for (u32 reg = from; reg <= to; reg++)
		forget(r, reg);
}

static void set(struct regs *r, u32 reg, u8 kind, u64 value)
{
	if (reg < N_REGS) {
		r->kind[reg] = kind;
		r->value[reg] = value;
	}
}

static bool number_of(const struct regs *r, u32 reg, u64 *out)
{
	if (reg >= N_REGS || r->kind[reg] != NUMBER)
		return false;
	*out = r->value[reg];
	return true;
}

/* The second operand: a register or a sign-extended number. */
static bool operand(const struct regs *r, const struct bpf_insn *insn, u64 *out)
{
	if (BPF_SRC(insn->code) == BPF_X)
		return number_of(r, insn->src_reg, out);
	*out = (u64)(s64)insn->imm;
	return true;
}

static bool compute(u8 op, u64 a, u64 b, bool is_64, u64 *out)
{
	u32 bits = is_64 ? 64 : 32;

	if (!is_64) {
		a = (u32)a;
		b = (u32)b;
	}
	switch (op) {
	case BPF_MOV:
		*out = b;
		break;
	case BPF_ADD:
		*out = a + b;
		break;
	case BPF_SUB:
		*out = a - b;
		break;
	case BPF_MUL:
		*out = a * b;
		break;
	case BPF_AND:
		*out = a & b;
		break;
	case BPF_OR:
		*out = a | b;
		break;
	case BPF_XOR:
		*out = a ^ b;
		break;
	case BPF_LSH:
		*out = a << (b & (bits - 1));
		break;
	case BPF_RSH:
		*out = a >> (b & (bits - 1));
		break;
	case BPF_ARSH:
		*out = is_64 ? (u64)((s64)a >> (b & 63)) : (u64)((s32)a >> (b & 31));
		break;
	case BPF_NEG:
		*out = -a;
		break;
	default: /* divisions and changes of byte order */
		return false;
	}
	if (!is_64)
		*out = (u32)*out;
	return true;
}

static void run_alu(struct regs *r, const struct bpf_insn *insn)
{
	bool is_64 = insn_class(insn) == BPF_ALU64;
	u8 op = BPF_OP(insn->code);
	u32 dst = insn->dst_reg;
	u64 a = 0, b = 0, result;

	/* With an offset, these are newer instructions: signed division, moves that extend a sign.
	 */
	if (insn->off || dst >= N_REGS) {
		forget(r, dst);
	} else if (is_64 && op == BPF_MOV && BPF_SRC(insn->code) == BPF_X) {
		if (insn->src_reg < N_REGS)
			set(r, dst, r->kind[insn->src_reg], r->value[insn->src_reg]);
		else
			forget(r, dst);
	} else if (is_64 && op == BPF_ADD && r->kind[dst] == DATA && operand(r, insn, &b)) {
		set(r, dst, DATA, (r->value[dst] >> 32 << 32) | (u32)(r->value[dst] + b));
	} else if ((op == BPF_MOV || number_of(r, dst, &a)) && operand(r, insn, &b) &&
		   compute(op, a, b, is_64, &result)) {
		set(r, dst, NUMBER, result);
	} else {
		forget(r, dst);
	}
}

static u32 load_bytes(const struct bpf_insn *insn)
{
	switch (BPF_SIZE(insn->code)) {
	case BPF_B:
		return 1;
	case BPF_H:
		return 2;
	case BPF_W:
		return 4;
	default:
		return 8;
	}
}

static void run_load(const struct dead_pass *p, struct regs *r, const struct bpf_insn *insn)
{
	u32 src = insn->src_reg, n = load_bytes(insn);
	const struct deadcode_data *d;
	s64 offset;
	u64 value = 0;

	if (src < N_REGS && r->kind[src] == DATA && BPF_MODE(insn->code) == BPF_MEM) {
		d = &p->data[r->value[src] >> 32];
		offset = (s64)(s32)r->value[src] + insn->off;
		if (offset >= 0 && (u64)offset + n <= d->n) {
			/* BPF programs have the byte order of this machine; the low bytes come
			 * first. */
			memcpy((u8 *)&value, d->bytes + offset, n);
			set(r, insn->dst_reg, NUMBER, value);
			return;
		}
	}
	forget(r, insn->dst_reg);
}

static void run_wide(const struct dead_pass *p, struct regs *r, const struct bpf_insn *insn)
{
	if (!insn->src_reg) {
		set(r, insn->dst_reg, NUMBER, (u32)insn[0].imm | (u64)(u32)insn[1].imm << 32);
		return;
	}
	for (size_t i = 0; insn->src_reg == BPF_PSEUDO_MAP_VALUE && i < p->n_data; i++) {
		if (p->data[i].fd == insn->imm) {
			set(r, insn->dst_reg, DATA, (u64)i << 32 | (u32)insn[1].imm);
			return;
		}
	}
	forget(r, insn->dst_reg);
}

/* The registers after an instruction that goes on to the next one. */
static void run(const struct dead_pass *p, struct regs *r, const struct bpf_insn *insn)
{
	switch (insn_class(insn)) {
	case BPF_ALU:
	case BPF_ALU64:
		run_alu(r, insn);
		break;
	case BPF_LDX:
		run_load(p, r, insn);
		break;
	case BPF_LD:
		if (insn_is_wide(insn))
			run_wide(p, r, insn);
		else /* a load from a packet, which no tracing program has */
			forget_range(r, 0, 5);
		break;
	case BPF_STX:
		if (BPF_MODE(insn->code) == BPF_ATOMIC) {
			/* It may be a fetch (source), compare and exchange (r0), or load
			 * (destination). */
			forget(r, insn->src_reg);
			forget(r, insn->dst_reg);
			forget(r, BPF_REG_0);
		}
		break;
	case BPF_JMP:
		if (insn_is_call(insn))
			forget_range(r, 0, 5);
		else if (insn->code == (BPF_JMP | BPF_JNE | BPF_K))
			set(r, insn->dst_reg, NUMBER, (u64)(s64)insn->imm);
		break;
	default: /* a store of a number, a 32-bit jump */
		break;
	}
}

static bool compare(u8 op, u64 a, u64 b, bool is_64, bool *out)
{
	s64 sa = is_64 ? (s64)a : (s32)a, sb = is_64 ? (s64)b : (s32)b;

	if (!is_64) {
		a = (u32)a;
		b = (u32)b;
	}
	switch (op) {
	case BPF_JEQ:
		*out = a == b;
		return true;
	case BPF_JNE:
		*out = a != b;
		return true;
	case BPF_JGT:
		*out = a > b;
		return true;
	case BPF_JGE:
		*out = a >= b;
		return true;
	case BPF_JLT:
		*out = a < b;
		return true;
	case BPF_JLE:
		*out = a <= b;
		return true;
	case BPF_JSGT:
		*out = sa > sb;
		return true;
	case BPF_JSGE:
		*out = sa >= sb;
		return true;
	case BPF_JSLT:
		*out = sa < sb;
		return true;
	case BPF_JSLE:
		*out = sa <= sb;
		return true;
	case BPF_JSET:
		*out = a & b;
		return true;
	default: /* may_goto */
		return false;
	}
}

/* The ways that a jump can take with these registers. */
static u8 ways_of(const struct regs *r, const struct bpf_insn *insn)
{
	u64 a, b;
	bool is_taken;

	if (insn_is_goto(insn))
		return JUMPS;
	if (number_of(r, insn->dst_reg, &a) && operand(r, insn, &b) &&
	    compare(BPF_OP(insn->code), a, b, insn_class(insn) == BPF_JMP, &is_taken))
		return is_taken ? JUMPS : GOES_ON;
	return GOES_ON | JUMPS;
}

/* ---- forwards ------------------------------------------------------------------------------ */

static struct point *point_at(struct walk *w, u32 i)
{
	return &w->points.items[w->point_of[i] - 1];
}

static void make_point(struct walk *w, u32 i)
{
	if (w->point_of[i])
		return;
	vec_push(&w->points, (struct point){ 0 });
	w->point_of[i] = (u32)w->points.n;
}

/* False: the program is malformed. */
static bool make_points(struct walk *w)
{
	make_point(w, 0);
	for (u32 i = 0; i < w->pass->n; i += insn_width(&w->pass->insns[i])) {
		const struct bpf_insn *insn = &w->pass->insns[i];

		if (i + insn_width(insn) > w->pass->n)
			return false;
		if (!insn_is_jump(insn) && !insn_is_reference(insn))
			continue;
		if (insn_target(w->pass->insns, i) >= w->pass->n)
			return false;
		make_point(w, insn_target(w->pass->insns, i));
	}
	return true;
}

static bool join(struct regs *a, const struct regs *b)
{
	bool has_changed = false;

	for (u32 reg = 0; reg < N_REGS; reg++) {
		if (a->kind[reg] == ANYTHING ||
		    (a->kind[reg] == b->kind[reg] && a->value[reg] == b->value[reg]))
			continue;
		forget(a, reg);
		has_changed = true;
	}
	return has_changed;
}

static void arrive(struct walk *w, u32 i, const struct regs *r)
{
	struct point *at = point_at(w, i);
	bool has_changed = true;

	if (at->is_reached)
		has_changed = join(&at->regs, r);
	else
		at->regs = *r;
	at->is_reached = true;
	if (!has_changed || at->is_waiting)
		return;
	at->is_waiting = true;
	vec_push(&w->waiting, i);
}

static void arrive_by_jump(struct walk *w, u32 i, const struct regs *r)
{
	const struct bpf_insn *insn = &w->pass->insns[i];
	struct regs equal = *r;

	if (insn->code == (BPF_JMP | BPF_JEQ | BPF_K))
		set(&equal, insn->dst_reg, NUMBER, (u64)(s64)insn->imm);
	arrive(w, insn_target(w->pass->insns, i), &equal);
}

/* Follows the program from a point to the next one. */
static void follow(struct walk *w, u32 i)
{
	static const struct regs nothing;
	struct regs r = point_at(w, i)->regs;

	point_at(w, i)->is_waiting = false;
	for (;;) {
		const struct bpf_insn *insn = &w->pass->insns[i];
		u8 ways = insn_is_jump(insn) ? ways_of(&r, insn) : insn_is_exit(insn) ? 0 : GOES_ON;

		w->pass->ways[i] |= IS_LIVE | ways;
		if (insn_is_reference(insn))
			arrive(w, insn_target(w->pass->insns, i), &nothing);
		if (ways & JUMPS)
			arrive_by_jump(w, i, &r);
		run(w->pass, &r, insn);
		i += insn_width(insn);
		if (!(ways & GOES_ON) || i >= w->pass->n)
			return;
		if (w->point_of[i]) {
			arrive(w, i, &r);
			return;
		}
	}
}

/* Replaces instructions that always give the same number by moves of it, from a point to the next
 * one.  This needs what holds on all ways to the point, so it is done after all of them were
 * followed. */
static void fold(struct walk *w, u32 i)
{
	struct regs r = point_at(w, i)->regs;
	u64 value;

	do {
		struct bpf_insn *insn = &w->pass->insns[i];
		bool has_result = insn_is_alu(insn) || insn_class(insn) == BPF_LDX;

		run(w->pass, &r, insn);
		if (has_result && number_of(&r, insn->dst_reg, &value) &&
		    value == (u64)(s64)(s32)value)
			*insn = (struct bpf_insn){ .code = BPF_ALU64 | BPF_MOV | BPF_K,
						   .dst_reg = insn->dst_reg,
						   .imm = (s32)value };
		if (!(w->pass->ways[i] & GOES_ON))
			return;
		i += insn_width(insn);
	} while (i < w->pass->n && !w->point_of[i]);
}

bool constants_find(struct dead_pass *p)
{
	static const struct regs nothing;
	struct walk w = { .pass = p, .point_of = mem_alloc(p->n, sizeof(*w.point_of)) };
	bool is_whole = make_points(&w);

	if (is_whole)
		arrive(&w, 0, &nothing);
	while (w.waiting.n)
		follow(&w, w.waiting.items[--w.waiting.n]);
	for (u32 i = 0; i < p->n; i++)
		if (w.point_of[i] && point_at(&w, i)->is_reached)
			fold(&w, i);
	free(w.point_of);
	vec_release(&w.points);
	vec_release(&w.waiting);
	return is_whole;
}
