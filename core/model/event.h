/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One event of `trace` as it is printed: task, site, message, and values by name.  Plain data,
 * filled in by core/event and printed by core/render.  Everything is borrowed until the call
 * returns.
 */
#ifndef MODEL_EVENT_H
#define MODEL_EVENT_H

#include <string.h>

#include "base/types.h"
#include "base/view.h"
#include "model/frame.h"

/* A value's type in JSON; it depends on the expression, never on the value. */
enum event_value_kind {
	VALUE_SIGNED,
	VALUE_UNSIGNED,
	VALUE_BOOL,
	VALUE_ADDRESS, /* a pointer: identifies something, has no magnitude */
	VALUE_TEXT,    /* `text` */
	VALUE_BYTES,   /* `text`: raw bytes, shown in hex */
	VALUE_STACK,   /* frames, leaf first */
	VALUE_LIST, /* `text`: raw memory of the elements, `element_bytes` for each number of kind
		       `element` */
	VALUE_N_KINDS,
};

struct event_value {
	const char *name;
	enum event_value_kind kind;
	bool is_absent; /* could not be read */
	bool is_cut;	/* TEXT and BYTES: truncated */
	u64 number;
	struct view text; /* for numbers: the symbolic name, or empty */
	const u32 *stack; /* indexes into event_row.frames */
	u32 n_stack;
	enum event_value_kind element;
	u8 element_bytes;
};

/* Read one number of a list, widened to 64 bits. */
static inline u64 event_element(const char *at, u32 bytes, bool is_signed)
{
	u32 above = 64 - 8 * bytes;
	u64 n = 0;

	memcpy(&n, at, bytes);
	return is_signed ? (u64)((s64)(n << above) >> above) : n;
}

struct event_row {
	u64 time_ns; /* since the start of the run */
	u32 cpu, tgid, tid, uid;
	const char *comm;  /* raw bytes */
	const char *probe; /* the site: "p:c:malloc" */
	const char *func;  /* "malloc" */
	struct view text;  /* the message; tabs and newlines in it are intended */
	const struct event_value *values;
	u32 n_values;
	const struct frame *frames; /* the frames that stacks index */
	const u32 *kernel, *user;
	u32 n_kernel, n_user;
	bool wants_kernel, wants_user; /* stacks were requested */
	bool is_user_missing;	       /* the user stack could not be read */
	bool is_late;		       /* printed after events that happened later */
	u64 count;		       /* with -A: number of identical events; 0: a single event */
};

/* Columns of the text output, combined with |. */
enum event_columns {
	EVENT_COLUMN_WALL = 1,	/* HH:MM:SS */
	EVENT_COLUMN_SINCE = 2, /* seconds since the start */
	EVENT_COLUMN_UNIX = 4,	/* seconds since 1970 */
	EVENT_COLUMN_CPU = 8,
	EVENT_COLUMN_UID = 16,
	EVENT_RAW = 32, /* only the message */
	EVENT_CSV = 64, /* the values, separated by commas */
	EVENT_N_COLUMNS = 7,
};

/* As in JSON, by the position of their bits: "wall", "since", "unix", "cpu", "uid", "raw". */
extern const char *const event_column_names[EVENT_N_COLUMNS];

/* The events of one spec since the start, by their fate. */
struct event_probe {
	const char *name;
	u64 hits; /* passed filter and predicate */
	u64 shown;
	u64 ring_full;	/* not sent */
	u64 busy;	/* nested in too many other probes */
	u64 absent;	/* with a value that could not be read */
	u64 no_start;	/* returns whose call was not seen; span ends without a start */
	u64 unreturned; /* calls that never returned; starts that were replaced (or, with
			   keep=first, ignored), or whose thread exited */
	u64 map_full;	/* calls not remembered: table full */
	u64 span_full;	/* starts not remembered: table full */
	u64 too_deep;	/* calls not remembered: too many open calls in their thread */
	u64 late;
	u64 missed; /* not reported by the kernel; LOST_UNKNOWN */
	bool is_span;
	bool is_column; /* a table has it after its first: its events are those of the one before */
	bool keeps_strings; /* a string is read at the entry, for the return */
	bool reads_at_call; /* memory is read at a system call's entry, but cannot be paged in */
};

#endif
