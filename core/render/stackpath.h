/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A row as one path from the root on, which is how flame graphs, folded lines and pprof have it:
 *
 *	SHAPE_STACK	task; user; [-;] kernel
 *	SHAPE_WAKEUP	waker; its user; [-;] its kernel; task
 *	SHAPE_CHAIN	task; user; [-;] kernel; and for each waker  --; its kernel, leaf first;
 *			its user, leaf first; waker;  and where the chain ends otherwise  --; [why]
 */
#ifndef RENDER_STACKPATH_H
#define RENDER_STACKPATH_H

#include "base/str.h"
#include "model/report.h"

enum step_what {
	STEP_ALL, /* below all paths; only in a flame graph */
	STEP_TASK,
	STEP_FRAME,
	STEP_DELIMITER, /* "-" */
	STEP_SEPARATOR, /* "--" */
	STEP_WAKER,
	STEP_END,
};

struct step {
	enum step_what what;
	bool is_waker;	      /* behind a "--", or the waker itself */
	enum waker_kind kind; /* of STEP_WAKER */
	u32 frame;	      /* of STEP_FRAME: index into report.frames */
	const char *text;     /* of the others; of STEP_WAKER the name, if there is one */
};

struct steps {
	VEC(struct step) list;
};

/* The steps of one row, in place of those that were there. */
void steps_make(struct steps *s, const struct report *r, const struct stack_row *row,
		bool delimited);
void steps_release(struct steps *s);

/* Do two steps that come after equal ones say the same?  Frames do when their ranks are equal. */
bool step_is_same(const struct step *a, const struct step *b, const u32 *looks);

/* Raw bytes: "nginx", "main", "irq:eth0", "[running]". */
void step_add_name(struct str *out, const struct report *r, const struct step *step);

/* What a waker is called: "sshd", "irq:eth0", "timer". */
void waker_add_name(struct str *out, enum waker_kind kind, const char *name);
/* "[running]", "[cycle]", "[depth]", "[unknown waker]"; NULL: the chain says it by its last link.
 */
extern const char *const chain_end_texts[CHAIN_N_ENDS];
/* "thread", "irq", "softirq", "timer", "ipi" */
extern const char *const waker_kind_names[WAKER_N_KINDS];

#endif
