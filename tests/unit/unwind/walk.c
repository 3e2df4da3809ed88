// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Walks over stacks that are made here, by rules that are made here. */
#include "unwind/walk.h"

#include <string.h>

#include "test.h"

#define STACK 0x7f0000001000ULL
#define WORDS 64

/* Code at 0x1000 * (i + 1) has rules[i]. */
struct world {
	struct cfi_rule rules[8];
	enum unwind_found found[8];
	u64 memory[WORDS];
	u64 n_reads;
};

static enum unwind_found rule(void *ctx, u64 pc, struct cfi_rule *out)
{
	struct world *w = ctx;
	u64 i = (pc >> 12) - 1;

	if (i >= ARRAY_SIZE(w->rules))
		return UNWIND_NOTHING;
	*out = w->rules[i];
	return w->found[i];
}

static bool read_memory(void *ctx, u64 addr, void *out, size_t n)
{
	struct world *w = ctx;

	w->n_reads++;
	if (addr < STACK || addr - STACK + n > sizeof(w->memory))
		return false;
	memcpy(out, (const u8 *)w->memory + (addr - STACK), n);
	return true;
}

static u32 walk(struct world *w, struct cfi_registers start, u64 *frames, u32 max,
		enum stack_end *end)
{
	const struct unwind_source src = { .rule = rule, .read = read_memory, .ctx = w };

	return unwind_walk(&src, &start, frames, max, end);
}

static struct cfi_rule at_sp(s32 off)
{
	return (struct cfi_rule){
		.cfa = CFI_SP, .off = off, .fp = CFI_SAME, .ra = CFI_AT_CFA, .ra_words = -1
	};
}

/* A leaf, its caller with a frame of 24 bytes, and the start of the thread. */
TEST(plain)
{
	struct world w = { .rules = { at_sp(8), at_sp(32), { .cfa = CFI_END } } };
	u64 frames[8];
	enum stack_end end;

	w.memory[0] = 0x2010; /* the leaf's return address */
	w.memory[4] = 0x3020;
	CHECK_U64(walk(&w, (struct cfi_registers){ .pc = 0x1004, .sp = STACK }, frames, 8, &end),
		  3);
	CHECK_U64(frames[0], 0x1004);
	CHECK_U64(frames[1], 0x2010);
	CHECK_U64(frames[2], 0x3020);
	CHECK_U64(end, STACK_END_ROOT);
	CHECK_U64(walk(&w, (struct cfi_registers){ .pc = 0x1004, .sp = STACK }, frames, 2, &end),
		  2);
	CHECK_U64(end, STACK_END_DEEP);
}

/* The call is what counts: a function that does not return may be the last one before another. */
TEST(call_at_the_end)
{
	struct world w = { .rules = { at_sp(8), at_sp(8), { .cfa = CFI_END } } };
	u64 frames[8];
	enum stack_end end;

	w.memory[0] = 0x3000; /* the instruction after a call that ends the function at 0x2000 */
	w.memory[1] = 0x3010;
	CHECK_U64(walk(&w, (struct cfi_registers){ .pc = 0x1004, .sp = STACK }, frames, 8, &end),
		  3);
	CHECK_U64(end, STACK_END_ROOT);
}

TEST(saved_frame_pointer)
{
	struct world w = { .rules = { { .cfa = CFI_FP,
					.off = 16,
					.fp = CFI_AT_CFA,
					.fp_words = -2,
					.ra = CFI_AT_CFA,
					.ra_words = -1 },
				      { .cfa = CFI_FP_DEREF,
					.off = -8,
					.fp = CFI_AT_FP,
					.fp_words = 0,
					.ra = CFI_AT_CFA,
					.ra_words = -1 },
				      { .cfa = CFI_END } } };
	u64 frames[8];
	enum stack_end end;

	w.memory[2] = STACK + 8 * 10; /* the caller's frame pointer */
	w.memory[3] = 0x2010;
	w.memory[9] = STACK + 8 * 20; /* its CFA, kept below its frame pointer */
	w.memory[19] = 0x3010;
	CHECK_U64(walk(&w, (struct cfi_registers){ .pc = 0x1004, .sp = STACK, .fp = STACK + 16 },
		       frames, 8, &end),
		  3);
	CHECK_U64(end, STACK_END_ROOT);
}

