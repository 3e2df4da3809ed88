// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Makes the rows of a report from the entries of the store. */
#include <stdio.h>

#include "stack/store_int.h"
#include "stack/truncation.h"

static const char *root_of(struct store *s, const struct store_owner *o,
			   const struct store_view *view, const char *cgroup)
{
	char text[64];

	switch (view->by) {
	case BY_NONE:
		return NULL;
	case BY_CGROUP:
		return cgroup;
	case BY_CPU:
		snprintf(text, sizeof(text), "cpu %u", o->cpu);
		break;
	case BY_PID:
		snprintf(text, sizeof(text), "%s-%u", o->comm, o->tgid);
		break;
	case BY_TID:
		snprintf(text, sizeof(text), "%s-%u/%u", o->comm, o->tgid, o->tid);
		break;
	case BY_DEFAULT:
	case BY_COMM:
		return o->comm;
	}
	return intern(&s->strings, text);
}

static const char *cgroup_of(struct store *s, u64 id, const struct store_view *view)
{
	const char *name = view->cgroup_name ? view->cgroup_name(view->ctx, id) : NULL;
	char text[32];

	if (name)
		return name;
	snprintf(text, sizeof(text), "cgroup %llu", id);
	return intern(&s->strings, text);
}

/* The owner as a row shows it. */
static struct stack_task make_task(struct store *s, const struct store_owner *o,
				   const struct store_view *view)
{
	const char *cgroup = view->by == BY_CGROUP ? cgroup_of(s, o->cgroup, view) : NULL;
	bool has_pid = view->by == BY_PID || view->by == BY_TID || view->by == BY_DEFAULT;

	return (struct stack_task){
		.root = root_of(s, o, view, cgroup),
		.comm = has_pid || view->by == BY_COMM ? o->comm : NULL,
		.pid = has_pid ? (s64)o->tgid : -1,
		.tid = view->by == BY_TID ? (s64)o->tid : -1,
		.cpu = view->by == BY_CPU ? (s64)o->cpu : -1,
		.cgroup = cgroup,
	};
}

static u32 task_of(struct store *s, struct store_owner *o, const struct store_view *view)
{
	if (!o->task) {
		vec_push(&s->tasks, make_task(s, o, view));
		o->task = (u32)s->tasks.n;
	}
	return o->task - 1;
}

static void add_row(struct store *s, const struct store_entry *e, const struct store_view *view,
		    struct report *out)
{
	struct store_owner *owner = &s->owners.items[e->owner];
	struct stack_row row = {
		.task = task_of(s, owner, view),
		.kernel = e->kernel,
		.user = e->user,
		.is_rooted = e->is_rooted,
		.value = owner->marks & STORE_SECOND ? 0 : e->value,
		.count = e->value,
	};

	vec_push(&out->stacks, row);
	out->total += row.value;
}

static bool is_truncated(const struct store *s, u32 node)
{
	u32 loc = UINT32_MAX;

	for (; node; node = s->nodes.items[node].parent)
		loc = s->nodes.items[node].frame;
	for (u32 i = 0; i < ARRAY_SIZE(s->loc_ends); i++)
		if (truncations_of_end((enum stack_end)i) != TRUNCATION_N_REASONS &&
		    loc == s->loc_ends[i])
			return true;
	return loc == s->loc_truncated || loc == s->loc_missed_user || loc == s->loc_full ||
	       loc == s->loc_other;
}

/* Turn growing counters into the growth since the last report.  A sum below the last one was read
 * while counters moved: the next report will include the difference. */
static void close_values(struct store *s, u32 parities)
{
	struct store_entry *e;

	vec_for_each(e, &s->entries) {
		u64 before = 0, sent = 0;

		for (u32 i = 0; i < 2; i++)
			if (parities >> i & 1) {
				before += e->counted[i];
				sent += e->sent[i];
			}
		e->value = (e->value > before ? e->value - before : 0) + sent;
	}
}

/* Not called for the last report. */
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

static void forget_tasks(struct store *s)
{
	struct store_owner *o;

	s->tasks.n = 0;
	vec_for_each(o, &s->owners)
		o->task = 0;
}

void store_report(struct store *s, const struct store_view *view, struct report *out)
{
	struct store_entry *e;

	store_drop_indices(s);
	forget_tasks(s);
	s->n_folded_now = 0;
	close_values(s, store_parities(view->window, view->is_last));
	vec_for_each(e, &s->entries) {
		if (!e->value)
			continue;
		e->idle = 0;
		s->n_folded_now += e->is_folded ? e->value : 0;
		add_row(s, e, view, out);
		if (view->rows)
			view->rows[e - s->entries.items] = (u32)out->stacks.n;
		if (store_is_truncated(s, (u32)(e - s->entries.items)))
			out->ledger.stacks.truncated++;
		else
			out->ledger.stacks.complete++;
	}
	if (view->is_last)
		vec_release(&s->entries);
	else
		reset_values(s, view);
	store_end_report(s, out);
}

void store_begin_report(struct store *s)
{
	forget_tasks(s);
	store_fill_gaps(s);
	s->n_folded_now = 0;
}

u32 store_task(struct store *s, u32 entry, const struct store_view *view)
{
	return task_of(s, &s->owners.items[s->entries.items[entry].owner], view);
}

bool store_is_truncated(const struct store *s, u32 entry)
{
	const struct store_entry *e = &s->entries.items[entry];

	return is_truncated(s, e->user) || is_truncated(s, e->kernel);
}

void store_end_report(struct store *s, struct report *out)
{
	out->kind = REPORT_STACKS;
	out->frames = symbolizer_frames(s->sym, &out->n_frames);
	out->nodes = s->nodes.items;
	out->n_nodes = s->nodes.n;
	out->tasks = s->tasks.items;
	out->n_tasks = s->tasks.n;
}
