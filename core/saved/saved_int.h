/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared by the readers: the store of frames, nodes and tasks, each of which is kept once. */
#ifndef SAVED_SAVED_INT_H
#define SAVED_SAVED_INT_H

#include "base/arena.h"
#include "base/index.h"
#include "saved/input.h"
#include "saved/saved.h"

#define SAVED_NONE UINT32_MAX

/* A stack for which there was no room, spelled as in a run. */
#define NOTE_OTHER     "[other stacks]"
#define NOTE_TRUNCATED "[truncated]"

struct saved_tables {
	VEC(struct frame) frames;
	VEC(struct stack_node) nodes; /* [0] is not a node */
	VEC(struct stack_task) tasks;
	VEC(struct waker_chain) chains; /* [0] is not a chain */
	VEC(struct waker_link) links;
	VEC(char *) argv;
	struct arena arena; /* lists of texts and numbers */
	struct index by_frame, by_node, by_task, by_chain;
	struct index by_row; /* rows of the report that is being read (saved_count) */
	const char *label;   /* the root frame of all stacks (label_files); NULL: their own */
	u64 n_folded;	     /* occurrences in this file that were counted without their stack */
	bool is_full;	     /* nothing new is stored */
};

/* A file that is being read, as its reader sees it. */
struct reading {
	struct saved *s;
	struct input in;
	const struct saved_opts *opts;
	struct saved_file file;
	struct run_info run; /* this file's */
	u64 divisor;	     /* JSON: nanoseconds in the unit of the file's values, else 1 */
	struct err *err;
};

/* ---- errors with their place: all return -code ---- */

/* "a.json:17: ..." */
int reading_fail(struct reading *r, const char *fmt, ...) PRINTF(2, 3);
/* The sum is more than a u64 holds. */
int reading_too_much(struct reading *r);

/* ---- storing; strings must be interned in s->strings ---- */

/* Look once per stack whether there is still room (mem_is_over). */
void saved_look(struct saved *s);
/* The index of the equal frame; SAVED_NONE: there is no room for a new one. */
u32 saved_frame(struct saved *s, const struct frame *f);
/* The frame's node under `parent` (0: a root); 0: no room.  `frame` may be SAVED_NONE, which has no
 * node. */
u32 saved_child(struct saved *s, u32 parent, u32 frame);
/* Memory that lives as long as `s`; a list of texts in it. */
void *saved_alloc(struct saved *s, size_t n, size_t size);
const char *const *saved_list(struct saved *s, const char *const *texts, size_t n);
/* The node of a note, for which there is always room. */
u32 saved_note(struct saved *s, const char *name);
/* The task's index; if there is no room, that of a task about which nothing is known.  The file's
 * label, if there is one, replaces the task's root. */
u32 saved_task(struct saved *s, struct stack_task task);

/* Add to the report's row with this task and these nodes, for formats whose rows consist of nothing
 * else; *at, unless it is NULL, becomes that row's index.  Only one report at a time. */
int saved_count(struct reading *r, struct report *report, const struct stack_row *row, u32 *at);

/* Set the nodes of a stack, whose frames are leaf first; false: there is no room.  The kernel part
 * consists of the kernel's frames at the leaf. */
bool saved_stack(struct saved *s, const u32 *frames, size_t n, struct stack_row *row);

/* Kind and module of a frame by the name that perf and pprof give to its file: "[kernel.kallsyms]",
 * "[nf_tables]", "[vdso]", "/usr/lib/libc.so.6". */
void saved_set_module(struct saved *s, struct frame *f, struct view file);

/* Add another report of the file, complete except for its tables; it now belongs to s->reports. */
void saved_add_report(struct reading *r, struct report *report);

/* The index of the chain with these wakers, which are copied; an equal chain is kept once, unless
 * its wakers have values. */
u32 saved_chain(struct saved *s, const struct waker_link *links, u32 n, enum chain_end end);

/* ---- readers: 0 or -code.  They set r->run, and add reports. ---- */

int saved_read_json(struct reading *r);
int saved_read_folded(struct reading *r);
int saved_read_pprof(struct reading *r);
int saved_read_perf(struct reading *r);

/* JSON, record by record; the lines may come from elsewhere than r->in.  json_records_end() frees,
 * and returns `ret`, the result of the last step, or an error of its own. */
struct json_records;

struct json_records *json_records_begin(struct reading *r);
int json_records_take(struct json_records *rs, struct view line);
bool json_records_have_meta(const struct json_records *rs);
int json_records_end(struct json_records *rs, int ret);

/* ---- distributions ---- */

/* The distributions of one report for another, without rows. */
void saved_repeat_dists(const struct report *from, struct report *to);
/* An error unless those of both reports can be added up. */
int saved_check_dists(const struct report *a, const struct report *b, struct err *err);
/* Add the rows of a report to those of `out`, which has the same distributions; `have` is its index
 * of them, all zero before the first. */
void saved_add_dists(struct report *out, struct index *have, const struct report *r);

/* ---- formats ---- */

/* The format of an input, by its first bytes; SAVED_ANY: not a supported format, and err says what
 * it looks like. */
enum saved_format saved_sniff(struct reading *r);

#endif
