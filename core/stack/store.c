// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "stack/store_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memlimit.h"
#include "stack/truncation.h"

/* One node is reserved for the [truncated] note. */
#define STORE_MAX_FRAMES (STACK_MAX_DEPTH - 1)

/* When memory is full, owners beyond this number are merged into one, "[other]". */
#define FULL_OWNERS    65536
/* id[1] of the entries for [other stacks]; a hash is never as small. */
#define STORE_ID_OTHER 9

void store_init(struct store *s, struct symbolizer *sym, u32 max_stacks, bool keep_garbage)
{
	*s = (struct store){ .sym = sym, .max_stacks = max_stacks, .keep_garbage = keep_garbage };
	vec_push(&s->nodes, (struct stack_node){ 0 });
	s->loc_truncated = symbolizer_note(sym, truncation_frames[TRUNCATED_too_deep]);
	s->loc_missed_user = symbolizer_note(sym, truncation_frames[TRUNCATED_missed]);
	s->loc_unknown = symbolizer_note(sym, truncation_frames[TRUNCATED_not_mapped]);
	s->loc_full = symbolizer_note(sym, "[stack store full]");
	s->loc_other = symbolizer_note(sym, truncation_frames[TRUNCATED_no_room]);
	for (u32 i = 0; i < ARRAY_SIZE(s->loc_ends); i++)
		if (truncations_of_end((enum stack_end)i) != TRUNCATION_N_REASONS)
			s->loc_ends[i] = symbolizer_note(
				sym, truncation_frames[truncations_of_end((enum stack_end)i)]);
}

void store_drop_indices(struct store *s)
{
	index_release(&s->by_id);
	index_release(&s->by_child);
	index_release(&s->by_owner);
	s->is_indexed = false;
}

void store_release(struct store *s)
{
	store_drop_indices(s);
	vec_release(&s->entries);
	vec_release(&s->nodes);
	vec_release(&s->owners);
	vec_release(&s->tasks);
	vec_release(&s->open_gaps);
	gaps_release(&s->gaps);
	intern_release(&s->strings);
}

/* ---- finding ----------------------------------------------------------------------------- */

static u64 node_hash(const struct stack_node *n)
{
	return hash_mix(n->parent, n->frame);
}

static u64 owner_hash(const struct store_owner *o)
{
	u64 h = hash_mix((u64)o->tgid << 32 | o->tid, o->cgroup);

	h = hash_mix(hash_mix(h, o->cpu), (uintptr_t)o->comm);
	h = hash_mix(h, o->start_time);
	return hash_mix(h, (uintptr_t)o->label + o->marks + ((u64)o->kind << 8));
}

static void need_indices(struct store *s)
{
	if (s->is_indexed)
		return;
	for (u32 i = 0; i < s->entries.n; i++)
		index_add(&s->by_id, s->entries.items[i].id[0], i);
	for (u32 i = 1; i < s->nodes.n; i++)
		index_add(&s->by_child, node_hash(&s->nodes.items[i]), i);
	for (u32 i = 0; i < s->owners.n; i++)
		index_add(&s->by_owner, owner_hash(&s->owners.items[i]), i);
	s->is_indexed = true;
}

static struct store_entry *find(struct store *s, const u64 id[2])
{
	size_t at = 0;
	u32 i;

	need_indices(s);
	while (index_next(&s->by_id, id[0], &at, &i)) {
		struct store_entry *e = &s->entries.items[i];

		if (e->id[0] == id[0] && e->id[1] == id[1])
			return e;
	}
	return NULL;
}

/* ---- the tree of frames ------------------------------------------------------------------ */

static u32 child_of(struct store *s, u32 parent, u32 loc)
{
	const struct stack_node want = { .parent = parent, .frame = loc };
	u64 hash = node_hash(&want);
	size_t at = 0;
	u32 node;

	while (index_next(&s->by_child, hash, &at, &node))
		if (s->nodes.items[node].parent == parent && s->nodes.items[node].frame == loc)
			return node;
	node = (u32)s->nodes.n;
	vec_push(&s->nodes, want);
	index_add(&s->by_child, hash, node);
	return node;
}

static bool is_nowhere(const struct store *s, u32 loc)
{
	size_t n;

	return symbolizer_frames(s->sym, &n)[loc].kind == FRAME_UNKNOWN;
}

/*
 * A walk by frame pointers through code that keeps none follows any value that the register holds.
 * The first caller that is not in code reveals this: from there to the root everything is garbage,
 * up to 127 frames and never the same, so a single [unknown] replaces it.
 */
