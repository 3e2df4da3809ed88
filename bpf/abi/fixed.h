/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What compiled probes (core/gen/program.c) call: the fixed part, written in C in probe.bpf.c, one
 * static function per row.
 *
 * How the two meet.  There is a program in probe.bpf.c, `fixed_all`, that does nothing but call
 * every function below once, in this order.  libbpf relocates it against the running kernel, and is
 * kept from loading it: the verifier sees the functions with the compiled probes.  They are the
 * same for all types.  What follows the main function in its instructions are then the functions,
 * their addresses are the targets of the calls, in order. A compiled probe is the generated main
 * function with that block behind it, its calls resolved, loaded as one program without BTF (all
 * functions are static then, checked where they are called). Tried on 5.10, 6.1, 6.12, 6.18
 * and 7.2.
 *
 * Calls clobber r1 to r5, result in r0.  Frames: 256 bytes for the generated main, 224 below it.
 */
#ifndef BPF_ABI_FIXED_H
#define BPF_ABI_FIXED_H

#include "event.h"

/* X(name, arguments as C has them: for readers) */
#define FIXED_FNS(X)                                                                              \
	/* Is the current task watched?  0 or 1.  Also ids: 0 in a PID namespace not ours. */     \
	X(wants, "void *ctx")                                                                     \
	/* A scratch slot of this CPU, or NULL: counted busy for the spec. */                     \
	X(take, "u32 probe")                                                                      \
	/* Give it back. */                                                                       \
	X(drop, "struct scratch *s")                                                              \
	/* Fill in the header (all but bytes, site, absent), walk the stacks that `flags`         \
	 * (enum fixed_send) wants, send scratch->bytes bytes, give the slot back. */             \
	X(send, "void *ctx, struct scratch *s, u32 probe, u64 flags, u64 caller")                 \
	/* tgid << 32 | tid, as our PID namespace numbers them. */                                \
	X(ids, "void")                                                                            \
	X(ppid, "void")                                                                           \
	/* Enter a call: push (span, current thread, sp).  The slot's number + 1 for the saved    \
	 * record, 0: too deep, counted. */                                                       \
	X(frame_push, "u32 span, u64 sp")                                                         \
	/* Leave it: take it and what is deeper away.  Its slot's number + 1; 0: none. */         \
	X(frame_pop, "u32 span, u64 sp")                                                          \
	/* The path of a dentry (and mount, or NULL) to scratch->bytes... at `to`, `size` at most \
	 * and no more than FIXED_PATH_MAX: length, or negative. */                               \
	X(path, "struct scratch *s, u32 to, void *dentry, void *mount, u32 size")                 \
	/* The identity of the stack that `flags` wants into scratch at `to` (16 bytes), sent     \
	 * when new.  0, or negative. */                                                          \
	X(stack, "void *ctx, struct scratch *s, u32 to, u64 flags, u64 caller")

enum fixed_fn {
#define X(name, args) FIXED_##name,
	FIXED_FNS(X)
#undef X
	FIXED_N,
};

/* Programs come with so many of them: fixed_few, fixed_calls, fixed_all. */
#define FIXED_N_FEW   (FIXED_ppid + 1)
#define FIXED_N_CALLS (FIXED_frame_pop + 1)

enum fixed_send {
	FIXED_SEND_KSTACK = 1,
	FIXED_SEND_USTACK = 2,
	/* With USTACK: the site is where a function begins, and `caller` leads to where it returns:
	 * the stack pointer on x86-64, on arm64 the address itself. */
	FIXED_SEND_CALLER = 4,
};

#define FIXED_PATH_MAX	  4096
#define FIXED_PATH_PARTS  64 /* directories of a path; what lies above them is left out */
#define FIXED_PATH_MOUNTS 16 /* mount points on the way */
/* Slots per CPU.  Probes nest no deeper than 3 or 4 in practice; but since 6.0 those of user code
 * are preempted, and threads that wait for their CPU inside of one keep their slots. */
#define FIXED_SCRATCH_N	  16

/*
 * A scratch slot: value of the array `scratch`, FIXED_SCRATCH_N of each CPU at most.  The generator
 * builds the event (or key, or saved record) in `data`, whose size user space sets before loading
 * by the map's value size; behind the record there is room for one read of the longest string, so
 * that a bounded offset is all that the verifier needs, and then temporaries.
 */
struct scratch {
	__u64 busy;
	__u32 probe;
	__u32 bytes;	/* of the record that begins at `event` */
	__u64 start_ns; /* when the slot was taken */
	__u64 used;	/* path()'s and stack()'s */
	union {		/* path() and stack() work here */
		__u64 parts[FIXED_PATH_PARTS + 8];
		struct event_stack stack;
	};
	struct event event;
	__u8 data[]; /* values */
};

#endif
