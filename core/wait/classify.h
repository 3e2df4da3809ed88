/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Classifies the wait of a blocked thread by the kernel functions in its stack. */
#ifndef WAIT_CLASSIFY_H
#define WAIT_CLASSIFY_H

#include "model/report.h"

/*
 * Returns STATE_DISK ... STATE_OTHER for the kernel part of a blocked stack (a leaf node of the
 * report; frames have their names).  `marks` are the owner's (enum store_mark).  The rules, in
 * order:
 *
 *	1. A wait inside a page fault is STATE_FAULT, no matter what it waits for (disk, lock,
 *	   userfaultfd).
 *	2. Among the functions in the table, the one nearest to the leaf decides: a pipe reader
 *	   that waits for a mutex waits for a lock.  A futex call's operation and value decide its
 *	   state (STORE_LOCK, STORE_CONDITION); if they do not tell, it is STATE_FUTEX.
 *	3. A wait accounted as I/O is STATE_DISK.  This catches threads that were asleep at the
 *	   start, for which the kernel leaves io_schedule out of the stack.
 *	4. Everything else is STATE_OTHER: signals, ptrace, timer files, terminals, idle
 *	   kernel threads.
 */
enum state_column wait_kind(const struct report *r, u32 kernel, u8 marks);

#endif
