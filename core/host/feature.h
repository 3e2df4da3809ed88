/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Features of this host, found by trying: a program that needs the feature is loaded and attached
 * once; no feature is inferred from a version.  `bperf doctor` prints the table, and the commands
 * use the same results to choose methods and to explain failures, so that the two cannot disagree.
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

/* Nothing works without these. */
#define FEATURE_BASE (FEATURE_BIT(BTF) | FEATURE_BIT(PRIVILEGES) | FEATURE_BIT(LOCKDOWN))

enum feature_verdict {
	FEATURE_OK,
	FEATURE_WARN,	 /* works, with a remark */
	FEATURE_NO,	 /* does not work here */
	FEATURE_UNKNOWN, /* cannot be tested without permission */
};

struct feature_result {
	enum feature_verdict verdict;
	int errnum;	  /* for FEATURE_NO: the kernel's error; 0: the kernel was not asked */
	char detail[160]; /* "cpu-clock (no hardware PMU: likely a VM)"; may be empty */
	const char *next; /* advice that replaces the table's; NULL: use the table's */
};

struct feature_info {
	const char *key;   /* "kprobe_multi": stable name in JSON */
	const char *title; /* "kprobe.multi" */
	const char *loss;  /* the consequence when it is missing; NULL: none */
	const char *next;  /* how to enable it; NULL: not possible */
	u64 others; /* FEATURE_BITs of alternatives: `loss` applies while one of them works ... */
	const char *last_loss; /* ... otherwise this */
};

const struct feature_info *feature_info(enum feature f);

/* The consequence when it is missing, given the alternatives on this host; NULL: none. */
const char *feature_loss(enum feature f);

/* How to enable it, given the failure on this host; NULL: not possible. */
const char *feature_next(enum feature f);

/* The first call tests the feature (a millisecond to a tenth of a second); later calls return the
 * same result. */
const struct feature_result *feature_result(enum feature f);

static inline bool feature_has(enum feature f)
{
	enum feature_verdict v = feature_result(f)->verdict;

	return v == FEATURE_OK || v == FEATURE_WARN;
}

/* true if it is known not to work.  A feature that cannot be tested may still work. */
static inline bool feature_is_missing(enum feature f)
{
	return feature_result(f)->verdict == FEATURE_NO;
}

/* Replace *err by an error for the first feature of `needs` (FEATURE_BITs) that is missing, and
 * return its -code.  Returns 0 and leaves *err alone when none is missing. */
int feature_require(u64 needs, struct err *err);

#endif
