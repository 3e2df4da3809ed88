/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The neutral model that every renderer draws: plain data with units.  It can be built by hand
 * in a test in ten lines.  Knows arithmetic; no FILE, no libbpf, no process.
 */
#ifndef MODEL_REPORT_H
#define MODEL_REPORT_H

#include "base/intern.h"
#include "base/mem.h"
#include "model/count.h"
#include "model/dist.h"
#include "model/event.h"
#include "model/frame.h"
#include "model/ledger.h"

enum unit {
	UNIT_SAMPLES, /* value = count */
	UNIT_EVENTS,  /* the same */
	UNIT_VALUES,  /* the sum of what run_info.value_name says */
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

/* Who ended a wait. */
enum waker_kind {
	WAKER_THREAD,
	WAKER_IRQ,     /* a device's interrupt */
	WAKER_SOFTIRQ, /* above an interrupt, or in ksoftirqd */
	WAKER_TIMER,
	WAKER_IPI,
	WAKER_N_KINDS,
};

/* Why a chain of wakers ends where it does. */
enum chain_end {
	CHAIN_END_NONE,	   /* one level was asked for, and a thread is in it: nothing to say */
	CHAIN_END_IRQ,	   /* the last link is an interrupt, whose kind says which */
	CHAIN_END_RUNNING, /* the last waker was not waiting */
	CHAIN_END_CYCLE,
	CHAIN_END_DEPTH,   /* there is more, but no more levels were asked for */
	CHAIN_END_UNKNOWN, /* who woke it is not known, or nobody has yet */
	CHAIN_N_ENDS,
};

/* One waker; the stack is where it called wake-up. */
struct waker_link {
	enum waker_kind kind;
	u32 task;	  /* index into report.tasks; only of WAKER_THREAD */
	u32 kernel, user; /* leaf nodes; 0: no such frames */
	const char *name; /* "nvme0q1", "net_rx"; NULL: a thread, a timer, an ipi, or not known */
	u64 value;	  /* of the row's, what passed while the wait hung on this link (--path) */
};

#define CHAIN_MAX_LINKS 32

/* The wakers of a row, nearest first: links[first] .. links[first + n - 1].  Rows may share a
 * chain, unless its links have values. */
struct waker_chain {
	u32 first, n;
	enum chain_end end;
};

/* One distinct stack and what was counted for it; the user part and the kernel part apart. */
struct stack_row {
	u32 task;	  /* index into report.tasks */
	u32 kernel, user; /* leaf nodes; 0: no such frames */
	u32 chain;	  /* index into report.chains; 0: the command has no wakers, or in a report
			     that shows wakers, none is known */
	u64 value;	  /* report.unit */
	u64 count;	  /* occurrences, of intervals those that ended */
	u64 n_open;	  /* intervals that had not ended; not in count, but in value */
	double variance;  /* of the value, unit squared, where only some were taken (--sample);
			     0: all were */
};

/* Where the wall time of a process or thread went. */
enum state_column {
	STATE_USER,   /* running; split by the ratio of utime to stime, an estimate */
	STATE_SYSTEM, /* running in the kernel */
	STATE_PREEMPTED,
	STATE_WAITING, /* woken, waiting for a CPU */
	STATE_THROTTLED,
	STATE_DISK, /* from here on blocked, by kind */
	STATE_NETWORK,
	STATE_LOCK,
	STATE_PIPE,
	STATE_SLEEP,
	STATE_POLL,
	STATE_FAULT,
	STATE_OTHER,
	STATE_UNSEEN, /* of which the kernel did not tell; 0 where nothing was lost */
	STATE_N_COLUMNS,
};

extern const char *const state_names[STATE_N_COLUMNS]; /* as in JSON and in column heads */

struct state_row {
	u32 task;      /* index into report.tasks */
	u32 n_threads; /* seen in the window */
	u64 wall_ns;   /* thread-seconds inside the window */
	u64 ns[STATE_N_COLUMNS];
};

/* One function with what ran in it (self) and below it (total); recursion counts once. */
struct func_row {
	u32 frame; /* index into report.frames */
	u64 self, total;
};

enum report_kind {
	REPORT_STACKS = 1 << 0,
	REPORT_FUNCS = 1 << 1,
	REPORT_STATES = 1 << 2, /* offcpu --states */
	REPORT_PATHS = 1 << 3,	/* chain --path: stacks whose links have values */
	REPORT_EVENTS = 1 << 4, /* trace: one by one (model/event.h), no report at the end */
	REPORT_COUNTS = 1 << 5, /* funccount */
	REPORT_DISTS = 1 << 6,	/* argdist */
	REPORT_HEAT = 1 << 7, /* what argdist --heat asks for: reports of REPORT_DISTS over time */
};

/* What is drawn of a row, and in which order from the root on. */
enum shape {
	SHAPE_STACK,  /* its task and stack */
	SHAPE_WAKEUP, /* its first waker, where that called wake-up, and at the leaf the row's task
		       */
	SHAPE_CHAIN,  /* its task and stack, and on top of it the wakers, each upside down */
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
	enum shape shape;
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
	const struct waker_chain *chains; /* [0] is not one */
	size_t n_chains;
	const struct waker_link *links;
	size_t n_links;
	VEC(struct waker_chain) own_chains; /* what chains and links point to when the report was */
	VEC(struct waker_link) own_links;   /* changed (report_callers); else empty */
	/* REPORT_STACKS and _PATHS: any order, may hold equal rows; REPORT_DISTS: those that are
	 * keys, for stack/cuts.h. */
	VEC(struct stack_row) stacks;
	VEC(struct state_row) states; /* REPORT_STATES, any order */
	u64 n_open;		      /* intervals that had not ended when the report was made */
	VEC(struct func_row) funcs;   /* REPORT_FUNCS */
	VEC(struct count_row) counts; /* REPORT_COUNTS, any order */
	struct count_view count_view; /* of them */
	VEC(struct dist) dists;	      /* REPORT_DISTS, in the order of the command line */
	u64 total;		      /* sum of values; of REPORT_FUNCS: of the stacks behind it; of
					 REPORT_STATES: of wall times */
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
	bool is_complete; /* nothing is lost, as far as the command can tell */
	struct ledger ledger;
	const struct event_probe *probes; /* of commands with probes: what became of each */
	size_t n_probes;
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

/* Of row->chain 0: one without links that ends unknown. */
const struct waker_chain *report_chain(const struct report *r, u32 chain);

static inline const struct waker_link *report_link(const struct report *r,
						   const struct waker_chain *chain, u32 i)
{
	return &r->links[chain->first + i];
}

/* The node that says where a thread waits or wakes: from `leaf` on the first that is none of the
 * scheduler's, or `leaf`. */
u32 report_place(const struct report *r, u32 leaf);

/* ---- equal rows made one ---- */

/*
 * Equal is what looks the same to the reader of a format:
 *
 *	BY_LABEL	the names, and the root; code without a name is its module
 *	BY_TEXT		the names, and the task; code without a name is module+offset
 *	BY_NAME		as BY_TEXT, and whole path, build id and kind of every module
 *	BY_ADDRESS	only what is the same place
 *
 * Wakers are part of the look, each at the same level of detail.  The result is a new list, sorted
 * by value descending, ties by text, so that equal input gives equal output.  A merged row has
 * task, nodes and chain of one of its rows: BY_LABEL a task says nothing but the root.
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
	enum shape shape;
	u32 *looks;	  /* rank of each frame of the report */
	u32 *paths;	  /* of each node: of all frames from the root to it; 0 of node 0 */
	u32 *tasks;	  /* of each task */
	u32 *chains;	  /* of each chain, in the order in which the shape draws it */
	u64 *link_values; /* REPORT_PATHS: of each link of a merged row's chain, the rows' sum */
};

void report_merge(const struct report *r, enum merge_by by, struct merged *out);
void merged_release(struct merged *m);

/* -1, 0, 1: what is drawn of the rows, from the root on. */
int merged_path_cmp(const struct merged *m, const struct stack_row *a, const struct stack_row *b);

/* The ranks alone; n_frames, n_nodes and n_chains (1 at least) entries, caller frees.  Those of
 * chains need the other three of `m`. */
u32 *report_looks(const struct report *r, enum merge_by by);
u32 *report_paths(const struct report *r, const u32 *looks);
u32 *report_chains(const struct report *r, const struct merged *m);

/* ---- other views ---- */

/* The states' indexes in the order in which they are shown, those with most to do first: running,
 * runnable, or blocked by disks and page faults; then by wall time, then by name.  n of them,
 * caller frees. */
u32 *report_states(const struct report *r);

/* The same of REPORT_COUNTS: largest first, then by name and key. */
u32 *report_counts(const struct report *r);

/*
 * Both look at one stack of each row: its own, or in SHAPE_WAKEUP that of its first waker.  In
 * SHAPE_CHAIN the wakers are not searched, and stay as they are.
 */

/* Turn a stack report into one of functions, most of self first. */
void report_functions(struct report *r);

/*
 * Keep only the stacks that hold a function `name`, cut so that it is the leaf: its callers.
 * Recursion counts once (the outermost call stays).  `name` is as shown, without the arguments,
 * or as in the symbol table.  The total becomes that of the rows kept; returns how many they are.
 */
size_t report_callers(struct report *r, const char *name);

#endif
