/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The first wait of a thread that existed before the run: no hook saw it begin.  The thread's first
 * events determine its kind, together with the scan of threads if that came before them.  Private
 * to core/wait.
 */
#ifndef WAIT_FIRST_INT_H
#define WAIT_FIRST_INT_H

#include "wait/account_int.h"

/* Such a wait, as the hooks saw it. */
struct first_wait {
	u32 pid, tgid, tid;
	u64 start_time;
	u64 waking_ns; /* 0: no wake-up was seen */
	u64 on_ns;     /* UINT64_MAX: it is still open */
	u8 flags;      /* at the wake-up: WAIT_READY, and WAIT_TAKEN if its state was requested */
	const char *comm;
};

enum first_kind {
	FIRST_NONE,	 /* not counted: not requested, or not known (counted as unseen) */
	FIRST_ASLEEP,	 /* until its wake-up */
	FIRST_PREEMPTED, /* it was scanned while it was preempted */
	FIRST_QUEUED,	 /* it waited for a CPU: scanned so, or not scanned then */
	FIRST_RUNNING,	 /* no wait: it has been on its CPU since before the run */
};

/* Determine the kind of the wait, and mark the thread's sleeper as met. */
enum first_kind waits_first_kind(struct waits *w, const struct first_wait *f);

/* The store's entry for it: the scanned stack, unless the thread had run by then. */
u32 waits_first_entry(struct waits *w, const struct first_wait *f, enum first_kind kind);

/* True if the thread began to match the filter while it was asleep, after the scan: the start of
 * its wait is not known. */
bool waits_is_late(struct waits *w, u32 pid, u64 start_time);

#endif
