/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Attaches loaded programs to sites and detaches them, by a table of methods.  Knows
 * perf_event_open, BPF links and tracefs; must not know what the programs do.
 */
#ifndef ATTACH_ATTACH_H
#define ATTACH_ATTACH_H

#include "site/plan.h"

/* How a program must be loaded for a method. */
struct attach_kind {
	u32 prog_type;		  /* BPF_PROG_TYPE_X */
	u32 expected_attach_type; /* 0: none */
	bool is_one_per_site;	  /* fentry, tp_btf: attach_btf_id is the site's */
	bool has_cookie;	  /* the site's index can be passed as a cookie (see gen_site) */
};
struct attach_kind attach_kind(const struct probe_plan *plan, const struct plan_ability *can);

/* The sites of a plan that one program serves, which gen made for one scope. */
struct attach_group {
	const u32 *sites; /* indices into plan->sites */
	u32 n;
	int prog_fd;
};

struct attach; /* opaque: links, events, and everything else that must be undone */

/*
 * Attach all groups of a plan.  If the kernel refuses a site of a pattern, it is skipped and
 * counted in plan->n_skipped[SKIP_REFUSED] (refused sets are halved until only the sites at fault
 * are left out); if it refuses a named site, that is an error.  `progress` (may be NULL) is called
 * after each step; when it returns false, the remaining sites are left out, which is not an error.
 */
int attach_open(struct probe_plan *plan, const struct attach_group *groups, u32 n,
		const struct plan_ability *can, bool (*progress)(void *ctx, u64 done, u64 all),
		void *ctx, struct attach **out, struct err *err);

/* Attach also in the processes that plan->reach names now: to the kernel they are new processes,
 * even if their PIDs were attached before.  Attachments to all other processes stay. */
int attach_more(struct attach *a, struct probe_plan *plan, const struct attach_group *groups, u32 n,
		const struct plan_ability *can, struct err *err);

/* Is nothing attached?  This is possible if a plan is one of many and the kernel refused all its
 * sites, or if the processes have ended. */
bool attach_is_empty(const struct attach *a);

/* Events that the kernel skipped; UINT64_MAX: the kernel does not count them. */
u64 attach_missed(const struct attach *a);

/* Stop events at once where the method can do so.  Detaching may be slow and follows in
 * attach_close(), after results were printed.  Closing a link waits for a grace period of the
 * kernel, 60 ms with uprobes (6.18): links are closed on several threads, so that they share grace
 * periods. */
void attach_disable(struct attach *const *items, size_t n);
/* Call it once for everything that is attached: if there is much, one child closes it all in the
 * background. */
void attach_close(struct attach *const *items, size_t n);

/* Remove tracefs events that dead bperf processes of our PID namespace did not remove.  Returns
 * their number. */
u32 attach_remove_stale(void);
/* The same in the background: each event takes a quarter of a second, and the events of a bperf
 * that has just ended are being removed by its own child. */
void attach_remove_stale_later(void);

#endif
