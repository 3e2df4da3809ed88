/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The model that all renderers print: plain data with units, independent of any format.  A test can
 * build one in ten lines.  Knows arithmetic, but no FILE, no libbpf and no process.
 */
#ifndef MODEL_REPORT_H
#define MODEL_REPORT_H

#include "base/intern.h"
#include "base/mem.h"
#include "base/str.h"
#include "model/count.h"
#include "model/dist.h"
#include "model/event.h"
#include "model/frame.h"
#include "model/ledger.h"
#include "model/ratio.h"
#include "model/thread.h"

enum unit {
	UNIT_SAMPLES, /* value = count */
	UNIT_EVENTS,  /* the same */
	UNIT_VALUES,  /* value = sum of the quantity named by run_info.value_name */
	UNIT_THREADS, /* value = number of threads */
	UNIT_NS,      /* value in nanoseconds; text, folded and JSON print microseconds */
};

/*
 * Stacks share the frames of their common path from the root: frames form a tree, and a stack is
 * identified by the node of its leaf.  Node 0 means no node; parents precede their children.  Nodes
 * with the same parent may have equal frames.
 */
struct stack_node {
	u32 parent; /* towards the root; 0: this is a root */
	u32 frame;  /* index into report.frames */
};

/* A task; many stacks can share one. */
struct stack_task {
	const char *root;   /* "nginx", "nginx-1200/1203", a cgroup path; NULL: no root frame */
	const char *comm;   /* raw bytes of the kernel's comm; NULL: not in the grouping */
	s64 pid, tid, cpu;  /* -1: not in the grouping */
	const char *cgroup; /* NULL: not in the grouping */
};

/* Add the root frame that a task has by default (--by pid): "nginx", "nginx-1200/1203", the cgroup,
 * "cpu 3".  false: nothing is known. */
bool task_add_root(struct str *out, const struct stack_task *task);

/* The kind of waker that ended a wait. */
enum waker_kind {
	WAKER_THREAD,
	WAKER_IRQ,     /* interrupt of a device */
	WAKER_SOFTIRQ, /* softirq, on return from an interrupt or in ksoftirqd */
	WAKER_TIMER,
	WAKER_IPI,
	WAKER_N_KINDS,
};

/* The reason why a chain of wakers ends. */
enum chain_end {
	CHAIN_END_NONE,	   /* not shown: one level was requested, and it holds a thread */
	CHAIN_END_IRQ,	   /* the last link is an interrupt, of the link's kind */
	CHAIN_END_RUNNING, /* the last waker had not been waiting */
	CHAIN_END_CYCLE,
	CHAIN_END_DEPTH,   /* more links exist than levels were requested */
	CHAIN_END_UNKNOWN, /* the waker is unknown */
	CHAIN_END_OPEN,	   /* there is no waker yet: the wait is not over */
	CHAIN_N_ENDS,
};

/* As in JSON: "thread", "irq", "softirq", "timer", "ipi". */
extern const char *const waker_kind_names[WAKER_N_KINDS];
/* As in JSON; NULL: nothing is written, or the kind of the last link. */
extern const char *const chain_end_names[CHAIN_N_ENDS];

/* A waker, with the stack of its call of wake-up. */
struct waker_link {
	enum waker_kind kind;
	u32 task;	  /* index into report.tasks; WAKER_THREAD only */
	u32 kernel, user; /* leaf nodes; 0: no such frames */
	const char *name; /* "nvme0q1", "net_rx"; NULL: a thread, a timer, an ipi, or unknown */
	u64 value; /* the part of the row's value that passed while the wait depended on this link
		      (--path) */
};

#define CHAIN_MAX_LINKS 32

/* The wakers of a row, nearest first: links[first] .. links[first + n - 1].  Rows can share a chain
 * unless its links have values. */
struct waker_chain {
	u32 first, n;
	enum chain_end end;
};

