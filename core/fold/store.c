// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "fold/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

#define STORE_MAX_FRAMES 1024

void store_init(struct store *s, struct symbolizer *sym, u32 max_stacks, bool keep_garbage)
{
	*s = (struct store){ .sym = sym, .max_stacks = max_stacks, .keep_garbage = keep_garbage };
	vec_push(&s->nodes, (struct store_node){ 0 });
	vec_push(&s->cgroups, 0);
	s->loc_truncated = symbolizer_note(sym, "[truncated]");
	s->loc_missed_user = symbolizer_note(sym, "[Missed User Stack]");
	s->loc_unknown = symbolizer_note(sym, "[unknown]");
	s->loc_full = symbolizer_note(sym, "[stack store full]");
}

void store_release(struct store *s)
{
	vec_release(&s->entries);
	vec_release(&s->nodes);
	vec_release(&s->comms);
	vec_release(&s->cgroups);
	index_release(&s->by_id);
	index_release(&s->by_child);
	intern_release(&s->strings);
	free(s->expanded);
}

/* ---- the tree of frames ------------------------------------------------------------------ */

static u32 child_of(struct store *s, u32 parent, u32 loc)
{
	u64 hash = hash_mix(parent, loc);
	size_t at = 0;
	u32 node;

	while (index_next(&s->by_child, hash, &at, &node))
		if (s->nodes.items[node].parent == parent && s->nodes.items[node].loc == loc)
			return node;
	node = (u32)s->nodes.n;
	vec_push(&s->nodes, (struct store_node){ .parent = parent, .loc = loc });
	index_add(&s->by_child, hash, node);
	return node;
}

static bool is_nowhere(const struct store *s, u32 loc)
{
	size_t n;

	return symbolizer_frames(s->sym, &n)[loc].kind == FRAME_UNKNOWN;
}

/*
 * A walk by frame pointers that meets code without them follows whatever the register holds.  The
 * first caller that lies in no code at all shows it: from there on towards the root it is
 * garbage, up to 127 frames of it and never the same, and one [unknown] stands for it.
 */
static u32 add_user(struct store *s, const struct raw_stack *raw)
{
	u32 locs[STORE_MAX_FRAMES], n = raw->n_user, node = 0;

	if (raw->is_user_missing)
		return child_of(s, 0, s->loc_missed_user);
	if (n > STORE_MAX_FRAMES)
		n = STORE_MAX_FRAMES;
	if (n && raw->n_user == raw->max_frames)
		node = child_of(s, 0, s->loc_truncated);
	for (u32 i = 0; i < n; i++) {
		locs[i] = symbolizer_user(s->sym, raw->tgid, raw->user[i], i > 0);
		if (i && !s->keep_garbage && is_nowhere(s, locs[i])) {
			node = child_of(s, 0, s->loc_unknown);
			n = i;
		}
	}
	while (n-- > 0)
		node = child_of(s, node, locs[n]);
	return node;
}

static u32 add_kernel(struct store *s, const struct raw_stack *raw)
{
	u32 node = 0;

	if (raw->n_kernel && raw->n_kernel == raw->max_frames)
		node = child_of(s, 0, s->loc_truncated);
	for (u32 i = raw->n_kernel; i-- > 0;)
		node = child_of(s, node, symbolizer_kernel(s->sym, raw->kernel[i], i > 0));
	return node;
}

/* ---- entries ----------------------------------------------------------------------------- */

static u32 comm_index(struct store *s, const char comm[16])
{
	const char *text = intern_n(&s->strings, comm, strnlen(comm, 16));

	for (size_t i = s->comms.n; i-- > 0;)
		if (s->comms.items[i] == text)
			return (u32)i;
	vec_push(&s->comms, text);
	return (u32)s->comms.n - 1;
}

static u32 cgroup_index(struct store *s, u64 id)
{
	for (size_t i = 0; i < s->cgroups.n; i++)
		if (s->cgroups.items[i] == id)
			return (u32)i;
	vec_push(&s->cgroups, id);
	return (u32)s->cgroups.n - 1;
}

static struct store_entry *find(struct store *s, const u64 id[2])
{
	size_t at = 0;
	u32 i;

	while (index_next(&s->by_id, id[0], &at, &i)) {
		struct store_entry *e = &s->entries.items[i];

		if (e->id[0] == id[0] && e->id[1] == id[1])
			return e;
	}
	return NULL;
}

static struct store_entry *insert(struct store *s, const struct raw_stack *raw)
{
	struct store_entry e = {
		.id = { raw->id[0], raw->id[1] },
		.tgid = raw->tgid,
		.tid = raw->tid,
		.cpu = raw->cpu,
		.comm = comm_index(s, raw->comm),
		.cgroup = cgroup_index(s, raw->cgroup),
	};

	if (s->max_stacks && s->entries.n >= s->max_stacks) {
		s->n_full++;
		e.user = child_of(s, 0, s->loc_full);
	} else {
		e.user = add_user(s, raw);
		e.kernel = add_kernel(s, raw);
	}
	index_add(&s->by_id, e.id[0], (u32)s->entries.n);
	vec_push(&s->entries, e);
	return &s->entries.items[s->entries.n - 1];
}

