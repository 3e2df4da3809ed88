/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Connects a run that counts stacks with the unwinder: sizes the unwinder's maps, and turns records
 * whose user stack came as a copy into records with frames.
 */
#ifndef STACK_UNWINDING_H
#define STACK_UNWINDING_H

#include <bpf/libbpf.h>

#include "base/err.h"
#include "bpf/abi/stack.h"
#include "opt/opt.h"
#include "unwind/unwinder.h"

/* How user stacks are walked (--unwind).  auto: by unwind tables where a file has them. */
enum unwinding_how {
	UNWINDING_AUTO,
	UNWINDING_FP,
	UNWINDING_DWARF,
};

/* The options of unwinding, for all commands that record user stacks. */
struct unwinding_conf {
	u32 how;       /* enum unwinding_how */
	u64 max_bytes; /* --unwind-mem */
};

extern const struct opt unwinding_opts[];
void unwinding_defaults(struct unwinding_conf *conf);

/* Zero-initialized: stacks are walked by frame pointers. */
struct unwinding {
	struct unwinder *unwinder; /* NULL: no tables are used */
	/* In the kernel side's .bss; repeats_left NULL: it has none. */
	s64 *copies_left, *repeats_left;
	u64 refilled_ns;	    /* when copies_left was increased */
	struct stack_record record; /* the record that was walked here last */
};

/* The least size of the ring.  A quarter of it is for copies that wait for a table: 16 of 16 KiB,
 * or 4 of the largest.  When it is full, further stacks are walked by frame pointers
 * (STACK_END_LATE). */
#define UNWINDING_RING_BYTES (1 << 20)

/* True if this choice uses tables. */
bool unwinding_wants_tables(u32 how);

/* Between open and load: size the maps for tables and copies. */
int unwinding_prepare(struct bpf_object *obj, struct err *err);

/* The kernel side's variables, in .bss. */
struct unwinding_kernel {
	bool *is_on;
	s64 *copies_left, *repeats_left;
};

/* After load: let the kernel side use tables and send copies.  `max_bytes` of tables. */
void unwinding_begin(struct unwinding *u, struct bpf_object *obj,
		     const struct unwinding_kernel *kernel, struct symbolizer *sym,
		     const struct unwind_patience *patience, u64 max_bytes);
void unwinding_release(struct unwinding *u);

/* Before the programs are attached, after the side band is on: build the tables of these processes'
 * files, within half a second or so. */
void unwinding_prepare_processes(struct unwinding *u, const u32 *tgids, size_t n);

/* Call it ten times a second from now on: it permits more copies and keeps mappings up to date. */
void unwinding_tick(struct unwinding *u);

/* Walk a copy of a stack, from any kind of record, with unwinder_take().  Without tables, the stack
 * has no frames and ends with STACK_END_LATE. */
u32 unwinding_take(struct unwinding *u, const struct unwind_copy *copy, u64 *frames, u32 max,
		   enum stack_end *end);

/* True if a copy of a stack follows this record of the ring. */
bool unwinding_is_copy(const struct stack_record *rec, size_t size);

/* The record with the frames of its user stack, valid until the next call; NULL: it is broken. */
const struct stack_record *unwinding_walk(struct unwinding *u, const struct stack_record *rec,
					  size_t size);

#endif