/* A distinct stack with its counts; user and kernel parts are separate. */
struct stack_row {
	u32 task;	  /* index into report.tasks */
	u32 kernel, user; /* leaf nodes; 0: no such frames */
	u32 chain : 30;	  /* index into report.chains; 0: the command has no wakers, or in a report
			     with wakers, none is known */
	bool is_rooted : 1; /* the user part is known to begin where its thread does */
	bool is_whole : 1;  /* a wait that lasted through the whole window, and is not over */
	u64 value;	    /* report.unit */
	u64 count;	    /* occurrences; for intervals, those that ended */
	union {
		u64 n_open; /* intervals that had not ended; included in value, not in count.
			       REPORT_DIFF: see report_other() */
		u64 ratio;  /* if the run has a second event: index into report.ratios; 0: none */
	};
	double variance; /* variance of the value, in unit squared, if only a sample was taken
			    (--sample); 0: exact */
};

/* A sample with its time, where single samples are kept. */
struct timed_sample {
	u64 time_ns; /* since the start of the run */
	u64 n;	     /* 1; more: that many samples in the bin that begins then (model/timeline.h) */
	u32 row;     /* index into report.stacks */
	u32 pid, tid; /* 0: the idle task */
	u32 cpu;
};

/* A stretch of a wait with its times, where single waits are kept. */
struct timed_wait {
	u64 from_ns, to_ns; /* since the start of the run */
	u32 row;	    /* index into report.stacks */
	u32 pid, tid;
	u32 waker_pid, waker_tid; /* 0: no thread, or not known */
	const char *state; /* "blocked", "preempted", ...; NULL: a sample on a CPU, at to_ns */
	bool is_over;	   /* the state ends at to_ns; else only the window does */
};

/* The states among which the wall time of a process or thread is divided. */
enum state_column {
	STATE_USER,   /* running; split by the ratio of utime to stime: an estimate */
	STATE_SYSTEM, /* running in the kernel, an estimate too */
	STATE_PREEMPTED,
	STATE_WAITING, /* woken up, waiting for a CPU */
	STATE_THROTTLED,
	STATE_DISK, /* from here on: blocked, by kind */
	STATE_NETWORK,
	STATE_LOCK,
	STATE_CONDITION, /* waits to be notified: condition variables, semaphores, joins */
	STATE_FUTEX,	 /* one of the two: the call does not show which */
	STATE_PIPE,
	STATE_SLEEP,
	STATE_POLL,
	STATE_CHILD,
	STATE_FAULT,
	STATE_OTHER,
	STATE_UNSEEN, /* not reported by the kernel; 0 if nothing was lost */
	STATE_N_COLUMNS,
};

extern const char *const state_names[STATE_N_COLUMNS]; /* as in JSON and in column headings */

struct state_row {
	u32 task;	 /* index into report.tasks */
	u32 n_threads;	 /* seen in the window */
	u32 n_processes; /* folded into this row (report_states_folded); 0: it is one row of its own
			  */
	u64 wall_ns;	 /* thread time inside the window */
	u64 ns[STATE_N_COLUMNS];
};

/* A function with the value of samples in it (self) and in it or its callees (total); recursion
 * counts once. */
struct func_row {
	u32 frame; /* index into report.frames */
	u32 ratio; /* index into report.func_ratios of that of self, which that of total follows */
	u64 self, total;
};

enum report_kind {
	REPORT_STACKS = 1 << 0,
	REPORT_FUNCS = 1 << 1,
	REPORT_STATES = 1 << 2,	 /* offcpu --states */
	REPORT_PATHS = 1 << 3,	 /* chain --path: stacks with values in their links */
	REPORT_EVENTS = 1 << 4,	 /* trace: single events (model/event.h), no report at the end */
	REPORT_COUNTS = 1 << 5,	 /* funccount */
	REPORT_DISTS = 1 << 6,	 /* argdist */
	REPORT_HEAT = 1 << 7,	 /* argdist --heat: REPORT_DISTS over time */
	REPORT_DIFF = 1 << 8,	 /* bperf diff: two reports of stacks compared (model/diff.h) */
	REPORT_THREADS = 1 << 9, /* dump: threads at one moment; each has a row in `stacks`, too */
};

