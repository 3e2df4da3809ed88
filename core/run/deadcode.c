// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Two passes.  Forwards: sparse conditional constant propagation (Wegman and Zadeck 1991) over the
 * registers finds the branches that always go the same way, and the instructions that always give
 * the same number.  Backwards: liveness finds the instructions whose result is not read.
 */
#include "run/deadcode.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define N_REGS 10 /* r0 to r9; the frame pointer is no constant */

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

/* An instruction can be executed, and then: */
enum {
	IS_LIVE = 1,
	GOES_ON = 2, /* to the next one */
	JUMPS = 4,
};

/* A point that several ways lead to. */
struct point {
	bool is_reached;
	bool is_waiting;
	struct regs regs; /* true on each way that leads here */
};

struct pass {
	struct bpf_insn *insns;
	u32 n;
	const struct deadcode_data *data;
	size_t n_data;
	u32 *point_of; /* by instruction: its point + 1, or 0 */
	u8 *ways;      /* by instruction; 0 if it is dead */
	u16 *needed;   /* by instruction: the registers whose values are read from there on */
	VEC(struct point) points;
	VEC(u32) waiting; /* instructions whose point changed */
};

/* ---- instructions -------------------------------------------------------------------------- */

static u8 class_of(const struct bpf_insn *insn)
{
	return BPF_CLASS(insn->code);
}

static bool is_wide(const struct bpf_insn *insn)
{
	return insn->code == (BPF_LD | BPF_IMM | BPF_DW);
}

static u32 width(const struct bpf_insn *insn)
{
	return is_wide(insn) ? 2 : 1;
}

static bool is_alu(const struct bpf_insn *insn)
{
	return class_of(insn) == BPF_ALU || class_of(insn) == BPF_ALU64;
}

static bool is_branch(const struct bpf_insn *insn)
{
	return class_of(insn) == BPF_JMP || class_of(insn) == BPF_JMP32;
}

static bool is_call(const struct bpf_insn *insn)
{
	return class_of(insn) == BPF_JMP && BPF_OP(insn->code) == BPF_CALL;
}

static bool is_exit(const struct bpf_insn *insn)
{
	return class_of(insn) == BPF_JMP && BPF_OP(insn->code) == BPF_EXIT;
}

static bool is_goto(const struct bpf_insn *insn)
{
	return is_branch(insn) && BPF_OP(insn->code) == BPF_JA;
}

/* A jump that is not always taken. */
static bool is_condition(const struct bpf_insn *insn)
{
	return is_branch(insn) && !is_goto(insn) && !is_call(insn) && !is_exit(insn);
}

/* A reference to a function of the same program: a call, or the address of a callback. */
static bool is_reference(const struct bpf_insn *insn)
{
	return (is_call(insn) && insn->src_reg == BPF_PSEUDO_CALL) ||
	       (is_wide(insn) && insn->src_reg == BPF_PSEUDO_FUNC);
}

static bool is_jump(const struct bpf_insn *insn)
{
	return is_goto(insn) || is_condition(insn);
}

/* In the 32-bit class, the distance of a goto is in imm (gotol, Linux 6.6). */
static bool is_long_jump(const struct bpf_insn *insn)
{
	return insn->code == (BPF_JMP32 | BPF_JA);
}

/* The target of a jump or a reference. */
static u32 target(const struct pass *p, u32 i)
{
	const struct bpf_insn *insn = &p->insns[i];
	s32 distance = is_reference(insn) || is_long_jump(insn) ? insn->imm : insn->off;

	return (u32)((s64)i + 1 + distance);
}

static void set_distance(struct bpf_insn *insn, s32 distance)
{
	if (is_reference(insn) || is_long_jump(insn))
		insn->imm = distance;
	else
		insn->off = (__s16)distance;
}

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
	bool is_64 = class_of(insn) == BPF_ALU64;
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

static void run_load(const struct pass *p, struct regs *r, const struct bpf_insn *insn)
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

