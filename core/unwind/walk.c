// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "unwind/walk.h"

#include "unwind/address.h"

/* A frame pointer further away than this is wrong: stacks are not that large. */
#define FP_BYTES (1 << 20)

struct walk {
	const struct unwind_source *src;
	struct cfi_registers at;
	bool is_return; /* at.pc is a return address: look up the call before it */
	bool has_other; /* at.other is known */
	bool is_late;	/* frames may be wrong or missing: a table was not there yet */
	enum stack_end end;
};

/* ---- architectures ---- */

#if defined(__aarch64__)
/* struct rt_sigframe (arch/arm64/kernel/signal.c): 128 bytes of siginfo, then a ucontext with
 * regs[31], sp, pc at 184. */
static bool read_signal(const struct walk *w, struct cfi_registers *out)
{
	u64 r[4]; /* regs[29], regs[30], sp, pc */

	if (!w->src->read(w->src->ctx, w->at.sp + 312 + sizeof(u64) * 29, r, sizeof(r)))
		return false;
	*out = (struct cfi_registers){ .pc = r[3], .sp = r[2], .fp = r[0], .other = r[1] };
	return true;
}
#else
/* struct rt_sigframe (arch/x86/include/asm/sigframe.h): at sp there is a ucontext, which contains
 * r8 to r15, rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp and rip from offset 40 on. */
static bool read_signal(const struct walk *w, struct cfi_registers *out)
{
	u64 r[17];

	if (!w->src->read(w->src->ctx, w->at.sp + 40, r, sizeof(r)))
		return false;
	*out = (struct cfi_registers){ .pc = r[16], .sp = r[15], .fp = r[10], .other = r[2] };
	return true;
}
#endif

/* ---- steps: true while the walk goes on ---- */

static bool stop(struct walk *w, enum stack_end why)
{
	w->end = why;
	return false;
}

static bool go_on(struct walk *w, u64 pc, u64 sp, u64 fp)
{
	w->at = (struct cfi_registers){ .pc = unwind_address(pc), .sp = sp, .fp = fp };
	w->is_return = true;
	w->has_other = false;
	return w->at.pc || stop(w, STACK_END_UNKNOWN);
}

static bool step_by_fp(struct walk *w, enum stack_end end)
{
	u64 frame[2];

	if (!w->at.fp)
		return stop(w, STACK_END_UNKNOWN);
	if (w->at.fp % 8 || w->at.fp < w->at.sp || w->at.fp - w->at.sp > FP_BYTES ||
	    !w->src->read(w->src->ctx, w->at.fp, frame, sizeof(frame)))
		return stop(w, end);
	return go_on(w, frame[1], w->at.fp + sizeof(frame), frame[0]);
}

static bool step_by_signal(struct walk *w)
{
	if (!read_signal(w, &w->at))
		return stop(w, STACK_END_MEMORY);
	w->is_return = false; /* the instruction that was interrupted */
	w->has_other = true;
	return w->at.pc || stop(w, STACK_END_UNKNOWN);
}

static bool read_word(const struct walk *w, u64 addr, u64 *out)
{
	return w->src->read(w->src->ctx, addr, out, sizeof(*out));
}

/* 0: the CFA is not known. */
static u64 cfa_of(const struct walk *w, const struct cfi_rule *rule)
{
	u64 at = rule->cfa == CFI_SP_DEREF ? w->at.sp : w->at.fp, value;

	switch (rule->cfa) {
	case CFI_SP:
		return w->at.sp + (u64)(s64)rule->off;
	case CFI_FP:
		return w->at.fp + (u64)(s64)rule->off;
	case CFI_PLT:
		return w->at.sp + ((w->at.pc & 15) >= (u64)rule->off ? 16 : 8);
	case CFI_R10:
		return w->has_other ? w->at.other + (u64)(s64)rule->off : 0;
	case CFI_SP_DEREF:
	case CFI_FP_DEREF:
		return read_word(w, at + (u64)(s64)rule->off, &value) ? value + (u64)(s64)rule->add
								      : 0;
	}
	return 0;
}

/* The caller's value of a register.  false: not readable. */
static bool saved(const struct walk *w, u64 cfa, u8 where, s32 words, u64 same, u64 *out)
{
	u64 base = where == CFI_AT_CFA ? cfa : where == CFI_AT_FP ? w->at.fp : w->at.sp;

	*out = where == CFI_SAME ? same : 0;
	if (where == CFI_SAME || where == CFI_LOST)
		return true;
	return read_word(w, base + (u64)((s64)words * 8), out);
}

static bool step_by_rule(struct walk *w, const struct cfi_rule *rule)
{
	bool is_leaf = rule->ra == CFI_SAME;
	u64 cfa, pc, fp;

	if (rule->cfa == CFI_END)
		return stop(w, STACK_END_ROOT);
	if (rule->cfa == CFI_SIGNAL)
		return step_by_signal(w);
	cfa = cfa_of(w, rule);
	/* Stacks grow down: if a step does not lead to a higher address, this is not a stack, and
	 * the walk might never end.  On arm64, leaf functions have no frame. */
	if ((is_leaf && !w->has_other) || cfa % 8 || cfa < w->at.sp ||
	    (cfa == w->at.sp && !is_leaf))
		return stop(w, STACK_END_NO_INFO);
	if (!saved(w, cfa, rule->ra, rule->ra_words, w->at.other, &pc))
		return stop(w, STACK_END_MEMORY);
	if (!saved(w, cfa, rule->fp, rule->fp_words, w->at.fp, &fp))
		fp = 0;
	return go_on(w, pc, cfa, fp);
}

static bool step(struct walk *w)
{
	struct cfi_rule rule;

	switch (w->src->rule(w->src->ctx, w->at.pc - w->is_return, &rule)) {
	case UNWIND_RULE:
		return step_by_rule(w, &rule);
	case UNWIND_NO_RULE:
		return step_by_fp(w, STACK_END_NO_INFO);
	case UNWIND_NO_FILE:
		return step_by_fp(w, STACK_END_JIT);
	case UNWIND_LATE:
		w->is_late = true;
		return step_by_fp(w, STACK_END_LATE);
	case UNWIND_NOTHING:
		break;
	}
	return stop(w, STACK_END_NO_MAPPING);
}

u32 unwind_walk(const struct unwind_source *src, const struct cfi_registers *start, u64 *frames,
		u32 max, enum stack_end *end)
{
	struct walk w = { .src = src, .at = *start, .has_other = true };
	u32 n = 0;

	do {
		if (n == max) {
			w.end = STACK_END_DEEP;
			break;
		}
		frames[n++] = w.at.pc;
	} while (step(&w));
	*end = w.is_late ? STACK_END_LATE : w.end;
	return n;
}
