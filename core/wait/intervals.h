/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Waits, user side: what the sums of bpf/abi/wait.h stand for, and exact division of the intervals
 * that lie in more than one window.
 *
 * Time comes on three ways, and each nanosecond on one of them only:
 *
 *	sums	intervals that lie in a window as a whole
 *	records	all others, when they end: divided at the cut, less what was credited
 *	credit	at each cut, threads that are off a CPU then: what they have waited so far
 *
 * Knows the stack store and the records; must not know BPF maps or formats.
 */
#ifndef WAIT_INTERVALS_H
#define WAIT_INTERVALS_H

#include "bpf/abi/wait.h"
#include "stack/store.h"

/* Second halves of ids that only user space makes; no 128-bit hash is ever as small. */
enum waits_id {
	WAITS_ID_LOST = 1,
	WAITS_ID_ASLEEP,
	WAITS_ID_RUNNING,
	WAITS_ID_SCANNED,
};

struct wait_values {
	u64 count, n_open; /* waits that have ended; that had not when they were credited */
	u64 ns[WAIT_N_PARTS];
	/* Of times taken by chance, ns^2: of each part with conf.split, else the first is of all.
	 */
	double squares[WAIT_N_PARTS];
};

/* Who waited, and who ended it. */
struct wait_def {
	u64 id[2];
	u32 target;		      /* entry of the store */
	u32 first, n;		      /* links[first] ... */
	u8 end;			      /* enum wait_end */
	bool is_sampled;	      /* each one stands for conf.weight */
	bool has_lost;		      /* the stack of one of them never came */
	u8 idle;		      /* reports since it was met, up to STORE_IDLE */
	u32 generation;		      /* waits.generation when it came */
	struct wait_values now, next; /* of the current window; of what lies behind the cut */
	struct wait_sum taken;	      /* the kernel's sums when last taken */
};

/* A thread that is off a CPU, and up to when that has been counted. */
struct wait_credit {
	u32 pid;
	u64 start_time, off_ns, until_ns;
	u64 utime, stime; /* of one that runs: what its clocks' growth was counted up to */
	bool is_unfit;	  /* by its length so far: nothing was counted */
};

/* A thread that was there when the run began. */
struct wait_sleeper {
	u32 pid, tid; /* in the initial PID namespace, and in ours */
	u64 start_time;
	u64 taken_ns; /* when its stack was */
	u64 utime, stime;
	u32 entry;
	bool is_ready;	  /* it waited for a CPU */
	bool is_running;  /* it had one; with conf.want_running */
	bool is_unwanted; /* by its state: the wait that it was in does not count */
	bool is_known;	  /* the kernel side has met it since */
	bool has_ended;	  /* the wait that it was in */
	bool has_left;	  /* it has ended itself, or is none of ours any more */
};

/* A thread's clocks, ns as the kernel accounts them. */
struct wait_clock {
	u32 pid;
	u64 start_time, utime, stime;
};

/* A thread that is gone. */
struct wait_exit {
	u32 tid;
	u64 start_time, exit_ns;
};

struct waits_conf {
	u32 levels; /* of wakers; 0: off-CPU time */
	u32 weight; /* N of --sample 1/N; 1: all are taken */
	bool want_path;
	bool want_running; /* time on CPUs too */
	bool split;	   /* a leaf frame that says what kind of waiting it was */
	bool may_change;   /* a thread may come into the filter, or leave it, as it lives */
	bool is_choosy;	   /* only some waits, by state or CPU: one that nobody saw begin does not
			      count */
	u64 min_ns, max_ns;
};

