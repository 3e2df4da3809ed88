/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One event of `trace` in the ring, and the layout of values wherever a program stores several in a
 * row (events, keys, saved values):
 *
 *	struct event | scalar values, u64 each, in order | the rest, in order | kernel, user frames
 *
 * A scalar is extended to 64 bits according to its type.  The rest are strings and bytes, each
 *	u32 length | that many bytes | zeros up to a multiple of 8
 * The length of a string does not include a NUL; EVENT_CUT says that the string was longer.  A
 * missing value (bit i of `absent`, by position among all values) is 0 or has length 0.
 *
 * Offsets are fixed in a key or a saved record: there the rest have the full size of their type (a
 * multiple of 8), with zeros after the length, and a stack is replaced by its id (struct stack_id).
 * A string of a key that may be long is a struct key_text_part (keytext.h), also where an entry
 * keeps it for the key.
 */
#ifndef BPF_ABI_EVENT_H
#define BPF_ABI_EVENT_H

#ifndef __bpf__
#include <linux/types.h>
#endif

#include "stack.h"

#define EVENT_MAX_VALUES 48
#define EVENT_MAX_FRAMES 127
#define EVENT_MAX_SPANS	 64	     /* number of specs whose returns are paired with entries */
#define EVENT_CUT	 0x80000000U /* set in a length: the string was longer */

enum event_flags {
	EVENT_NO_USER = 1,    /* a user stack was requested, but the thread is a kernel thread */
	EVENT_USER_FAULT = 2, /* the user stack was not readable */
	EVENT_IS_STACK = 4,   /* struct event_stack: the frames of a stack id, sent once */
	/* The user frames begin with the return address of the function that was entered, or 0: a
	 * walk by frame pointers may miss that frame (caller_insert() in core/probe/trim.h). */
	EVENT_HAS_CALLER = 8,
	/* Bits 4 to 7: how the user stack ends, enum stack_end. */
	EVENT_END = 15 << 4,
	/* struct event_copy.  With IS_STACK it is the stack of an id; otherwise it belongs to the
	 * event with the same time, CPU and spec, which follows it. */
	EVENT_IS_COPY = 256,
};

#define EVENT_END_SHIFT 4

struct event {
	__u64 time_ns; /* CLOCK_MONOTONIC, taken at the program's start */
	__u32 bytes;   /* size of the record */
	__u16 probe;   /* index of the spec on the command line */
	__u16 flags;   /* enum event_flags */
	__u32 site;    /* index within the spec's plan */
	__u32 cpu;
	__u32 tgid, tid; /* as our PID namespace numbers them */
	__u32 uid;
	__u8 n_kernel, n_user; /* frames at the end, leaf first */
	__u16 exec_id;	       /* low bits of task_struct.self_exec_id: which program runs */
	__u64 absent;	       /* bit i: value i could not be read */
	__u64 seq;	       /* per CPU and spec; lost events count, so gaps are losses */
	char comm[16];
};

/* A stack that is a key, a value or part of one: the key or value contains its id, and its frames
 * are sent once. */
struct event_stack {
	struct event event; /* EVENT_IS_STACK; n_kernel or n_user frames */
	__u64 id[2];
	__u64 generation; /* part of the id: see core/stack/renew.h */
	__u64 frames[EVENT_MAX_FRAMES];
};

/* Each CPU has several buffers for copies, in memory of which the kernel gives 32 KiB at most. */
#define EVENT_COPY_BYTES 16384

/* A user stack for user space to walk: registers, and memory from the stack pointer on, as far as
 * it could be read. */
struct event_copy {
	struct event event; /* EVENT_IS_COPY; no frames */
	__u64 id[2];
	__u64 generation;
	__u64 exec_id; /* all of task_struct.self_exec_id */
	struct stack_registers regs;
	__u8 bytes[EVENT_COPY_BYTES];
};

/* Counters per CPU and spec, in the per-CPU array `probe_counts`. */
struct probe_count {
	__u64 hits;	 /* events that passed filter and predicate */
	__u64 sent;	 /* events written to the ring */
	__u64 ring_full; /* events that found no room in the ring */
	__u64 busy;	 /* no scratch slot: nested in too many other probes */
	__u64 absent;	 /* events with an unreadable value; keys not counted for that reason */
	__u64 map_full;	 /* cells or calls that could not be stored */
	__u64 no_start;	 /* returns and ends without a start */
	__u64 missed; /* calls that never returned, replaced starts, open calls of ended threads */
	__u64 span_full; /* starts for which the table of spans had no room */
	__u64 too_deep;	 /* calls nested in SPAN_MAX_DEPTH others of the same kind */
};

_Static_assert(sizeof(struct event) == 72, "no padding");

#endif
