/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which frames of a probe's kernel stack are the probe's own, not what was asked about. */
#ifndef PROBE_TRIM_H
#define PROBE_TRIM_H

#include "probe/load.h"
#include "sym/landmarks.h"

struct own_frames {
	struct places places; /* read with the first stack that holds some */
	bool has_places;
};

/* How many of the event's kernel frames, from the leaf on, are the program's and of what calls it,
 * or only repeat the next one.  None of programs that are given the registers of the function they
 * are at: their stacks begin there. */
u32 own_frames_count(struct own_frames *o, const struct probes *p, const struct event *e,
		     const u64 *frames);
void own_frames_release(struct own_frames *o);

/*
 * Of the n user words of a record with EVENT_HAS_CALLER: puts the caller after the function's own
 * frame where the kernel's walk has left it out (what it does before a function has a frame of its
 * own depends on the kernel, the machine and the function's first instruction).  Words to skip: 0,
 * or 1 when the caller was there, or is not known.
 */
u32 caller_place(u64 *words, u32 n);

/* How many user words a record has whose stack may go on, when no walk has more than max_frames. */
u32 user_words_max(const struct event *e, u32 max_frames);

#endif