/* The parts of a row that are drawn, from the root on. */
enum shape {
	SHAPE_STACK,  /* task and stack */
	SHAPE_WAKEUP, /* first waker with its stack, then as the leaf the row's task */
	SHAPE_CHAIN,  /* task and stack, then the wakers, each upside down */
	SHAPE_N,
};

extern const char *const shape_names[SHAPE_N]; /* as in JSON */

/* Constants of a run, shared by all its reports. */
struct run_info {
	const char *command; /* "profile" */
	const char *title;   /* "CPU profile" for the flame graph */
	char *const *argv;   /* as typed, argv[0] = command */
	int argc;
	const char *version;	/* "0.1.0" */
	const char *value_name; /* "samples", "offcpu", "blocked" */
	enum unit unit;
	enum shape shape;
	const char *event; /* "cpu-clock"; NULL: none */
	u64 freq_hz;	   /* 0: none */
	u64 period;	   /* events per sample with -c, else 0 */
	/* profile --ratio: the event that is divided by `event`, sampled with it; NULL: none. */
	const char *second_event;
	u64 second_freq_hz, second_period; /* as above */
	bool colors_off_cpu; /* offcpu --color-by off-cpu: by the share of time off the CPU */
	u64 interval_ns;     /* 0: one report */
	u64 count;	     /* 0: until stopped */
	const char *filter;  /* a JSON object from the filter; "{}" for none */
	const char *host, *kernel, *arch, *boot_id;
	u32 cpus_online;
	bool opens_whole;	       /* rows with is_whole are listed like the others */
	u64 realtime_ns, monotonic_ns; /* start of the run on both clocks */
};

struct diff;

struct report {
	const struct run_info *run;
	enum report_kind kind;
	u32 interval;	      /* 0, 1, ... */
	u64 start_ns, end_ns; /* since the start of the run */
	const struct frame *frames;
	size_t n_frames;
	const struct stack_node *nodes; /* [0] is counted, but is not a node */
	size_t n_nodes;
	const struct stack_task *tasks;
	size_t n_tasks;
	const struct waker_chain *chains; /* [0] is not a chain */
	size_t n_chains;
	const struct waker_link *links;
	size_t n_links;
	VEC(struct waker_chain) own_chains; /* `chains` and `links` point to these two after */
	VEC(struct waker_link) own_links;   /* report_callers; otherwise empty */
	/* REPORT_STACKS and _PATHS: unordered, may contain equal rows.  REPORT_DISTS: the stacks
	 * that are keys, for stack/truncation.h. */
	VEC(struct stack_row) stacks;
	VEC(struct timed_sample) samples; /* by time; empty unless they were asked for */
	VEC(struct timed_wait) waits;	  /* the same */
	u64 n_untimed;			  /* samples and stretches of waits that these two lack */
	VEC(struct state_row) states;	  /* REPORT_STATES, unordered */
	u64 n_open; /* intervals that had not ended at the time of the report */
	struct {
		u64 n, value; /* rows with is_whole: waits, and their part of the total */
	} whole;
	u64 left_ns;		    /* time of open waits that was left out because of --finished */
	VEC(struct func_row) funcs; /* REPORT_FUNCS */
	/* Empty unless the run has a second event.  A row without samples of the first event has
	 * the value 0. */
	VEC(struct ratio) ratios; /* [0] is not a ratio */
	VEC(struct ratio) func_ratios;
	struct ratio ratio;		/* the sum over the stacks */
	VEC(struct thread_row) threads; /* REPORT_THREADS, unordered */
	VEC(struct count_row) counts;	/* REPORT_COUNTS, unordered */
	struct count_view count_view;	/* describes `counts` */
	VEC(struct dist) dists;		/* REPORT_DISTS, in the order of the command line */
	u64 total; /* sum of values; REPORT_FUNCS: of the stacks counted; REPORT_STATES: of wall
		      times */
	const struct diff *diff; /* REPORT_DIFF */
	struct ledger ledger;	 /* for this interval */
	bool is_snapshot;	 /* requested by SIGUSR1: the values continue to grow */
};

