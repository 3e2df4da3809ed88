/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The signals that end a run (SIGINT, SIGTERM, SIGHUP), as a ladder:
 *
 *	first	the collection ends, and what there is is printed
 *	second	names that are not known yet are left out
 *	third	the process dies of the signal, with a word on stderr
 *
 * A handler counts them, so that the third works wherever the program is.  Code that may take long
 * asks between its steps; code that waits for others (a full pipe, a FIFO) waits in short steps and
 * asks between these: then no signal is lost between a question and the wait that follows it.
 */
#ifndef BASE_STOP_H
#define BASE_STOP_H

#include "base/types.h"

/*
 * From now on signals are counted.  Until stop_start_is_over() nothing is measured yet: a start
 * that does not end within a second of the first signal, or until the second, is cut short.  SIGHUP
 * stays ignored where it was (nohup).
 */
void stop_catch(void);

/* The start is over: from here on there is something to print, or to take away. */
void stop_start_is_over(void);

/* The collection has ended; if no signal did that, the next one counts as the second. */
void stop_collection_is_over(void);

/* Signals go back to what they do by default: in a child of ours. */
void stop_forget(void);

/* The signal that asked for the end; 0: none did. */
int stop_signal(void);

static inline bool stop_is_asked(void)
{
	return stop_signal() != 0;
}

/* The second has come: true for good.  A pointer for those who ask in a loop. */
const volatile bool *stop_impatience(void);

/*
 * May one who has waited since `since_ns` (now_ns()) for somebody to read give up?  Only after a
 * signal, and 0.75 s later than the last progress or the last signal.  A person who pressed Ctrl-C
 * once may have stopped reading for a while: for that person the second counts.
 */
bool stop_gives_up(u64 since_ns);

/* SIGUSR1 has come since this was asked last. */
bool stop_take_snapshot(void);

#endif
