/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * User side of waits: maps the sums of bpf/abi/wait.h to waits, and divides intervals that lie in
 * more than one window exactly.
 *
 * Every nanosecond arrives by exactly one of three paths:
 *
 *	sums	intervals that lie within one window
 *	records	all other intervals, when they end: divided at the cut, minus the credited time
 *	credit	at each cut, the time so far of threads that are off CPU at that moment
 *
 * The order of calls (wait/wait.c):
 *
 *	waits_init
 *	waits_begin, waits_due                  the first window begins
 *	waits_add_sleeper, waits_add_clock      the scan of threads at the start
 *	  waits_add_record, waits_add_exit, waits_born, waits_leave    records, at any time
 *	at each cut
 *	  waits_cut                             where this window ends, and the next one
 *	  waits_add_clock, waits_credit_thread, waits_credit_sleepers  intervals that are open
 *	  waits_take_sum, waits_take_path       after all records before the cut were added
 *	  waits_report, waits_end_report, waits_due                    the next window
 *	  waits_touch, waits_forget             what is not in use
 *	waits_release
 *
 * Knows the stack store and the records; must not know BPF maps or formats.
 */
#ifndef WAIT_INTERVALS_H
#define WAIT_INTERVALS_H

#include "bpf/abi/wait.h"
#include "stack/store.h"

/* Values of id[1] in ids made by user space; a BPF hash is never as small. */
enum waits_id {
	WAITS_ID_LOST = 1,
	WAITS_ID_ASLEEP,
	WAITS_ID_QUEUED,
	WAITS_ID_RUNNING,
	WAITS_ID_SCANNED,
	WAITS_ID_UNSEEN,
	WAITS_ID_UNSENT,
};

struct wait_values {
	u64 count, n_open; /* waits that have ended; waits still open when they were credited */
	u64 ns[WAIT_N_PARTS];
	/* Sums of squares of sampled times, ns^2: one per part with conf.split; else the first
	 * covers the whole time. */
	double squares[WAIT_N_PARTS];
};

/* The identity of a wait (waiter and wakers) and its values. */
struct wait_def {
	u64 id[2];
	u32 waiter;	 /* entry of the store: the waiter's stack */
	u32 first, n;	 /* wakers: links[first] to links[first + n - 1] */
	u8 end;		 /* enum wait_end */
	bool is_sampled; /* sampled: each wait stands for conf.weight waits */
	bool has_lost;	 /* one of its stacks was lost */
	u8 idle;	 /* reports since it was last met, at most STORE_IDLE */
	u32 generation;	 /* waits.generation when it was added */
	u32 later;	 /* its values in waits.later, plus 1; 0: none */
	u32 whole;	 /* the same for waits.whole; 0: no thread waited for a whole window */
	struct wait_values now, next; /* current window; the one after the cut */
	struct wait_sum taken;	      /* the kernel's sums when last read */
};

/* Values for the window after the next one: user space was late. */
struct wait_later {
	u32 def;
	struct wait_values values;
};

/* A thread that was off CPU at a cut (or running), and how far its interval has been counted. */
struct wait_credit {
	u32 pid;
	u64 start_time, off_ns, until_ns;
	u64 utime, stime; /* for a running thread: growth of its clocks counted so far */
	bool is_unfit;	  /* its length so far is outside [min_ns, max_ns]: nothing was counted */
	bool is_whole;	  /* it covers the whole window: counted in waits.whole */
};

/* A thread that existed before the run. */
struct wait_sleeper {
	u32 pid, tid; /* in the initial PID namespace; in ours */
	u64 start_time;
	u64 taken_ns; /* its state was read before this time, its stack after it */
	u64 utime, stime;
	u32 entry;
	bool is_ready;	 /* it was runnable, and not on a CPU */
	bool is_woken;	 /* is_ready: since a wake-up or its creation, not since it was preempted */
	bool is_running; /* it was on a CPU */
	bool is_unwanted; /* its state was not requested: its first wait is not counted */
	bool is_known;	  /* the kernel side has met it since */
	bool has_ended;	  /* its first wait has ended */
	bool has_left;	  /* the thread has ended, or does not match the filter any more */
};

/* A thread's CPU clocks in ns, as the kernel accounts them. */
struct wait_clock {
	u32 pid;
	u64 start_time, utime, stime;
};

/* A thread that has ended. */
struct wait_exit {
	u32 tid;
	u64 start_time, exit_ns;
};

/* A stretch of a wait with its times, until its windows are reported. */
struct wait_piece {
	u64 from_ns, to_ns;
	u32 def;
	u8 part;
};

struct waits_conf {
	u32 levels; /* levels of wakers; 0: off-CPU time */
	u32 weight; /* N of --sample 1/N; 1: every wait is counted */
	bool want_path;
	bool want_running; /* count time on CPUs too */
	bool split;	   /* add a leaf frame that names the part ([blocked], [preempted], ...) */
	bool may_change;   /* threads may begin or cease to match the filter during their life */
	bool wants_ready;  /* waits of threads that are runnable count */
	bool keeps_times;  /* keep each wait with its times (wait/pieces_int.h) */
	bool has_cpus;	   /* only waits that begin on certain CPUs count */
	bool finished;	   /* waits that are not over do not count */
	u64 min_ns, max_ns;
};

