/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The functions that compiled probes (core/gen/program.c) call: the fixed part, written in C in
 * probe.bpf.c, one static function per row.
 *
 * How the two are combined: the program `fixed_all` in probe.bpf.c only calls every function below
 * once, in this order. libbpf relocates it against the running kernel, but does not load it.  The
 * instructions after its main function are those functions, and the targets of its calls are their
 * addresses, in order.  A compiled probe is the generated main function, followed by that block,
 * with its calls resolved.  It is loaded as one program without BTF: then all functions are static,
 * and are verified where they are called.  Only a program with walk() has BTF, because the
 * functions of bpf/cfi.bpf.h must be global, which are verified once.  The block is the same for
 * all program types.  Tested on 5.10, 6.1, 6.12, 6.18 and 7.2.
 *
 * Calls clobber r1 to r5 and return in r0.  Stack: 256 bytes for the generated main, 224 below it.
 */
#ifndef BPF_ABI_FIXED_H
#define BPF_ABI_FIXED_H

#include "event.h"

/* X(name, arguments in C, for readers) */
#define FIXED_FNS(X)                                                                             \
	/* 1 if the current task is watched, else 0. */                                          \
	X(wants, "void *ctx")                                                                    \
	/* A scratch slot of this CPU, and if is_timed, the time in it; NULL: none is free,      \
	 * counted as busy for the spec. */                                                      \
	X(take, "u32 probe, u64 is_timed")                                                       \
	/* Return the slot. */                                                                   \
	X(drop, "struct scratch *s")                                                             \
	/* Fill in the header (all but bytes, site, absent), walk the stacks in `flags`          \
	 * (enum fixed_send), send scratch->bytes bytes, and return the slot. */                 \
	X(send, "void *ctx, struct scratch *s, u32 probe, u64 flags, u64 caller")                \
	/* tgid << 32 | tid in our own PID namespace. */                                         \
	X(ids, "void")                                                                           \
	X(ppid, "void")                                                                          \
	/* Enter a call: push (span, current thread, sp).  Returns the number + 1 of the slot    \
	 * for the saved record; 0: nested too deep, which is counted. */                        \
	X(frame_push, "u32 span, u64 sp")                                                        \
	/* Leave a call: remove it and deeper ones.  Returns its slot's number + 1; 0: none. */  \
	X(frame_pop, "u32 span, u64 sp")                                                         \
	/* Make the string at `from` of the slot, `length` bytes with its NUL, a part of a key   \
	 * (bpf/abi/keytext.h) at `to` of the event, where 64 zeros are.  More than `size` bytes \
	 * are cut. */                                                                           \
	X(text, "struct scratch *s, u32 to, u32 from, u32 length, u32 size")                     \
	/* 1 if this task is watched, which need not be the current one, else 0. */              \
	X(wants_task, "void *task")                                                              \
	/* Write the path of a dentry (and its mount, or NULL) to the event at `to`, at most     \
	 * `size` and FIXED_PATH_MAX bytes.  Returns the length, or a negative number. */        \
	X(path, "struct scratch *s, u32 to, void *dentry, void *mount, u32 size")                \
	/* Write the id of the stack in `flags` to the event at `to` (16 bytes); send the stack  \
	 * if it is new.  Returns 0 or a negative number. */                                     \
	X(stack, "void *ctx, struct scratch *s, u32 to, u64 flags, u64 caller")                  \
	/* Walk the user stack by unwind tables, for send() or (is_key) stack(), which is        \
	 * called next.  Returns flags for it. */                                                \
	X(walk, "struct scratch *s, u64 is_key")

enum fixed_fn {
#define X(name, args) FIXED_##name,
	FIXED_FNS(X)
#undef X
	FIXED_N,
};

/* Number of functions in the smaller variants, fixed_few, fixed_calls and fixed_all; fixed_walked
 * has all of them. */
#define FIXED_N_FEW   (FIXED_ppid + 1)
#define FIXED_N_CALLS (FIXED_wants_task + 1)
#define FIXED_N_ALL   (FIXED_stack + 1)

enum fixed_send {
	FIXED_SEND_KSTACK = 1,
	FIXED_SEND_USTACK = 2,
	/* With USTACK: the site is the start of a function, and `caller` leads to its return
	 * address: it is the stack pointer on x86-64, on arm64 the address itself. */
	FIXED_SEND_CALLER = 4,
	/* walk() has walked the user stack, or sent a copy of it: EVENT_END tells how it ends. */
	FIXED_SEND_WALKED = 8,
};

#define FIXED_PATH_MAX	  4096
#define FIXED_PATH_PARTS  64 /* most directories in a path; those further up are left out */
#define FIXED_PATH_MOUNTS 16 /* mount points on the way to the root */
/* Slots per CPU.  In practice probes nest 3 or 4 deep at most; but since 6.0 uprobe programs can be
 * preempted, and a thread that is preempted inside one keeps its slot. */
#define FIXED_SCRATCH_N	  16

/*
 * A scratch slot: value of the array `scratch`, at most FIXED_SCRATCH_N per CPU.  The generated
 * code builds the event (or key, or saved record) in `data`; user space sets its size before
 * loading, by the map's value size.  After the record there is room to read the longest string
 * once, so that the verifier needs no more than a bounded offset.  Temporaries follow.
 */
struct scratch {
	__u64 busy;
	__u32 probe;
	__u32 bytes;	/* size of the record that begins at `event` */
	__u64 start_ns; /* when the slot was taken */
	__u64 used;	/* for path(), stack() and walk() */
	__u64 slot;	/* its number on this CPU */
	union {		/* work space of path(), stack() and walk() */
		__u64 parts[FIXED_PATH_PARTS + 8];
		struct event_stack stack;
	};
	struct event event;
	__u8 data[]; /* values */
};

#endif
