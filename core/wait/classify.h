/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a thread waited for, told from the kernel functions it slept in. */
#ifndef WAIT_CLASSIFY_H
#define WAIT_CLASSIFY_H

#include "model/report.h"

/*
 * STATE_DISK ... STATE_OTHER, from a blocked stack's kernel part (a leaf node of the report, frames
 * named).  `in_iowait`: the kernel accounted the wait as I/O.  In this order:
 *
 *	1. A wait inside a page fault is STATE_FAULT, whatever for: a disk, a lock, userfaultfd.
 *	2. Of the functions that say what is waited for, the nearest to the leaf counts: a mutex
 *	   that a pipe's reader waits for is a lock.
 *	3. Accounted as I/O is STATE_DISK.  This finds what the stack of a thread that was asleep
 *	   at the start can't show, for the kernel leaves io_schedule out there.
 *	4. All else is STATE_OTHER: wait(2), signals, ptrace, timers' files, terminals, what kernel
 *	   threads do when they have nothing to do.
 */
enum state_column wait_kind(const struct report *r, u32 kernel, bool in_iowait);

#endif