struct waits {
	struct waits_conf conf;
	struct store *store; /* borrowed */
	VEC(struct wait_def) defs;
	VEC(u32) links; /* entries of the store; for each def the nearest waker first */
	VEC(u64) path_now, path_next, path_taken; /* conf.levels per def, with want_path */
	VEC(struct wait_later) later;
	VEC(u64) path_later; /* conf.levels per element of `later` */
	struct index by_id;
	/* Time of threads that were blocked from the start of the window to its end, and still are:
	 * these get rows of their own. */
	VEC(struct wait_values) whole;
	VEC(struct wait_credit) credits;
	struct index by_credit;
	VEC(struct wait_sleeper) sleepers;
	struct index by_sleeper;
	VEC(struct wait_piece) pieces; /* with conf.keeps_times; by time of arrival */
	u64 n_untimed;		       /* pieces that memory had no room for */
	u32 *rows; /* while they are reported: for each def and part, its row, plus 1 */
	VEC(struct wait_exit) exits;   /* exits in this window (--sample) */
	VEC(struct wait_clock) clocks; /* at the cut, of running threads (want_running) */
	bool is_scanned; /* the scan has run: all threads that existed before the run are among the
			    sleepers */
	u64 begin_ns;	 /* start of the run */
	u64 start_ns;	 /* start of the current window */
	u64 cut_ns;	 /* end of the current window; UINT64_MAX: not known yet */
	u64 next_cut_ns; /* end of the next window; UINT64_MAX: not known yet */
	u32 generation;	 /* current generation of the kernel side's ids */
	u32 max_ids;   /* limit for defs that keep the kernel's id below [other stacks]; 0: none */
	u32 n_ids;     /* number of such defs */
	u64 n_open;    /* threads off CPU at the cut */
	u64 left_ns;   /* with conf.finished: the time of n_open's threads in this window */
	u64 n_unknown; /* intervals whose stack was lost */
	u64 n_unseen;  /* waits whose start was not seen, so that their state is unknown */
	/* Borrowed by the last report. */
	VEC(struct waker_chain) chains;
	VEC(struct waker_link) shown;
};

void waits_init(struct waits *w, const struct waits_conf *conf, struct store *store);
void waits_release(struct waits *w);

/* The run begins; earlier time does not count. */
void waits_begin(struct waits *w, u64 now_ns);

/* The current window will end at due_ns.  Records are divided there, even those that arrive before
 * waits_cut(), which may be called late. */
void waits_due(struct waits *w, u64 due_ns);

/* Add a thread that the scan at the start has found, with its stack. */
void waits_add_sleeper(struct waits *w, const struct wait_sleeper *sleeper);

/*
 * waits_born() returns the time from which a thread in the kernel's table has been watched.  0:
 * since its birth or since before the run; UINT64_MAX: it began to match the filter while it was
 * asleep, and has not run since.  waits_leave() returns the same for a thread that has left.
 */
u64 waits_born(struct waits *w, u32 pid, const struct wait_thread *t);
u64 waits_leave(struct waits *w, u32 pid, const struct wait_thread *t);

/* Add a WAIT_REC_INTERVAL record; links[] has n_links elements. */
void waits_add_record(struct waits *w, const struct wait_record *rec);

/* The thread has ended.  Time scaled for --sample is capped at a thread's lifetime in the window;
 * if no end is known, that is the rest of the window. */
void waits_add_exit(struct waits *w, u32 tid, u64 start_time, u64 exit_ns);

/*
 * The window ends at cut_ns, and the next one will end at next_cut_ns.  Until waits_end_report(),
 * time after the cut is counted for the next window, or the one after it.  Call
 * waits_credit_thread() for each thread that the kernel side knows, then waits_credit_sleepers()
 * for the others.
 */
void waits_cut(struct waits *w, u64 cut_ns, u64 next_cut_ns);
/* Add the clocks of a thread that runs at the cut; call it before waits_credit_thread(). */
void waits_add_clock(struct waits *w, const struct wait_clock *clock);
void waits_credit_thread(struct waits *w, u32 pid, const struct wait_thread *t);
void waits_credit_sleepers(struct waits *w);

/* Add the kernel's sums of one identity, of the parities that the report covers (store_parities()).
 * Returns false if the identity is not known yet. */
bool waits_take_sum(struct waits *w, const struct stack_id *id, const struct wait_sum *sum,
		    u32 parities);
/* The kernel has sums under an id that was left out when memory was full: from now on it is a wait
 * without a process.  false: no id was left out, so this one has not arrived yet. */
bool waits_adopt(struct waits *w, const struct stack_id *id);
void waits_take_path(struct waits *w, const struct stack_id *id, const struct wait_path *path,
		     u32 parities);

/*
 * Forgetting (wait/forget.c).  Before store_age(), after each report that is not a snapshot, mark
 * the waits in use: those that were met, and those that threads known to the kernel side refer to.
 * After store_forget(): `moved` is its result; gone() is called with the id of each wait that is
 * forgotten.
 */
void waits_touch(struct waits *w);
void waits_touch_thread(struct waits *w, const struct wait_thread *t);
void waits_forget(struct waits *w, const u32 *moved, u32 generation,
		  void (*gone)(void *ctx, const u64 id[2]), void *ctx);

/* Fill in the rows. `out` borrows from `w` and from the store. */
void waits_report(struct waits *w, const struct store_view *view, struct report *out);
/* The next window begins at the last cut; after a snapshot, the window continues. */
void waits_end_report(struct waits *w, bool is_snapshot);

#endif
