/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The ledger: what a report does not contain, and what it cost.  A result without its losses
 * is not a result.
 */
#ifndef MODEL_LEDGER_H
#define MODEL_LEDGER_H

#include "base/types.h"

/* name in JSON, sentence for people ("%llu" is not in it: the number stands before it) */
#define LOST_REASONS(X)                                               \
	X(ring_full, "not sent: ring buffer full")                    \
	X(map_full, "without room in a table")                        \
	X(stack_full, "without a stack: stack store full")            \
	X(stack_fault, "without a user stack: not readable")          \
	X(stack_wrong, "with a kernel stack that may be another one") \
	X(throttled, "throttled by the kernel")                       \
	X(missed, "skipped by the kernel")                            \
	X(recursion, "skipped: inside other probes or calls")         \
	X(exited, "of processes gone before they could be read")

enum lost_reason {
#define X(name, text) LOST_##name,
	LOST_REASONS(X)
#undef X
	LOST_N_REASONS,
};

/* A count that this kernel does not keep: null in JSON, "not countable here" in text. */
#define LOST_UNKNOWN UINT64_MAX

/* Files named for their missing names; all their places are counted. */
#define LEDGER_COSTLY_FILES 8

struct ledger {
	u64 lost[LOST_N_REASONS]; /* events, or LOST_UNKNOWN */
	struct {
		u64 frames;	/* distinct user and kernel frames shown */
		u64 symbolized; /* with a name */
		u64 stripped;	/* module known, no symbol there */
		u64 jit_no_map; /* anonymous executable memory without a perf map */
		u64 exited;	/* process gone before it could be read */
		u64 too_costly; /* reading a name would cost more than it may */
		const char *costly_files[LEDGER_COSTLY_FILES]; /* borrowed; NULL: no more */
		u64 no_unwind_info; /* user stacks cut for want of frame pointers */
	} symbols;
	struct {
		u64 complete, truncated; /* stacks */
	} stacks;
	struct {
		u64 user_ms;	      /* CPU time of bperf itself, user and system */
		u64 rss_kb, map_kb;   /* peak resident; BPF maps */
		u64 bpf_runs, bpf_ns; /* LOST_UNKNOWN unless --cost */
	} cost;
};

extern const char *const lost_names[LOST_N_REASONS];
extern const char *const lost_texts[LOST_N_REASONS];

/* Sum of what is known to be lost; LOST_UNKNOWN entries count as 0. */
u64 ledger_total(const struct ledger *l);

/* Nothing is lost, and that is known. */
static inline bool ledger_is_clean(const struct ledger *l)
{
	return !ledger_total(l) && l->lost[LOST_missed] != LOST_UNKNOWN;
}

/* What was lost between two readings, into out->lost. */
void ledger_lost_since(const struct ledger *now, const struct ledger *before, struct ledger *out);

#endif
