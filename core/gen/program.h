/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Turns typed trees into a whole BPF program.  Knows the steps of our programs and the encoding;
 * must not know text or BTF names, and makes no system call: maps are passed as descriptors.
 *
 * The program (r6: ctx throughout; bpf/abi/fixed.h has the functions that it calls):
 *
 *	live?          nothing counts before the run has begun or after it has ended
 *	site, guard?   the site's own condition (this system call's number)
 *	wants()        filters by task; only if a filter is set
 *	entry?         a call's return: finds the values that its entry saved
 *	end?           a span's end: is it one (when)?  finds the values that its start saved
 *	predicate      registers and reads; strings compared in scratch
 *	take()         a scratch slot of this CPU; if none is left: counted, end
 *	action         below
 *	drop()/send()  give the slot back
 *
 * A predicate that reads no memory precedes wants(); one that needs scratch follows take().  A
 * return without a condition takes its slot before it looks up its entry.
 */
#ifndef GEN_PROGRAM_H
#define GEN_PROGRAM_H

#include "gen/insns.h"
#include "type/tree.h"

enum gen_action {
	GEN_EVENT,    /* trace: send `values` in an event record (bpf/abi/event.h) */
	GEN_COUNT,    /* funccount: element `index` + the site's index of the array maps.counts is a
			 row of u64: the first += 1, the next += `values` */
	GEN_KEYED,    /* argdist: update the cell of `key` in maps.cells */
	GEN_ENTER,    /* a call's entry: save `values` for its return */
	GEN_START,    /* a span's start: save `values` */
	GEN_END,      /* a span's end without any other action */
	GEN_DISPATCH, /* tail-call the program of this system call: `next` */
	GEN_NOTHING,  /* tests: r0 = predicate; see maps.result */
};

/* The kind of a keyed cell, by the operation on it; bpf/abi/cells.h has the layouts.  New cells are
 * all zero. */
enum gen_cell {
	CELL_COUNT,  /* u64 += 1; then one u64 for each of `values`, += its value */
	CELL_LOG2,   /* u64[]: the value's bucket by log2, signed */
	CELL_LINEAR, /* u64[n_buckets + 2]: bucket (value - min) / step, with one below and one
			above */
	CELL_BOUNDS, /* u64[n_buckets + 1]: bucket by `bounds` */
	CELL_STATS,  /* count, sum, min, max, then log-linear buckets */
	CELL_SUM,    /* --table: pair of u64 number `index`: count, sum */
	CELL_MIN,    /* the same: count, minimum */
	CELL_MAX,    /* the same: count, maximum */
	CELL_N,
};

/* How the program finds out which of its sites was hit. */
enum gen_site {
	GEN_SITE_CONST,	 /* it has one site */
	GEN_SITE_COOKIE, /* bpf_get_attach_cookie() is the index */
	GEN_SITE_IP, /* the index is looked up in maps.sites by the function's address (u64 -> u32)
		      */
	GEN_SITE_SYSCALL, /* the index is looked up in maps.sites by the system call's number
			     (array, u32; ~0: none) */
};

/* How the end of a span finds its start.  The layout of the maps is in bpf/abi/span.h. */
enum gen_span {
	GEN_SPAN_NONE,
	GEN_SPAN_KEY,	 /* by `key` */
	GEN_SPAN_THREAD, /* by thread */
};

/* The values that one program saves for another, which determine sizes and types; and the map. */
struct gen_kept {
	const struct tree *const *values;
	u32 n;
	int fd;
};

/* Entry and return of one call: matched by thread and stack pointer. */
struct gen_call {
	const struct tree *stack_pointer; /* NULL: no tree uses the entry */
	u32 index;			  /* index into probe_counts too */
	bool is_single;			  /* a thread is in one such call at a time: system calls */
	struct gen_kept kept;
};

