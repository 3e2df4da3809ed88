/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * User stacks by call frame information, for all processes of the host.
 *
 * Only the files of processes that the user names are prepared when a run begins.  The kernel side
 * (bpf/cfi.bpf.h) walks the stacks for which it has tables.  If it lacks a process, a mapping or a
 * table, it sends a copy of the stack: the copy is walked here, and the missing data is built and
 * written to the kernel's maps, so that the next stack is walked there.  Mappings that change are
 * written again at the next tick.
 */
#ifndef UNWIND_UNWINDER_H
#define UNWIND_UNWINDER_H

#include "bpf/abi/stack.h"
#include "unwind/tables.h"
#include "unwind/upload.h"
#include "unwind/walk.h"

struct unwinder;

/* `max_bytes` limits the tables, here and in the kernel each.  Only `sym` must outlive it. */
struct unwinder *unwinder_new(struct symbolizer *sym, const struct unwind_maps *maps,
			      const struct unwind_patience *patience, u64 max_bytes);
void unwinder_free(struct unwinder *u); /* NULL is fine */

/* A stack that was copied. */
struct unwind_copy {
	u32 tgid, exec_id;
	struct stack_registers regs;
	const u8 *bytes; /* memory from regs.at.sp on; borrowed */
	size_t n;
};

/* Walk it, and give the kernel side the data that it needs for the next one.  Returns the number of
 * frames, at most `max`. */
u32 unwinder_take(struct unwinder *u, const struct unwind_copy *copy, u64 *frames, u32 max,
		  enum stack_end *end);

/* Build the tables of the files that a process maps, and write them to the kernel's maps.  The side
 * band must be on: mappings that change later are learned from it.  The process itself is written
 * at its first copy, which has its start time and the number of its execs. */
void unwinder_prepare(struct unwinder *u, u32 tgid);

/* Walk a thread that does not run; read() reads its memory. */
u32 unwinder_walk(struct unwinder *u, u32 tgid, const struct cfi_registers *start,
		  bool (*read)(void *ctx, u64 addr, void *out, size_t n), void *ctx, u64 *frames,
		  u32 max, enum stack_end *end);

/* Call it from time to time: it removes processes that have ended, and writes those whose mappings
 * have changed again. */
void unwinder_tick(struct unwinder *u);

struct unwinder_stats {
	u64 table_bytes;  /* in the kernel */
	u64 n_processes;  /* that the kernel side knows */
	u64 n_copies;	  /* walked here */
	u64 n_files_late; /* files whose tables are not built, for lack of time */
};
void unwinder_stats(const struct unwinder *u, struct unwinder_stats *out);

#endif