/* Code without rules, as a JIT makes it. */
TEST(frame_pointers)
{
	struct world w = { .found = { UNWIND_NO_FILE, UNWIND_RULE },
			   .rules = { { 0 }, { .cfa = CFI_END } } };
	u64 frames[8];
	enum stack_end end;

	w.memory[4] = STACK + 8 * 30;
	w.memory[5] = 0x2010;
	CHECK_U64(walk(&w, (struct cfi_registers){ .pc = 0x1004, .sp = STACK, .fp = STACK + 32 },
		       frames, 8, &end),
		  2);
	CHECK_U64(end, STACK_END_ROOT);
	/* The register holds something else. */
	CHECK_U64(walk(&w, (struct cfi_registers){ .pc = 0x1004, .sp = STACK, .fp = 77 }, frames, 8,
		       &end),
		  1);
	CHECK_U64(end, STACK_END_JIT);
	w.found[0] = UNWIND_NO_RULE;
	CHECK_U64(walk(&w, (struct cfi_registers){ .pc = 0x1004, .sp = STACK, .fp = 77 }, frames, 8,
		       &end),
		  1);
	CHECK_U64(end, STACK_END_NO_INFO);
}

/* Without its table, a file's frames are guessed: a root that is reached by them proves nothing. */
TEST(late)
{
	struct world w = { .found = { UNWIND_LATE, UNWIND_RULE },
			   .rules = { { 0 }, { .cfa = CFI_END } } };
	u64 frames[8];
	enum stack_end end;

	w.memory[5] = 0x2010;
	CHECK_U64(walk(&w, (struct cfi_registers){ .pc = 0x1004, .sp = STACK, .fp = STACK + 32 },
		       frames, 8, &end),
		  2);
	CHECK_U64(end, STACK_END_LATE);
	w.memory[5] = 0x77000;
	CHECK_U64(walk(&w, (struct cfi_registers){ .pc = 0x1004, .sp = STACK, .fp = STACK + 32 },
		       frames, 8, &end),
		  2);
	CHECK_U64(end, STACK_END_LATE);
}

TEST(ends)
{
	struct world w = { .rules = { at_sp(8), at_sp(0), at_sp(8 * WORDS * 2) } };
	u64 frames[8];
	enum stack_end end;

	w.memory[0] = 0x77000;
	CHECK_U64(walk(&w, (struct cfi_registers){ .pc = 0x1004, .sp = STACK }, frames, 8, &end),
		  2);
	CHECK_U64(end, STACK_END_NO_MAPPING);
	/* A frame of no size would never end. */
	CHECK_U64(walk(&w, (struct cfi_registers){ .pc = 0x2004, .sp = STACK }, frames, 8, &end),
		  1);
	CHECK_U64(end, STACK_END_NO_INFO);
	CHECK_U64(walk(&w, (struct cfi_registers){ .pc = 0x3004, .sp = STACK }, frames, 8, &end),
		  1);
	CHECK_U64(end, STACK_END_MEMORY);
	w.memory[0] = 0;
	CHECK_U64(walk(&w, (struct cfi_registers){ .pc = 0x1004, .sp = STACK }, frames, 8, &end),
		  1);
	CHECK_U64(end, STACK_END_UNKNOWN);
}

/* A walk ends, whatever rules and memory say, and reads a bounded number of times. */
TEST(loops)
{
	struct world w = { .rules = { at_sp(8) } };
	u64 frames[16];
	enum stack_end end;

	for (u32 i = 0; i < WORDS; i++)
		w.memory[i] = 0x1010;
	CHECK_U64(walk(&w, (struct cfi_registers){ .pc = 0x1004, .sp = STACK }, frames, 16, &end),
		  16);
	CHECK_U64(end, STACK_END_DEEP);
	CHECK(w.n_reads <= 3 * 16);
}

#if defined(__x86_64__)
TEST(signal_frame)
{
	struct world w = { .rules = { { .cfa = CFI_SIGNAL }, at_sp(8), { .cfa = CFI_END } } };
	u64 frames[8];
	enum stack_end end;

	w.memory[5 + 15] = STACK + 8 * 40; /* rsp of the interrupted code */
	w.memory[5 + 16] = 0x2000;	   /* rip: its first instruction */
	w.memory[40] = 0x3010;
	CHECK_U64(walk(&w, (struct cfi_registers){ .pc = 0x1004, .sp = STACK }, frames, 8, &end),
		  3);
	CHECK_U64(frames[1], 0x2000);
	CHECK_U64(end, STACK_END_ROOT);
}

/* An entry of .plt has pushed 8 bytes from its 6th on, in its second instruction. */
TEST(plt_entry)
{
	struct world w = { .rules = {
				   { .cfa = CFI_PLT, .off = 11, .ra = CFI_AT_CFA, .ra_words = -1 },
				   { .cfa = CFI_END } } };
	u64 frames[8];
	enum stack_end end;

	w.memory[0] = 0x2010;
	CHECK_U64(walk(&w, (struct cfi_registers){ .pc = 0x1006, .sp = STACK }, frames, 8, &end),
		  2);
	CHECK_U64(end, STACK_END_ROOT);
	w.memory[0] = 3;
	w.memory[1] = 0x2010;
	CHECK_U64(walk(&w, (struct cfi_registers){ .pc = 0x100b, .sp = STACK }, frames, 8, &end),
		  2);
	CHECK_U64(end, STACK_END_ROOT);
}
#endif
