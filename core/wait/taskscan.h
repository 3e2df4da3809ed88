/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Scans all threads as they are now, with the stacks of those that sleep: a run can learn no more
 * than this about a wait that began before it.  Kernel stacks are read by a BPF task iterator, user
 * stacks from the registers saved at kernel entry and the process's memory.
 */
#ifndef WAIT_TASKSCAN_H
#define WAIT_TASKSCAN_H

#include <bpf/libbpf.h>

#include "base/err.h"
#include "bpf/abi/scan.h"
#include "unwind/unwinder.h"

struct scan_thread {
	const struct scan_record *rec;
	const u64 *user; /* leaf first */
	u32 n_user;
	enum stack_end end;   /* why the user stack ends */
	bool is_user_missing; /* the thread has user registers, but its memory could not be read */
	bool is_moved;	  /* the thread ran while its stack was copied: do not trust the stack */
	const void *more; /* scan_opts.more_bytes that follow the record */
};

struct scan_opts {
	bool want_kernel, want_user;
	struct unwinder *unwinder; /* NULL: user stacks are walked by frame pointers */
	u32 max_frames;
	u32 more_bytes; /* bytes that the program sends after each record */
	/* True: the thread's user stack is not needed.  Optional. */
	bool (*skips)(void *ctx, const struct scan_record *rec);
	/* Called every few milliseconds while stacks are read.  Optional. */
	void (*meanwhile)(void *ctx);
	void *ctx;
	/* Time limits, 0: some hundred milliseconds: for reading user memory, and for walking by
	 * call frame information, after which the remaining stacks are walked by frame pointers. */
	u64 limit_ns, cfi_ns;
};

/*
 * Call take() for every thread that passes the filter, in the order of their ids; its argument is
 * valid during the call only. `prog` is the object's task iterator (scan_task), loaded.  A thread
 * has moved if its switch counts differ before and after the copy.  User memory is read by helper
 * processes with one time limit for all (a page may wait forever for a userfaultfd handler or a
 * network); stacks that were not read by then are missing.  Returns 0, or -code if the iterator
 * cannot run at all.
 */
int scan_threads(struct bpf_program *prog, const struct scan_opts *opts,
		 void (*take)(void *ctx, const struct scan_thread *t), void *ctx, struct err *err);

#endif
