/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The symbol table turned round: not all symbols of a file, sorted, to look addresses up in, but
 * the few addresses whose names are sought, sorted, to hold a stream of symbols against.  A file
 * with a million symbols costs its reading and no memory.
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

/* Longer names are cut here: no compiler makes them, hostile files do. */
#define SYM_NAME_MAX 4096

/* A symbol as its source offers it. */
struct offer {
	u64 start, size;  /* size 0: not known */
	u64 ref;	  /* where the source finds the name again; or */
	struct view name; /* the name itself, copied when it wins */
	u32 rank;	  /* higher is better among those with the same start */
};

struct candidate {
	u64 start, size, ref;
	struct str name;
	u32 rank;
	bool is_set;
};

struct want {
	u64 at;		       /* the address; first a file offset for ELF files */
	u32 id;		       /* the caller's: which location this is */
	bool is_named;	       /* found is the answer, sources after this leave it alone */
	struct candidate best; /* covers `at` */
	struct candidate near; /* after wants_settle: starts nearest at or below `at` */
	struct str found;      /* the name, when is_named */
	u64 start;	       /* of the symbol, when is_named */
	struct str module;     /* kernel: the module that holds it, "bpf"; empty: the kernel */
};

struct wants {
	VEC(struct want) list;
	u64 steps; /* comparisons done, so that hostile tables end */
	/* Which of two names for the same place is shown: true for b.  NULL: the first one. */
	bool (*is_better)(void *ctx, u64 ref_a, u64 ref_b);
	void *ctx;
	struct meter *meter; /* what naming them may cost, borrowed; NULL: anything */
	bool last_wins; /* of two that cover, the one offered last (perf maps grow by appending) */
};

void wants_add(struct wants *w, u32 id, u64 at);

/* By address: before any symbol is offered, and again when addresses changed. */
void wants_sort(struct wants *w);

/* Offer a symbol of known size. */
void wants_cover(struct wants *w, const struct offer *o);

/* Offer a symbol as the nearest below; sized ones too, for they end unsized ones. */
void wants_near(struct wants *w, const struct offer *o);

/* All symbols are offered: spread `near` to the wants above that have none nearer. */
void wants_settle(struct wants *w);

/* Forget the candidates, keep the names: the next source begins. */
void wants_clear(struct wants *w);

/* The name of a want, copied (cut at SYM_NAME_MAX). */
void want_name(struct want *want, const struct candidate *from, struct view name);

/* How many have no name yet. */
size_t wants_left(const struct wants *w);

void wants_release(struct wants *w);

#endif
