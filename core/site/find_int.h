/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared by the files that find sites, one for each kind of site.  Private to core/site. */
#ifndef SITE_FIND_INT_H
#define SITE_FIND_INT_H

#include "base/suggest.h"
#include "host/kernel_facts.h"
#include "site/match.h"
#include "site/plan.h"

#define PLAN_MAX_SITES 100000

/* The reasons for skipping a match, to be printed after its name: "cannot be probed". */
extern const char *const plan_skip_words[SKIP_N];

/* The search for one name or pattern. */
struct finder {
	struct kernel *k;
	const struct text *text;
	const struct site_pattern *p;
	u32 pattern; /* index of the alternative */
	const struct site_name *name;
	struct matcher match; /* matches name->func */
	const struct plan_ability *can;
	const struct plan_opts *opts;
	struct probe_plan *plan;
	struct index *seen; /* sites that are already in the plan */
	size_t n_found; /* calls of finder_add(), including sites that were already in the plan */
	struct err *err;
};

/* Is the pattern the name of one function, so that its refusal is an error? */
static inline bool finder_is_named(const struct finder *f)
{
	return !f->name->is_glob && !f->p->is_regex;
}

/* Copy a site into the plan, unless it is already there; its strings are not copied. */
void finder_add(struct finder *f, const struct site *s);

/* Record a match that is left out.  Returns 0. */
int finder_skip(struct finder *f, enum plan_skip why, const char *name);

/* Returns -ERR_NOTARGET with a caret under the name: nothing was found. */
int finder_none(struct finder *f, const struct nearest *near, const char *fmt, ...) PRINTF(3, 4);

void finder_note(struct finder *f, const char *fmt, ...) PRINTF(2, 3);

/* The finders: they add sites, and return 0, the result of finder_none(), or another error. */
int find_tracepoints(struct finder *f);
int find_raw(struct finder *f);
int find_syscalls(struct finder *f);
int find_perf(struct finder *f);
int find_user(struct finder *f);
int find_usdt(struct finder *f);
int find_kernel(struct finder *f);

/* Read the details that attaching and types need, once the method is known. */
int load_tracepoint(struct kernel *k, struct probe_plan *plan, struct site *s, struct err *err);
/* Find the ids of the two tracepoints of a system call; false: it has none, or tracefs is not
 * readable. */
bool syscall_find_events(struct kernel *k, const struct site *s, u32 *enter_id, u32 *exit_id);
void load_syscall(struct kernel *k, struct probe_plan *plan, struct site *s, bool wants_types);

/* Can programs be attached to the tracepoint as a raw one?  Does it belong to a system call? */
bool tracepoint_is_raw(struct kernel *k, const struct site *s);
bool tracepoint_is_syscall(struct kernel *k, const struct site *s);

/* The same for all sites of the plan. */
bool tracepoints_are(struct kernel *k, const struct probe_plan *plan,
		     bool (*fits)(struct kernel *k, const struct site *s));

#endif
