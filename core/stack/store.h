/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The stack store, user side, and the one doorway where addresses become meaning.
 *
 * A stack arrives once, with its identity; from then on only the identity and numbers come.  The
 * frames are kept as a tree that stacks share from the root on, so a hundred thousand stacks of a
 * recursive program take little more room than their leaves.  Knows the symbolizer and the model;
 * must not know BPF maps or formats.
 */
#ifndef STACK_STORE_H
#define STACK_STORE_H

#include "base/index.h"
#include "base/intern.h"
#include "model/report.h"
#include "stack/gaps.h"
#include "sym/landmarks.h"
#include "sym/symbolizer.h"

/* One stack as it was taken.  Frames leaf first. */
struct raw_stack {
	u64 id[2];
	u32 tgid, tid, cpu;
	u64 cgroup;
	u64 start_time; /* of the thread: which life of its number; 0 where tid is */
	u32 generation; /* of the kernel side; 0: user space has made the id */
	char comm[16];
	const u64 *kernel, *user;
	u32 n_kernel, n_user;
	u32 max_frames;		    /* a walk that returns this many was cut */
	bool is_user_missing;	    /* should have had a user stack, but could not be read */
	bool is_interrupt;	    /* what an interrupt did; comm is the device's name for it */
	bool is_iowait, is_running; /* kept for the reader: enum store_mark */
	bool has_gaps;		    /* the kernel part is that of another thread: stack/gaps.h */
	const char *leaf;	    /* one frame more: what is waited for; NULL: none */
	const char *note;	    /* stands for the stack, "[asleep before start]"; NULL: none */
};

enum store_mark {
	STORE_IOWAIT = 1,
	STORE_RUNNING = 2,
	STORE_INTERRUPT = 4,
};

/* What the root frame of a stack says, and which ids a row keeps. */
enum group_by {
	BY_PID,
	BY_TID,
	BY_COMM,
	BY_CGROUP,
	BY_CPU,
	BY_NONE,
	BY_DEFAULT, /* root is comm; processes stay apart where pids are shown */
};

#define STORE_NONE UINT32_MAX

/* Whose stack it is: many stacks have one. */
struct store_owner {
	const char *comm; /* interned */
	u64 cgroup;
	u64 start_time; /* of the thread; 0: threads are not told apart */
	u32 tgid, tid, cpu;
	u32 task;	   /* + 1: in the report being made; 0: not in it */
	u32 other;	   /* + 1: the entry of its [other stacks]; 0: none yet */
	u8 marks;	   /* enum store_mark */
	u8 kind;	   /* enum waker_kind */
	const char *label; /* of an interrupt: "net_rx", "virtio0-req"; NULL: none; interned */
};

struct store_entry {
	u64 id[2];
	u32 user, kernel; /* leaf nodes, 0: no frames */
	u32 owner;
	u32 sent[2];	/* occurrences that came with a stack of their own, by window parity */
	u64 counted[2]; /* the kernel's counters when last taken, by window parity */
	u64 value;	/* of the report being made; until then the sum of the counters read */
	u32 generation; /* struct raw_stack's */
	u8 idle;	/* reports since it was met last, up to STORE_IDLE */
	bool is_folded; /* memory was full: it stands for itself under a note, without frames */
};

/* Met in none of so many reports, it may be forgotten. */
#define STORE_IDLE 3

/* An entry whose kernel part has gaps. */
struct store_gap {
	struct gaps_key key;
	u32 entry, loc_leaf; /* what is waited for; STORE_NONE: no such frame */
};

