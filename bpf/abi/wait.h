/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Waits on their way to user space.  An interval is the time from a thread's switch-out to its next
 * switch-in.  An interval within the current window is only summed, under the identity of the
 * waiter and its wakers (`wait_sums`).  Every other interval is sent as a separate record, and user
 * space divides it exactly.  Division happens only there, so wherever a window is cut, no time is
 * counted twice or left out.
 */
#ifndef BPF_ABI_WAIT_H
#define BPF_ABI_WAIT_H

#include "stack.h"

#define WAIT_MAX_LEVELS	   32
#define WAIT_IRQ_RANGES	   64 /* a power of two */
#define WAIT_RETURN_RANGES 8
#define WAIT_KNOWN	   128
#define WAIT_CPU_WORDS	   128 /* one bit per CPU for 8192 CPUs; no kernel supports more */

/* Parts of off-CPU time. */
enum wait_part {
	WAIT_BLOCKED,	/* switch-out to wake-up */
	WAIT_RUNQUEUE,	/* wake-up to switch-in */
	WAIT_PREEMPTED, /* runnable at switch-out, until switch-in */
	WAIT_THROTTLED, /* the same, while its cgroup or class had used up its CPU bandwidth */
	WAIT_N_PARTS,
};

/* Parts of a running interval, in the same array. */
enum wait_run_part {
	WAIT_RUN,   /* switch-in to switch-out */
	WAIT_UTIME, /* growth of the thread's utime and stime, as the kernel accounts them */
	WAIT_STIME,
};

/* States in which a thread waits to be resumed, whatever system call it made: __TASK_STOPPED,
 * __TASK_TRACED (include/linux/sched.h). */
#define WAIT_HELD_STATES 0xc

/* Why a list of links ends. */
enum wait_end {
	WAIT_END_NONE, /* one level was asked for */
	WAIT_END_IRQ,
	WAIT_END_RUNNING,
	WAIT_END_CYCLE,
	WAIT_END_DEPTH,
	WAIT_END_UNKNOWN,
	WAIT_END_OPEN, /* in user space only: the wait is not over, so it has no waker yet */
};

/* A waker, and when it called wake-up. */
struct wait_link {
	struct stack_id stack;
	__u64 waking_ns;
	__u32 pid; /* thread, in the initial PID namespace; 0: an interrupt */
	__u32 pad;
};

/* Value of `wait_sums`: indexed by window parity; values only grow. */
struct wait_sum {
	__u64 count[2];
	__u64 ns[2][WAIT_N_PARTS];
	/* Sums of (ns >> WAIT_SQUARE_SHIFT)^2, for --sample: one per part with --split; else the
	 * first one is of the whole counted time. */
	__u64 squares[2][WAIT_N_PARTS];
};

#define WAIT_SQUARE_SHIFT 12

/* Both halves of the id under which waits are summed whose records did not fit in the ring. */
#define WAIT_UNSENT (~0ULL)

/* Value of `wait_paths` (--path): blocked time attributed to each link. */
struct wait_path {
	__u64 ns[2][WAIT_MAX_LEVELS];
};

enum wait_flags {
	WAIT_WANTED = 1,   /* the thread passes the filter */
	WAIT_TAKEN = 2,	   /* this interval is counted; `stack` is set */
	WAIT_READY = 4,	   /* it was runnable when it was switched out */
	WAIT_THROTTLE = 8, /* with WAIT_READY: and throttled */
	WAIT_SAMPLED = 16, /* chosen at random; it stands for N waits (--sample 1/N) */
	WAIT_RUNNING = 32, /* records only: an interval on a CPU */
	WAIT_IOWAIT = 64,  /* the kernel accounts the wait as I/O */
	/* A running interval whose start was not seen: utime and stime are the thread's totals. */
	WAIT_TOTALS = 128,
};

