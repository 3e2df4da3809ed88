/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Events from the rings to the output: drained, put in order of time, taken apart, shown.  Knows
 * records and values; must not know options or how programs came to be.
 */
#ifndef EVENT_STREAM_H
#define EVENT_STREAM_H

#include "base/index.h"
#include "event/reorder.h"
#include "event/value.h"
#include "model/event.h"
#include "probe/load.h"
#include "probe/trim.h"
#include "render/render.h"
#include "run/ring.h"

struct flow_opts {
	u64 max_events;	      /* 0: any number */
	const char *contains; /* -f: only messages with it; NULL: all */
	bool aggregate;	      /* -A */
	bool kernel_stacks, user_stacks;
	u32 max_frames; /* kernel.perf_event_max_stack */
};

struct flow_stack; /* one that came as a value */
struct flow_same;  /* identical events, counted */

struct flow {
	struct flow_opts opts;
	struct probes *probes;
	struct output *out;
	struct symbolizer *sym;
	const struct run_info *run;
	struct rings rings;
	struct hold hold;
	struct show_env show;
	struct str text;		       /* of the event at work */
	struct str names;		       /* of its numbers */
	struct str kernel_frames, user_frames; /* of its stacks, where they are values */
	struct own_frames own;
	u64 *shown, *late;   /* by probe */
	u64 n_shown, n_same; /* n_same: that were counted */
	u64 n_stack_faults, n_bad;
	u64 n_given_up; /* events that were read, and not shown for the sake of a signal */
	u64 n_taken;	/* events that came out of the rings */
	bool is_rest;	/* no more are sent: what the rings hold is taken, whatever it is */
	VEC(struct flow_stack *) stacks;
	VEC(struct flow_same *) same;
	struct index by_hash; /* of `same` */
	u64 n_folded;	      /* events that found no room in a row of their own */
	u64 n_stack_full;     /* stacks that are values and found no room */
	size_t known_after;   /* what the symbolizer knew after it last forgot */
	/* Before an event of this time is shown: what happened to its process's mappings. */
	void (*before)(void *ctx, u64 time_ns);
	void *ctx;
};

int flow_init(struct flow *f, const struct flow_opts *opts, struct probes *probes,
	      struct output *out, struct symbolizer *sym, const struct run_info *run,
	      struct err *err);
void flow_release(struct flow *f);

/* Readable when events wait. */
int flow_fd(const struct flow *f);

/* Take what the rings hold, for 50 ms at most; true: there was something. */
bool flow_drain(struct flow *f);

/* The probes are detached: take what is left, and wait for what is still being written.  The number
 * of events that were sent and did not come. */
u64 flow_drain_rest(struct flow *f);

/* Show what is old enough by `now_ns`, for 50 ms at most; UINT64_MAX: all, but when a signal that
 * leaves out names comes it is given up: see n_given_up. */
int flow_show(struct flow *f, u64 now_ns, struct err *err);

/* An event's or a stack's frames, the kernel's first: addresses, and from when it is held on the
 * symbolizer's locations. */
u64 *flow_frames(struct event *e);

/* Let the symbolizer forget what no event that is held and no row of -A shows, when it has come to
 * know a lot.  Not while an event is being shown. */
void flow_forget(struct flow *f);

/* -M events were shown. */
bool flow_is_full(const struct flow *f);

/* -A: count an event instead of showing it; show them, most frequent first. */
void flow_same_count(struct flow *f, const struct event *e, const struct event_row *row);
int flow_show_same(struct flow *f, struct err *err);
/* Calls visit() for each location of its rows, and finds rows again when these have changed. */
void flow_same_locs(struct flow *f, void (*visit)(void *ctx, u32 *loc), void *ctx);
void flow_same_release(struct flow *f);

#endif
