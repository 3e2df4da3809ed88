// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "wait/account_int.h"

#include <string.h>

#include "base/hash.h"
#include "base/memlimit.h"
#include "wait/pieces_int.h"

/* ---- identities ---- */

struct wait_def *waits_find_def(struct waits *w, const u64 id[2])
{
	size_t at = 0;
	u32 i;

	while (index_next(&w->by_id, id[0], &at, &i)) {
		struct wait_def *d = &w->defs.items[i];

		if (d->id[0] == id[0] && d->id[1] == id[1])
			return d;
	}
	return NULL;
}

static void add_zeros(struct waits *w)
{
	for (u32 i = 0; w->conf.want_path && i < w->conf.levels; i++) {
		vec_push(&w->path_now, 0);
		vec_push(&w->path_next, 0);
		vec_push(&w->path_taken, 0);
		vec_push(&w->path_taken, 0); /* path_taken has two values, one per parity */
	}
}

/* The entry for lost stacks, whose records did not fit in the ring. */
static u32 lost_entry(struct waits *w)
{
	const struct raw_stack raw = { .id = { 1, WAITS_ID_LOST }, .note = "[stack not taken]" };

	w->n_unknown++;
	return store_intern(w->store, &raw);
}

u32 waits_entry_of(struct waits *w, const struct stack_id *id)
{
	u32 entry = store_find(w->store, id->hash);

	return entry == STORE_NONE ? lost_entry(w) : entry;
}

static bool is_lost(const struct waits *w, u32 entry)
{
	return w->store->entries.items[entry].id[1] == WAITS_ID_LOST;
}

static struct wait_def *add_def(struct waits *w, const u64 id[2], u32 waiter,
				const struct wait_link *links, u32 n, u8 end)
{
	struct wait_def d = {
		.id = { id[0], id[1] },
		.waiter = waiter,
		.first = (u32)w->links.n,
		.n = n,
		.end = end,
		.has_lost = is_lost(w, waiter),
		.generation = w->generation,
	};

	for (u32 i = 0; i < n; i++) {
		u32 entry = waits_entry_of(w, &links[i].stack);

		d.has_lost |= is_lost(w, entry);
		vec_push(&w->links, entry);
	}
	add_zeros(w);
	index_add(&w->by_id, id[0], (u32)w->defs.n);
	vec_push(&w->defs, d);
	return &w->defs.items[w->defs.n - 1];
}

static struct wait_def *def_of(struct waits *w, u32 waiter, const struct wait_link *links, u32 n,
			       u8 end)
{
	const struct store_entry *e = &w->store->entries.items[waiter];
	u64 id[2] = { hash_mix(e->id[0], end + 1), hash_mix(e->id[1], n + 1) };

	if (!w->conf.levels) {
		id[0] = e->id[0];
		id[1] = e->id[1];
	}
	for (u32 i = 0; i < n; i++) {
		id[0] = hash_mix(id[0], links[i].stack.hash[0]);
		id[1] = hash_mix(id[1], links[i].stack.hash[1]);
	}
	return waits_find_def(w, id) ?: add_def(w, id, waiter, links, n, end);
}

/* Memory is full: all waits of a process are merged into one, without wakers. */
static struct wait_def *other_def(struct waits *w, u32 waiter)
{
	return def_of(w, store_other(w->store, waiter), NULL, 0, WAIT_END_UNKNOWN);
}

struct wait_def *waits_def_of(struct waits *w, u32 waiter, const struct wait_link *links, u32 n,
			      u8 end)
{
	return mem_is_over() ? other_def(w, waiter) : def_of(w, waiter, links, n, end);
}

struct wait_def *waits_def_of_record(struct waits *w, const struct wait_record *rec)
{
	const u64 *id = (const u64 *)rec->id.hash;
	struct wait_def *d = waits_find_def(w, id);
	u32 waiter;