/* Value of `wait_threads`, by pid (thread, initial namespace). */
struct wait_thread {
	__u64 start_time; /* task_struct.start_time: tells reused TIDs apart */
	__u64 task;    /* address of the task_struct, which changes if another thread takes over the
			  TID in exec */
	__u64 born_ns; /* first wake-up (fork began earlier), or first match with the filter; 0: not
			  seen */
	__u64 on_ns;   /* last switch-in seen; 0: none */
	__u64 off_ns;  /* last switch-out; 0: on a CPU, or not seen yet */
	__u64 waking_ns; /* last wake-up seen; 0: none */
	struct stack_id stack;
	struct stack_id run; /* identity of its running time (--states) */
	__u64 utime, stime;  /* at the last switch-in */
	__u32 tgid, tid;     /* as our PID namespace numbers them */
	__u8 flags;	     /* enum wait_flags */
	__u8 n_links, end;   /* from the last wake-up; `end` is an enum wait_end */
	/* User space already has `stack`, `run` and the nearest waker's stack: if the id is the
	 * same again, no look-up is needed. */
	__u8 is_stack_sent, is_run_sent, is_link_sent;
	__u8 has_left; /* it left at off_ns, and there was no room for the record of that: user
			  space reads it from here */
	__u8 is_begun; /* its life began at born_ns: by its birth, or as the program after `--`
			  that bperf has released */
	char comm[16];
	struct wait_link links[]; /* one per level */
};

enum wait_record_kind {
	WAIT_REC_STACK,	   /* a struct stack_record */
	WAIT_REC_INTERVAL, /* an interval with its times */
	WAIT_REC_EXIT, /* a thread has ended (--states, --sample), at off_ns; born at on_ns, 0: not
			  seen */
};

/* Starts like a stack_record, with `kind` in the place of `window`. */
struct wait_record {
	struct stack_id id; /* hash of waiter and links; without links the waiter's own */
	__u64 time_ns;
	__u32 kind; /* enum wait_record_kind */
	__u32 bytes;
	struct stack_id waiter;
	/* off_ns 0: the wait began before the run.  In a running interval off_ns is the switch-in
	 * and on_ns the switch-out. */
	__u64 start_time, off_ns, waking_ns, on_ns;
	__u64 was_on_ns;    /* the switch-in before off_ns; 0: not seen */
	__u64 utime, stime; /* growth during a running interval; totals with WAIT_TOTALS */
	__u32 pid;
	__u32 tgid, tid;
	__u8 flags;
	__u8 n_links, end;
	__u8 is_begun; /* as in struct wait_thread */
	char comm[16];
	struct wait_link links[WAIT_MAX_LEVELS];
};

#define WAIT_RECORD_FIXED_BYTES \
	(sizeof(struct wait_record) - WAIT_MAX_LEVELS * sizeof(struct wait_link))

/* An interval that is being counted. */
struct wait_interval {
	struct stack_id id, waiter;
	__u64 off_ns, waking_ns, on_ns, was_on_ns;
	__u64 ns[WAIT_N_PARTS];
	__u64 value; /* the counted time: blocked time with wakers, else the whole interval */
	__u32 n_links, end;
	__u64 flags;
};

/* A thread's state at switch-out. */
struct wait_switch_out {
	__u64 now;
	__u32 state; /* 0: runnable */
	__u8 ready, preempted, dead;
	__u8 wants_next; /* the thread that is switched in may be wanted */
};

/*
 * Per-CPU data.  What a hook computes is here rather than on its stack, where the verifier would
 * tell apart all values that it may have.
 */
struct wait_cpu {
	__u64 n_taken;	/* intervals counted so far, for the progress line */
	__u32 excluded; /* thread last switched in on this CPU, if the filter excludes it; else 0 */
	__u32 pad;
	struct stack_id known[WAIT_KNOWN]; /* stacks that user space already has, by hash */
	char irq[16];			   /* name of the interrupt being handled; "": none */
	struct stack_record rec;	   /* under construction, like `out` */
	struct wait_record out;
	struct wait_switch_out how;
	struct wait_interval interval;
};

/*
 * The current window for the hooks.  User space writes the end in advance: intervals that begin
 * later belong to the next window, however late user space notices.  There are several of them and
 * an index of the valid one, so that a hook never reads a half-written one: for that, the hook
 * would have to run for as long as user space takes for two windows.
 */
#define WAIT_WINDOWS 4 /* a power of two */

struct wait_window {
	__u64 since; /* earlier intervals are not summed; UINT64_MAX: none is summed */
	__u64 until; /* intervals that cross this end are not summed either; UINT64_MAX: not known
			yet */
	__u32 number;
	__u32 next; /* enum wait_next */
};

/* The use of intervals that begin after `until`. */
enum wait_next {
	WAIT_NEXT_SUM,	  /* summed for the next window */
	WAIT_NEXT_RECORD, /* sent: the window before this one, which has the same parity as the
			     next one, is not read yet */
	WAIT_NEXT_DROP,	  /* this window is the last one */
};

/* Kernel addresses of interrupt entries, or of the return paths from them. */
struct wait_range {
	__u64 start, end;
};

#endif
