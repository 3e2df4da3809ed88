/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The stack store: user space's copy of all stacks, and the only code that resolves addresses.
 *
 * The kernel side sends a stack once; later it sends only its id and numbers.  Frames are kept as a
 * tree that stacks share from the root on: a hundred thousand stacks of a recursive program need
 * little more room than their leaves.  Knows the symbolizer and the model; must not know BPF maps
 * or formats.
 */
#ifndef STACK_STORE_H
#define STACK_STORE_H

#include "base/index.h"
#include "base/intern.h"
#include "bpf/abi/stack.h"
#include "model/report.h"
#include "stack/gaps.h"
#include "sym/landmarks.h"
#include "sym/symbolizer.h"

/* One stack as it was taken.  Frames are leaf first. */
struct raw_stack {
	u64 id[2];
	u32 tgid, tid, cpu;
	u64 cgroup;
	u64 start_time; /* the thread's: tells reused TIDs apart; 0 if tid is 0 */
	u32 generation; /* the kernel side's; 0: the id was made in user space */
	char comm[16];
	const u64 *kernel, *user;
	u32 n_kernel, n_user;
	u32 max_frames;	      /* a walk that returns this many frames is truncated */
	enum stack_end end;   /* why the user part ends */
	bool is_user_missing; /* the user stack could not be read */
	bool is_interrupt;    /* the stack of an interrupt; comm is the device's name for it */
	/* Kept with the owner: enum store_mark. */
	bool is_iowait, is_running, is_lock, is_condition, is_second_event;
	bool has_gaps;	  /* the kernel part was read by another thread (stack/gaps.h) */
	const char *leaf; /* additional leaf frame: the object waited for; NULL: none */
	u64 futex;	  /* the same, if it is a futex: its address; 0: none */
	const char *note; /* replaces the stack: "[asleep before start]"; NULL: none */
};

enum store_mark {
	STORE_IOWAIT = 1,
	STORE_RUNNING = 2,
	STORE_INTERRUPT = 4,
	STORE_LOCK = 8,	      /* a futex call for a lock */
	STORE_CONDITION = 16, /* a futex call that waits for another thread's signal */
	STORE_SECOND = 32,    /* samples of a second event, which are not part of the values */
};

/* Chooses the root frame of a stack, and the ids that tell rows apart. */
enum group_by {
	BY_PID,
	BY_TID,
	BY_COMM,
	BY_CGROUP,
	BY_CPU,
	BY_NONE,
	BY_DEFAULT, /* root is comm; processes are told apart where pids are shown */
};

#define STORE_NONE UINT32_MAX

/* The owner of stacks; many stacks share one. */
struct store_owner {
	const char *comm; /* interned */
	u64 cgroup;
	u64 start_time; /* the thread's; 0: threads are not told apart */
	u32 tgid, tid, cpu;
	u32 task;	   /* index + 1 in the current report; 0: not in it */
	u32 other;	   /* index + 1 of the entry of its [other stacks]; 0: none yet */
	u8 marks;	   /* enum store_mark */
	u8 kind;	   /* enum waker_kind */
	const char *label; /* an interrupt's: "net_rx", "virtio0-req"; NULL: none; interned */
};

struct store_entry {
	u64 id[2];
	u32 user, kernel; /* leaf nodes; 0: no frames */
	u32 owner;
	u32 sent[2]; /* occurrences counted when their stack arrived, by window parity */
	/* Bit fields, so that an entry fits in 64 bytes: hosts have hundreds of thousands of
	 * stacks. */
	u32 generation : 23; /* as in struct raw_stack; one in 5 s at most: enough for a year */
	u32 is_rooted : 1;   /* the user part begins where its thread does */
	u32 idle : 7;	     /* reports since it was last met, at most STORE_IDLE */
	u32 is_folded : 1;   /* memory was full: only its id is kept, below [other stacks] */
	u64 counted[2];	     /* the kernel's counters when last read, by window parity */
	u64 value; /* value in the current report; before that, the sum of the counters read */
};

/* An entry that was not met in this many reports may be forgotten. */
#define STORE_IDLE 3

/* An entry whose kernel part has gaps. */
struct store_gap {
	struct gaps_key key;
	u32 entry, loc_leaf; /* location of the object waited for; STORE_NONE: none */
};

