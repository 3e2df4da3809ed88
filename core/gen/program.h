/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Typed trees to a whole BPF program.  Knows what a program of ours does and the encoding; must not
 * know text or BTF names, and makes no system call: maps are given as descriptors.
 *
 * The program (r6: ctx all along; see bpf/abi/fixed.h for what it calls):
 *
 *	live?          before the run has begun and after it has ended nothing counts
 *	site, guard?   the site's own condition (this system call's number)
 *	wants()        who is watched; only when a filter is set
 *	entry?         a call's return: what its entry saved
 *	end?           a span's end: is it one (when), and what did its start save
 *	predicate      registers and reads; strings compared in scratch
 *	take()         a scratch slot of this CPU; none left: counted, end
 *	action         below
 *	drop()/send()  give the slot back
 *
 * A predicate that reads no memory comes before wants(); one that needs scratch after take().  A
 * program that only dispatches (GEN_DISPATCH) asks wants() first of all: most calls end there.
 */
#ifndef GEN_PROGRAM_H
#define GEN_PROGRAM_H

#include "gen/insns.h"
#include "type/tree.h"

enum gen_action {
	GEN_EVENT,    /* trace: send `values` in an event record (bpf/abi/event.h) */
	GEN_COUNT,    /* funccount: in the element `index` + the site's index of the array
		       * `counts_fd`, a row of u64, the first += 1, the next += `values` */
	GEN_KEYED,    /* argdist: the cell of `key` in `cells_fd` */
	GEN_ENTER,    /* a call's entry: save `values` for its return */
	GEN_START,    /* a span's start: save `values` */
	GEN_END,      /* a span's end, and that is all */
	GEN_DISPATCH, /* jump to the program of this system call: `next` */
	GEN_NOTHING,  /* tests: r0 = predicate; see result_fd */
};

/* What a keyed cell is, by what is done to it; bpf/abi/cells.h has the layouts.  Cells begin as
 * zeros.
 */
enum gen_cell {
	CELL_COUNT,  /* u64 += 1; and as many u64 as there are `values`, each += its value */
	CELL_LOG2,   /* u64[] by the value's bucket: log2, signed */
	CELL_LINEAR, /* u64[n_buckets + 2] by (value - min) / step, with under and over */
	CELL_BOUNDS, /* u64[n_buckets + 1] by `bounds` */
	CELL_STATS,  /* count, sum, min, max, then log-linear buckets */
	CELL_SUM,    /* --table: u64 pair number `index`: count, sum */
	CELL_MIN,    /* the same: count, least */
	CELL_MAX,    /* the same: count, greatest */
	CELL_N,
};

/* How the program learns which of its sites was hit. */
enum gen_site {
	GEN_SITE_CONST,	  /* it has one: `site` */
	GEN_SITE_COOKIE,  /* bpf_get_attach_cookie() is the index */
	GEN_SITE_IP,	  /* look the function's address up in `sites_fd` (u64 -> u32) */
	GEN_SITE_SYSCALL, /* look the system call's number up in `sites_fd` (array, u32; ~0: none)
			   */
};

/* How spans find their start.  The maps' layout is in bpf/abi/span.h. */
enum gen_span {
	GEN_SPAN_NONE,
	GEN_SPAN_KEY,	 /* by `span_key` */
	GEN_SPAN_THREAD, /* by the thread alone */
};

/* What is saved between two programs, for sizes and types; the map. */
struct gen_kept {
	const struct tree *const *values;
	u32 n;
	int fd;
};

/* Entry and return of one call: by thread and stack pointer. */
struct gen_call {
	const struct tree *stack_pointer; /* NULL: no tree wants to know of the entry */
	u32 index;			  /* of probe_counts too */
	bool is_single;			  /* a thread is in one such call at a time: system calls */
	struct gen_kept kept;
};

/*
 * The program that runs after this one: that of the system call's number, in a map of programs
 * (BPF_MAP_TYPE_PROG_ARRAY).  Where the map has none the run of programs ends.
 */
struct gen_next {
	const struct tree *number; /* NULL: there is no next program */
	int progs_fd;
	u32 first; /* the program of number n is element `first` + n */
};

/* Numbers of system calls are below this, on every architecture: x86-64's largest is 470 or so. */
#define GEN_SYSCALLS_MAX 1024

#define GEN_MAX_SUMS 2

