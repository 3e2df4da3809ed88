/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A run of probes from its options to its exit status: what trace, funccount and argdist do alike.
 * The command says what its words are and what is computed at their sites, and makes the reports.
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
 * A signal that ends the run (base/stop.h) does so at any of these points, with status 0 and a
 *word: before something is attached there is nothing to report.
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

/* The options that all share. */
struct proberun_conf {
	struct target target;
	struct output_conf output;
	char *const *words; /* positional: the specs; borrowed */
	size_t n_words;
	u64 interval_ns, duration_ns, count; /* as typed; 0: not given */
	u32 string_size, max_spans;
	bool timestamp, dry_run;
	struct opt_strings debug_dirs; /* of trace */
	const char *method, *btf;
	const char *dump; /* "ast", "types", "bpf"; NULL: run */
};

/* Rows for OPT_INCLUDE: group "How"; group "Reports", for commands that make them at intervals. */
extern const struct opt proberun_opts[];
extern const struct opt proberun_report_opts[];

void proberun_defaults(struct proberun_conf *conf);
/* Positional words, the target; sets the log level. */
int proberun_check(struct proberun_conf *conf, const struct opt_rest *rest, struct err *err);
/* After it, for the commands with proberun_report_opts: `[interval [count]]` off the words' end,
 * -i, -d. */
int proberun_check_reports(struct proberun_conf *conf, struct err *err);
void proberun_release_conf(struct proberun_conf *conf);

/* Will there be several reports? */
static inline bool proberun_has_windows(const struct proberun_conf *conf)
{
	return conf->interval_ns && conf->count != 1;
}

struct proberun_ops {
	const char *doing; /* "Counting at", before "3 sites" */
	/* The specs into run->probes, and what of probes.opts is not the same for all: wants_types,
	 * binary_compare, ring_bytes. */
	int (*add)(void *ctx, struct err *err);
	/* Sites are known, run->sym is there: predicate and action of every group. */
	int (*bind)(void *ctx, struct err *err);
	/* Loaded, not attached: rings, descriptors to watch.  run->out is open.  Optional. */
	int (*open)(void *ctx, struct err *err);
	/* As in session_ops; the side band is read and names settle without the command.  Optional.
	 */
	void (*on_ready)(void *ctx, int tag);
	void (*on_tick)(void *ctx, u64 now);
	/* True: enough, end the run.  Optional. */
	bool (*is_done)(void *ctx);
	/* A window has ended; is_last: all is detached, show all that is left. */
	int (*report)(void *ctx, const struct session_window *w, bool is_last, struct err *err);
	/* The ledger is read: what only the command knows of each probe (shown, late), of losses,
	 * and end->records.  Optional. */
	void (*end)(void *ctx, struct event_probe *counts, struct run_end *end);
};

struct proberun {
	/* The command sets these. */
	const struct proberun_conf *conf;
	const struct proberun_ops *ops;
	void *ctx;
	u32 kind;		   /* enum report_kind, or several */
	struct render_opts render; /* top, color and timestamp come from conf */
	bool wants_mappings;	   /* user addresses get names: listen to mappings; by ops.bind */
	struct runinfo info;	   /* .run: command, title, value_name, unit */

	/* The run's. */
	struct probes probes;
	struct attach_ahead ahead;
	struct filter filter;
	struct child child;
	struct session session;
	struct symbolizer *sym;
	struct output *out;
	struct perfev perf;
	struct event_probe *counts; /* by probe, at the end */
	struct ledger reported;	    /* what the reports so far have told */
	const char **debug_dirs;    /* symbolizer_opts; NULL: the usual one */
	int stats_fd;
	u64 begin_ns; /* of the command */
	u64 live_ns;  /* from then on all is counted */
};

/* *status: of the program that was run.  proberun_release follows in any case. */
int proberun_run(struct proberun *r, int argc, char **argv, int *status, struct err *err);
/* Before what the command's own parts hold on to goes: see its release. */
void proberun_release(struct proberun *r);

/* The rings of loaded probes, to be read by the command.  rings_release. */
int proberun_open_rings(const struct probes *p, struct rings *out, ring_take_fn take, void *ctx,
			struct err *err);

/* What happened to mappings up to a time; ctx: the run. */
void proberun_apply_side(void *ctx, u64 time_ns);

/* A report of the window, without rows; what was lost within it.  report_release. */
struct report proberun_report(struct proberun *r, const struct session_window *w);

#endif
