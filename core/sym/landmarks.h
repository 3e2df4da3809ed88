/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Kernel functions that say what the frames around them mean: where interrupts enter, where
 * softirqs run, where tracing itself begins.  Read once from kallsyms; found by address, for
 * stacks are cut and labelled before anything has a name.
 */
#ifndef SYM_LANDMARKS_H
#define SYM_LANDMARKS_H

#include "base/err.h"
#include "base/mem.h"
#include "base/types.h"

enum place_kind {
	/*
	 * Interrupt entries: what is nearer to the root is the interrupted task's.  On arm64, and
	 * with FRED, one interrupt has several of them, which follow each other: the one nearest to
	 * the leaf knows best.  `label` of PLACE_IRQ: its name when no irq_handler_entry gave one.
	 */
	PLACE_IRQ,
	PLACE_TIMER,
	PLACE_IPI,
	/* Between such an entry and the leaf these say what kind it is, where all interrupts have
	 * the same entry (arm64, Xen, timers that are devices).  No stack is cut here. */
	PLACE_IN_TIMER,
	PLACE_IN_IPI,
	/* Back to what was interrupted: the interrupt is over.  What is nearer to the leaf is the
	 * task's own work (signals, its end), though an entry is nearer to the root. */
	PLACE_RETURN,
	PLACE_SOFTIRQ, /* the loop over what is pending: handle_softirqs, before 6.10 __do_softirq
			*/
	/* What it calls for one vector; `label` is "net_rx".  Only the frame next to the loop,
	 * towards the leaf, counts: some of these are called by others too. */
	PLACE_VECTOR,
	PLACE_TRACE, /* calls BPF programs: it and all nearer to the leaf are the instrument */
	PLACE_ORC,   /* part of the ORC unwinder, which not every kernel has */
	/* What tracers put on the stack in place of a return address, until the function returns;
	 * the kernel's unwinder says what was there before. */
	PLACE_HIDING,
};

struct place {
	u64 start, end; /* [start, end) */
	enum place_kind kind;
	const char *label; /* static; NULL: none */
};

/* [start, end); empty where the kernel has no such part. */
struct place_range {
	u64 start, end;
};

struct places {
	VEC(struct place) v; /* by start */
	/* .sched.text (schedule, io_schedule, do_nanosleep, mutex_lock...) and .spinlock.text. */
	struct place_range sleeps, locks;
};

/*
 * From PROC_ROOT/kallsyms.  Fails with ERR_PERM (77) when the kernel hides its addresses, with
 * ERR_KERNEL when it has no such file; none at all of a kind is no error.  Almost all of its time
 * is the kernel's, which formats 122,000 lines (35 to 44 ms on the 6.18 test host, 5 of them here):
 * better done when the probes are live than before.  Trampolines are known that existed then.
 */
int places_read(const char *proc_root, struct places *out, struct err *err);

/* Only whether places_read would be let: reads a page. */
int places_check(const char *proc_root, struct err *err);

/* NULL: nothing special there. */
const struct place *places_find(const struct places *p, u64 addr);

/* How many of the frames, leaf first, are the instrument's; 0 when it isn't in the picture.  Only
 * for stacks that a program took of its own context. */
u32 places_trim(const struct places *p, const u64 *frames, u32 n);

/* How many of the frames, leaf first, only repeat the next one; 0 or 1.  At tracepoints and
 * software events the kernel begins with the address that the event returns to, and some unwinders
 * find that frame once more (x86: 5.10 does, 6.1 does not). */
u32 places_doubled(const u64 *frames, u32 n);

/* The kernel leaves such frames out of the stack of a thread that is not the caller, wherever they
 * are in it (stack_trace_save_tsk). */
bool places_is_gap(const struct places *p, u64 addr);

void places_release(struct places *p);

#endif
