/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Waits on their way to user space.  An interval is the time from a thread's switch-out to its
 * next switch-in.  One that lies in the current window as a whole is only added up, under the
 * identity of who waited and who ended it (`wait_sums`).  Each other one comes as a record of its
 * own, and user space divides it exactly: nothing is divided in two places, so nothing is counted
 * twice or left out, whenever windows are cut.
 */
#ifndef BPF_ABI_WAIT_H
#define BPF_ABI_WAIT_H

#include "stack.h"

#define WAIT_MAX_LEVELS	   32
#define WAIT_IRQ_RANGES	   64 /* a power of two */
#define WAIT_RETURN_RANGES 8
#define WAIT_KNOWN	   128
#define WAIT_CPU_WORDS	   128 /* a bit for each of 8192 CPUs: no kernel has more */

/* What off-CPU time is made of. */
enum wait_part {
	WAIT_BLOCKED,	/* switch-out to wake-up */
	WAIT_RUNQUEUE,	/* wake-up to switch-in */
	WAIT_PREEMPTED, /* switched out while it could run, to switch-in */
	WAIT_THROTTLED, /* the same, after its cgroup had used up its CPU bandwidth */
	WAIT_N_PARTS,
};

/* The parts of a running interval stand in the same places. */
enum wait_run_part {
	WAIT_RUN,   /* switch-in to switch-out */
	WAIT_UTIME, /* what the kernel's accounting added to the thread's utime and stime meanwhile
		     */
	WAIT_STIME,
};

/* States in which a thread waits to be let go on, whatever it called before: __TASK_STOPPED,
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
};

/* Who called wake-up, and when. */
struct wait_link {
	struct stack_id stack;
	__u64 waking_ns;
	__u32 pid; /* thread, in the initial PID namespace; 0: an interrupt */
	__u32 pad;
};

/* Value of `wait_sums`: by window parity, growing only. */
struct wait_sum {
	__u64 count[2];
	__u64 ns[2][WAIT_N_PARTS];
	/* Of times >> WAIT_SQUARE_SHIFT (--sample): of each part with --split, else the first is
	 * that of the whole counted time. */
	__u64 squares[2][WAIT_N_PARTS];
};

#define WAIT_SQUARE_SHIFT 12

/* Value of `wait_paths` (--path): of the blocked time, what hung on each link. */
struct wait_path {
	__u64 ns[2][WAIT_MAX_LEVELS];
};

enum wait_flags {
	WAIT_WANTED = 1,   /* the thread passes the filter */
	WAIT_TAKEN = 2,	   /* this interval is to be counted; `stack` is set */
	WAIT_READY = 4,	   /* it could run when it was switched out */
	WAIT_THROTTLE = 8, /* ... and its cgroup was throttled */
	WAIT_SAMPLED = 16, /* one of --sample's N */
	WAIT_RUNNING = 32, /* records only: an interval on a CPU */
	WAIT_IOWAIT = 64,  /* the kernel accounted it as I/O */
	/* Of a running one whose start was not seen: utime and stime are all that the thread ever
	 * had. */
	WAIT_TOTALS = 128,
};

/* Value of `wait_threads`, by pid (thread, initial namespace). */
struct wait_thread {
	__u64 start_time; /* task_struct.start_time: which life of the number */
	__u64 task;	  /* where its task_struct is: with its exec another thread may take both */
	__u64 born_ns;	  /* first wake-up, where it was seen: the fork before it took a while */
	__u64 on_ns;	  /* last switch-in seen; 0: none */
	__u64 off_ns;	  /* switch-out; 0: on a CPU, or not seen yet */
	__u64 waking_ns;  /* last wake-up seen; 0: none */
	struct stack_id stack;
	struct stack_id run; /* identity of its running time (--states) */
	__u64 utime, stime;  /* at the last switch-in */
	__u32 tgid, tid;     /* as our PID namespace numbers them */
	__u8 flags;	     /* enum wait_flags */
	__u8 n_links, end;   /* of the last wake-up; enum wait_end */
	/* User space has `stack`, `run`, the nearest waker's: met again, none is looked for. */
	__u8 is_stack_sent, is_run_sent, is_link_sent;
	__u8 pad[2];
	char comm[16];
	struct wait_link links[]; /* as many as there are levels */
};

enum wait_record_kind {
	WAIT_REC_STACK,	   /* a struct stack_record */
	WAIT_REC_INTERVAL, /* an interval with its times */
	WAIT_REC_EXIT,	   /* a thread is gone (--states, --sample): at off_ns; born at on_ns, 0:
			    * not seen */
};

/* The head is that of a stack_record, where `window` is 0. */
struct wait_record {
	struct stack_id id; /* of target and links together; without links the target's own */
	__u64 time_ns;
	__u32 kind; /* enum wait_record_kind */
	__u32 bytes;
	struct stack_id target;
	/* Of an interval; off_ns 0: since before the start.  Of a running one off_ns is when the
	 * wait before it ended, and on_ns when it was switched out. */
	__u64 start_time, off_ns, waking_ns, on_ns;
	__u64 was_on_ns;    /* the switch-in before off_ns; 0: not seen */
	__u64 utime, stime; /* of a running interval; WAIT_TOTALS */
	__u32 pid;
	__u32 tgid, tid;
	__u8 flags;
	__u8 n_links, end;
	__u8 pad;
	char comm[16];
	struct wait_link links[WAIT_MAX_LEVELS];
};

#define WAIT_RECORD_FIXED_BYTES \
	(sizeof(struct wait_record) - WAIT_MAX_LEVELS * sizeof(struct wait_link))

/* What each CPU has for itself. */
struct wait_cpu {
	__u64 n_taken;	/* intervals counted so far, for the progress line */
	__u32 excluded; /* thread that came on here last and is none of ours; 0: it is */
	__u32 pad;
	struct stack_id known[WAIT_KNOWN]; /* by hash: user space has these stacks */
	char irq[16];		 /* name of the interrupt that is being handled; "": none */
	struct stack_record rec; /* under construction, as is the other */
	struct wait_record out;
};

/*
 * What is counted in which window.  User space writes the end ahead: from then on what begins is
 * the next window's, however long it is kept from noticing.  There are two of these and a number
 * that says which one counts, so that a hook never reads a half of each.
 */
struct wait_span {
	__u64 since; /* nothing that began before is added up; UINT64_MAX: nothing at all is */
	__u64 until; /* nor what ends behind this one; UINT64_MAX: not known yet */
	__u32 window;
	__u32 is_last; /* what begins behind the end is nobody's */
};

/* Kernel addresses that are interrupt entries, or the ways back from there. */
struct wait_range {
	__u64 start, end;
};

#endif