	if (d)
		return d;
	waiter = waits_entry_of(w, &rec->waiter);
	if (!mem_is_over())
		return add_def(w, id, waiter, rec->links, rec->n_links, rec->end);
	/* The kernel's sums arrive under this id, so it is kept, up to max_ids of them. */
	if (w->max_ids && w->n_ids >= w->max_ids) {
		w->store->has_left_ids = true;
		return other_def(w, waiter);
	}
	w->n_ids++;
	return add_def(w, id, store_other(w->store, waiter), NULL, 0, WAIT_END_UNKNOWN);
}

/* The entry for waits whose own records did not fit in the ring: neither stack nor thread is
 * known. */
static u32 unsent_entry(struct waits *w)
{
	const struct raw_stack raw = { .id = { 1, WAITS_ID_UNSENT }, .note = "[unseen]" };

	return store_intern(w->store, &raw);
}

bool waits_adopt(struct waits *w, const struct stack_id *id)
{
	bool is_unsent = id->hash[0] == WAIT_UNSENT && id->hash[1] == WAIT_UNSENT;
	struct wait_def *d;
	u32 entry;

	if (!is_unsent && !w->store->has_left_ids)
		return false;
	entry = is_unsent ? unsent_entry(w) : store_nobody(w->store);
	d = add_def(w, (const u64 *)id->hash, entry, NULL, 0, WAIT_END_UNKNOWN);
	d->is_sampled = true; /* as nearly all waits are with --sample */
	w->n_ids++;
	return true;
}

/* ---- dividing time between windows ---- */

static u32 later_of(struct waits *w, struct wait_def *d)
{
	if (d->later)
		return d->later - 1;
	vec_push(&w->later, (struct wait_later){ .def = (u32)(d - w->defs.items) });
	for (u32 i = 0; w->conf.want_path && i < w->conf.levels; i++)
		vec_push(&w->path_later, 0);
	d->later = (u32)w->later.n;
	return d->later - 1;
}

static struct wait_values *values_of(struct waits *w, struct wait_def *d, u32 window)
{
	u32 later = window == 2 ? later_of(w, d) : 0;

	if (window == 2)
		return &w->later.items[later].values;
	return window ? &d->next : &d->now;
}

static u64 *path_of(struct waits *w, struct wait_def *d, u32 window, u32 link)
{
	u32 later = window == 2 ? later_of(w, d) : 0;
	size_t at = (size_t)(d - w->defs.items) * w->conf.levels + link;

	if (window == 2)
		return &w->path_later.items[(size_t)later * w->conf.levels + link];
	return window ? &w->path_next.items[at] : &w->path_now.items[at];
}

struct wait_values *waits_values_at(struct waits *w, struct wait_def *d, u64 ns)
{
	return values_of(w, d, ns < w->cut_ns ? 0 : ns < w->next_cut_ns ? 1 : 2);
}

/* The part of the time that lies in a window: 0 is the current one, 1 the next, 2 all after it. */
static u64 part_in(const struct waits *w, u32 window, u64 from, u64 to)
{
	const u64 edges[] = { 0, w->cut_ns, w->next_cut_ns, UINT64_MAX };

	from = max_of(from, edges[window]);
	to = min_of(to, edges[window + 1]);
	return to > from ? to - from : 0;
}

/* Add the square of a sampled time; times that are not sampled have no error. */
static void add_square(struct wait_values *v, const struct wait_stretch *s, u64 ns,
		       enum wait_part part)
{
	if (s->weight > 1)
		v->squares[part] += (double)ns * (double)ns;
}

struct wait_values *waits_whole_of(const struct waits *w, const struct wait_def *d)
{
	return d->whole ? &w->whole.items[d->whole - 1] : NULL;
}

struct wait_values *waits_window_of(struct waits *w, struct wait_def *d,
				    const struct wait_stretch *s)
{
	if (!s->is_whole)
		return &d->now;
	if (!d->whole) {
		vec_push(&w->whole, (struct wait_values){ 0 });
		d->whole = (u32)w->whole.n;
	}
	return waits_whole_of(w, d);
}

static struct wait_values *values_in(struct waits *w, struct wait_def *d,
				     const struct wait_stretch *s, u32 window)
{
	return window ? values_of(w, d, window) : waits_window_of(w, d, s);
}