/*
 * The program to tail-call: the one for the system call's number, in a map of programs
 * (BPF_MAP_TYPE_PROG_ARRAY).  If the map has none for it, the chain ends.
 */
struct gen_next {
	const struct tree *number; /* NULL: there is no next program */
	int progs_fd;
	u32 first; /* the program of number n is element `first` + n */
};

/* Numbers of system calls are below this, on every architecture: x86-64's largest is 470 or so. */
#define GEN_SYSCALLS_MAX 1024

#define GEN_MAX_SUMS 2

/* The sites that call the program.  Most of this is known with the group of sites, but whether the
 * program may sleep only when its kind has been chosen. */
struct gen_hook {
	enum gen_site how;
	u32 site;		/* GEN_SITE_CONST */
	u32 base;		/* added to the index in a cookie */
	const struct tree *key; /* SITE_IP: the address, NULL: bpf_get_func_ip(); SITE_SYSCALL: the
				   number.  Hits that are not in maps.sites are ignored */
	const struct tree *guard;  /* the site's own condition; NULL: none */
	const struct tree *caller; /* scope.caller, for user stacks */
	bool is_sleepable;
	bool is_preempted; /* and the kernel would let it share a stack with others on its CPU */
};

/* The run's filter. */
struct gen_watch {
	bool has_filter;   /* call wants() */
	u32 only_not_tgid; /* the filter only excludes this process; 0: it does more */
	bool has_targets;  /* is_target() calls wants_task(); else it is true */
	bool has_options;  /* the same for matches_filter() */
	bool has_pidns;	   /* ids must be translated to our PID namespace: call ids() */
};

/* Features of this kernel. */
struct gen_host {
	bool has_tables;  /* user stacks are walked by unwind tables where those exist */
	bool has_atomics; /* compare-and-exchange (5.12) */
	u32 text_bytes;	  /* room for a string with its NUL that is kept apart from a key */
};

/* A further column of the cell: CELL_SUM, MIN or MAX. */
struct gen_column {
	u32 index;
	enum gen_cell cell;
	const struct tree *value; /* the first column's; or never absent, and needs no scratch */
};

#define GEN_MAX_COLUMNS 8

/* The part that the command decides: the work at each hit for which the predicate is true. */
struct gen_work {
	enum gen_action action;
	const struct tree *const *values; /* EVENT, START: in order; COUNT and CELL_COUNT: values to
					     sum, at most GEN_MAX_SUMS */
	u32 n_values;
	bool want_kstack, want_ustack; /* EVENT: stacks in addition to the values */
	u32 index; /* COUNT: index of the first row; CELL_SUM, MIN, MAX: that of the column */

	/* KEYED: parts of the key, laid out as event values of fixed size (bpf/abi/event.h);
	 * without any, there is one cell. */
	const struct tree *const *key;
	u32 n_key;
	enum gen_cell cell;
	u32 cell_bytes; /* CELL_SUM, MIN, MAX: size of all columns; others: gen_cell_bytes() */
	const struct tree *value; /* except for CELL_COUNT: the value to add to the cell */
	struct gen_column more[GEN_MAX_COLUMNS];
	u32 n_more;
	s64 min, step;
	u32 n_buckets;
	const s64 *bounds;
};

/* Descriptors of maps, which are created before the program is generated. */
struct gen_maps {
	int sites;
	int probe_counts; /* struct probe_count by spec: absent, missed, map_full, no_start (the
			     fixed functions count the others); 0: nothing is counted */
	int window;	  /* an array of one u32, bpf/abi/window.h; 0: no windows (tests) */
	int counts;
	int cells[2]; /* one for each window parity; the second is 0 if there are no windows.
			 Without a key, arrays of one cell */
	int other[2]; /* arrays of one cell, for keys that do not fit into cells (counted in
			 map_full too); 0: none */
	int result;   /* GEN_NOTHING: an array map of one struct scratch, in which the event is
			 left (tests) */
};

