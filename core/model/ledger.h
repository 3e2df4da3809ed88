/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The ledger: the losses of a report, and what it cost.  A result without its losses is not a
 * result.
 */
#ifndef MODEL_LEDGER_H
#define MODEL_LEDGER_H

#include "base/types.h"

/* name in JSON, and the text that is printed after the number */
#define LOST_REASONS(X)                                               \
	X(ring_full, "not sent: ring buffer full")                    \
	X(map_full, "without room in a table")                        \
	X(stack_full, "counted without their stack")                  \
	X(stack_fault, "without a user stack: not readable")          \
	X(stack_wrong, "with a kernel stack that may be another one") \
	X(throttled, "throttled by the kernel")                       \
	X(missed, "not reported by the kernel")                       \
	X(recursion, "skipped: inside other probes or calls")         \
	X(exited, "of processes gone before they could be read")

enum lost_reason {
#define X(name, text) LOST_##name,
	LOST_REASONS(X)
#undef X
	LOST_N_REASONS,
};

/*
 * The reasons why a user stack does not reach the function in which its thread begins: name in
 * JSON, the frame that represents the missing part ("": none), and the text.
 */
#define TRUNCATION_REASONS(X)                                                          \
	X(no_unwind_info, "[no unwind info]", "no unwind info")                        \
	X(jit, "[JIT code without frame pointers]", "JIT code without frame pointers") \
	X(not_readable, "[stack not readable]", "stack not readable")                  \
	X(too_deep, "[truncated]", "too deep")                                         \
	X(not_mapped, "[unknown]", "return address in no code")                        \
	X(table_late, "[unwind table late]", "unwind table late")                      \
	X(missed, "[Missed User Stack]", "not read")                                   \
	X(no_room, "[other stacks]", "no room")                                        \
	X(frame_pointers, "", "code without frame pointers")

enum truncation_reason {
#define X(name, frame, text) TRUNCATED_##name,
	TRUNCATION_REASONS(X)
#undef X
	TRUNCATION_N_REASONS,
};

/* The kernel does not keep this count: null in JSON, "not countable here" in text. */
#define LOST_UNKNOWN UINT64_MAX

/* Number of files listed by name in costly_files; too_costly counts frames of all such files. */
#define LEDGER_COSTLY_FILES 8

struct ledger {
	u64 lost[LOST_N_REASONS]; /* events, or LOST_UNKNOWN */
	struct {
		u64 frames;	/* distinct user and kernel frames shown */
		u64 symbolized; /* with a name */
		u64 stripped;	/* the module is known, but has no symbol there */
		u64 jit_no_map; /* anonymous executable memory without a perf map */
		u64 exited;	/* the process exited before it could be read */
		u64 too_costly; /* no name: reading the file would exceed the limits */
		const char *costly_files[LEDGER_COSTLY_FILES]; /* borrowed; NULL: no more */
		u64 no_unwind_info; /* user stacks truncated because frame pointers are missing */
	} symbols;
	struct {
		u64 complete, truncated; /* stacks */
		/* The sum of the rows with a user stack (samples, ns of waits), and the part of it
		 * whose user stack does not reach the function in which its thread begins. */
		u64 user, user_truncated[TRUNCATION_N_REASONS];
	} stacks;
	u64 keys_cut; /* events in rows with a truncated key: such a row may stand for several */
	struct {
		u64 user_ms;	      /* CPU time of bperf, user and system */
		u64 rss_kb, map_kb;   /* peak resident memory; BPF maps */
		u64 bpf_runs, bpf_ns; /* LOST_UNKNOWN unless --cost */
	} cost;
};

extern const char *const lost_names[LOST_N_REASONS];
extern const char *const lost_texts[LOST_N_REASONS];
extern const char *const truncation_names[TRUNCATION_N_REASONS];
extern const char *const truncation_frames[TRUNCATION_N_REASONS];
extern const char *const truncation_texts[TRUNCATION_N_REASONS];

/* The losses of a report whose file has lost its end: none is known. */
void ledger_set_unknown(struct ledger *l);
bool ledger_is_unknown(const struct ledger *l);

/* Sum of the known losses; LOST_UNKNOWN counts as 0.  UINT64_MAX: more than 64 bits hold, which a
 * file can claim. */
u64 ledger_total(const struct ledger *l);

/* true if nothing was lost and all losses could be counted. */
bool ledger_is_clean(const struct ledger *l);

/* The part of `stacks.user` that is complete, 0 to 1; -1: there were no user stacks. */
double ledger_complete_share(const struct ledger *l);

/* Subtract two readings of the losses, into out->lost. */
void ledger_lost_since(const struct ledger *now, const struct ledger *before, struct ledger *out);

#endif
