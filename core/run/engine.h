/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The life of a run, from options to exit status; it is the same for all commands that measure.  A
 * kind of run (stack/collect.h, probe/run.h) plugs in by a table of functions, which define what is
 * loaded, what a record means and what a report contains.
 *
 *	privileges, filter, the held program, signals, symbolizer
 *	  ops.plan       everything that can fail before an output is touched
 *	outputs open
 *	  ops.load       programs are loaded
 *	filter filled, --cost
 *	  ops.attach     hooks are attached; events do not count yet
 *	headers written; the first window begins
 *	  ops.begin      from here on events count
 *	the program after -- is let go
 *	  ops.settle
 *	the loop: ops.drain when a ring is readable and at ticks, ops.on_tick, ops.report
 *	  ops.detach
 *	  ops.report     for the last time
 *	  ops.end        the ledger of the run
 *	footers written, outputs closed
 *
 * A signal (base/stop.h) that arrives before ops.attach ends the run with status 0 and a note,
 * because there is nothing to report.  After an error, the outputs that still work get the last
 * report and their footer.
 */
#ifndef RUN_ENGINE_H
#define RUN_ENGINE_H

#include "model/report.h"
#include "opt/output.h"
#include "opt/target.h"
#include "render/render.h"
#include "run/child.h"
#include "run/filter.h"
#include "run/ksyms.h"
#include "run/perf.h"
#include "run/ring.h"
#include "run/runinfo.h"
#include "run/session.h"
#include "sym/symbolizer.h"

/* The options that the engine needs, borrowed from those of the kind. */
struct engine_conf {
	const struct target *target;
	const struct output_conf *output;
	const struct opt_strings *debug_dirs;
	u64 interval_ns, count; /* 0: until stopped */
	bool timestamp;
};

/* For the progress line. */
struct engine_progress {
	u64 n;	    /* events, samples or waits so far; UINT64_MAX: known at reports only */
	u64 stacks; /* distinct stacks; UINT64_MAX: the run has no stacks */
	u64 lost;
};

/* All functions get engine.ctx.  Optional ones may be NULL. */
struct engine_ops {
	/* ---- loading ---- */
	/* true: the program after -- is measured from the first window on, because its threads'
	 * time counts; false: from its exec on, because the system calls before that are
	 * bperf's. */
	bool counts_held;
	/* May set engine.kinds, .render and .info.run.  Optional. */
	int (*plan)(void *ctx, struct err *err);
	/* Sets engine.obj, and opens the rings if there are any. */
	int (*load)(void *ctx, struct err *err);
	int (*attach)(void *ctx, struct err *err);
	/* The first window begins at `now`.  Optional. */
	void (*begin)(void *ctx, u64 now);
	/* Work that may take longer, after the program after -- was let go.  Optional. */
	int (*settle)(void *ctx, struct err *err);
	/* After this, nothing is counted any more.  May set engine.session.window.end_ns. */
	void (*detach)(void *ctx);

	/* ---- records ---- */
	/* One bounded pass over the records that the programs have sent; NULL: engine_drain(). */
	void (*drain)(void *ctx);
	/* Called ten times a second, after drain and the side band.  Optional. */
	void (*on_tick)(void *ctx, u64 now);
	/* true: end the run, everything requested was measured.  Optional. */
	bool (*is_done)(void *ctx);

	/* ---- reports ---- */
	/* For the banner: what is measured, such as "Counting at 3 sites". */
	void (*describe)(void *ctx, char *out, size_t size);
	/* Must be cheap: on a terminal it is called twice a second. */
	void (*progress)(void *ctx, struct engine_progress *out);
	/* A window has ended (engine.is_detached: the last one).  May set w->end_ns to the time at
	 * which counting for it stopped. */
	int (*report)(void *ctx, struct session_window *w, struct err *err);
	/* Totals of the run: losses, with --cost the run time of the programs, records, probes. */
	int (*end)(void *ctx, struct run_end *end, struct err *err);
};

struct engine {
	/* The kind of run sets these. */
	struct engine_conf conf;
	const struct engine_ops *ops;
	void *ctx;
	u32 kinds;		   /* enum report_kind, or several */
	struct render_opts render; /* top, color and timestamp come from the options */
	bool keep_addresses;	   /* symbolizer_opts */
	struct runinfo info;	   /* .run: command, title, value_name, unit, event, shape ... */
	struct bpf_object *obj;	   /* by ops.load */

	/* The engine sets these. */
	struct filter filter;
	struct child child;
	struct session session;
	struct perfev perf;
	struct rings rings;
	pid_t pid; /* the process that reads them */
	struct symbolizer *sym;
	struct ksyms ksyms;
	struct output *out;
	struct ledger reported;	 /* the losses in the reports so far */
	const char **debug_dirs; /* symbolizer_opts; NULL: the usual one */
	int stats_fd;		 /* --cost; -1: off */
	u64 drain_until_ns;	 /* engine_drain_all() */
	u64 detached_ns;	 /* when is_detached was set */
	bool is_nameless_said;	 /* that kernel functions have no names */
	u64 n_unread;		 /* records left in the rings after a second signal */
	u32 n_windows;		 /* windows that were reported, without snapshots */
	u64 made_ns;		 /* when the command began */
	bool is_begun;		 /* the first window has begun: there will be a report */
	bool is_detached;	 /* the last window has ended: nothing is counted any more */
};

/* For runs that end before anything is loaded (--dump): the first part of engine_run().  Call
 * engine_release() after it. */
void engine_init(struct engine *e);
int engine_open_symbolizer(struct engine *e, struct err *err);

/* After engine_init().  *status: the program's exit status, or 0. */
int engine_run(struct engine *e, int argc, char **argv, int *status, struct err *err);

/* May be called on an engine that was initialized but did not run. */
void engine_release(struct engine *e);

/* ---- the ring ---- */

/* Call it in ops.load: `take` gets the records of the ring maps that are added afterwards. */
int engine_open_rings(struct engine *e, ring_take_fn take, void *ctx, struct err *err);
int engine_add_ring(struct engine *e, int map_fd, struct err *err);

/* A pass over the side band, which tells what the addresses in the rings meant, and then over the
 * rings, for 50 ms at most.  true: everything that was there has been read. */
bool engine_drain(struct engine *e);

/* Make room in the rings, when something else takes long: their records are read later. */
void engine_set_aside(struct engine *e);

/* `ctx`: the engine.  Can the rings be left unread for some milliseconds without losses? */
bool engine_can_wait(void *ctx);

/* For a report: read everything that is in the rings.  While programs still write into them,
 * reading stops half a second after ops.report was called, and records not read by then are missing
 * from the report.  For the last report, reading stops only at a second signal; records left then
 * are counted as lost. */
void engine_drain_all(struct engine *e);

/* Apply the side-band records up to a time to the symbolizer. */
void engine_apply_side(struct engine *e, u64 until_ns);

/* ---- reports ---- */

/* Begin a report of the window: fills in its times, but no rows. */
struct report engine_report(const struct engine *e, const struct session_window *w);

/* Set the report's losses: the totals in `now`, which the kind of run knows, minus those in earlier
 * reports.  The totals are remembered, unless the report is a snapshot. */
void engine_take_losses(struct engine *e, const struct ledger *now, struct report *r);

#endif
