/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One event of trace on its way through the ring, and how values lie in memory wherever a program
 * puts some one after the other (events, keys, saved values):
 *
 *	struct event | scalar values, u64 each, in order | the rest, in order | kernel, user frames
 *
 * A scalar is extended to 64 bits by its type.  The rest are strings and bytes, each
 *	u32 length | that many bytes | zero bytes up to a multiple of 8
 * where a string's length does not count a NUL, and EVENT_CUT says that it was longer.  Absent
 * values (bit i of `absent`, by position among all values) are 0 or have length 0.
 *
 * In a key or a saved record nothing may move: the rest have their type's full size (a multiple of
 * 8), zero behind the length; a stack is a u64 hash's worth of identity (struct stack_id).
 */
#ifndef BPF_ABI_EVENT_H
#define BPF_ABI_EVENT_H

#ifndef __bpf__
#include <linux/types.h>
#endif

#define EVENT_MAX_VALUES 48
#define EVENT_MAX_FRAMES 127
#define EVENT_MAX_SPANS	 64	     /* specs whose returns know their entries */
#define EVENT_CUT	 0x80000000U /* in a length: there was more */

enum event_flags {
	EVENT_NO_USER = 1,    /* wanted a user stack of a kernel thread */
	EVENT_USER_FAULT = 2, /* the user stack was not readable */
	EVENT_IS_STACK = 4,   /* struct event_stack: frames behind an identity, sent once */
	/* Before the user frames stands where the function that was entered returns to, or 0: a
	 * walk by frame pointers may leave that one out (caller_place() in core/probe/trim.h). */
	EVENT_HAS_CALLER = 8,
};

struct event {
	__u64 time_ns; /* CLOCK_MONOTONIC, taken at the program's start */
	__u32 bytes;   /* of the whole record */
	__u16 probe;   /* index of the spec on the command line */
	__u16 flags;   /* enum event_flags */
	__u32 site;    /* index within the spec's plan */
	__u32 cpu;
	__u32 tgid, tid; /* as our PID namespace numbers them */
	__u32 uid;
	__u8 n_kernel, n_user; /* frames at the end, leaf first */
	__u16 exec_id;	       /* low bits of task_struct.self_exec_id: whose mappings they are */
	__u64 absent;	       /* bit i: value i could not be read */
	__u64 seq;	       /* of this CPU and spec, lost ones counted: gaps are losses */
	char comm[16];
};

/* A stack that is (part of) a key or a value: its identity stands there, its frames come once. */
struct event_stack {
	struct event event; /* EVENT_IS_STACK; n_kernel or n_user frames */
	__u64 id[2];
	__u64 frames[EVENT_MAX_FRAMES];
};

/* What each CPU counts for each spec, in the per-CPU array `probe_counts`. */
struct probe_count {
	__u64 hits;	 /* past filter and predicate */
	__u64 sent;	 /* into the ring */
	__u64 ring_full; /* not sent */
	__u64 busy;	 /* no scratch: inside too many other probes */
	__u64 absent;	 /* events with a value that could not be read; keys not counted */
	__u64 map_full;	 /* cell or call not stored */
	__u64 no_start;	 /* returns and ends without a start */
	__u64 missed;	 /* calls that never returned, starts replaced, those of ended threads */
	__u64 span_full; /* starts that the spans' table had no room for */
	__u64 too_deep;	 /* calls inside SPAN_MAX_DEPTH others of the same kind */
};

_Static_assert(sizeof(struct event) == 72, "no padding");

#endif
