// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// A walk over any registers, by any rules, through any memory: it ends, with frames and a reason.
// A program may write all three: its registers and its stack, and the file that rules come from.
#include "tests/fuzz/fuzz.h"

#include "bpf/abi/cfi.h"
#include "unwind/walk.h"

#define N_RULES 8
#define GUARD	0x5afe5afe5afe5afeULL

struct program {
	struct cfi_rule rules[N_RULES];
	struct input memory; /* repeated over all addresses, by their low bits */
	u64 at;		     /* the stack pointer it begins at */
	u32 n_asked, n_read;
};

static s32 small_number(struct input *in)
{
	return input_byte(in) - 128;
}

static struct cfi_rule rule_from(struct input *in)
{
	struct cfi_rule rule = {
		.cfa = input_byte(in) % (CFI_R10 + 2),
		.fp = input_byte(in) % (CFI_LOST + 2),
		.ra = input_byte(in) % (CFI_LOST + 2),
	};

	rule.off = (s32)input_number(in);
	rule.add = small_number(in);
	rule.fp_words = (__s16)small_number(in);
	rule.ra_words = (__s16)small_number(in);
	return rule;
}

/* The low bits of an address choose a rule. */
static enum unwind_found rule_at(void *ctx, u64 pc, struct cfi_rule *out)
{
	struct program *p = ctx;

	p->n_asked++;
	*out = p->rules[pc % N_RULES];
	return pc / N_RULES % 8 < 4 ? UNWIND_RULE : (enum unwind_found)(pc / N_RULES % 8 - 3);
}

static bool read_memory(void *ctx, u64 addr, void *out, size_t n)
{
	struct program *p = ctx;

	p->n_read++;
	must(n && n <= 17 * sizeof(u64));
	if (!p->memory.n || addr < p->at)
		return false;
	for (size_t i = 0; i < n; i++)
		((u8 *)out)[i] = p->memory.p[(addr + i) % p->memory.n];
	return true;
}

/* A walk of at most `max` frames. */
static u32 walk(struct program *p, const struct cfi_registers *start, u32 max)
{
	const struct unwind_source src = { .rule = rule_at, .read = read_memory, .ctx = p };
	u64 frames[CFI_FRAMES_MAX + 1];
	enum stack_end end = STACK_END_COPY;
	u32 n;

	frames[max] = GUARD;
	p->n_asked = p->n_read = 0;
	n = unwind_walk(&src, start, frames, max, &end);
	must(n >= 1 && n <= max && frames[0] == start->pc && frames[max] == GUARD);
	must(end < STACK_END_COPY && (end != STACK_END_DEEP || n == max));
	/* A frame costs one look at the rules, and three reads at most. */
	must(p->n_asked <= n && p->n_read <= 3 * p->n_asked);
	return n;
}

int fuzz_input(const u8 *data, size_t size)
{
	struct input in = { data, size };
	struct program p = { 0 };
	struct cfi_registers start = {
		.pc = input_number(&in),
		.sp = input_number(&in),
		.fp = input_number(&in),
		.other = input_number(&in),
	};
	u32 max = input_byte(&in) % CFI_FRAMES_MAX + 1, n;

	for (u32 i = 0; i < N_RULES; i++)
		p.rules[i] = rule_from(&in);
	p.memory = in;
	p.at = start.sp;
	n = walk(&p, &start, max);
	/* A shorter walk is the beginning of a longer one. */
	if (n > 1)
		must(walk(&p, &start, n - 1) == n - 1);
	return 0;
}
