/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Signals that end a run (SIGINT, SIGTERM, SIGHUP), in three steps:
 *
 * 	first	stop collecting and print the report
 * 	second	leave out names that are not resolved yet
 * 	third	die of the signal, with a message on stderr
 *
 * A handler counts them, so that the third works at any time.  Code that may run for a long time
 * checks the count between its steps.  Code that waits for others (a full pipe, a FIFO) waits in
 * short steps and checks the count between them, so that no signal is lost between the check and
 * the wait.
 */
#ifndef BASE_STOP_H
#define BASE_STOP_H

#include "base/types.h"

/*
 * Catch and count the signals from now on.  Nothing is measured until stop_start_is_over(): a
 * start-up that a signal interrupts is aborted one second later, or at the second signal.  SIGHUP
 * stays ignored if it was (nohup).
 */
void stop_catch(void);

/* Start-up is over: from here on a run has something to print or to clean up. */
void stop_start_is_over(void);

/* Collecting has ended; if no signal ended it, the next one counts as the second. */
void stop_collection_is_over(void);

/* Restore the default actions of the signals, in a child process. */
void stop_forget(void);

/* The signal that ended the run; 0: none. */
int stop_signal(void);

static inline bool stop_is_asked(void)
{
	return stop_signal() != 0;
}

/* Becomes true, for good, at the second signal.  A pointer, for checks inside loops. */
const volatile bool *stop_impatience(void);

/*
 * May code that has waited for a reader since `since_ns` (now_ns()) give up?  Only after a signal,
 * and 0.75 s after the last progress or signal.  After one Ctrl-C on a terminal it may not: the
 * person may have paused reading, and a second Ctrl-C is needed.
 */
bool stop_gives_up(u64 since_ns);

/* Has SIGUSR1 arrived since the last call? */
bool stop_take_snapshot(void);

#endif
