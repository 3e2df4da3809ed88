/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What this host can do, found out by doing it: each feature is loaded and attached once, never
 * concluded from a version.  `bperf doctor` shows the table; commands ask it what to build on and
 * why they failed, so that the two can't disagree.
 */
#ifndef HOST_FEATURE_H
#define HOST_FEATURE_H

#include "base/err.h"
#include "base/types.h"

enum feature {
	FEATURE_BTF,
	FEATURE_PRIVILEGES,
	FEATURE_LOCKDOWN,
	FEATURE_PERF_EVENT,
	FEATURE_PMU,
	FEATURE_RING_BUFFER,
	FEATURE_RAW_TP,
	FEATURE_TP_BTF,
	FEATURE_TRACEPOINT,
	FEATURE_KPROBE,
	FEATURE_KPROBE_MULTI,
	FEATURE_FENTRY,
	FEATURE_UPROBE,
	FEATURE_UPROBE_MULTI,
	FEATURE_COOKIE,
	FEATURE_COOKIE_RAW_TP,
	FEATURE_ITER_TASK,
	FEATURE_TRACEFS,
	FEATURE_KALLSYMS,
	FEATURE_BPF_JIT,
	FEATURE_LIMITS,
	FEATURE_N,
};

#define FEATURE_BIT(name) (1ULL << FEATURE_##name)

/* Without these nothing runs. */
#define FEATURE_BASE (FEATURE_BIT(BTF) | FEATURE_BIT(PRIVILEGES) | FEATURE_BIT(LOCKDOWN))

enum feature_verdict {
	FEATURE_OK,
	FEATURE_WARN,	 /* works, but something is worth a word */
	FEATURE_NO,	 /* not here */
	FEATURE_UNKNOWN, /* we may not look */
};

struct feature_result {
	enum feature_verdict verdict;
	int errnum;	  /* of NO: what the kernel said; 0: it was not asked */
	char detail[160]; /* "cpu-clock (no hardware PMU: likely a VM)"; may be empty */
	const char *next; /* in place of the table's; NULL: that one */
};

struct feature_info {
	const char *key;   /* "kprobe_multi": in JSON, stable */
	const char *title; /* "kprobe.multi" */
	const char *loss;  /* when it is missing: what cannot be done; NULL: nothing */
	const char *next;  /* what to do about it; NULL: nothing to be done */
	u64 others;	   /* FEATURE_BITs: while one of these is there, only `loss` is lost ... */
	const char *last_loss; /* ... else this */
};

const struct feature_info *feature_info(enum feature f);

/* What cannot be done without it, with what else there is; NULL: nothing. */
const char *feature_loss(enum feature f);

/* What to do about it as it was found here; NULL: nothing to be done. */
const char *feature_next(enum feature f);

/* Try it; the first call measures (a millisecond to a tenth of a second), later ones remember. */
const struct feature_result *feature_result(enum feature f);

static inline bool feature_has(enum feature f)
{
	enum feature_verdict v = feature_result(f)->verdict;

	return v == FEATURE_OK || v == FEATURE_WARN;
}

/* Known not to work; what we may not look at may well be there. */
static inline bool feature_is_missing(enum feature f)
{
	return feature_result(f)->verdict == FEATURE_NO;
}

/* The first of `needs` (FEATURE_BITs) that is missing becomes the error, in place of the one that
 * is set.  Returns its -code; 0 and *err untouched when all are there. */
int feature_require(u64 needs, struct err *err);

#endif
