/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the files that find sites share; each finds the kinds of one world.  Only core/site. */
#ifndef SITE_FIND_INT_H
#define SITE_FIND_INT_H

#include "base/suggest.h"
#include "host/kernel_facts.h"
#include "site/match.h"
#include "site/plan.h"

#define PLAN_MAX_SITES 100000

/* "cannot be probed", after a name. */
extern const char *const plan_skip_words[SKIP_N];

/* One name of a pattern on its way to sites. */
struct finder {
	struct kernel *k;
	const struct text *text;
	const struct site_pattern *p;
	u32 pattern; /* number of the alternative */
	const struct site_name *name;
	struct matcher match; /* of name->func */
	const struct plan_ability *can;
	const struct plan_opts *opts;
	struct probe_plan *plan;
	struct index *seen; /* sites of the plan */
	size_t n_found;	    /* by finder_add(), those too that were there already */
	struct err *err;
};

/* Is it one certain function, whose refusal is an error? */
static inline bool finder_is_named(const struct finder *f)
{
	return !f->name->is_glob && !f->p->is_regex;
}

/* Copy a site into the plan, unless it is there already; its strings stay where they are. */
void finder_add(struct finder *f, const struct site *s);

/* A match that isn't taken.  Returns 0. */
int finder_skip(struct finder *f, enum plan_skip why, const char *name);

/* -ERR_NOTARGET with a caret under the name: nothing is there. */
int finder_none(struct finder *f, const struct nearest *near, const char *fmt, ...) PRINTF(3, 4);

void finder_note(struct finder *f, const char *fmt, ...) PRINTF(2, 3);

/* The finders: sites added, or finder_none(), or another error. */
int find_tracepoints(struct finder *f);
int find_raw(struct finder *f);
int find_syscalls(struct finder *f);
int find_perf(struct finder *f);
int find_user(struct finder *f);
int find_usdt(struct finder *f);
int find_kernel(struct finder *f);

/* What attaching and types need besides: read once the method is known. */
int load_tracepoint(struct kernel *k, struct probe_plan *plan, struct site *s, struct err *err);
void load_syscall(struct kernel *k, struct probe_plan *plan, struct site *s, bool wants_types);

/* Can this one be a raw tracepoint?  Is it a system call's? */
bool tracepoint_is_raw(struct kernel *k, const struct site *s);
bool tracepoint_is_syscall(struct kernel *k, const struct site *s);

/* All of them? */
bool tracepoints_are(struct kernel *k, const struct probe_plan *plan,
		     bool (*fits)(struct kernel *k, const struct site *s));

#endif
