/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Loaded programs to sites and off again.  One table of methods.  Knows perf_event_open, bpf links
 * and tracefs; must not know what the programs do.
 */
#ifndef ATTACH_ATTACH_H
#define ATTACH_ATTACH_H

#include "site/plan.h"

/* What a method needs of the program, for who loads it. */
struct attach_kind {
	u32 prog_type;		  /* BPF_PROG_TYPE_X */
	u32 expected_attach_type; /* 0: none */
	bool is_one_per_site;	  /* fentry, tp_btf: attach_btf_id is the site's */
	bool has_cookie;	  /* the site's index can be given as cookie (see gen_site) */
};
struct attach_kind attach_kind(const struct probe_plan *plan, const struct plan_ability *can);

/* A set of sites of one plan with one program: what gen made for one scope. */
struct attach_group {
	const u32 *sites; /* indices into plan->sites */
	u32 n;
	int prog_fd;
};

struct attach; /* opaque: links, events, what to undo */

/*
 * All groups of a plan.  Where the kernel refuses a site of a pattern, it is skipped and counted in
 * plan->n_skipped[SKIP_REFUSED] (sets are halved until only the refused are left out); a named
 * site's refusal is the error.  `progress` (may be NULL) is called while it takes long; when it
 * returns false the rest is left out, which is no error.
 */
int attach_open(struct probe_plan *plan, const struct attach_group *groups, u32 n,
		const struct plan_ability *can, bool (*progress)(void *ctx, u64 done, u64 all),
		void *ctx, struct attach **out, struct err *err);

/* The same once more, for processes that plan->reach names now: for the kernel they are others than
 * they were, with the same numbers.  What is attached to all others stays. */
int attach_more(struct attach *a, struct probe_plan *plan, const struct attach_group *groups, u32 n,
		const struct plan_ability *can, struct err *err);

/* Was every site refused?  Only a plan that is one of many gets here then. */
bool attach_is_empty(const struct attach *a);

/* Events that the kernel skipped; UINT64_MAX: it doesn't count them. */
u64 attach_missed(const struct attach *a);

/* Stop events at once where the method can, detach slowly later: results are printed between. */
void attach_disable(struct attach *a);
void attach_close(struct attach *a);

/* tracefs events that a dead bperf of our PID namespace has left.  How many were removed. */
u32 attach_remove_stale(void);

#endif
