// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Forwards, constants show which branches always go the same way (run/constants.c).  Backwards,
 * liveness shows which instructions have a result that is not read.  The rest is moved together.
 */
#include "run/deadcode.h"

#include <stdlib.h>
#include <string.h>

#include "run/deadcode_int.h"

/* ---- liveness -------------------------------------------------------------------------------- */

#define REG(n)	  (1U << (n))
#define ARGUMENTS (REG(1) | REG(2) | REG(3) | REG(4) | REG(5))
#define ALL_REGS  ((1U << N_REGS) - 1)

/* It does nothing but set its register. */
static bool is_pure(const struct bpf_insn *insn)
{
	return insn_is_alu(insn) || (insn_is_wide(insn) && !insn_is_reference(insn));
}

static u32 second_operand(const struct bpf_insn *insn)
{
	return BPF_SRC(insn->code) == BPF_X ? REG(insn->src_reg) : 0;
}

static u32 read_by(const struct bpf_insn *insn)
{
	switch (insn_class(insn)) {
	case BPF_ALU:
	case BPF_ALU64:
		return (BPF_OP(insn->code) == BPF_MOV ? 0 : REG(insn->dst_reg)) |
		       second_operand(insn);
	case BPF_LDX:
		return REG(insn->src_reg);
	case BPF_LD:
		return insn_is_wide(insn) ? 0 : ALL_REGS;
	case BPF_ST:
		return REG(insn->dst_reg);
	case BPF_STX:
		return REG(insn->dst_reg) | REG(insn->src_reg) | REG(0);
	default:
		/* All arguments, even of a function that does not read them: the verifier checks
		 * those of a global function by their types. */
		if (insn_is_call(insn))
			return insn->code == (BPF_JMP | BPF_CALL) ? ARGUMENTS : ALL_REGS;
		if (insn_is_exit(insn))
			return REG(0);
		return insn_is_condition(insn) ? REG(insn->dst_reg) | second_operand(insn) : 0;
	}
}

static u32 written_by(const struct bpf_insn *insn)
{
	if (insn_is_call(insn))
		return REG(0) | ARGUMENTS;
	return insn_is_alu(insn) || insn_is_wide(insn) || insn_class(insn) == BPF_LDX
		       ? REG(insn->dst_reg)
		       : 0;
}

static u32 needed_after(const struct dead_pass *p, u32 i)
{
	u32 next = i + insn_width(&p->insns[i]), needed = 0;

	if ((p->ways[i] & GOES_ON) && next < p->n)
		needed |= p->needed[next];
	if (p->ways[i] & JUMPS)
		needed |= p->needed[insn_target(p->insns, i)];
	return needed;
}

/* A jump that always goes the same way reads no register. */
static bool is_decided(const struct dead_pass *p, u32 i)
{
	return insn_is_jump(&p->insns[i]) && (p->ways[i] & (GOES_ON | JUMPS)) != (GOES_ON | JUMPS);
}

static bool is_useless(const struct bpf_insn *insn, u32 after)
{
	return is_pure(insn) && !(after & REG(insn->dst_reg));
}

static u32 needed_before(const struct dead_pass *p, u32 i)
{
	const struct bpf_insn *insn = &p->insns[i];
	u32 after = needed_after(p, i);

	if (is_decided(p, i) || is_useless(insn, after))
		return after;
	return (after & ~written_by(insn)) | read_by(insn);
}

static void go_backwards(struct dead_pass *p)
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

/* ---- removal ----------------------------------------------------------------------------------
 */

/* A goto to the next instruction that is kept. */
static bool leads_to_next(const struct dead_pass *p, const u32 *next, u32 i)
{
	return (p->ways[i] & (GOES_ON | JUMPS)) == JUMPS && insn_target(p->insns, i) > i &&
	       next[i + 1] == next[insn_target(p->insns, i)];
}

static bool is_kept(const struct dead_pass *p, const u32 *next, u32 i)
{
	const struct bpf_insn *insn = &p->insns[i];
	bool never_jumps = insn_is_jump(insn) && !(p->ways[i] & JUMPS);

	return p->ways[i] && !never_jumps && !is_useless(insn, needed_after(p, i)) &&
	       !leads_to_next(p, next, i);
}

/* next[i]: the first instruction from i on that is kept. */
static void find_kept(const struct dead_pass *p, u32 *next)
{
	next[p->n] = p->n;
	for (u32 i = p->n; i-- > 0;) {
		bool is_second_half = i && p->ways[i - 1] && insn_is_wide(&p->insns[i - 1]);

		next[i] = is_kept(p, next, i) || (is_second_half && is_kept(p, next, i - 1))
				  ? i
				  : next[i + 1];
	}
}

static u32 close_gaps(struct dead_pass *p, u32 *kept)
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
		if (insn_is_jump(insn) || insn_is_reference(insn)) {
			u32 to = kept[insn_target(p->insns, i)];

			if (is_decided(p, i) && insn_is_condition(insn))
				*insn = (struct bpf_insn){ .code = BPF_JMP | BPF_JA };
			insn_set_distance(insn, (s32)to - (s32)kept[i] - 1);
		}
		p->insns[kept[i]] = *insn;
		if (insn_is_wide(insn)) {
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
	struct dead_pass p = {
		.insns = insns,
		.n = n,
		.data = data,
		.n_data = n_data,
		.ways = mem_alloc(n, sizeof(*p.ways)),
		.needed = mem_alloc(n, sizeof(*p.needed)),
	};

	if (n && constants_find(&p)) {
		go_backwards(&p);
		find_kept(&p, kept);
		n = close_gaps(&p, kept);
	} else {
		keep_all(n, kept);
	}
	free(p.ways);
	free(p.needed);
	return n;
}
