/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A row as one path from the root, as used by flame graphs, folded lines and pprof:
 *
 * SHAPE_STACK	task; user; [-;] kernel
 * SHAPE_WAKEUP	waker; its user; [-;] its kernel; task
 * SHAPE_CHAIN	task; user; [-;] kernel; and for each waker  --; its kernel, leaf first;
 * 		its user, leaf first; waker;  and if the chain ends otherwise  --; [why]
 *
 * Waits that lasted through the whole window have one more step at the root.
 */
#ifndef RENDER_STACKPATH_H
#define RENDER_STACKPATH_H

#include "base/str.h"
#include "model/report.h"

enum step_what {
	STEP_ALL,   /* the root of all paths; only in flame graphs */
	STEP_WHOLE, /* the branch of waits that lasted through the whole window */
	STEP_TASK,
	STEP_FRAME,
	STEP_DELIMITER, /* "-" */
	STEP_SEPARATOR, /* "--" */
	STEP_WAKER,
	STEP_END,
};

struct step {
	enum step_what what;
	bool is_waker;	      /* after a "--", or the waker itself */
	enum waker_kind kind; /* STEP_WAKER only */
	u32 frame;	      /* STEP_FRAME: index into report.frames */
	const char *text;     /* for other steps; for STEP_WAKER the name, or NULL */
};

struct steps {
	VEC(struct step) list;
};

/* Replace s by the steps of one row. */
void steps_make(struct steps *s, const struct report *r, const struct stack_row *row,
		bool delimited);
void steps_release(struct steps *s);

/* Are two steps the same, given that the paths before them are equal?  Frames are the same if their
 * ranks are equal. */
bool step_is_same(const struct step *a, const struct step *b, const u32 *looks);

/* Add the step's name as raw bytes: "nginx", "main", "irq:eth0", "[running]". */
void step_add_name(struct str *out, const struct report *r, const struct step *step);

/* Add the waker's name: "sshd", "irq:eth0", "timer". */
void waker_add_name(struct str *out, enum waker_kind kind, const char *name);
/* "[running]", "[cycle]", "[depth]", "[unknown waker]", "[not over]"; NULL: the last link shows
 * it. */
extern const char *const chain_end_texts[CHAIN_N_ENDS];
/* The same for a chain without links, and never NULL. */
const char *no_waker_text(const struct waker_chain *chain);
/* "[whole window]" */
extern const char whole_window_text[];

#endif
