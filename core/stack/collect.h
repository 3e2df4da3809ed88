/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Runs that count stacks, built on run/engine.h.  They cover everything from the ring to the
 * report: drain, resolve addresses while processes live, count, name, keep the ledger.  A command
 * adds its skeleton and its options.
 */
#ifndef STACK_COLLECT_H
#define STACK_COLLECT_H

#include <bpf/libbpf.h>

#include "bpf/abi/stack.h"
#include "opt/output.h"
#include "opt/target.h"
#include "run/engine.h"
#include "stack/renew.h"
#include "stack/store.h"
#include "stack/unwinding.h"

/* Options that all stack commands share. */
struct collect_conf {
	struct target target;
	struct output_conf output;
	bool user_only, kernel_only;
	bool delimited, annotate, addresses, offsets, timestamp;
	bool functions;	       /* a table of functions instead of stacks */
	enum report_kind kind; /* the command's kind of report, unless an option selects another */
	const char *callers; /* keep only stacks that call this function, and make it their leaf */
	u32 by;		     /* enum group_by */
	struct unwinding_conf unwind;
	bool jit_maps;	    /* have JVMs write the names of their code */
	bool timeline;	    /* record samples over time; profile only */
	bool wants_samples; /* keep single samples with their time; profile only */
	bool wants_waits;   /* keep single waits with their time; wait commands only */
	u64 max_stacks;	    /* --stack-storage-size */
	u64 max_counts;	    /* --hash-storage-size */
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
	u32 *generation;		   /* in .bss */
	const u64 *lost;		   /* in .bss, enum bpf_lost */
	struct unwinding_kernel unwinding; /* in .bss */
	bool misses_are_counted; /* the kernel counts the runs of such programs that it skips */
};

/* Initializers of the members, from a skeleton that is loaded. */
#define COLLECT_KERNEL(skel)                                              \
	.obj = (skel)->obj, .generation = &(skel)->bss->stack_generation, \
	.lost = (skel)->bss->lost,                                        \
	.unwinding = {                                                    \
		.is_on = &(skel)->bss->cfi_is_on,                         \
		.copies_left = &(skel)->bss->cfi_copies_left,             \
	}

/* How the command's kernel side is loaded, attached and detached; all callbacks get
 * `programs_ctx`. */
struct collect_programs {
	/* Open, collect_prepare(), load, collect_load(). */
	int (*load)(void *ctx, struct err *err);
	/* Reports cover the events from here on; `source->begin` gets the time. */
	int (*attach)(void *ctx, struct err *err);
	void (*detach)(void *ctx);
	/* For the banner: "Sampling cycles at 49 Hz". */
	void (*describe)(void *ctx, char *out, size_t size);
};

/* Where data is read from and how it is turned into rows.  All callbacks get `source_ctx`. */
struct collect_source {
	/* begin: the first window begins at `now`; settle: work that may take longer, after that.
	 * Both optional. */
	void (*begin)(void *ctx, u64 now);
	void (*settle)(void *ctx);
	/* Handle a record of the ring; side-band records up to its time have been applied.  `size`
	 * covers at least a stack record's header; what follows may be another record with the same
	 * header (struct stack_sample, struct wait_record). */
	void (*take)(void *ctx, const struct stack_record *rec, size_t size);
	/* Window `w` has ended: switch the kernel to the next window (not after a snapshot), and
	 * set w->end_ns to the time of the switch.  Not called for the last window. */
	void (*cut)(void *ctx, struct session_window *w);
	/* Read the kernel's maps for `w`. */
	int (*read)(void *ctx, const struct session_window *w, bool is_last, struct err *err);
	/* Fill in the rows; names have been resolved. */
	void (*report)(void *ctx, const struct store_view *view, struct report *out);
	/* After a report that is not a snapshot: mark as in use the stacks that the kernel side
	 * still refers to.  Optional. */
	void (*mark_used)(void *ctx);
	/* Call store_forget(), and remove the same stacks from the kernel side. */
	void (*forget)(void *ctx, u32 generation);
	/* Number of events counted so far, for the progress line. */
	u64 (*taken)(void *ctx);
};

struct collect {
	/* The command sets these, and engine.info.run: command, title, value_name, unit ... */
	const struct collect_conf *conf;
	const struct collect_programs *programs;
	void *programs_ctx;
	const struct collect_source *source;
	void *source_ctx;

	struct engine engine;
	struct collect_kernel kernel;
	struct store store;
	u32 max_frames;
	struct unwinding unwinding;
	u64 n_unknown;	  /* occurrences whose stack was lost */
	u64 n_unweighted; /* samples whose period was lost, where periods are needed */
	u64 n_missed; /* waits whose start no hook saw, in addition to the kernel side's counts */
	bool is_truncation_said, is_unnamed_said;
	struct renewal renewal; /* .generation: the kernel side's */
};

/* The whole run (run/engine.h).  *status: the program's exit status, or that of --strict. */
int collect_run(struct collect *c, int argc, char **argv, int *status, struct err *err);
/* Call it in any case, before the kernel side is destroyed. */
void collect_release(struct collect *c);

/* ---- for programs->load ---- */

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

/* Initializers of the members, from a skeleton that is open. */
#define COLLECT_RODATA(skel)                                                            \
	.filter = &(skel)->rodata->filter, .filter_comm = &(skel)->rodata->filter_comm, \
	.stack_seed = (skel)->rodata->stack_seed,                                       \
	.stack_max_frames = &(skel)->rodata->stack_max_frames,                          \
	.stack_ring_wake = &(skel)->rodata->stack_ring_wake

int collect_prepare(struct collect *c, struct bpf_object *obj, const struct collect_rodata *ro,
		    struct err *err);

/* After load: open the ring. */
int collect_load(struct collect *c, const struct collect_kernel *kernel, struct err *err);

/* Before the programs are attached, with the side band on: build unwind tables for the processes
 * that the user named.  Otherwise, their first stacks would come as copies while their files'
 * tables are built, and few copies are made before anyone reads them. */
void collect_prepare_targets(struct collect *c);

/* ---- for the source ---- */

/* Convert a record of the ring for the store; false: it is shorter than its header says. */
bool collect_raw_stack(u32 max_frames, const struct stack_record *rec, size_t size,
		       struct raw_stack *out);

#endif
