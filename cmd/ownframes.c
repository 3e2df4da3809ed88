// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/ownframes.h"

u32 own_frames_count(struct own_frames *o, const struct probes *p, const struct event *e,
		     const u64 *frames)
{
	struct err ignored = { 0 };

	if (!e->n_kernel || e->probe >= p->v.n)
		return 0;
	switch (p->v.items[e->probe]->plan.method) {
	case ATTACH_RAW_TP:
	case ATTACH_TP_BTF:
	case ATTACH_SYSCALL_RAW:
	case ATTACH_FENTRY:
		break;
	case ATTACH_TRACEPOINT:
		return places_doubled(frames, e->n_kernel);
	default:
		return 0;
	}
	if (!o->has_places)
		places_read("/proc", &o->places, &ignored);
	o->has_places = true;
	return places_trim(&o->places, frames, e->n_kernel);
}

void own_frames_release(struct own_frames *o)
{
	places_release(&o->places);
}
