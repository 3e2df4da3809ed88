/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Events from the rings to the output: they are drained, put in order of time, decoded and shown.
 * Knows records and values; must not know options or how programs are generated.
 */
#ifndef EVENT_STREAM_H
#define EVENT_STREAM_H

#include "base/index.h"
#include "event/reorder.h"
#include "event/value.h"
#include "model/event.h"
#include "model/ledger.h"
#include "probe/copies.h"
#include "probe/probes.h"
#include "probe/run.h"
#include "probe/trim.h"
#include "render/render.h"
#include "run/engine.h"

struct flow_opts {
	u64 max_events;	      /* 0: no limit */
	const char *contains; /* -f: show only messages that contain it; NULL: all */
	bool aggregate;	      /* -A */
	bool unit_texts;      /* a value of %{ms} has its text in this unit */
	bool unique;	      /* identical events are shown once */
	bool kernel_stacks, user_stacks;
	bool has_mappings; /* the side band reports the mappings of processes */
	u32 max_frames;	   /* kernel.perf_event_max_stack */
};

struct flow_stack; /* a stack that is a value */
struct flow_same;  /* identical events, counted */

/* The events of a run, on their way from the rings to the output. */
struct flow {
	struct flow_opts opts;
	struct probes *probes;
	struct engine *engine;
	struct output *out;
	struct symbolizer *sym;
	const struct run_info *run;
	struct reorder reorder;
	struct show_env show;
	struct str text;	/* text of the current event */
	struct str names;	/* names of its numbers */
	struct str frame_texts; /* its stacks, if they are values */
	struct own_frames own;
	struct copies copies;
	/* Events with a user stack, and how many of them lack its root, by reason. */
	u64 n_user, user_truncated[TRUNCATION_N_REASONS];
	u64 *shown, *late;   /* by probe */
	u64 *unreadable;     /* by probe: those shown that lack a value */
	u64 n_shown, n_same; /* n_same: number of events counted by -A */
	u64 n_stack_faults, n_bad;
	u64 n_given_up; /* events that were read but not shown because a signal ended the run */
	u64 n_taken;	/* events read from the rings */
	bool is_rest;	/* no more events are sent: read everything in the rings */
	VEC(struct flow_stack *) stacks;
	VEC(struct flow_same *) same;
	struct index by_hash; /* index of `same` */
	u64 n_folded;	      /* events that were counted in a shared row for lack of room */
	u64 n_stack_full;     /* stacks that are values and did not fit */
	size_t known_after;   /* size of the symbolizer after it last forgot locations */
};

/* The run's probes, engine and unwinding are borrowed. */
int flow_init(struct flow *f, const struct flow_opts *opts, struct proberun *run, struct err *err);
void flow_release(struct flow *f);

/* Read the rings, for at most 50 ms; returns true if they contained anything. */
bool flow_drain(struct flow *f);

/* After the probes are detached: read the rest, and wait for records that are still being written.
 * Returns the number of events that were sent but did not arrive. */
u64 flow_drain_rest(struct flow *f);

/* Show the events that are old enough at `now_ns`, for at most 50 ms; UINT64_MAX: all events,
 * unless a signal arrives that asks to skip symbolization (see n_given_up). */
int flow_show(struct flow *f, u64 now_ns, struct err *err);

/* The frames of an event or a stack, kernel frames first: addresses, or the symbolizer's locations
 * once the event is held. */
u64 *flow_frames(struct event *e);

/* If the symbolizer has grown a lot, let it forget locations that neither held events nor rows of
 * -A use.  Must not be called while an event is being shown. */
void flow_forget(struct flow *f);

/* true if the number of events given by -M was shown. */
bool flow_is_full(const struct flow *f);

/* -A: count an event instead of showing it; show the counted events, most frequent first. --unique:
 * count it; true: none like it is known to have been before. */
bool flow_same_count(struct flow *f, const struct event *e, const struct event_row *row);
int flow_show_same(struct flow *f, struct err *err);
/* Call visit() for each location of the rows, and rebuild their index, because the locations
 * change. */
void flow_same_locs(struct flow *f, void (*visit)(void *ctx, u32 *loc), void *ctx);
void flow_same_release(struct flow *f);

#endif