static u32 add_user(struct store *s, const struct raw_stack *raw)
{
	u32 locs[STORE_MAX_FRAMES], n = raw->n_user, node = 0;

	if (raw->is_user_missing)
		return child_of(s, 0, s->loc_missed_user);
	if (n > STORE_MAX_FRAMES)
		n = STORE_MAX_FRAMES;
	if (n && truncations_of_end(raw->end) != TRUNCATION_N_REASONS)
		node = child_of(s, 0, s->loc_ends[raw->end]);
	else if (n && raw->end == STACK_END_UNKNOWN && raw->n_user == raw->max_frames)
		node = child_of(s, 0, s->loc_truncated);
	for (u32 i = 0; i < n; i++) {
		locs[i] = symbolizer_user(s->sym, raw->tgid, raw->user[i], i > 0);
		if (i && !s->keep_garbage && is_nowhere(s, locs[i])) {
			node = child_of(s, 0,
					raw->end == STACK_END_LATE ? s->loc_ends[raw->end]
								   : s->loc_unknown);
			n = i;
		}
	}
	while (n-- > 0)
		node = child_of(s, node, locs[n]);
	return node;
}

/* ---- meaning of kernel frames ---- */

/* The name of the vector that the softirq loop's callee handles; NULL if frame i is not that
 * loop. */
static const char *softirq_vector(const struct store *s, const struct raw_stack *raw, u32 i)
{
	const struct landmark *loop = landmarks_find(s->landmarks, raw->kernel[i]), *handler;

	if (!i || !loop || loop->kind != LANDMARK_SOFTIRQ)
		return NULL;
	handler = landmarks_find(s->landmarks, raw->kernel[i - 1]);
	return handler && handler->kind == LANDMARK_VECTOR ? handler->label : "other";
}

/* The kind of interrupt: for a softirq, its handler; else the entry or a function that it called.
 * The landmark nearest to the leaf decides. */
static enum waker_kind interrupt_kind(struct store *s, const struct raw_stack *raw,
				      const char **label)
{
	static const enum waker_kind kinds[] = {
		[LANDMARK_IRQ] = WAKER_IRQ,    [LANDMARK_TIMER] = WAKER_TIMER,
		[LANDMARK_IPI] = WAKER_IPI,    [LANDMARK_IN_TIMER] = WAKER_TIMER,
		[LANDMARK_IN_IPI] = WAKER_IPI,
	};
	struct landmark first = { .kind = LANDMARK_NONE };

	*label = NULL;
	for (u32 i = 0; s->landmarks && i < raw->n_kernel; i++) {
		const struct landmark *p = landmarks_find(s->landmarks, raw->kernel[i]);
		bool is_first = p && p->kind <= LANDMARK_IN_IPI && first.kind == LANDMARK_NONE;

		if (is_first)
			first = *p;
		*label = softirq_vector(s, raw, i);
		if (*label)
			return WAKER_SOFTIRQ;
	}
	if (first.kind == LANDMARK_NONE)
		return WAKER_IPI; /* the idle loop, woken by another CPU */
	if (first.kind == LANDMARK_IRQ)
		*label = raw->comm[0] ? intern_n(&s->strings, raw->comm, sizeof(raw->comm))
				      : first.label;
	return kinds[first.kind];
}

static u32 add_softirq(struct store *s, u32 node, const char *vector)
{
	char text[32];

	snprintf(text, sizeof(text), "softirq:%s", vector);
	return child_of(s, node, symbolizer_note(s->sym, text));
}

/* A stack taken in the thread's own context has no gaps: remember it to fill those of others. */
static void remember_stack(struct store *s, const struct raw_stack *raw, u32 first, u32 n, u32 node)
{
	struct gaps_key key;

	if (raw->has_gaps || !s->landmarks || first == n || raw->n_kernel == raw->max_frames ||
	    !landmarks_is_gap(s->landmarks, raw->kernel[first]))
		return;
	key = gaps_key(s->landmarks, raw->kernel + first, n - first);
	gaps_learn(&s->gaps, &key, node);
}

static u32 add_kernel(struct store *s, const struct raw_stack *raw)
{
	u32 n = raw->n_kernel < STORE_MAX_FRAMES ? raw->n_kernel : STORE_MAX_FRAMES, node = 0;
	u32 first = s->landmarks ? landmarks_trim(s->landmarks, raw->kernel, n)
				 : landmarks_doubled(raw->kernel, n);

	if (n && raw->n_kernel == raw->max_frames && !raw->is_interrupt)
		node = child_of(s, 0, s->loc_truncated);
	for (u32 i = n; i-- > first;) {
		const char *vector;

		node = child_of(s, node,
				symbolizer_kernel(s->sym, raw->kernel[i], i > 0 || raw->has_gaps));
		vector = s->landmarks && !raw->is_interrupt ? softirq_vector(s, raw, i) : NULL;
		if (vector)
			node = add_softirq(s, node, vector);
	}
	remember_stack(s, raw, first, n, node);
	return node;
}

