/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Kernel functions that tell the meaning of the frames around them: where interrupts enter, where
 * softirqs run, where tracing itself begins.  They are read once from kallsyms, or asked of the
 * kernel one by one, and looked up by address, because stacks are truncated and labelled before
 * they are symbolized.
 */
#ifndef SYM_LANDMARKS_H
#define SYM_LANDMARKS_H

#include "base/err.h"
#include "base/mem.h"
#include "base/types.h"
#include "sym/ksyms.h"
#include "sym/symtext.h"

enum landmark_kind {
	/*
	 * Interrupt entries: frames nearer to the root belong to the interrupted task.  On arm64,
	 * and with FRED, one interrupt has several consecutive entry frames: the one nearest to the
	 * leaf is the most specific.  `label` of LANDMARK_IRQ is used if no irq_handler_entry event
	 * gave the name.
	 */
	LANDMARK_IRQ,
	LANDMARK_TIMER,
	LANDMARK_IPI,
	/* Between such an entry and the leaf, these determine the kind of interrupt if all
	 * interrupts share one entry (arm64, Xen, timers that are devices).  Stacks are not
	 * truncated here. */
	LANDMARK_IN_TIMER,
	LANDMARK_IN_IPI,
	/* Return to the interrupted code: the interrupt is over.  Frames nearer to the leaf are the
	 * task's own work (signals, exit), although an entry is nearer to the root. */
	LANDMARK_RETURN,
	/* The loop over pending softirqs: handle_softirqs, __do_softirq before 6.10. */
	LANDMARK_SOFTIRQ,
	/* The handler of one vector; `label` is "net_rx".  Only the frame next to the loop, towards
	 * the leaf, counts, because some of these functions have other callers too. */
	LANDMARK_VECTOR,
	LANDMARK_TRACE, /* the caller of BPF programs: it and all frames nearer to the leaf belong
			to the tracer */
	LANDMARK_ORC,	/* part of the ORC unwinder, which only some kernels have */
	/* Return addresses that tracers put on the stack until the function returns; the kernel's
	 * unwinder replaces them by the original ones. */
	LANDMARK_HIDING,
	LANDMARK_NONE, /* a function that is none of them */
};

struct landmark {
	u64 start, end; /* [start, end) */
	enum landmark_kind kind;
	const char *label; /* static; NULL: none */
};

/* [start, end); empty if the kernel has no such range. */
struct landmark_range {
	u64 start, end;
};

struct landmarks {
	VEC(struct landmark) v; /* by start; with a `source`, only those for programs */
	/* It is asked for the others; NULL: v has all.  `met` has the functions that were asked
	 * for. */
	const struct ksym_source *source;
	VEC(struct landmark) met; /* by start */
	/* .sched.text (schedule, io_schedule, do_nanosleep, mutex_lock...) and .spinlock.text. */
	struct landmark_range sleeps, locks;
};

/*
 * Read PROC_ROOT/kallsyms.  Fails with ERR_PERM (77) if the kernel hides its addresses, with
 * ERR_KERNEL if the file does not exist; a kind without any landmark is not an error.  Almost all
 * of the time is spent in the kernel, which formats 122,000 lines (35 to 44 ms on the 6.18 test
 * host, 5 of them here): a thread can read the text into `kept` in advance (symtext_begin).
 * Trampolines that are created later are not known.  If `kept` is not NULL, the text is taken from
 * there and stays there for symbolizer_give_kallsyms(): 5.4 MB; it is empty if the file could not
 * be read to its end.
 */
int landmarks_read(const char *proc_root, struct symtext *kept, struct landmarks *out,
		   struct err *err);

/*
 * The same without the text: ask the source, which must be able to find symbols by name, and
 * outlives *out.  Landmarks that programs need are found now (.sched.text, the ORC unwinder, what
 * hides return addresses; wants_entries: also where interrupts enter and return), the others when a
 * stack has them. Returns false if the source does not know enough.
 */
bool landmarks_ask(struct landmarks *out, const struct ksym_source *source, bool wants_entries);

/* Only check whether landmarks_read would be permitted: reads one page. */
int landmarks_check(const char *proc_root, struct err *err);

/* NULL if the address is at no landmark.  Valid until the next call. */
const struct landmark *landmarks_find(struct landmarks *p, u64 addr);

/* The number of frames, from the leaf, that belong to the tracer; 0 if it is not on the stack.
 * Only for stacks that a program recorded in its own context. */
u32 landmarks_trim(struct landmarks *p, const u64 *frames, u32 n);

/* The number of frames, from the leaf, that only repeat the next one: 0 or 1.  At tracepoints and
 * software events the kernel begins with the address that the event returns to, and some unwinders
 * find that frame again (x86: 5.10 does, 6.1 does not). */
u32 landmarks_doubled(const u64 *frames, u32 n);

/* The kernel leaves such frames out of the stack of a thread other than the caller, at any position
 * (stack_trace_save_tsk). */
bool landmarks_is_gap(const struct landmarks *p, u64 addr);

void landmarks_release(struct landmarks *p);

#endif
