/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the stack commands do alike, from the ring to the report: drain, locate while processes
 * live, count, name, render, keep the ledger.  A command brings its skeleton and its options.
 */
#ifndef CMD_COLLECT_H
#define CMD_COLLECT_H

#include <bpf/libbpf.h>

#include "fold/store.h"
#include "opt/output.h"
#include "opt/target.h"
#include "out/render.h"
#include "run/child.h"
#include "run/filter.h"
#include "run/perfev.h"
#include "run/session.h"

/* The options that all stack commands share. */
struct collect_conf {
	struct target target;
	struct output_conf output;
	bool user_only, kernel_only;
	bool delimited, annotate, addresses, timestamp;
	bool functions;	     /* a table of functions instead of stacks */
	const char *callers; /* only the stacks that call this function, cut there */
	u32 by;		     /* enum group_by */
	u64 max_stacks;	     /* --stack-storage-size */
	u64 max_counts;	     /* --hash-storage-size */
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

/* The kernel side, as the command's skeleton has it. */
struct collect_kernel {
	struct bpf_object *obj;
	u32 *window, *generation; /* in .bss */
	const u64 *lost;	  /* in .bss, enum bpf_lost */
	bool misses_are_counted;  /* the kernel counts what it skips of this kind of program */
};

struct collect {
	const struct collect_conf *conf;
	struct collect_kernel kernel;
	struct run_info run;
	struct filter filter;
	struct child child;
	struct session session;
	struct perfev perf;
	struct symbolizer *sym;
	struct store store;
	struct output *out;
	struct ring_buffer *ring;
	struct intern strings;
	const char **debug_dirs; /* --debug-dir and the usual one, NULL-terminated; NULL: default */
	u32 max_frames;
	int stats_fd;		/* --cost */
	u64 n_unknown;		/* occurrences of stacks that never came */
	struct ledger reported; /* what the reports so far have told */
	u64 records;		/* rows written */
	u32 n_reports;
	bool is_cut_said;
	bool is_code_replaced; /* since generation_ns, when stacks were last sent anew */
	u64 generation_ns;
	bool is_detached; /* nothing is counted any more */
};

/* Everything that needs no kernel program: privileges, filter, outputs, the held child, signals.
 * First call of a run. */
int collect_open(struct collect *c, const struct collect_conf *conf, struct err *err);

/* Sizes of the shared maps and the rodata of filter and stacks; between open and load. */
struct collect_rodata {
	volatile const struct filter_conf *filter;
	volatile const struct filter_comm *filter_comm;
	volatile const u64 *stack_seed;
	volatile const u32 *stack_max_frames;
	volatile const u64 *stack_ring_wake;
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
