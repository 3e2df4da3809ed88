/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The neutral model that every renderer draws: plain data with units.  It can be built by hand
 * in a test in ten lines.  Knows arithmetic; no FILE, no libbpf, no process.
 */
#ifndef MODEL_REPORT_H
#define MODEL_REPORT_H

#include "base/intern.h"
#include "base/mem.h"
#include "model/frame.h"
#include "model/ledger.h"

enum unit {
	UNIT_SAMPLES, /* value = count */
	UNIT_NS,      /* value in nanoseconds; text, folded and JSON print microseconds */
};

/*
 * Stacks share their frames as far as they share their path from the root: a frame stands in a
 * tree, and a stack is the node of its leaf.  Node 0 is none; a parent comes before its children.
 * Nodes of one parent may have equal frames.
 */
struct stack_node {
	u32 parent; /* towards the root; 0: none above */
	u32 frame;  /* index into report.frames */
};

/* Who ran: many stacks have one task. */
struct stack_task {
	const char *root;   /* "nginx", "nginx-1200/1203", a cgroup path; NULL: no root frame */
	const char *comm;   /* raw bytes of the kernel's comm; NULL when not in the grouping */
	s64 pid, tid, cpu;  /* -1: not in the grouping */
	const char *cgroup; /* NULL: not in the grouping */
};

/* One distinct stack and what was counted for it; the user part and the kernel part apart. */
struct stack_row {
	u32 task;	  /* index into report.tasks */
	u32 kernel, user; /* leaf nodes; 0: no such frames */
	u64 value;	  /* report.unit */
	u64 count;	  /* occurrences */
};

/* One function with what ran in it (self) and below it (total); recursion counts once. */
struct func_row {
	u32 frame; /* index into report.frames */
	u64 self, total;
};

enum report_kind {
	REPORT_STACKS = 1 << 0,
	REPORT_FUNCS = 1 << 1,
};

/* What stays the same for all reports of a run. */
struct run_info {
	const char *command; /* "profile" */
	const char *title;   /* "CPU profile" for the flame graph */
	char *const *argv;   /* as typed, argv[0] = command */
	int argc;
	const char *version;	/* "0.1.0" */
	const char *value_name; /* "samples", "offcpu", "blocked" */
	enum unit unit;
	const char *event;  /* "cpu-clock"; NULL: none */
	u64 freq_hz;	    /* 0: none */
	u64 period;	    /* events per sample with -c, else 0 */
	u64 interval_ns;    /* 0: one report */
	u64 count;	    /* 0: until stopped */
	const char *filter; /* a JSON object made by the filter, "{}" for none */
	const char *host, *kernel, *arch, *boot_id;
	u32 cpus_online;
	u64 realtime_ns, monotonic_ns; /* the same instant on both clocks: start of the run */
};

struct report {
	const struct run_info *run;
	enum report_kind kind;
	u32 interval;	      /* 0, 1, ... */
	u64 start_ns, end_ns; /* since the run's start */
	const struct frame *frames;
	size_t n_frames;
	const struct stack_node *nodes; /* [0] is not one, but is counted */
	size_t n_nodes;
	const struct stack_task *tasks;
	size_t n_tasks;
	VEC(struct stack_row) stacks; /* REPORT_STACKS: any order, may hold equal rows */
	VEC(struct func_row) funcs;   /* REPORT_FUNCS */
	u64 total;		      /* sum of values; of REPORT_FUNCS: of the stacks behind it */
	struct ledger ledger;	      /* of this interval */
	bool is_snapshot;	      /* asked for by SIGUSR1: the values go on growing */
};

/* Why the run ended, and its whole ledger. */
struct run_end {
	const char *reason; /* "done", "sigint", "sigterm", "sighup", "target_exit", "child_exit",
			       "error" */
	u64 elapsed_ns;
	u32 intervals;
	u64 records;	  /* rows written */
	bool is_complete; /* no loss known */
	struct ledger ledger;
};

void report_release(struct report *r);

/* ---- a row's frames ---- */

/* The most frames that are kept of a stack, user and kernel each; what is nearer to the root is
 * left out by whoever makes the nodes. */
#define STACK_MAX_DEPTH 1024

/* Indexes into report.frames, leaf first. */
struct stack_frames {
	u32 n_kernel, n_user;
	u32 kernel[STACK_MAX_DEPTH], user[STACK_MAX_DEPTH];
};

void report_frames(const struct report *r, const struct stack_row *row, struct stack_frames *out);

static inline const struct stack_task *report_task(const struct report *r,
						   const struct stack_row *row)
{
	return &r->tasks[row->task];
}

/* ---- equal rows made one ---- */

/*
 * Equal is what looks the same to the reader of a format:
 *
 *	BY_LABEL	the names, and the root; code without a name is its module
 *	BY_TEXT		the names, and the task; code without a name is module+offset
 *	BY_NAME		as BY_TEXT, and whole path, build id and kind of every module
 *	BY_ADDRESS	only what is the same place
 *
 * The result is a new list, sorted by value descending, ties by text, so that equal input gives
 * equal output.  A merged row has task and nodes of one of its rows: BY_LABEL its task says
 * nothing but the root.
 */
enum merge_by {
	BY_LABEL,
	BY_TEXT,
	BY_NAME,
	BY_ADDRESS
};

/* Ranks: equal numbers look the same, and the numbers are in the order of the texts. */
struct merged {
	VEC(struct stack_row) rows;
	u32 *looks; /* rank of each frame of the report */
	u32 *paths; /* of each node: of all frames from the root to it; 0 of node 0 */
	u32 *tasks; /* of each task */
};

void report_merge(const struct report *r, enum merge_by by, struct merged *out);
void merged_release(struct merged *m);

/* -1, 0, 1: the rows' tasks, then their frames from the root on, user part first. */
int merged_path_cmp(const struct merged *m, const struct stack_row *a, const struct stack_row *b);

/* The ranks alone; n_frames and n_nodes entries, caller frees. */
u32 *report_looks(const struct report *r, enum merge_by by);
u32 *report_paths(const struct report *r, const u32 *looks);

/* ---- other views ---- */

/* Turn a stack report into one of functions, most of self first. */
void report_functions(struct report *r);

/*
 * Keep only the stacks that hold a function `name`, cut so that it is the leaf: its callers.
 * Recursion counts once (the outermost call stays).  `name` is as shown, without the arguments,
 * or as in the symbol table.  The total becomes that of the rows kept; returns how many they are.
 */
size_t report_callers(struct report *r, const char *name);

#endif