void waits_add_part(struct waits *w, struct wait_def *d, const struct wait_stretch *s, u64 from,
		    u64 to, enum wait_part part)
{
	if (w->conf.keeps_times)
		waits_keep_piece(w, d, max_of(from, s->from), to, part);
	for (u32 i = 0; i < 3; i++) {
		u64 ns = part_in(w, i, max_of(from, s->from), to);

		if (!ns)
			continue;
		values_in(w, d, s, i)->ns[part] += ns * s->weight;
		if (w->conf.split)
			add_square(values_in(w, d, s, i), s, ns, part);
	}
}

void waits_add_path(struct waits *w, struct wait_def *d, const struct wait_stretch *s, u64 from,
		    u64 to, u32 link)
{
	for (u32 i = 0; i < 3; i++) {
		u64 ns = part_in(w, i, max_of(from, s->from), to);

		if (ns)
			*path_of(w, d, i, link) += ns;
	}
}

/* The square of the whole time, for rows that are not split into parts. */
void waits_add_whole_square(struct waits *w, struct wait_def *d, const struct wait_stretch *s,
			    u64 from, u64 to)
{
	for (u32 i = 0; i < 3; i++) {
		u64 ns = part_in(w, i, max_of(from, s->from), to);

		if (ns)
			add_square(values_in(w, d, s, i), s, ns, 0);
	}
}

/* ---- threads: how far they are counted ---- */

static struct wait_credit *find_credit(struct waits *w, u32 pid, u64 start_time)
{
	size_t at = 0;
	u32 i;

	while (index_next(&w->by_credit, hash_mix(pid, 0), &at, &i)) {
		struct wait_credit *c = &w->credits.items[i];

		if (c->pid == pid && c->start_time == start_time)
			return c;
	}
	return NULL;
}

struct wait_sleeper *waits_find_sleeper(struct waits *w, u32 pid, u64 start_time)
{
	size_t at = 0;
	u32 i;

	while (index_next(&w->by_sleeper, hash_mix(pid, 0), &at, &i)) {
		struct wait_sleeper *s = &w->sleepers.items[i];

		if (s->pid == pid && s->start_time == start_time)
			return s;
	}
	return NULL;
}

/* The credit belongs to this interval, or to one that spans the end of the credit: in this case,
 * the hook was running while user space read the thread. */
struct wait_credit *waits_credit_of(struct waits *w, u32 pid, u64 start_time, u64 off_ns, u64 on_ns)
{
	struct wait_credit *c = find_credit(w, pid, start_time);

	if (c && (c->off_ns == off_ns || (off_ns < c->until_ns && on_ns > c->until_ns)))
		return c;
	return NULL;
}

u64 waits_uncounted_from(struct waits *w, u32 pid, u64 start_time, u64 off_ns, u64 on_ns)
{
	const struct wait_credit *c = waits_credit_of(w, pid, start_time, off_ns, on_ns);

	if (c)
		return c->until_ns;
	/* For a wait of an unknown thread: earlier windows have already been reported. */
	if (!off_ns && !waits_find_sleeper(w, pid, start_time))
		return max_of(w->start_ns, start_time);
	return w->begin_ns;
}

void waits_know_thread(struct waits *w, u32 pid, u64 start_time)
{
	struct wait_sleeper *s = waits_find_sleeper(w, pid, start_time);

	if (s)
		s->is_known = true;
}

struct wait_credit *waits_set_credit(struct waits *w, u32 pid, u64 start_time, u64 off_ns)
{
	struct wait_credit *c = find_credit(w, pid, start_time);

	if (!c) {
		index_add(&w->by_credit, hash_mix(pid, 0), (u32)w->credits.n);
		vec_push(&w->credits, (struct wait_credit){ .pid = pid, .start_time = start_time });
		c = &w->credits.items[w->credits.n - 1];
	}
	if (c->off_ns != off_ns)
		c->utime = c->stime = 0;
	c->off_ns = off_ns;
	c->until_ns = w->cut_ns;
	c->is_unfit = c->is_whole = false;
	return c;
}