/* The reason why the run ended, and the ledger of the whole run. */
struct run_end {
	const char *reason; /* "done", "sigint", "sigterm", "sighup", "target_exit", "child_exit",
			       "error" */
	u64 elapsed_ns;
	u32 intervals;
	struct ledger ledger;
	const struct event_probe *probes; /* for commands with probes: counts of each */
	size_t n_probes;
};

void report_release(struct report *r);

/* ---- frames of a row ---- */

/* Maximum number of frames of a stack, user and kernel each; frames nearer to the root are dropped
 * when nodes are made. */
#define STACK_MAX_DEPTH 1024

/* Indexes into report.frames, leaf first. */
struct stack_frames {
	u32 n_kernel, n_user;
	u32 kernel[STACK_MAX_DEPTH], user[STACK_MAX_DEPTH];
};

void report_frames(const struct report *r, const struct stack_row *row, struct stack_frames *out);

/* The stack of a row in which functions are searched: its own, or in SHAPE_WAKEUP that of its first
 * waker. */
void report_searched_stack(const struct report *r, const struct stack_row *row, u32 *kernel,
			   u32 *user);

static inline const struct stack_task *report_task(const struct report *r,
						   const struct stack_row *row)
{
	return &r->tasks[row->task];
}

/* REPORT_DIFF: a row's value on the side that is not drawn.  It is stored in n_open: a separate
 * member would cost 1 MB for 2^16 stacks. */
static inline u64 report_other(const struct report *r, const struct stack_row *row)
{
	return r->kind == REPORT_DIFF ? row->n_open : 0;
}

static inline bool report_has_ratios(const struct report *r)
{
	return r->run->second_event && r->kind != REPORT_DIFF;
}

/* Set the ratio of the whole to the sum over the stacks. */
void report_sum_ratios(struct report *r);

/* Is the row's value time on the CPU (offcpu --with-cpu)? */
bool report_is_on_cpu(const struct report *r, const struct stack_row *row);

/* Chain 0 has no links and ends with CHAIN_END_UNKNOWN. */
const struct waker_chain *report_chain(const struct report *r, u32 chain);

static inline const struct waker_link *report_link(const struct report *r,
						   const struct waker_chain *chain, u32 i)
{
	return &r->links[chain->first + i];
}

/* The node of the function in which a thread waits or wakes: the first one from `leaf` on that is
 * outside the scheduler; `leaf` if there is none. */
u32 report_place(const struct report *r, u32 leaf);

/* Rows were moved or removed: to[i] is the new index of row i, plus 1; 0: it is gone, and so are
 * its single samples and waits. */
void report_move_singles(struct report *r, const u32 *to);

/* ---- merging equal rows ---- */

/*
 * Rows are equal if they look the same to the reader of a format:
 *
 * BY_LABEL	the names and the root; code without a name is its module
 * BY_TEXT		the names and the task; code without a name is module+offset
 * BY_NAME		like BY_TEXT, and the whole path, build id and kind of every module
 * BY_ADDRESS	all addresses
 *
 * Wakers are compared at the same level of detail.  The result is a new list, sorted by value
 * descending, then by text, so that equal input gives equal output.  A merged row has the task,
 * nodes and chain of one of its rows: with BY_LABEL only the root of the task is meaningful.
 */
enum merge_by {
	BY_LABEL,
	BY_TEXT,
	BY_NAME,
	BY_ADDRESS
};