/* The span that a program starts (action START) or ends.  An event is an end if `when` is true; the
 * span is then over even if the predicate is false. */
struct gen_spans {
	enum gen_span by;
	const struct tree *when; /* NULL: always */
	const struct tree *const *key;
	u32 n_key;
	struct gen_kept kept; /* the fd is the span's own map */
	u32 bin_bits;	      /* 2^bin_bits bins before it; 0: none (needs host.has_atomics) */
	int bins_fd;
	bool keeps_first;
	bool is_update;		/* a start that only replaces the values of an open span */
	bool ignores_unstarted; /* ends without a start are not counted, because spans of other
				   threads are not watched */
};

/* One program.  The command sets `work`; the loader (core/probe) sets the rest. */
struct gen_plan {
	u32 probe;		      /* index of the spec: event.probe, lost counters */
	const struct tree *predicate; /* NULL: always */
	struct gen_hook hook;
	struct gen_watch watch;
	struct gen_host host;
	struct gen_work work;
	struct gen_maps maps;
	/* GEN_DISPATCH jumps there if the filter matches; other actions do so when they are done,
	 * whether the event was wanted or not. */
	struct gen_next next;
	/* The call whose entry (action ENTER) or return this program handles; a return may also
	 * start or end a span. */
	struct gen_call call;
	struct gen_spans spans;
};

/* Generate the whole program, except for the fixed functions, which are added when it is loaded
 * (core/probe/progload.h).  Returns -code, with a caret, if a budget is exceeded. */
int gen_program(const struct gen_plan *plan, const struct text *t, struct insns *out,
		struct err *err);

/* True for a stack among an event's values: it stands for the event's own frames and has no bytes
 * of its own. */
static inline bool gen_is_frames(const struct tree *t)
{
	return t->kind == TREE_BUILTIN && t->type->kind == TYPE_STACK;
}

/* Generate a program for sched_process_exit: spans started by the thread (GEN_SPAN_THREAD) are
 * dropped and counted as missed.  It calls no fixed function. */
int gen_forget_thread(const struct gen_plan *plan, const struct text *t, struct insns *out,
		      struct err *err);

/* The offset of value i of `values` in a key, or after the head of a saved record. */
u32 gen_fixed_at(const struct tree *const *values, u32 n, u32 i);
/* Bytes of a span's key and of a saved record: the sizes for the maps. */
u32 gen_key_bytes(const struct tree *const *key, u32 n);
/* The same for the key of a cell.  If a part may be unreadable (gen_key_has_bits), a u64 follows
 * the parts: bit i is set if part i could not be read. */
u32 gen_cell_key_bytes(const struct tree *const *key, u32 n);
/* Bytes of a bin for the span that the plan starts; 0: its key is too long for bins. */
u32 gen_bin_bytes(const struct gen_plan *plan);
bool gen_key_has_bits(const struct tree *const *key, u32 n);
u32 gen_cell_bytes(const struct gen_plan *plan);
/* May the value be that of a further column, which other values have, too? */
bool gen_may_be_column(const struct tree *value);
u32 gen_saved_bytes(const struct tree *const *values, u32 n);
/* The largest event record that the plan can send, without stacks. */
u32 gen_event_bytes(const struct gen_plan *plan);
/* Bytes of a scratch slot that the program uses: the record, and temporaries after it.  The value
 * size of the map `scratch` is at least the maximum over all programs. */
u32 gen_scratch_bytes(const struct gen_plan *plan);
/* Programs that need more are refused.  This many bytes fit into an element of a per-CPU table,
 * together with the data of the fixed functions. */
#define GEN_CPU_SCRATCH 30400
/* The same for events, whose slots may be in an ordinary array: before 6.2 its elements are limited
 * to KMALLOC_MAX_SIZE, 4 MiB. */
#define GEN_MAX_SCRATCH ((4U << 20) - 8192)

#endif
