/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Runs of probes, a kind of run/engine.h: the shared part of trace, funccount and argdist.  The
 * command defines its specs, the values computed at their sites, and its reports.
 *
 *	  ops.add      the command's specs: probes_add
 *	               sites are found
 *	  ops.bind     what each group of sites does
 *	               --dump and --dry-run end here
 *	               outputs open, programs load
 *	  ops.open     the command's way to read them; optional
 *	               attached, the child is let go; the loop: ops.drain, on_tick, report
 *	               detached; ops.report for the last time
 *	  ops.end      the command's part of the ledger
 */
#ifndef PROBE_RUN_H
#define PROBE_RUN_H

#include "attach/prewarm.h"
#include "opt/output.h"
#include "opt/target.h"
#include "probe/probes.h"
#include "run/engine.h"

/* The shared options. */
struct proberun_conf {
	struct target target;
	struct output_conf output;
	char *const *words; /* positional: the specs; borrowed */
	size_t n_words;
	u64 interval_ns, duration_ns, count; /* as typed; 0: not given */
	u32 string_size;		     /* 0: the defaults */
	u32 max_spans;
	struct unwinding_conf unwind; /* for trace and argdist */
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
/* Then: take `[interval [count]]` from the end of the words. */
int proberun_take_numbers(struct proberun_conf *conf, struct err *err);
/* Or, for commands with proberun_report_opts: take `[interval [count]]` from the end of the
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
	/* Sites are known, and engine.sym exists: set the predicate and action of every group. */
	int (*bind)(void *ctx, struct err *err);
	/* Programs are loaded, but not attached: open rings, watch descriptors.  engine.out is
	 * open.  Optional. */
	int (*open)(void *ctx, struct err *err);
	/* As in engine_ops.  Optional. */
	void (*drain)(void *ctx);
	void (*on_tick)(void *ctx, u64 now);
	bool (*is_done)(void *ctx);
	/* Events so far, for the progress line.  Optional. */
	u64 (*taken)(void *ctx);
	/* A window has ended; engine.is_detached: report all that is left. */
	int (*report)(void *ctx, struct session_window *w, struct err *err);
	/* The ledger was read: add the command's own counts for each probe (shown, late), and its
	 * losses.  Optional. */
	void (*end)(void *ctx, struct event_probe *counts, struct run_end *end);
};

struct proberun {
	/* Set by the command.  It also sets engine.kinds, engine.info.run (command, title,
	 * value_name, unit) and engine.render except for top, color and timestamp. */
	const struct proberun_conf *conf;
	const struct proberun_ops *ops;
	void *ctx;
	bool wants_mappings; /* user addresses are symbolized: record mappings; set by ops.bind */

	/* Set by the run. */
	struct engine engine;
	struct probes probes;
	struct attach_ahead ahead;
	struct unwinding unwinding;
	struct event_probe *counts; /* by probe, set at the end */
};

/* *status: of the program that was run.  Call proberun_release in any case. */
int proberun_run(struct proberun *r, int argc, char **argv, int *status, struct err *err);
/* Call it before the command releases its own data, which the run refers to. */
void proberun_release(struct proberun *r);

/* Open the rings of loaded probes, for engine_drain(). */
int proberun_open_rings(struct engine *e, const struct probes *p, ring_take_fn take, void *ctx,
			struct err *err);

/* The report of the window, without rows; includes losses within the window.  Release with
 * report_release. */
struct report proberun_report(struct proberun *r, const struct session_window *w);

/* Warn that n records of the rings are not as our programs write them; 0: nothing is printed. */
void proberun_say_malformed(u64 n);

#endif