/* Ranks: equal ranks look the same, and ranks are in the order of the texts. */
struct merged {
	VEC(struct stack_row) rows;
	enum shape shape;
	u32 *looks;	  /* rank of each frame of the report */
	u32 *paths;	  /* rank of the path from the root to each node; 0 for node 0 */
	u32 *tasks;	  /* rank of each task */
	u32 *chains;	  /* rank of each chain, in the order in which the shape draws it */
	u64 *link_values; /* REPORT_PATHS: for each link of a merged row's chain, the sum over the
			     rows */
	struct ratio *ratios; /* if the report has ratios: those of the merged rows, by the rows'
				 index */
};

void report_merge(const struct report *r, enum merge_by by, struct merged *out);
void merged_release(struct merged *m);

/* The ratio of a merged row, if the report has ratios. */
static inline const struct ratio *merged_ratio(const struct merged *m, const struct stack_row *row)
{
	return &m->ratios[row->ratio];
}

/* For each row of the report the index of the row that it was merged into; the caller frees it. */
u32 *merged_rows_of(const struct merged *m, const struct report *r);

/* Remove the rows with is_whole, which are only summed up (report.whole), unless
 * run->opens_whole. */
void merged_fold_whole(struct merged *m, const struct report *r);
/* Add a row to report.whole, if it has is_whole. */
static inline void report_count_whole(struct report *r, const struct stack_row *row)
{
	if (!row->is_whole)
		return;
	r->whole.n += row->n_open;
	r->whole.value += row->value;
}

/* The value that percentages refer to: the sum of the rows that are listed. */
static inline u64 report_listed(const struct report *r)
{
	return r->total - (r->run->opens_whole ? 0 : r->whole.value);
}

/* Compare the parts of two rows that are drawn, from the root on: -1, 0, 1. */
int merged_path_cmp(const struct merged *m, const struct stack_row *a, const struct stack_row *b);

/* Only the ranks: n_frames, n_nodes and n_chains (at least 1) entries; the caller frees them.
 * report_chains needs the looks, paths and tasks of `m`. */
u32 *report_looks(const struct report *r, enum merge_by by);
u32 *report_paths(const struct report *r, const u32 *looks);
u32 *report_chains(const struct report *r, const struct merged *m);

/* ---- other views ---- */

/* The time in which a task had work: running, runnable, or blocked by disk I/O or page faults. */
u64 state_work_ns(const struct state_row *row);

/* The indexes of the states in display order: most time running, runnable, or blocked by disk I/O
 * or page faults first; then by wall time, then by name.  The caller frees it. */
u32 *report_states(const struct report *r);

/* The rows themselves, in the same order.  Where three or more processes of one name each ran for
 * less than half of the report's time, they are one row.  The caller releases it. */
struct state_rows {
	VEC(struct state_row) v;
};
void report_states_folded(const struct report *r, struct state_rows *out);

/* The indexes of the rows of REPORT_COUNTS in display order: largest first, then by name and key.
 * The caller frees it. */
u32 *report_counts(const struct report *r);

/*
 * Both functions look at one stack of each row: its own, or in SHAPE_WAKEUP that of its first
 * waker.  In SHAPE_CHAIN the wakers are not searched and stay as they are.
 */

/* Turn a report of stacks into one of functions, sorted by self.  Rows with is_whole are left out
 * unless run->opens_whole. */
void report_functions(struct report *r);
/* By self, total and name, as ranked by report_looks. */
void report_sort_functions(struct report *r, const u32 *looks);

/*
 * Keep only stacks that contain the function `name`, and make it their leaf, which leaves its
 * callers.  Recursion counts once (the outermost call stays).  `name` is the name as shown without
 * the arguments, or the symbol's name.  The total becomes that of the rows kept; returns their
 * number.
 */
size_t report_callers(struct report *r, const char *name);

#endif
