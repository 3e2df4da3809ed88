/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which frames of a probe's kernel stack are the probe's own, not what was asked about. */
#ifndef CMD_OWNFRAMES_H
#define CMD_OWNFRAMES_H

#include "cmd/probe.h"
#include "sym/places.h"

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

#endif
