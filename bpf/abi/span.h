/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Starts that wait for their ends.
 *
 * Calls (entry and return of one function).  `frames` holds the open calls of each thread and span
 * by stack pointer, outermost first.  The stack grows down, so deeper calls have smaller stack
 * pointers: a return at sp removes all deeper calls, and counts them as missed; of several calls at
 * sp it removes the last.  The values that a call saves are in the map `saved`, which all calls of
 * all specs share (its value size is that of the largest record, set before loading).  A program on
 * sched_process_exit removes the thread's frames and saved records.
 *
 * A thread is in one system call at a time: system calls have a record in `saved` at depth 0 and no
 * frames.  Its start_ns is 0 between calls.  Such records belong to a task_struct, because a thread
 * that executes a program takes the TID of its process's first thread within that call.
 *
 * Keyed spans have separate maps, with keys as in event.h: a hash table, and from 5.12 on an array
 * of bins before it (core/gen/bin.c).  A bin is a struct span_record, whose start_ns is also the
 * bin's state, then the span's key, then a u64: the number of spans that are in the hash table
 * because this bin was in use.
 */
#ifndef BPF_ABI_SPAN_H
#define BPF_ABI_SPAN_H

#ifndef __bpf__
#include <linux/types.h>
#endif

/* The kernel drops returns beyond 64 nested calls of a thread (kprobe_instance, uprobes' depth). */
#define SPAN_MAX_DEPTH 64

struct span_thread {
	__u32 tid;  /* the kernel's number, not the PID namespace's */
	__u32 span; /* index of the span */
};

struct span_frames {
	__u64 n;    /* slots that may be in use */
	__u64 high; /* slots that were ever in use: `saved` may have records of these */
	/* Results of the loops in push and pop.  They are in memory, because the verifier would
	 * follow every path that leads to a different value in a register. */
	__u64 found, left, stale;
	__u64 popped; /* stack pointer of the last return; 0: there was a call after it */
	__u64 sp[SPAN_MAX_DEPTH]; /* 0: free */
};

/* Two task_structs are at least this many bytes (2^12) apart; addresses in the kernel's memory
 * differ within their lower 44 bits (16 TiB). */
#define SPAN_TASK_SHIFT 12

/* Key of a call's saved record in `saved`. */
struct span_slot {
	__u32 thread; /* its tid; of a system call, its task_struct's address >> SPAN_TASK_SHIFT */
	__u16 span;
	__u16 depth; /* slot in span_frames */
};

/* Value of `saved` and of keyed spans' maps: this, then values as in event.h (fixed sizes). */
struct span_record {
	__u64 start_ns; /* 0: no call is open (system calls) */
	__u64 absent;	/* bit i: saved value i could not be read */
};

/* States of a bin; any other one is the start of the span in it. */
#define SPAN_BIN_FREE 0
#define SPAN_BIN_BUSY 1 /* a program is writing to it or copying it */

#endif
