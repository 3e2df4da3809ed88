/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the stack commands do alike, from the ring to the report: drain, locate while processes
 * live, count, name, render, keep the ledger.  A command brings its skeleton and its options.
 */
#ifndef STACK_COLLECT_H
#define STACK_COLLECT_H

#include <bpf/libbpf.h>

#include "bpf/abi/stack.h"
#include "opt/output.h"
#include "opt/target.h"
#include "render/render.h"
#include "run/child.h"
#include "run/filter.h"
#include "run/perf.h"
#include "run/ring.h"
#include "run/runinfo.h"
#include "run/session.h"
#include "stack/store.h"

/* The options that all stack commands share. */
struct collect_conf {
	struct target target;
	struct output_conf output;
	bool user_only, kernel_only;
	bool delimited, annotate, addresses, offsets, timestamp;
	bool functions;	       /* a table of functions instead of stacks */
	enum report_kind kind; /* what the command makes when nothing else is asked for */
	const char *callers;   /* only the stacks that call this function, cut there */
	u32 by;		       /* enum group_by */
	u64 max_stacks;	       /* --stack-storage-size */
	u64 max_counts;	       /* --hash-storage-size */
	u64 interval_ns, count;
	const char *btf;
	struct opt_strings debug_dirs;
};

/* Rows for OPT_INCLUDE, without letters but for those that all of bcc's tools agree on. */
extern const struct opt collect_opts[];

void collect_defaults(struct collect_conf *conf);
/* Positional words and what no single row can see. */
int collect_check(struct collect_conf *conf, const struct opt_rest *rest, struct err *err);
void collect_release_conf(struct collect_conf *conf);
/* What keeps equal stacks apart (--by): enum stack_key. */
u32 collect_stack_key(const struct collect_conf *conf);

/* The kernel side, as the command's skeleton has it. */
struct collect_kernel {
	struct bpf_object *obj;
	u32 *generation;	 /* in .bss */
	const u64 *lost;	 /* in .bss, enum bpf_lost */
	bool misses_are_counted; /* the kernel counts what it skips of this kind of program */
};

struct collect;

/* What is counted, and how it becomes rows.  All get collect's `source_ctx`. */
struct collect_source {
	/* The first window begins at `now`; after it, what may take its time.  Both optional. */
	void (*begin)(void *ctx, u64 now);
	void (*settle)(void *ctx);
	/* A record of the ring; the side band is applied up to its time.  `size` covers at least a
	 * stack record's header. */
	void (*take)(void *ctx, const struct stack_record *rec, size_t size);
	/* Window `w` has ended: move the kernel on to the next (a snapshot's goes on), and set
	 * w->end_ns to when that was.  Not called for the last one. */
	void (*cut)(void *ctx, struct session_window *w);
	/* Bring in what the kernel holds of `w`. */
	int (*read)(void *ctx, const struct session_window *w, bool is_last, struct err *err);
	/* The rows; names are known by now. */
	void (*report)(void *ctx, const struct store_view *view, struct report *out);
	/* A report that is no snapshot is out.  What the kernel side still holds is in use;
	 * optional.
	 */
	void (*hold)(void *ctx);
	/* Forget what store_forget() forgets, and make the kernel side forget it. */
	void (*forget)(void *ctx, u32 generation);
	/* Counted by now, for the progress line. */
	u64 (*taken)(void *ctx);
};

struct collect {
	const struct collect_conf *conf;
	struct collect_kernel kernel;
	const struct collect_source *source;
	void *source_ctx;
	struct runinfo info;
	struct filter filter;
	struct child child;
	struct session session;
	struct perfev perf;
	struct symbolizer *sym;
	struct store store;
	struct output *out;
	struct rings rings;
	const char **debug_dirs; /* --debug-dir and the usual one, NULL-terminated; NULL: default */
	u32 max_frames;
	int stats_fd;		/* --cost */
	u64 n_unknown;		/* occurrences of stacks that never came */
	u64 n_missed;		/* what no hook saw begin, beside what the kernel side counts */
	u64 n_unread;		/* records left in the ring for the sake of a second signal */
	u64 drain_until_ns;	/* for a report */
	struct ledger reported; /* what the reports so far have told */
	u64 records;		/* rows written */
	u32 n_reports;
	bool is_cut_said, is_unnamed_said;
	u64 generation_ns;  /* when stacks were last sent anew */
	u32 generations[2]; /* as the last report but one found it, as the last one did */
	size_t known_after; /* what the symbolizer knew after it last forgot */
	bool is_detached;   /* nothing is counted any more */
};

/* Everything that needs no kernel program: privileges, filter, outputs, the held child, signals.
 * First call of a run. */
int collect_open(struct collect *c, const struct collect_conf *conf, struct err *err);

/* The ring's record as the store takes it; false: it is too short for what it says. */
bool collect_raw_stack(const struct collect *c, const struct stack_record *rec, size_t size,
		       struct raw_stack *out);

/* For a report: side-band and ring, all that is there by now.  As long as programs write into the
 * ring, half a second for each report: stacks that have not come by then are unknown to it. */
void collect_drain(struct collect *c);

/* Set a map's size before loading. */
int collect_set_max(struct bpf_object *obj, const char *map, u64 n, struct err *err);

/* Sizes of the shared maps and the rodata of filter and stacks; between open and load. */
struct collect_rodata {
	volatile const struct filter_conf *filter;
	volatile const struct filter_comm *filter_comm;
	volatile const u64 *stack_seed;
	volatile const u32 *stack_max_frames;
	volatile const u64 *stack_ring_wake;
	u64 ring_bytes; /* at least; what the host's size asks for is known here */
};
int collect_prepare(struct collect *c, struct bpf_object *obj, const struct collect_rodata *ro,
		    struct err *err);

/* After load: fill the filter, open the ring. */
int collect_load(struct collect *c, const struct collect_kernel *kernel, struct err *err);

/* Programs are attached: let the child go, loop, report, end.  `detach` stops the programs before
 * the last report.  *status: the program's exit status, or that of --strict. */
int collect_run(struct collect *c, void (*detach)(void *ctx), void *ctx, int *status,
		struct err *err);

void collect_release(struct collect *c);

#endif
