/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A stack on its way to user space.  The id is a hash of everything after the header, taken as an
 * array of 64-bit words:
 *
 *	id[2] time window bytes | tgid tid  exec_id generation  comm[16]  cgroup  start_time
 *	        header          | cpu user_end event n_kernel n_user flags n_more  frames... more...
 *
 * Each record stands for one occurrence, the first one of its stack; later ones are only counted in
 * the `counts` map.
 */
#ifndef BPF_ABI_STACK_H
#define BPF_ABI_STACK_H

#ifndef __bpf__
#include <linux/types.h>
#endif

#include "cfi.h"

/* The default of kernel.perf_event_max_stack. */
#define STACK_MAX_FRAMES 127
#define STACK_MORE_WORDS 24

struct stack_id {
	__u64 hash[2];
};

/* Value of `counts`: occurrences in even and odd windows; they only grow.  User space computes
 * differences, so that nothing that is counted at the edge of a window is lost. */
struct stack_count {
	__u64 n[2];
};

enum stack_flags {
	STACK_NO_USER = 1,    /* a kernel thread or the idle task */
	STACK_USER_FAULT = 2, /* the user stack could not be read at all */
	STACK_INTERRUPT = 4,  /* the stack of an interrupt; comm is the device's name, if any */
	STACK_NEW = 8,	      /* a thread that has not run yet */
	STACK_IOWAIT = 16,    /* the kernel accounts the wait as I/O */
	STACK_RUNNING = 32,   /* not a wait: the thread's time on CPUs */
	/* In a futex call that waits for a lock, or for another thread's notification. */
	STACK_FUTEX_LOCK = 64,
	STACK_FUTEX_CONDITION = 128,
};

/* How a user stack ends.  0: it was walked by frame pointers alone, and only the names of its
 * frames can tell. */
enum stack_end {
	STACK_END_UNKNOWN,
	STACK_END_ROOT,	      /* where a thread begins: complete */
	STACK_END_NO_INFO,    /* in code of a file that has no table for it */
	STACK_END_JIT,	      /* in code that is not from a file, without frame pointers */
	STACK_END_MEMORY,     /* the stack could not be read further */
	STACK_END_DEEP,	      /* more frames than a walk can hold */
	STACK_END_NO_MAPPING, /* at an address where nothing is mapped */
	STACK_END_LATE,	      /* walked by frame pointers, because there was no table yet */
	/* There are no user frames: the stack itself follows (struct stack_copy), and user space
	 * walks it. */
	STACK_END_COPY,
};

/* The perf event whose sample a stack is. */
enum stack_event {
	STACK_FIRST_EVENT,
	STACK_SECOND_EVENT, /* profile --ratio: the one that is divided by the first */
};

/* Ids that are part of a stack's identity; the others are 0, so that rows merge. */
enum stack_key {
	STACK_KEY_TID = 1, /* with start_time, which tells reused TIDs apart */
	STACK_KEY_CPU = 2,
	STACK_KEY_CGROUP = 4,
};

struct stack_record {
	struct stack_id id;
	__u64 time_ns; /* CLOCK_MONOTONIC */
	__u32 window;  /* number of the report window; 0 if windows are cut by time */
	__u32 bytes;   /* size of the record */
	__u32 tgid, tid;
	/* The meaning of addresses is part of the identity, too: exec_id tells which program the
	 * process runs, generation counts how often user space has seen code replaced by other
	 * code. */
	__u32 exec_id, generation;
	char comm[16];
	__u64 cgroup;	  /* id in the default hierarchy */
	__u64 start_time; /* task_struct.start_time; 0: without tid */
	__u16 cpu;
	__u8 user_end;	       /* enum stack_end */
	__u8 event;	       /* enum stack_event */
	__u8 n_kernel, n_user; /* number of frames, leaf first; kernel before user */
	__u8 flags;	       /* enum stack_flags */
	__u8 n_more;	       /* further words of the identity, after the frames */
	__u64 frames[2 * STACK_MAX_FRAMES + STACK_MORE_WORDS];
};

/* The last words of a record that a copy of the stack follows. */
struct stack_registers {
	struct cfi_registers at;
	__u64 process_start; /* start time of its process, as in struct cfi_process */
	__u64 time_ns;	     /* makes two such stacks distinct */
};

#define STACK_REGISTER_WORDS (sizeof(struct stack_registers) / 8)
#define STACK_COPY_BYTES     65536 /* clang needs 58,000 */

/* A record, and memory from `sp` on, as far as it could be read. */
struct stack_copy {
	struct stack_record rec;
	__u8 bytes[STACK_COPY_BYTES];
};

/* One sample, sent after its stack where single samples are shown.  It begins like a stack record,
 * and is shorter than any. */
struct stack_sample {
	struct stack_id id;
	__u64 time_ns;
	__u32 window;
	__u32 bytes;
	__u32 tgid, tid; /* as our PID namespace numbers them */
	__u32 cpu, pad;
	__u64 period; /* number of events for which the sample stands */
};

#define STACK_HEADER_BYTES 32 /* id, time_ns, window, bytes */
#define STACK_FIXED_WORDS  7  /* hashed words before the frames */

/*
 * Counters of the stacks that a CPU sees most often, next to the record that it builds.  A look-up
 * in `counts` reads memory that is no longer in the caches of a busy CPU (1.3 us of 2.5 at 999 Hz
 * on the 6.18 test host, against 0.1 for this).  A stack takes over a slot if the slot's owner was
 * not seen more often than other stacks that hash to the slot; the owner's counters then move to
 * `counts`.
 */
#define STACK_SLOTS	 64
#define STACK_CREDIT_MAX 255

struct stack_slot {
	struct stack_id id;
	struct stack_count count;
	__u32 credit; /* times seen lately, minus times that other stacks wanted the slot */
	__u32 pad;
};

/* Per-CPU data. */
struct stack_cpu {
	__u64 n_taken;	 /* occurrences (of the first event) so far, for the progress line */
	__u64 evictions; /* times that counters moved to `counts`, so that a reader can detect it */
	struct stack_slot slots[STACK_SLOTS];
	struct stack_record rec; /* under construction */
};

_Static_assert(sizeof(struct stack_sample) < STACK_HEADER_BYTES + 8 * STACK_FIXED_WORDS,
	       "a sample can be told from a stack by its size");
_Static_assert(sizeof(struct stack_record) ==
		       STACK_HEADER_BYTES +
			       8 * (STACK_FIXED_WORDS + 2 * STACK_MAX_FRAMES + STACK_MORE_WORDS),
	       "no padding: every word after the header is hashed");

#endif
