/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A comparison of two reports of stacks: the values of each function and each stack on both sides,
 * and whether the change is more than chance.
 *
 * Functions and stacks are the same if they look the same (BY_LABEL): by name, and by the module's
 * base name where there is no name.  Addresses, build ids, PIDs and paths are ignored, because
 * they differ between two builds or two runs of one program.  A function or stack is new if it has
 * no value before, and gone if it has none after.
 */
#ifndef MODEL_DIFF_H
#define MODEL_DIFF_H

#include "base/err.h"
#include "model/report.h"

enum diff_when {
	DIFF_BEFORE,
	DIFF_AFTER,
	DIFF_N_SIDES,
};

/* The measure by which values of runs that differ in length or load are compared. */
enum diff_basis {
	DIFF_SHARE,	 /* part of the side's total, 0 to 1 */
	DIFF_PER_SECOND, /* value per second of the side's windows */
	DIFF_ABSOLUTE,	 /* the values as they are */
	DIFF_N_BASES,
};

/* The part of one side that belongs to a function, stack or box. */
struct diff_sum {
	u64 value;	 /* in the unit of the run */
	u64 count;	 /* occurrences, as in struct stack_row, with those that had not ended */
	double variance; /* as in struct stack_row */
};

enum diff_verdict {
	DIFF_UNCERTAIN, /* no interval can be given */
	DIFF_NOISE,	/* the interval contains 0 */
	DIFF_CHANGED,
};

/* A change in one basis.  low and high are meaningless if the verdict is DIFF_UNCERTAIN. */
struct diff_change {
	double before, after;
	double by; /* after - before */
	double low, high;
	enum diff_verdict verdict;
};

struct diff_func {
	u32 frame; /* index into diff.joined.frames */
	struct diff_sum self[DIFF_N_SIDES], total[DIFF_N_SIDES];
	struct diff_change self_by, total_by; /* in the basis of the options */
};

struct diff_stack {
	struct diff_sum side[DIFF_N_SIDES];
	struct diff_change by;
};

struct diff_opts {
	enum diff_basis basis;
	bool by_total;	   /* sort functions by the change of their total instead of self */
	bool by_before;	   /* widths are the values before */
	double z;	   /* quantile of the normal distribution: 1.96 for intervals at 95 % */
	const char *level; /* "95": the same as text, in percent */
};

struct diff_side {
	const struct report *report;
	u64 total;	     /* sum of the rows compared: those with is_whole are not */
	double variance;     /* variance of the total */
	double seconds;	     /* length of the windows; 0: unknown */
	bool is_unaccounted; /* the files do not say what was lost; set by the caller */
};

struct diff {
	struct diff_opts opts;
	struct diff_side side[DIFF_N_SIDES];
	struct run_info run; /* as in the report after; the caller may replace members */
	/*
	 * A report with the frames, tasks and wakers of both sides.  Each of its stacks is a row of
	 * both: `value` on the side that is drawn, `other` on the other side.  `total` is that of
	 * the side that is drawn, and the ledger contains the losses of both.
	 */
	struct report joined;
	/* One for each row of joined.stacks.  Both lists begin with the largest change: first those
	 * that are more than chance or uncertain, then the noise. */
	VEC(struct diff_stack) stacks;
	VEC(struct diff_func) funcs;
	/* private: what `joined` points to */
	struct frame *frames;
	struct stack_node *nodes;
	struct stack_task *tasks;
	struct waker_chain *chains;
	struct waker_link *links;
};

/* Fails if the reports can't be compared because their kinds, units or shapes differ. */
int diff_check(const struct report *before, const struct report *after, struct err *err);

/* Compare two reports for which diff_check() is 0; they must outlive `d`. */
void diff_make(struct diff *d, const struct report *before, const struct report *after,
	       const struct diff_opts *opts);
void diff_release(struct diff *d);

/*
 * The change from sum[DIFF_BEFORE] to sum[DIFF_AFTER] with its confidence interval.
 *
 * Samples and events are counts.  A share of them is a proportion with Wilson's score interval; a
 * rate is a Poisson mean with its score interval.  The interval of the difference combines the
 * distances of both to their limits (Newcombe's hybrid score method), which keeps its coverage
 * where counts are small or 0.  Sums of other values have an interval only if their variance is
 * known: it then covers the error of sampling.
 */
struct diff_change diff_compare(const struct diff *d, enum diff_basis basis,
				const struct diff_sum sum[DIFF_N_SIDES]);

/* false: the sides have no lengths, so that there are no rates. */
bool diff_has_rates(const struct diff *d);

#endif