struct gen_plan {
	const struct tree *guard;     /* NULL: none */
	const struct tree *predicate; /* NULL: always */
	bool has_filter;	      /* call wants() */
	u32 only_not_tgid;	      /* that is all it would ask: not this process; 0: more */
	bool has_pidns;		      /* ids are numbered by our PID namespace: ask ids() */
	bool has_atomics;	      /* the kernel has compare-and-exchange (5.12) */
	bool is_sleepable_prog;
	bool is_preempted; /* and the kernel would let it share a stack with others of its CPU */
	u32 probe;	   /* index of the spec: event.probe, lost counters */
	enum gen_site site_how;
	u32 site; /* GEN_SITE_CONST */
	int sites_fd;
	u32 site_base;		     /* added to what a cookie says */
	const struct tree *site_key; /* SITE_IP: the address, NULL: bpf_get_func_ip(); SITE_SYSCALL:
				      * the number.  What isn't in sites_fd is not our site */
	int probe_counts_fd; /* struct probe_count by spec: absent, missed, map_full, no_start (the
			      * others are the fixed functions' to count); 0: nothing is counted */

	/* GEN_DISPATCH goes there when the filter lets it pass, other actions when they are done,
	 * wanted or not. */
	struct gen_next next;

	enum gen_action action;
	const struct tree *const *values; /* EVENT, START: in order; COUNT and CELL_COUNT: what is
					   * summed, GEN_MAX_SUMS at most */
	u32 n_values;
	bool want_kstack, want_ustack; /* EVENT: stacks besides the values */
	const struct tree *caller;     /* scope.caller, for user stacks */

	int window_fd; /* an array of one u32, bpf/abi/window.h; 0: all counts (tests) */
	int counts_fd;
	int cells_fd[2]; /* by the window; the second is 0 where there are no windows */
	const struct tree *const *key; /* KEYED: parts, concatenated as event values are but of
					* fixed size (bpf/abi/event.h) */
	u32 n_key;		       /* 0: cells_fd are arrays of one cell */
	int other_fd[2]; /* arrays of one cell, for keys that cells_fd has no room for (counted in
			  * map_full too); 0: none */
	u32 cell_bytes;	 /* CELL_SUM, MIN, MAX: of all columns; others: gen_cell_bytes() */
	enum gen_cell cell;
	const struct tree *value; /* KEYED but CELL_COUNT: what is put into the cell */
	s64 min, step;
	u32 n_buckets;
	const s64 *bounds;
	u32 index;

	/* The call that this program enters (action ENTER) or that returns to it; a return may
	 * start a span, or end one, too. */
	struct gen_call call;

	/* The span that this program starts (action START) or ends.  An end is one when `when`
	 * holds, and the span is over then, whatever `predicate` says of it. */
	enum gen_span span;
	const struct tree *when; /* NULL: always */
	const struct tree *const *span_key;
	u32 n_span_key;
	struct gen_kept span_kept; /* the fd: the span's own map */
	bool keep_first;
	bool ignores_unstarted; /* ends without a start are not counted: others' are not watched */

	int result_fd; /* GEN_NOTHING: an array map of one struct scratch, in which the event is
			* built and left (tests) */
};

/* Everything it takes, as one program that lacks only the fixed functions (run/gen loads it).
 * -code with a caret when a budget is exceeded. */
int gen_program(const struct gen_plan *plan, const struct text *t, struct insns *out,
		struct err *err);

/* A stack among an event's values: its frames are the event's own, it has no bytes among them. */
static inline bool gen_is_frames(const struct tree *t)
{
	return t->kind == TREE_BUILTIN && t->type->kind == TYPE_STACK;
}

/* A program for sched_process_exit: what the thread has started (GEN_SPAN_THREAD) is given up and
 * counted missed.  It calls no fixed function. */
int gen_forget_thread(const struct gen_plan *plan, const struct text *t, struct insns *out,
		      struct err *err);

/* Where value i of `values` lies in a key or after a saved record's head, from their beginning. */
u32 gen_fixed_at(const struct tree *const *values, u32 n, u32 i);
/* Bytes of a key, of a saved record: the maps' sizes. */
u32 gen_key_bytes(const struct tree *const *key, u32 n);
u32 gen_cell_bytes(const struct gen_plan *plan);
u32 gen_saved_bytes(const struct tree *const *values, u32 n);
/* Largest event record that the plan can send, without stacks. */
u32 gen_event_bytes(const struct gen_plan *plan);
/* How much of a scratch slot the program reaches: the record, and temporaries after it.  The value
 * size of the map `scratch` is the largest of all programs', at least. */
u32 gen_scratch_bytes(const struct gen_plan *plan);
/* What takes more is refused.  So much finds room in an element of a per-CPU table, with what the
 * fixed functions add. */
#define GEN_CPU_SCRATCH 30400
/* The same of an event, whose slots may be in an ordinary array: no element of that is above
 * KMALLOC_MAX_SIZE, 4 MiB, before 6.2. */
#define GEN_MAX_SCRATCH ((4U << 20) - 8192)

#endif
