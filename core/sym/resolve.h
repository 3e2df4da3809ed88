/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An inverted symbol table: instead of sorting all symbols of a file and looking up addresses, the
 * few addresses to be named are sorted, and symbols are streamed past them.  A file with a million
 * symbols costs the time to read it, and no memory.
 *
 *	symbols, in any order      wants, sorted by address
 *	  [start, start + size) ──▶   covers some: the best one stays          wants_cover
 *	  start, size unknown   ──▶   is the nearest below some: that one stays wants_near
 *
 * Knows addresses; must not know where symbols come from.
 */
#ifndef SYM_RESOLVE_H
#define SYM_RESOLVE_H

#include "base/mem.h"
#include "base/str.h"
#include "base/types.h"
#include "sym/meter.h"

/* Longer names are truncated: compilers do not produce them, hostile files do. */
#define SYM_NAME_MAX 4096

/* A symbol as its source provides it. */
struct sym_entry {
	u64 start, size;  /* size 0: unknown */
	u64 ref;	  /* how the source finds the name again; or */
	struct view name; /* the name itself, copied if it wins */
	u32 rank;	  /* higher is better among symbols with the same start */
};

struct sym_match {
	u64 start, size, ref;
	struct str name;
	u32 rank;
	bool is_set;
};

struct sym_query {
	u64 at;		       /* the address; at first a file offset for ELF files */
	u32 id;		       /* number of the location, set by the caller */
	bool is_named;	       /* `found` is final; later sources skip it */
	struct sym_match best; /* the best symbol that covers `at` */
	struct sym_match near; /* after wants_settle: has the nearest start at or below `at` */
	struct str found;      /* the name, if is_named */
	u64 start;	       /* the symbol's start, if is_named */
	struct str
		module; /* kernel: the module that holds it, or "bpf"; empty: the kernel itself */
};

struct wants {
	VEC(struct sym_query) list;
	u64 steps; /* comparisons done, limited against hostile tables */
	/* Decides between two names of one address: true if b is better.  NULL: the first one
	 * wins. */
	bool (*is_better)(void *ctx, u64 ref_a, u64 ref_b);
	void *ctx;
	struct meter *meter; /* limits the cost of naming; borrowed; NULL: no limit */
	bool is_data;	     /* addresses of data: functions do not name them */
	bool last_wins; /* if two symbols cover an address, the later one wins (perf maps grow by
			   appending) */
};

/* Ask for the name at an address; `id` is the caller's. */
void wants_add(struct wants *w, u32 id, u64 at);

/* Sort by address: before any symbol is added, and again if addresses have changed. */
void wants_sort(struct wants *w);

/* Add a symbol of known size. */
void wants_cover(struct wants *w, const struct sym_entry *o);

/* Add a symbol as the nearest below; sized symbols too, because they end unsized ones. */
void wants_near(struct wants *w, const struct sym_entry *o);

/* Set the nearest symbol below one address: for a source that can look it up. */
void want_near(struct sym_query *want, const struct sym_entry *o);

/* After the last symbol: spread `near` to wants above it that have no nearer one. */
void wants_settle(struct wants *w);

/* Forget the candidates and keep the names, before the next source. */
void wants_clear(struct wants *w);

/* Copy the name of a want, truncated at SYM_NAME_MAX. */
void want_name(struct sym_query *want, const struct sym_match *from, struct view name);

/* The number of wants without a name. */
size_t wants_left(const struct wants *w);

void wants_release(struct wants *w);

#endif