static bool has_leaf(const struct raw_stack *raw)
{
	return raw->leaf || raw->futex;
}

static u32 loc_of_leaf(struct store *s, const struct raw_stack *raw)
{
	return raw->leaf ? symbolizer_note(s->sym, raw->leaf)
			 : symbolizer_futex(s->sym, raw->tgid, raw->futex);
}

/* Remember the leaf too, to append it to the stack that fills the gaps. */
static void keep_gap(struct store *s, const struct raw_stack *raw, u32 entry)
{
	struct store_gap gap = {
		.key = gaps_key(NULL, raw->kernel, raw->n_kernel),
		.entry = entry,
		.loc_leaf = has_leaf(raw) ? loc_of_leaf(s, raw) : STORE_NONE,
	};

	vec_push(&s->open_gaps, gap);
}

void store_fill_gaps(struct store *s)
{
	struct report r = { 0 };
	size_t n = 0;

	need_indices(s);
	r.nodes = s->nodes.items;
	r.frames = symbolizer_frames(s->sym, &r.n_frames);
	for (size_t i = 0; i < s->open_gaps.n; i++) {
		const struct store_gap gap = s->open_gaps.items[i];
		u32 node = gaps_fill(&s->gaps, &gap.key, &r);

		if (!node) {
			s->open_gaps.items[n++] = gap;
			continue;
		}
		if (gap.loc_leaf != STORE_NONE)
			node = child_of(s, node, gap.loc_leaf);
		s->entries.items[gap.entry].kernel = node;
		r.nodes = s->nodes.items;
	}
	s->open_gaps.n = n;
}

/* ---- entries ----------------------------------------------------------------------------- */

static bool is_same_owner(const struct store_owner *a, const struct store_owner *b)
{
	return a->comm == b->comm && a->cgroup == b->cgroup && a->tgid == b->tgid &&
	       a->tid == b->tid && a->start_time == b->start_time && a->cpu == b->cpu &&
	       a->marks == b->marks && a->kind == b->kind && a->label == b->label;
}

static bool find_owner(const struct store *s, const struct store_owner *want, u32 *found)
{
	size_t at = 0;

	while (index_next(&s->by_owner, owner_hash(want), &at, found))
		if (is_same_owner(&s->owners.items[*found], want))
			return true;
	return false;
}

static u32 add_owner(struct store *s, const struct store_owner *o)
{
	u32 i;

	if (find_owner(s, o, &i))
		return i;
	vec_push(&s->owners, *o);
	index_add(&s->by_owner, owner_hash(o), (u32)s->owners.n - 1);
	return (u32)s->owners.n - 1;
}

/* The owner that represents unknown processes. */
static u32 owner_other(struct store *s)
{
	return add_owner(s, &(struct store_owner){ .comm = intern(&s->strings, "[other]") });
}

static u32 owner_of(struct store *s, const struct raw_stack *raw)
{
	struct store_owner want = {
		.comm = intern_n(&s->strings, raw->comm, sizeof(raw->comm)),
		.cgroup = raw->cgroup,
		.start_time = raw->start_time,
		.tgid = raw->tgid,
		.tid = raw->tid,
		.cpu = raw->cpu,
		.marks = (u8)((raw->is_iowait ? STORE_IOWAIT : 0) |
			      (raw->is_running ? STORE_RUNNING : 0) |
			      (raw->is_lock ? STORE_LOCK : 0) |
			      (raw->is_condition ? STORE_CONDITION : 0) |
			      (raw->is_second_event ? STORE_SECOND : 0)),
	};
	u32 i;

	if (raw->is_interrupt) {
		want.marks |= STORE_INTERRUPT;
		want.kind = (u8)interrupt_kind(s, raw, &want.label);
	}
	if (find_owner(s, &want, &i))
		return i;
	if (s->owners.n >= FULL_OWNERS && mem_is_over())
		return owner_other(s);
	return add_owner(s, &want);
}

static struct store_entry *push_entry(struct store *s, const struct store_entry *e)
{
	index_add(&s->by_id, e->id[0], (u32)s->entries.n);
	vec_push(&s->entries, *e);
	return &s->entries.items[s->entries.n - 1];
}

static struct store_entry *other_of(struct store *s, u32 owner)
{
	struct store_entry *e, other = { .owner = owner, .is_folded = true };
	struct store_owner *o = &s->owners.items[owner];

