/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Time on CPUs beside the waits (--states), and how the kernel's accounting divides it: into user
 * and system, by what the thread's two clocks grew meanwhile.  Only core/wait.
 */
#ifndef WAIT_RUNNING_H
#define WAIT_RUNNING_H

#include "wait/account.h"

void waits_add_running(struct waits *w, const struct wait_record *rec);
/* Of a thread that is on a CPU at the cut: one that was seen to come on, one that was there before
 * the run began. */
void waits_credit_running(struct waits *w, u32 pid, const struct wait_thread *t);
void waits_credit_runner(struct waits *w, const struct wait_sleeper *s);

#endif