static void run_wide(const struct pass *p, struct regs *r, const struct bpf_insn *insn)
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
static void run(const struct pass *p, struct regs *r, const struct bpf_insn *insn)
{
	switch (class_of(insn)) {
	case BPF_ALU:
	case BPF_ALU64:
		run_alu(r, insn);
		break;
	case BPF_LDX:
		run_load(p, r, insn);
		break;
	case BPF_LD:
		if (is_wide(insn))
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
		if (is_call(insn))
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

/* The ways that a jump can go with these registers. */
static u8 ways_of(const struct regs *r, const struct bpf_insn *insn)
{
	u64 a, b;
	bool is_taken;

	if (is_goto(insn))
		return JUMPS;
	if (number_of(r, insn->dst_reg, &a) && operand(r, insn, &b) &&
	    compare(BPF_OP(insn->code), a, b, class_of(insn) == BPF_JMP, &is_taken))
		return is_taken ? JUMPS : GOES_ON;
	return GOES_ON | JUMPS;
}

/* ---- forwards ------------------------------------------------------------------------------ */

static struct point *point_at(struct pass *p, u32 i)
{
	return &p->points.items[p->point_of[i] - 1];
}

static void make_point(struct pass *p, u32 i)
{
	if (p->point_of[i])
		return;
	vec_push(&p->points, (struct point){ 0 });
	p->point_of[i] = (u32)p->points.n;
}

/* A malformed program is left to the verifier. */
static bool make_points(struct pass *p)
{
	make_point(p, 0);
	for (u32 i = 0; i < p->n; i += width(&p->insns[i])) {
		const struct bpf_insn *insn = &p->insns[i];

		if (i + width(insn) > p->n)
			return false;
		if (!is_jump(insn) && !is_reference(insn))
			continue;
		if (target(p, i) >= p->n)
			return false;
		make_point(p, target(p, i));
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

static void arrive(struct pass *p, u32 i, const struct regs *r)
{
	struct point *at = point_at(p, i);
	bool has_changed = true;

	if (at->is_reached)
		has_changed = join(&at->regs, r);
	else
		at->regs = *r;
	at->is_reached = true;
	if (!has_changed || at->is_waiting)
		return;
	at->is_waiting = true;
	vec_push(&p->waiting, i);
}

static void arrive_by_jump(struct pass *p, u32 i, const struct regs *r)
{
	const struct bpf_insn *insn = &p->insns[i];
	struct regs equal = *r;

	if (insn->code == (BPF_JMP | BPF_JEQ | BPF_K))
		set(&equal, insn->dst_reg, NUMBER, (u64)(s64)insn->imm);
	arrive(p, target(p, i), &equal);
}

/* Follows the program from a point to the next one. */
static void follow(struct pass *p, u32 i)
{
	static const struct regs nothing;
	struct regs r = point_at(p, i)->regs;

	point_at(p, i)->is_waiting = false;
	for (;;) {
		const struct bpf_insn *insn = &p->insns[i];
		u8 ways = is_jump(insn) ? ways_of(&r, insn) : is_exit(insn) ? 0 : GOES_ON;

		p->ways[i] |= IS_LIVE | ways;
		if (is_reference(insn))
			arrive(p, target(p, i), &nothing);
		if (ways & JUMPS)
			arrive_by_jump(p, i, &r);
		run(p, &r, insn);
		i += width(insn);
		if (!(ways & GOES_ON) || i >= p->n)
			return;
		if (p->point_of[i]) {
			arrive(p, i, &r);
			return;
		}
	}
}

/* Makes moves of constants of the instructions that give them, from a point to the next one.  This
 * needs what holds on all ways to the point, so it waits until each of them was followed. */
static void fold(struct pass *p, u32 i)
{
	struct regs r = point_at(p, i)->regs;
	u64 value;

	do {
		struct bpf_insn *insn = &p->insns[i];
		bool has_result = is_alu(insn) || class_of(insn) == BPF_LDX;

		run(p, &r, insn);
		if (has_result && number_of(&r, insn->dst_reg, &value) &&
		    value == (u64)(s64)(s32)value)
			*insn = (struct bpf_insn){ .code = BPF_ALU64 | BPF_MOV | BPF_K,
						   .dst_reg = insn->dst_reg,
						   .imm = (s32)value };
		if (!(p->ways[i] & GOES_ON))
			return;
		i += width(insn);
	} while (i < p->n && !p->point_of[i]);
}

static void go_forwards(struct pass *p)
{
	static const struct regs nothing;

	arrive(p, 0, &nothing);
	while (p->waiting.n)
		follow(p, p->waiting.items[--p->waiting.n]);
	for (u32 i = 0; i < p->n; i++)
		if (p->point_of[i] && point_at(p, i)->is_reached)
			fold(p, i);
}

/* ---- backwards ------------------------------------------------------------------------------- */

#define REG(n)	  (1U << (n))
#define ARGUMENTS (REG(1) | REG(2) | REG(3) | REG(4) | REG(5))
#define ALL_REGS  ((1U << N_REGS) - 1)

/* It does nothing but set its register. */
static bool is_pure(const struct bpf_insn *insn)
{
	return is_alu(insn) || (is_wide(insn) && !is_reference(insn));
}

static u32 second_operand(const struct bpf_insn *insn)
{
	return BPF_SRC(insn->code) == BPF_X ? REG(insn->src_reg) : 0;
}

static u32 read_by(const struct bpf_insn *insn)
{
	switch (class_of(insn)) {
	case BPF_ALU:
	case BPF_ALU64:
		return (BPF_OP(insn->code) == BPF_MOV ? 0 : REG(insn->dst_reg)) |
		       second_operand(insn);
	case BPF_LDX:
		return REG(insn->src_reg);
	case BPF_LD:
		return is_wide(insn) ? 0 : ALL_REGS;
	case BPF_ST:
		return REG(insn->dst_reg);
	case BPF_STX:
		return REG(insn->dst_reg) | REG(insn->src_reg) | REG(0);
	default:
		if (is_call(insn))
			return insn->code == (BPF_JMP | BPF_CALL) ? ARGUMENTS : ALL_REGS;
		if (is_exit(insn))
			return REG(0);
		return is_condition(insn) ? REG(insn->dst_reg) | second_operand(insn) : 0;
	}
}

static u32 written_by(const struct bpf_insn *insn)
{
	if (is_call(insn))
		return REG(0) | ARGUMENTS;
	return is_alu(insn) || is_wide(insn) || class_of(insn) == BPF_LDX ? REG(insn->dst_reg) : 0;
}

static u32 needed_after(const struct pass *p, u32 i)
{
	u32 next = i + width(&p->insns[i]), needed = 0;

	if ((p->ways[i] & GOES_ON) && next < p->n)
		needed |= p->needed[next];
	if (p->ways[i] & JUMPS)
		needed |= p->needed[target(p, i)];
	return needed;
}

/* A jump that always goes the same way reads no register. */
static bool is_decided(const struct pass *p, u32 i)
{
	return is_jump(&p->insns[i]) && (p->ways[i] & (GOES_ON | JUMPS)) != (GOES_ON | JUMPS);
}

static bool is_useless(const struct bpf_insn *insn, u32 after)
{
	return is_pure(insn) && !(after & REG(insn->dst_reg));
}

static u32 needed_before(const struct pass *p, u32 i)
{
	const struct bpf_insn *insn = &p->insns[i];
	u32 after = needed_after(p, i), read;

	if (is_decided(p, i) || is_useless(insn, after))
		return after;
	read = is_call(insn) && is_reference(insn) ? p->needed[target(p, i)] & ARGUMENTS
						   : read_by(insn);
	return (after & ~written_by(insn)) | read;
}

static void go_backwards(struct pass *p)
{
	bool has_changed;

	do {
		has_changed = false;
		for (u32 i = p->n; i-- > 0;) {
			u16 needed = p->ways[i] ? (u16)needed_before(p, i) : 0;

			has_changed |= needed != p->needed[i];
			p->needed[i] = needed;
		}
	} while (has_changed);
}

/* ---- the rest ----------------------------------------------------------------------------------
 */

/* A goto to the next instruction that is kept. */
static bool leads_to_next(const struct pass *p, const u32 *next, u32 i)
{
	return (p->ways[i] & (GOES_ON | JUMPS)) == JUMPS && target(p, i) > i &&
	       next[i + 1] == next[target(p, i)];
}

static bool is_kept(const struct pass *p, const u32 *next, u32 i)
{
	const struct bpf_insn *insn = &p->insns[i];
	bool never_jumps = is_jump(insn) && !(p->ways[i] & JUMPS);

	return p->ways[i] && !never_jumps && !is_useless(insn, needed_after(p, i)) &&
	       !leads_to_next(p, next, i);
}

/* By instruction: the first one from there on that is kept. */
static void find_kept(const struct pass *p, u32 *next)
{
	next[p->n] = p->n;
	for (u32 i = p->n; i-- > 0;) {
		bool is_second_half = i && p->ways[i - 1] && is_wide(&p->insns[i - 1]);

		next[i] = is_kept(p, next, i) || (is_second_half && is_kept(p, next, i - 1))
				  ? i
				  : next[i + 1];
	}
}

static u32 close_gaps(struct pass *p, u32 *kept)
{
	u32 n = 0;

	/* From "the first one that is kept" to its new index. */
	for (u32 i = 0; i <= p->n; i++) {
		bool stays = i < p->n && kept[i] == i;

		kept[i] = n;
		n += stays;
	}
	for (u32 i = 0; i < p->n; i++) {
		struct bpf_insn *insn = &p->insns[i];

		if (kept[i + 1] == kept[i])
			continue;
		if (is_jump(insn) || is_reference(insn)) {
			u32 to = kept[target(p, i)];

			if (is_decided(p, i) && is_condition(insn))
				*insn = (struct bpf_insn){ .code = BPF_JMP | BPF_JA };
			set_distance(insn, (s32)to - (s32)kept[i] - 1);
		}
		p->insns[kept[i]] = *insn;
		if (is_wide(insn)) {
			i++;
			p->insns[kept[i]] = p->insns[i];
		}
	}
	return n;
}

static void keep_all(u32 n, u32 *kept)
{
	for (u32 i = 0; i <= n; i++)
		kept[i] = i;
}

u32 deadcode_remove(struct bpf_insn *insns, u32 n, const struct deadcode_data *data, size_t n_data,
		    u32 *kept)
{
	struct pass p = {
		.insns = insns,
		.n = n,
		.data = data,
		.n_data = n_data,
		.point_of = mem_alloc(n, sizeof(*p.point_of)),
		.ways = mem_alloc(n, sizeof(*p.ways)),
		.needed = mem_alloc(n, sizeof(*p.needed)),
	};

	if (n && make_points(&p)) {
		go_forwards(&p);
		go_backwards(&p);
		find_kept(&p, kept);
		n = close_gaps(&p, kept);
	} else {
		keep_all(n, kept);
	}
	free(p.point_of);
	free(p.ways);
	free(p.needed);
	vec_release(&p.points);
	vec_release(&p.waiting);
	return n;
}
