/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The common part of the stack commands, from the ring to the report: drain, resolve addresses
 * while processes live, count, name, render, keep the ledger.  A command adds its skeleton and its
 * options.
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
#include "stack/renew.h"
#include "stack/store.h"

/* Options that all stack commands share. */
struct collect_conf {
	struct target target;
	struct output_conf output;
	bool user_only, kernel_only;
	bool delimited, annotate, addresses, offsets, timestamp;
	bool functions;	       /* a table of functions instead of stacks */
	enum report_kind kind; /* the command's kind of report, if no option asks for another */
	const char *callers;   /* keep only stacks that call this function, and cut them there */
	u32 by;		       /* enum group_by */
	u64 max_stacks;	       /* --stack-storage-size */
	u64 max_counts;	       /* --hash-storage-size */
	u64 interval_ns, count;
	const char *btf;
	struct opt_strings debug_dirs;
};

/* Rows for OPT_INCLUDE; only letters that all of bcc's tools agree on. */
extern const struct opt collect_opts[];

void collect_defaults(struct collect_conf *conf);
/* Check positional arguments and combinations of options. */
int collect_check(struct collect_conf *conf, const struct opt_rest *rest, struct err *err);
void collect_release_conf(struct collect_conf *conf);
/* The ids that tell equal stacks apart (--by): enum stack_key. */
u32 collect_stack_key(const struct collect_conf *conf);

/* The kernel side, from the command's skeleton. */
struct collect_kernel {
	struct bpf_object *obj;
	u32 *generation;	 /* in .bss */
	const u64 *lost;	 /* in .bss, enum bpf_lost */
	bool misses_are_counted; /* the kernel counts the runs that it skips of such programs */
};

struct collect;

/* Where data is read from and how it becomes rows.  All callbacks get `source_ctx`. */
struct collect_source {
	/* begin: the first window begins at `now`; settle: work that may take longer, after that.
	 * Both optional. */
	void (*begin)(void *ctx, u64 now);
	void (*settle)(void *ctx);
	/* Handle a record of the ring; side-band records up to its time have been applied.  `size`
	 * covers at least a stack record's header. */
	void (*take)(void *ctx, const struct stack_record *rec, size_t size);
	/* Window `w` has ended: switch the kernel to the next window (not after a snapshot), and
	 * set w->end_ns to the time of the switch.  Not called for the last window. */
	void (*cut)(void *ctx, struct session_window *w);
	/* Read the kernel's maps for `w`. */
	int (*read)(void *ctx, const struct session_window *w, bool is_last, struct err *err);
	/* Fill in the rows; names have been resolved. */
	void (*report)(void *ctx, const struct store_view *view, struct report *out);
	/* After a report that is not a snapshot: mark what the kernel side still holds as in use.
	 * Optional. */
	void (*hold)(void *ctx);
	/* Call store_forget(), and remove the same stacks from the kernel side. */
	void (*forget)(void *ctx, u32 generation);
	/* Number of events counted so far, for the progress line. */
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
	int stats_fd;  /* --cost */
	u64 n_unknown; /* occurrences whose stack was lost */
	u64 n_missed;  /* waits whose start no hook saw, in addition to the kernel side's counts */
	u64 n_unread;  /* records left in the ring after a second signal */
	u64 drain_until_ns;	/* limit for reading the ring for a report */
	struct ledger reported; /* losses in the reports so far */
	u64 records;		/* rows written */
	u32 n_reports;
	bool is_cut_said, is_unnamed_said;
	struct renewal renewal; /* .generation: the kernel side's */
	bool is_detached;	/* the programs are detached: nothing is counted any more */
};

/* Everything that needs no kernel program: privileges, filter, outputs, the held child, signals.
 * The first call of a run. */
int collect_open(struct collect *c, const struct collect_conf *conf, struct err *err);

/* Convert a record of the ring for the store; false: it is shorter than its header says. */
bool collect_raw_stack(const struct collect *c, const struct stack_record *rec, size_t size,
		       struct raw_stack *out);

/*
 * For a report: read all side-band and ring records that are there.  While programs write into the
 * ring this stops after half a second per report: the report lacks stacks that were not read by
 * then.
 */
void collect_drain(struct collect *c);

/* Set a map's size before loading. */
int collect_set_max(struct bpf_object *obj, const char *map, u64 n, struct err *err);

/* Size the shared maps, and set the rodata of filter and stacks; between open and load. */
struct collect_rodata {
	volatile const struct filter_conf *filter;
	volatile const struct filter_comm *filter_comm;
	volatile const u64 *stack_seed;
	volatile const u32 *stack_max_frames;
	volatile const u64 *stack_ring_wake;
	u64 ring_bytes; /* minimum; collect_prepare() takes more on large hosts */
};
int collect_prepare(struct collect *c, struct bpf_object *obj, const struct collect_rodata *ro,
		    struct err *err);

/* After load: fill the filter, open the ring. */
int collect_load(struct collect *c, const struct collect_kernel *kernel, struct err *err);

/* After the programs are attached: release the child, loop, report, end.  `detach` stops the
 * programs before the last report. *status: the program's exit status, or that of --strict. */
int collect_run(struct collect *c, void (*detach)(void *ctx), void *ctx, int *status,
		struct err *err);

void collect_release(struct collect *c);

#endif
