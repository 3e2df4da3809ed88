/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A frame: one place in a program, with what is known about it.  Unknown is data, not an error.
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
	FRAME_NOTE,    /* not a place: "[Missed User Stack]", "[truncated]" */
	FRAME_N_KINDS,
};

/* Notes that stand for a whole stack; the spelling is what people already grep for. */
#define FRAME_MISSED_USER   "[Missed User Stack]"
#define FRAME_MISSED_KERNEL "[Missed Kernel Stack]"

/* All strings are borrowed and live as long as whoever made the frame (the symbolizer). */
struct frame {
	const char *name;     /* as shown: demangled, shortened as asked; NULL: unknown */
	const char *linkage;  /* as in the symbol table; NULL when the same as name */
	const char *module;   /* path as the process sees it, "[kernel]", a kernel module's name;
				 NULL: unknown */
	const char *build_id; /* lower-case hex; NULL: unknown or none */
	u64 addr;	      /* as the CPU had it (a return address for callers); 0: shared by
				 processes and so not one address */
	u64 vaddr;	      /* in the file's own address space, of the call itself for callers;
				 kernel: the address */
	u64 off;	      /* from the start of the symbol, or of the file when name is NULL */
	enum frame_kind kind;
};

static inline bool frame_is_kernel(enum frame_kind kind)
{
	return kind == FRAME_KERNEL || kind == FRAME_MODULE || kind == FRAME_BPF;
}

/* The last part of a module's path. */
static inline const char *frame_base(const char *module)
{
	const char *slash = strrchr(module, '/');

	return slash && slash[1] ? slash + 1 : module;
}

#endif
