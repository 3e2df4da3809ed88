/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Finds the frames of a probe's kernel stack that belong to the probe itself. */
#ifndef PROBE_TRIM_H
#define PROBE_TRIM_H

#include "probe/probes.h"
#include "sym/landmarks.h"

struct own_frames {
	const struct ksym_source *kernel; /* borrowed; NULL: landmarks are in kallsyms only */
	struct landmarks landmarks;	  /* known from the first stack that may contain some */
	bool has_landmarks;
};

/* The number of the event's kernel frames, from the leaf, that belong to the program and its
 * callers, or only repeat the next frame.  0 for programs that get the registers of the function
 * they are at: their stacks begin in that function. */
u32 own_frames_count(struct own_frames *o, const struct probes *p, const struct event *e,
		     const u64 *frames);
void own_frames_release(struct own_frames *o);

/*
 * For the n user words of a record with EVENT_HAS_CALLER: inserts the caller after the function's
 * own frame if the kernel's unwinder has left it out.  It may do so before a function has set up
 * its frame, depending on the kernel, the architecture and the function's first instruction.
 * Returns the number of words to skip: 0, or 1 if the caller was not left out or is unknown.
 */
u32 caller_insert(u64 *words, u32 n);

/* The number of user words that a record has if its stack is truncated, with unwinders limited to
 * max_frames. */
u32 user_words_max(const struct event *e, u32 max_frames);

#endif
