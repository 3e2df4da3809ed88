/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A frame: a location in a program, with the facts known about it.  A missing name is not an error.
 */
#ifndef MODEL_FRAME_H
#define MODEL_FRAME_H

#include <string.h>

#include "base/types.h"

enum frame_kind {
	FRAME_USER,
	FRAME_KERNEL,
	FRAME_MODULE, /* a kernel module */
	FRAME_BPF,
	FRAME_JIT,
	FRAME_VDSO,
	FRAME_UNKNOWN, /* an address that no mapping covers */
	FRAME_NOTE,    /* not a location: "[Missed User Stack]", "[truncated]" */
	FRAME_N_KINDS,
};

/* Notes that replace a whole stack, in the spelling that people already grep for. */
#define FRAME_MISSED_USER   "[Missed User Stack]"
#define FRAME_MISSED_KERNEL "[Missed Kernel Stack]"
/* The leaf of samples of running threads among waits. */
#define FRAME_ON_CPU	    "[on CPU]"

/* Strings are borrowed; they live as long as the owner of the frame (the symbolizer). */
struct frame {
	const char *name;     /* as shown: demangled and shortened as requested; NULL: unknown */
	const char *linkage;  /* as in the symbol table; NULL: same as name */
	const char *module;   /* path as the process sees it, "[kernel]", name of a kernel module;
				 NULL: unknown */
	const char *build_id; /* lower-case hex; NULL: unknown or none */
	u64 addr;  /* the CPU's instruction pointer (for callers: the return address); 0: differs
		      between processes that share the frame */
	u64 vaddr; /* in the address space of the file; for callers that of the call itself; kernel:
		      the address */
	u64 off;   /* from the start of the symbol, or of the file if name is NULL */
	enum frame_kind kind;
};

/* As in JSON; NULL for user and kernel code, which the frame's position in a record shows. */
extern const char *const frame_kind_names[FRAME_N_KINDS];

static inline bool frame_is_kernel(enum frame_kind kind)
{
	return kind == FRAME_KERNEL || kind == FRAME_MODULE || kind == FRAME_BPF;
}

/* The last component of a module's path. */
static inline const char *frame_base(const char *module)
{
	const char *slash = strrchr(module, '/');

	return slash && slash[1] ? slash + 1 : module;
}

#endif
