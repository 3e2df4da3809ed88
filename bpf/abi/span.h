/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Starts that wait for their ends.
 *
 * Calls (entry and return of one function).  `frames`: for each thread and span the open calls, by
 * stack pointer, outermost first.  The stack grows down, so what lies deeper has a smaller stack
 * pointer: a return at sp takes away every frame deeper than its own, and counts them missed; of
 * several at sp, it takes the last.  What a call saved is in the map `saved`, one for all calls of
 * all specs (its value size is that of the largest, set before loading).  A program on
 * sched_process_exit takes the thread's frames and saved records away.
 *
 * A thread is in one system call at a time: those have a record in `saved` at depth 0 and no
 * frames. Its start_ns is 0 between calls.
 *
 * Keyed spans have a map of their own, the key as in event.h.
 */
#ifndef BPF_ABI_SPAN_H
#define BPF_ABI_SPAN_H

#ifndef __bpf__
#include <linux/types.h>
#endif

/* The kernel drops returns beyond 64 nested calls of a thread (kprobe_instance, uprobes' depth). */
#define SPAN_MAX_DEPTH 64

struct span_thread {
	__u32 tid;  /* kernel's number, not the namespace's */
	__u32 span; /* index of the span */
};

struct span_frames {
	__u64 n;    /* slots that may be in use */
	__u64 high; /* slots that were ever in use: what `saved` may hold */
	/* Where push and pop note what they find: in memory, the verifier does not follow each of
	 * the ways that a register could have got its value. */
	__u64 found, left, stale;
	__u64 popped; /* the stack pointer of the last return; 0: a call came after it */
	__u64 sp[SPAN_MAX_DEPTH]; /* 0: free */
};

/* Key of a call's saved record in `saved`. */
struct span_slot {
	__u32 tid;
	__u16 span;
	__u16 depth; /* slot in span_frames */
};

/* Value of `saved` and of keyed spans' maps: this, then values as in event.h (fixed sizes). */
struct span_record {
	__u64 start_ns; /* 0: of no call (system calls') */
	__u64 absent;	/* bit i: saved value i could not be read */
};

#endif
