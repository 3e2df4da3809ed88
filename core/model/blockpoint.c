// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Find the function in which a thread waits or wakes another: the first one outside the scheduler,
 * whose frames look the same for all waits. */
#include <string.h>

#include "model/report.h"

/* Prefixes of the names of scheduler, wait queue and timer functions. */
static const char *const machinery[] = {
	"__schedule",	      "schedule",	 "preempt_schedule",
	"io_schedule",	      "try_to_wake_up",	 "ttwu_",
	"wake_up_",	      "__wake_up",	 "default_wake_",
	"autoremove_wake_",   "swake_up_",	 "do_nanosleep",
	"__wait_for_common",  "wait_for_common", "__prepare_to_swait",
	"do_wait_for_common", "__traceiter_",	 "__bpf_trace_",
};

static bool is_machinery(const struct frame *f)
{
	if (!frame_is_kernel(f->kind) || !f->name)
		return f->kind == FRAME_NOTE;
	for (size_t i = 0; i < ARRAY_SIZE(machinery); i++)
		if (!strncmp(f->name, machinery[i], strlen(machinery[i])))
			return true;
	return false;
}

u32 report_place(const struct report *r, u32 leaf)
{
	for (u32 node = leaf; node; node = r->nodes[node].parent)
		if (!is_machinery(&r->frames[r->nodes[node].frame]))
			return node;
	return leaf;
}
