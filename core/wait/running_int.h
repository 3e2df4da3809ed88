/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Time on CPUs beside the waits (--states), divided into user and system time by the growth of the
 * thread's two clocks.  Private to core/wait.
 */
#ifndef WAIT_RUNNING_INT_H
#define WAIT_RUNNING_INT_H

#include "wait/account_int.h"

void waits_add_running(struct waits *w, const struct wait_record *rec);
/* Credit a thread that is on a CPU at the cut: the first function takes one whose switch-in was
 * seen, the second one that has been running since before the run. */
void waits_credit_running(struct waits *w, u32 pid, const struct wait_thread *t);
void waits_credit_runner(struct waits *w, const struct wait_sleeper *s);

#endif