void store_add(struct store *s, const struct raw_stack *raw, u32 window)
{
	struct store_entry *e = find(s, raw->id) ?: insert(s, raw);

	e->sent[window & 1]++;
}

bool store_count(struct store *s, const u64 id[2], const u64 n[2], u32 window)
{
	struct store_entry *e = find(s, id);

	if (!e)
		return false;
	e->value += (u32)n[window & 1];
	return true;
}

/* ---- reports ----------------------------------------------------------------------------- */

static const char *root_of(struct store *s, const struct store_entry *e,
			   const struct store_view *view, const char *cgroup)
{
	const char *comm = s->comms.items[e->comm];
	char text[64];

	switch (view->by) {
	case BY_NONE:
		return NULL;
	case BY_CGROUP:
		return cgroup;
	case BY_CPU:
		snprintf(text, sizeof(text), "cpu %u", e->cpu);
		break;
	case BY_PID:
		snprintf(text, sizeof(text), "%s-%u", comm, e->tgid);
		break;
	case BY_TID:
		snprintf(text, sizeof(text), "%s-%u/%u", comm, e->tgid, e->tid);
		break;
	case BY_DEFAULT:
	case BY_COMM:
		return comm;
	}
	return intern(&s->strings, text);
}

static const char *cgroup_of(struct store *s, const struct store_entry *e,
			     const struct store_view *view)
{
	u64 id = s->cgroups.items[e->cgroup];
	const char *name = view->cgroup_name ? view->cgroup_name(view->ctx, id) : NULL;
	char text[32];

	if (name)
		return name;
	snprintf(text, sizeof(text), "cgroup %llu", id);
	return intern(&s->strings, text);
}

static u32 depth_of(const struct store *s, u32 node)
{
	u32 n = 0;

	for (; node; node = s->nodes.items[node].parent)
		n++;
	return n;
}

static u32 *expand(const struct store *s, u32 node, u32 *out)
{
	for (; node; node = s->nodes.items[node].parent)
		*out++ = s->nodes.items[node].loc;
	return out;
}

static void add_row(struct store *s, const struct store_entry *e, const struct store_view *view,
		    u32 **frames, struct report *out)
{
	const char *cgroup = view->by == BY_CGROUP ? cgroup_of(s, e, view) : NULL;
	bool has_pid = view->by == BY_PID || view->by == BY_TID || view->by == BY_DEFAULT;
	struct stack_row row = {
		.root = root_of(s, e, view, cgroup),
		.comm = has_pid || view->by == BY_COMM ? s->comms.items[e->comm] : NULL,
		.pid = has_pid ? (s64)e->tgid : -1,
		.tid = view->by == BY_TID ? (s64)e->tid : -1,
		.cpu = view->by == BY_CPU ? (s64)e->cpu : -1,
		.cgroup = cgroup,
		.value = e->value,
		.count = e->value,
	};
	u32 *from = *frames;

	row.kernel = from;
	from = expand(s, e->kernel, from);
	row.n_kernel = (u32)(from - row.kernel);
	row.user = from;
	from = expand(s, e->user, from);
	row.n_user = (u32)(from - row.user);
	*frames = from;
	vec_push(&out->stacks, row);
	out->total += row.value;
}

static bool is_cut(const struct store *s, u32 node)
{
	u32 loc = UINT32_MAX;

	for (; node; node = s->nodes.items[node].parent)
		loc = s->nodes.items[node].loc;
	return loc == s->loc_truncated || loc == s->loc_missed_user || loc == s->loc_full;
}

/* From counters that only grow to what is new since the last report.  A sum below the last one
 * was read while numbers moved: the next report has them. */
static void close_values(struct store *s, u32 parity)
{
	struct store_entry *e;

	vec_for_each(e, &s->entries) {
		s32 grown = (s32)(e->value - e->counted[parity]);

		e->value = (grown > 0 ? (u32)grown : 0) + e->sent[parity];
	}
}

static void reset_values(struct store *s, const struct store_view *view)
{
	u32 parity = view->window & 1;
	struct store_entry *e;

	vec_for_each(e, &s->entries) {
		if (!view->is_snapshot) {
			e->counted[parity] += e->value - e->sent[parity];
			e->sent[parity] = 0;
		}
		e->value = 0;
	}
}

void store_report(struct store *s, const struct store_view *view, struct report *out)
{
	size_t n_frames = 0;
	struct store_entry *e;
	u32 *frames;

	close_values(s, view->window & 1);
	vec_for_each(e, &s->entries)
		if (e->value)
			n_frames += depth_of(s, e->kernel) + depth_of(s, e->user);
	free(s->expanded);
	s->expanded = frames = mem_alloc(n_frames, sizeof(*frames));
	vec_for_each(e, &s->entries) {
		if (!e->value)
			continue;
		add_row(s, e, view, &frames, out);
		if (is_cut(s, e->user) || is_cut(s, e->kernel))
			out->ledger.stacks.truncated++;
		else
			out->ledger.stacks.complete++;
	}
	out->kind = REPORT_STACKS;
	out->frames = symbolizer_frames(s->sym, &out->n_frames);
	reset_values(s, view);
}