struct store {
	struct symbolizer *sym;	     /* borrowed */
	const struct places *places; /* borrowed; NULL: kernel frames stay as they were walked */
	VEC(struct store_entry) entries;
	VEC(struct stack_node) nodes; /* [0] is not one; a frame is the symbolizer's location */
	VEC(struct store_owner) owners;
	/* To find what is there; dropped for a report, and made anew when the next stack comes. */
	struct index by_id, by_child, by_owner;
	bool is_indexed;
	VEC(struct stack_task) tasks; /* of the last report */
	struct intern strings;
	struct gaps gaps;
	VEC(struct store_gap) open_gaps; /* not filled yet */
	u32 max_stacks;			 /* more are counted without frames; 0: no limit */
	u32 max_ids; /* of stacks below [other stacks] that are kept, for the kernel's counters
			come under them; 0: no limit */
	u32 n_ids;   /* of these */
	u64 n_full;  /* stacks that met max_stacks */
	/* Occurrences below [other stacks]: in the windows that have ended, in the current one. */
	u64 n_folded, n_folded_now;
	u64 n_others; /* entries made for [other stacks] so far */
	u32 loc_truncated, loc_missed_user, loc_full, loc_unknown, loc_other;
	bool keep_garbage; /* -A: callers that lie in no code stay, with their addresses */
};

void store_init(struct store *s, struct symbolizer *sym, u32 max_stacks, bool keep_garbage);
void store_release(struct store *s);

/* A stack came, and with it one occurrence in `window`. */
void store_add(struct store *s, const struct raw_stack *raw, u32 window);

/* A stack came that is counted elsewhere: the index of its entry. */
u32 store_put(struct store *s, const struct raw_stack *raw);
/* The entry of this identity; STORE_NONE: it never came. */
u32 store_find(struct store *s, const u64 id[2]);
/* The node of a note nearer to the leaf than `parent`: "blocked". */
u32 store_leaf(struct store *s, u32 parent, const char *note);
/* The entry that stands for all stacks of this one's process that find no room. */
u32 store_other(struct store *s, u32 entry);

/* The kernel's counters follow, from the first; those given before and not reported are void. */
void store_restart_count(struct store *s);
/* Which counters a report takes: those of its window's parity; the last one takes what is left of
 * the window before it as well. */
enum store_parities {
	STORE_EVEN = 1,
	STORE_ODD = 2
};

static inline u32 store_parities(u32 window, bool is_last)
{
	return is_last ? STORE_EVEN | STORE_ODD : window & 1 ? STORE_ODD : STORE_EVEN;
}

/* Some of the kernel's counters of a stack (each CPU may have its own); those of `parities` are
 * added up, and what is new since the last report is this one's.  false: no stack of this identity
 * came. */
bool store_count(struct store *s, const u64 id[2], const u64 n[2], u32 parities);

struct store_view {
	enum group_by by;
	bool is_snapshot; /* leave the numbers to grow on */
	bool is_last;	  /* nothing will be added or counted any more */
	u32 window;
	/* Name of a cgroup, borrowed; NULL where there is none. */
	const char *(*cgroup_name)(void *ctx, u64 id);
	void *ctx;
};

/* Reports on entries that are counted elsewhere; names are known by now.  Begin, then the tasks
 * that take part, then `out` gets what its rows point to (valid until the next call of the store).
 */
void store_begin_report(struct store *s);
u32 store_task(struct store *s, u32 entry, const struct store_view *view);
/* A cut stack, a missing part: not all of it is there. */
bool store_is_cut(const struct store *s, u32 entry);
void store_end_report(struct store *s, struct report *out);

/* ---- forgetting (stack/forget.c) ---- */

/* A report that is no snapshot is done: what was not met since the last one gets older. */
void store_age(struct store *s);

/* How many entries nobody has met lately, and of those how many may go: the kernel side has made
 * their ids before `generation` and makes them no more. */
struct store_idle {
	size_t n, n_settled;
};
struct store_idle store_idle(const struct store *s, u32 generation);

/*
 * Forgets those, with the frames, names and processes that only they needed; `gone` is told each
 * id.  Returns what became of the entries: the new number of each, or STORE_NONE; caller frees.
 * The last report is void.
 */
u32 *store_forget(struct store *s, u32 generation, void (*gone)(void *ctx, const u64 id[2]),
		  void *ctx);

/* The indices are made anew when they are needed. */
void store_drop_indices(struct store *s);

/* The report's rows: everything counted in the window.  `out` borrows from the store until the
 * next call; frames are set from the symbolizer, which has named them by now. */
void store_report(struct store *s, const struct store_view *view, struct report *out);

#endif