	if (o->other)
		return &s->entries.items[o->other - 1];
	other.id[0] = ++s->n_others;
	other.id[1] = STORE_ID_OTHER;
	other.user = child_of(s, 0, s->loc_other);
	e = push_entry(s, &other);
	o->other = (u32)s->entries.n;
	return e;
}

/* Memory is full.  The id is still kept, because the kernel's counters arrive under it, but no more
 * ids than fit in the kernel's tables. */
static struct store_entry *fold(struct store *s, const struct raw_stack *raw, u32 owner)
{
	const struct store_entry e = {
		.id = { raw->id[0], raw->id[1] },
		.owner = owner,
		.user = child_of(s, 0, s->loc_other),
		.generation = raw->generation,
		.is_folded = true,
	};

	if (s->max_ids && s->n_ids >= s->max_ids) {
		s->has_left_ids = true;
		return other_of(s, owner);
	}
	s->n_ids++;
	return push_entry(s, &e);
}

static struct store_entry *insert(struct store *s, const struct raw_stack *raw)
{
	struct store_entry e = {
		.id = { raw->id[0], raw->id[1] },
		.owner = owner_of(s, raw),
		.generation = raw->generation,
		.is_rooted = raw->end == STACK_END_ROOT,
	};

	if (mem_is_over() && !raw->note)
		return fold(s, raw, e.owner);
	if (s->max_stacks && s->entries.n >= s->max_stacks) {
		s->n_full++;
		e.user = child_of(s, 0, s->loc_full);
	} else if (raw->note) {
		e.user = child_of(s, 0, symbolizer_note(s->sym, raw->note));
	} else {
		e.user = add_user(s, raw);
		e.kernel = add_kernel(s, raw);
		if (has_leaf(raw) && (e.kernel || !e.user))
			e.kernel = child_of(s, e.kernel, loc_of_leaf(s, raw));
		else if (has_leaf(raw))
			e.user = child_of(s, e.user, loc_of_leaf(s, raw));
	}
	if (raw->has_gaps && e.kernel)
		keep_gap(s, raw, (u32)s->entries.n);
	return push_entry(s, &e);
}

void store_add(struct store *s, const struct raw_stack *raw, u32 window)
{
	struct store_entry *e = find(s, raw->id) ?: insert(s, raw);

	e->sent[window & 1]++;
	e->idle = 0;
}

u32 store_intern(struct store *s, const struct raw_stack *raw)
{
	struct store_entry *e = find(s, raw->id) ?: insert(s, raw);

	e->idle = 0;
	return (u32)(e - s->entries.items);
}

u32 store_find(struct store *s, const u64 id[2])
{
	struct store_entry *e = find(s, id);

	if (!e)
		return STORE_NONE;
	e->idle = 0;
	return (u32)(e - s->entries.items);
}

u32 store_other(struct store *s, u32 entry)
{
	struct store_entry *e;

	need_indices(s);
	e = other_of(s, s->entries.items[entry].owner);
	e->idle = 0;
	return (u32)(e - s->entries.items);
}

bool store_adopt(struct store *s, const u64 id[2])
{
	struct store_entry e = { .id = { id[0], id[1] }, .is_folded = true };

	need_indices(s);
	if (!s->has_left_ids)
		return false;
	e.owner = owner_other(s);
	e.user = child_of(s, 0, s->loc_other);
	s->n_ids++;
	push_entry(s, &e);
	return true;
}

u32 store_nobody(struct store *s)
{
	struct store_entry *e;

	need_indices(s);
	e = other_of(s, owner_other(s));
	e->idle = 0;
	return (u32)(e - s->entries.items);
}

u32 store_leaf(struct store *s, u32 parent, const char *note)
{
	need_indices(s);
	return child_of(s, parent, symbolizer_note(s->sym, note));
}

u32 store_innermost(struct store *s, u32 node, u32 n)
{
	u32 locs[STORE_MAX_FRAMES], depth = 0;

	need_indices(s);
	for (; node && depth < n && depth < STORE_MAX_FRAMES; node = s->nodes.items[node].parent)
		locs[depth++] = s->nodes.items[node].frame;
	for (node = 0; depth--;)
		node = child_of(s, node, locs[depth]);
	return node;
}

void store_restart_count(struct store *s)
{
	struct store_entry *e;

	vec_for_each(e, &s->entries)
		e->value = 0;
}

bool store_count(struct store *s, const u64 id[2], const u64 n[2], u32 parities)
{
	struct store_entry *e = find(s, id);

	if (!e)
		return false;
	for (u32 i = 0; i < 2; i++)
		if (parities >> i & 1)
			e->value += n[i];
	return true;
}
