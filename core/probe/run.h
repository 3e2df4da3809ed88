/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A run of probes, from options to exit status: the shared part of trace, funccount and argdist.
 * The command defines its specs, the values computed at their sites, and its reports.
 *
 *	proberun_run   privileges, filter, the held child, signals
 *	  ops.add      the command's specs: probes_add
 *	               sites are found
 *	  ops.bind     what each group of sites does
 *	               --dump and --dry-run end here
 *	               outputs open, programs load
 *	  ops.open     what the command reads them by; optional
 *	               attached, the child goes; the loop: ops.on_ready, on_tick, report
 *	               detached; ops.report, for the last time
 *	  ops.end      the command's part of the ledger
 *
 * A signal that ends the run (base/stop.h) takes effect at any of these points, with status 0 and a
 * message: there is nothing to report before the probes are attached.
 */
#ifndef PROBE_RUN_H
#define PROBE_RUN_H

#include "attach/prewarm.h"
#include "opt/output.h"
#include "opt/target.h"
#include "probe/load.h"
#include "render/render.h"
#include "run/child.h"
#include "run/perf.h"
#include "run/ring.h"
#include "run/runinfo.h"
#include "run/session.h"

/* The shared options. */
struct proberun_conf {
	struct target target;
	struct output_conf output;
	char *const *words; /* positional: the specs; borrowed */
	size_t n_words;
	u64 interval_ns, duration_ns, count; /* as typed; 0: not given */
	u32 string_size, max_spans;
	bool timestamp, dry_run;
	struct opt_strings debug_dirs; /* for trace */
	const char *method, *btf;
	const char *dump; /* "ast", "types", "bpf"; NULL: run */
};

/* Rows for OPT_INCLUDE: the group "How", and the group "Reports" for commands with intervals. */
extern const struct opt proberun_opts[];
extern const struct opt proberun_report_opts[];

void proberun_defaults(struct proberun_conf *conf);
/* Check the positional words and the target; set the log level. */
int proberun_check(struct proberun_conf *conf, const struct opt_rest *rest, struct err *err);
/* Then, for commands with proberun_report_opts: take `[interval [count]]` from the end of the
 * words; check -i and -d. */
int proberun_check_reports(struct proberun_conf *conf, struct err *err);
void proberun_release_conf(struct proberun_conf *conf);

/* Will there be several reports? */
static inline bool proberun_has_windows(const struct proberun_conf *conf)
{
	return conf->interval_ns && conf->count != 1;
}

struct proberun_ops {
	const char *doing; /* "Counting at", printed before "3 sites" */
	/* Add the specs to run->probes, and set those of probes.opts that depend on the command:
	 * wants_types, binary_compare, ring_bytes. */
	int (*add)(void *ctx, struct err *err);
	/* Sites are known, and run->sym exists: set the predicate and action of every group. */
	int (*bind)(void *ctx, struct err *err);
	/* Programs are loaded, but not attached: open rings, watch descriptors. run->out is open.
	 * Optional. */
	int (*open)(void *ctx, struct err *err);
	/* As in session_ops; the run itself reads the side band and symbolizes.  Optional. */
	void (*on_ready)(void *ctx, int tag);
	void (*on_tick)(void *ctx, u64 now);
	/* Returns true to end the run.  Optional. */
	bool (*is_done)(void *ctx);
	/* A window has ended; is_last: everything is detached, report all that is left. */
	int (*report)(void *ctx, const struct session_window *w, bool is_last, struct err *err);
	/* The ledger was read: add the command's own counts for each probe (shown, late), its
	 * losses, and end->records.  Optional. */
	void (*end)(void *ctx, struct event_probe *counts, struct run_end *end);
};

struct proberun {
	/* Set by the command. */
	const struct proberun_conf *conf;
	const struct proberun_ops *ops;
	void *ctx;
	u32 kind;		   /* enum report_kind, or several of them */
	struct render_opts render; /* top, color and timestamp are taken from conf */
	bool wants_mappings; /* user addresses are symbolized: record mappings; set by ops.bind */
	struct runinfo info; /* .run: command, title, value_name, unit */

	/* Set by the run. */
	struct probes probes;
	struct attach_ahead ahead;
	struct filter filter;
	struct child child;
	struct session session;
	struct symbolizer *sym;
	struct output *out;
	struct perfev perf;
	struct event_probe *counts; /* by probe, set at the end */
	struct ledger reported;	    /* the sum of the reports so far */
	const char **debug_dirs;    /* for symbolizer_opts; NULL: the default */
	int stats_fd;
	u64 begin_ns; /* start of the command */
	u64 live_ns;  /* start of counting */
};

/* *status: of the program that was run.  Call proberun_release in any case. */
int proberun_run(struct proberun *r, int argc, char **argv, int *status, struct err *err);
/* Call it before the command releases its own data, which the run refers to. */
void proberun_release(struct proberun *r);

/* Open the rings of loaded probes, for the command to read.  Release with rings_release. */
int proberun_open_rings(const struct probes *p, struct rings *out, ring_take_fn take, void *ctx,
			struct err *err);

/* Process changes of mappings up to a time; ctx: the run. */
void proberun_apply_side(void *ctx, u64 time_ns);

/* The report of the window, without rows; includes losses within the window.  Release with
 * report_release. */
struct report proberun_report(struct proberun *r, const struct session_window *w);

#endif