struct store {
	struct symbolizer *sym;	     /* borrowed */
	struct landmarks *landmarks; /* borrowed; NULL: kernel frames are not trimmed */
	VEC(struct store_entry) entries;
	VEC(struct stack_node)
	nodes; /* [0] is unused; a node's frame is a location of the symbolizer */
	VEC(struct store_owner) owners;
	/* Released for a report, and rebuilt when they are needed. */
	struct index by_id, by_child, by_owner;
	bool is_indexed;
	VEC(struct stack_task) tasks; /* in the last report */
	struct intern strings;
	struct gaps gaps;
	VEC(struct store_gap) open_gaps; /* gaps that are not filled yet */
	u32 max_stacks; /* further stacks are counted without frames; 0: no limit */
	u32 max_ids; /* limit for folded entries that keep the kernel's id for its counters; 0: no
			limit */
	u32 n_ids;   /* number of such entries */
	/* Ids were left out: the kernel may count under one that has no entry here. */
	bool has_left_ids;
	u64 n_full; /* stacks that exceeded max_stacks */
	/* Occurrences below [other stacks]: in earlier windows; in the current one. */
	u64 n_folded, n_folded_now;
	u64 n_others;		      /* entries created for [other stacks] so far */
	u32 loc_ends[STACK_END_COPY]; /* notes, by the reason why a stack lacks its root */
	u32 loc_truncated, loc_missed_user, loc_full, loc_unknown, loc_other;
	bool keep_garbage; /* -A: keep callers that are not in code, with their addresses */
};

void store_init(struct store *s, struct symbolizer *sym, u32 max_stacks, bool keep_garbage);
void store_release(struct store *s);

/* Add a stack, and one occurrence of it in `window`. */
void store_add(struct store *s, const struct raw_stack *raw, u32 window);

/* Add a stack that the caller counts; returns the index of its entry. */
u32 store_intern(struct store *s, const struct raw_stack *raw);
/* The entry with this id; STORE_NONE if the stack has not arrived. */
u32 store_find(struct store *s, const u64 id[2]);
/* The child node of `parent` for a note such as "[blocked]". */
u32 store_leaf(struct store *s, u32 parent, const char *note);
/* The node of the innermost n frames of the stack whose leaf is `node`. */
u32 store_innermost(struct store *s, u32 node, u32 n);
/* The entry for all stacks of this owner that exceed the limit. */
u32 store_other(struct store *s, u32 entry);

/* The entry for stacks of processes that are not known any more. */
u32 store_nobody(struct store *s);
/* The kernel counts under an id that was left out: add an entry for it below [other stacks],
 * without a process.  false: no id was left out, so its stack has not arrived yet. */
bool store_adopt(struct store *s, const u64 id[2]);

/* The kernel's counters are read again from the start: drop those that were read and not yet
 * reported. */
void store_restart_count(struct store *s);
/* The parities of counters that a report covers: its window's; the last report also covers the rest
 * of the window before. */
enum store_parities {
	STORE_EVEN = 1,
	STORE_ODD = 2
};

static inline u32 store_parities(u32 window, bool is_last)
{
	return is_last ? STORE_EVEN | STORE_ODD : window & 1 ? STORE_ODD : STORE_EVEN;
}

/* Add counters of a stack (each CPU may have its own), of the given parities; their growth since
 * the last report belongs to this one.  Returns false if the stack has not arrived. */
bool store_count(struct store *s, const u64 id[2], const u64 n[2], u32 parities);

/* Release the indices; they are rebuilt when they are needed. */
void store_drop_indices(struct store *s);

/* ---- reports (stack/rows.c) ---- */

struct store_view {
	enum group_by by;
	bool is_snapshot; /* keep the numbers: the window goes on */
	bool is_last;	  /* nothing is counted after this report */
	u32 window;
	u32 *rows; /* filled in by store_report(): for each entry, its row + 1; NULL: not needed */
	/* Name of a cgroup, borrowed; NULL if not known. */
	const char *(*cgroup_name)(void *ctx, u64 id);
	void *ctx;
};

/* Fill in the rows of a report: everything counted in the window.  `out` borrows from the store
 * until its next call; the frames are the symbolizer's, and names must be resolved before.  A row
 * of a second event has its samples as the count, and the value 0. */
void store_report(struct store *s, const struct store_view *view, struct report *out);

/* For callers that count by themselves: call store_begin_report(), then store_task() for each row,
 * then store_end_report(), which fills `out` (valid until the next call of the store).  Names must
 * be resolved before. */
void store_begin_report(struct store *s);
u32 store_task(struct store *s, u32 entry, const struct store_view *view);
/* True if the stack is truncated, or a part of it is missing. */
bool store_is_truncated(const struct store *s, u32 entry);
void store_end_report(struct store *s, struct report *out);

/* ---- forgetting (stack/forget.c) ---- */

/* After a report that is not a snapshot: entries that were not met since the last one get older. */
void store_age(struct store *s);

/* n: entries not met lately; n_settled: those of them that may be forgotten, because the kernel
 * side made their ids before `generation` and makes no such ids any more. */
struct store_idle {
	size_t n, n_settled;
};
struct store_idle store_idle(const struct store *s, u32 generation);

/*
 * Forget those entries, and the frames, names and processes that only they needed; gone() is called
 * with each id.  Returns the new index of each entry, or STORE_NONE; the caller frees it.
 * Invalidates the last report.
 */
u32 *store_forget(struct store *s, u32 generation, void (*gone)(void *ctx, const u64 id[2]),
		  void *ctx);

#endif
