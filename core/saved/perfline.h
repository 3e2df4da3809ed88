/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Parses lines of `perf script`: the line with which a sample begins, and its frames. */
#ifndef SAVED_PERFLINE_H
#define SAVED_PERFLINE_H

#include "base/view.h"

/* "java 123/456 [002] 1234.567890:   10101010 cycles:u: " */
struct perf_sample {
	struct view comm;
	s64 pid, tid, cpu; /* -1: missing; a single number is the thread's */
	u64 time_ns;
	u64 period; /* 0: missing */
	struct view event;
	struct view rest; /* after the event: a stack in one line, or the fields of a tracepoint */
};

/* false: the line is not such a header. */
bool perf_line_is_sample(struct view line, struct perf_sample *out);

/* "	ffffffff81000000 do_thing+0x12 ([kernel.kallsyms])" */
struct perf_frame {
	u64 addr;
	struct view symbol; /* without the offset; empty: unknown */
	u64 off;
	bool has_off;
	struct view module; /* empty: unknown */
};

bool perf_line_is_frame(struct view line, struct perf_frame *out);

#endif
