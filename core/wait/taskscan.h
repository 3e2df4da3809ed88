/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * All threads as they are now, with the stacks of those that sleep: what a run that begins in the
 * middle of a wait can still learn about it.  The kernel stack comes from a BPF task iterator, the
 * user stack from the registers saved at kernel entry and the process's memory.
 */
#ifndef WAIT_TASKSCAN_H
#define WAIT_TASKSCAN_H

#include <bpf/libbpf.h>

#include "base/err.h"
#include "bpf/abi/scan.h"

struct scan_thread {
	const struct scan_record *rec;
	const u64 *user; /* leaf first */
	u32 n_user;
	bool is_user_missing; /* has user registers, but its memory could not be read */
	bool is_moved; /* it ran while its stack was copied: the stack is not to be trusted */
};

struct scan_opts {
	bool want_kernel, want_user;
	u32 max_frames;
};

/*
 * Call take() for every thread that the filter lets through, in the order of their ids; what it
 * gets is gone afterwards.  `prog` is the object's task iterator (scan_task), loaded.  A thread
 * counts as moved when its switch counts differ before and after the copy.  User memory is read by
 * helper processes with a time limit for all of them together (a page may wait for a userfaultfd
 * handler or a network for ever); what they have not read by then is missing.
 * Returns 0, or -code when the iterator cannot run at all.
 */
int scan_threads(struct bpf_program *prog, const struct scan_opts *opts,
		 void (*take)(void *ctx, const struct scan_thread *t), void *ctx, struct err *err);

#endif