struct waits {
	struct waits_conf conf;
	struct store *store; /* borrowed */
	VEC(struct wait_def) defs;
	VEC(u32) links;				  /* entries of the store, nearest waker first */
	VEC(u64) path_now, path_next, path_taken; /* conf.levels for each def, with want_path */
	struct index by_id;
	VEC(struct wait_credit) credits;
	struct index by_credit;
	VEC(struct wait_sleeper) sleepers;
	struct index by_sleeper;
	VEC(struct wait_exit) exits;   /* of the window (--sample) */
	VEC(struct wait_clock) clocks; /* at the cut, of threads that run (want_running) */
	bool is_scanned; /* all that were there when the run began are among the sleepers */
	u64 begin_ns;	 /* of the run */
	u64 start_ns;	 /* of the current window */
	u64 cut_ns;	 /* where it ends; UINT64_MAX: not known yet */
	u32 generation;	 /* of the kernel side's ids by now */
	u32 max_ids;	 /* of waits below [other stacks] that are kept, for the kernel's sums come
			    under them; 0: no limit */
	u32 n_ids;	 /* of these */
	u64 n_open;	 /* threads off a CPU at the cut */
	u64 n_unknown;	 /* intervals whose stack never came */
	u64 n_unseen;	 /* waits that nobody saw begin, so that their state is not known */
	/* What the last report points to. */
	VEC(struct waker_chain) chains;
	VEC(struct waker_link) shown;
};

void waits_init(struct waits *w, const struct waits_conf *conf, struct store *store);
void waits_release(struct waits *w);

/* The run begins; nothing before counts. */
void waits_begin(struct waits *w, u64 now_ns);

/* The current window is to end then: records are divided there, also those that come before
 * waits_cut(), which may be late. */
void waits_due(struct waits *w, u64 due_ns);

/* What the scan at the start has found of a thread, with its stack. */
void waits_add_sleeper(struct waits *w, const struct wait_sleeper *sleeper);

/*
 * When a thread of the table began to be one of ours: 0: before the run, or with its life;
 * UINT64_MAX: it came into the filter asleep and has not run since.  When one that has left had
 * begun, by what its record says of that.
 */
u64 waits_born(struct waits *w, u32 pid, const struct wait_thread *t);
u64 waits_leave(struct waits *w, u32 pid, u64 start_time, u64 born_ns);

/* A WAIT_REC_INTERVAL record; its links[] are n_links long. */
void waits_add_record(struct waits *w, const struct wait_record *rec);

/* A thread of that life has ended.  What --sample scales is no more than it lived; of one whose
 * end is not known that is up to the window's. */
void waits_add_exit(struct waits *w, u32 tid, u64 start_time, u64 exit_ns);

/*
 * The window ends at `cut_ns`.  From here to waits_end_report() what lies behind it is the next
 * one's.  Then each thread that the kernel side knows is given by waits_credit_thread(), and
 * waits_credit_sleepers() does the rest.
 */
void waits_cut(struct waits *w, u64 cut_ns);
/* Before the threads: one that runs at the cut. */
void waits_add_clock(struct waits *w, const struct wait_clock *clock);
void waits_credit_thread(struct waits *w, u32 pid, const struct wait_thread *t);
void waits_credit_sleepers(struct waits *w);

/* The kernel's sums of one identity, of the parities that the report takes (store_parities).
 * false: what it stands for has not come yet. */
bool waits_take_sum(struct waits *w, const struct stack_id *id, const struct wait_sum *sum,
		    u32 parities);
void waits_take_path(struct waits *w, const struct stack_id *id, const struct wait_path *path,
		     u32 parities);

/*
 * Forgetting (wait/forget.c).  Before store_age(), after each report that is no snapshot: what
 * was met is in use, and so is what threads hold that the kernel side knows.  After store_forget():
 * `moved` is what it returned, `gone` is told the id of each wait that is forgotten too.
 */
void waits_touch(struct waits *w);
void waits_touch_thread(struct waits *w, const struct wait_thread *t);
void waits_forget(struct waits *w, const u32 *moved, u32 generation,
		  void (*gone)(void *ctx, const u64 id[2]), void *ctx);

/* The rows.  `out` borrows from here and from the store. */
void waits_report(struct waits *w, const struct store_view *view, struct report *out);
/* The next window begins where the last was cut; after a snapshot it goes on. */
void waits_end_report(struct waits *w, bool is_snapshot);

#endif
