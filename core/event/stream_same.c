// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* trace -A and --unique: identical events are counted and shown at the end, or only the first is
 * shown. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memlimit.h"
#include "base/stop.h"
#include "event/stream.h"

#define SAME_MAX   (1 << 20)
#define OTHER_TEXT "[other events]"

struct flow_same {
	u32 probe, site, tgid, tid, uid, cpu;
	char comm[17];
	u64 count, time_ns, hash;
	u32 n_kernel, n_user;
	bool is_user_missing;
	size_t n_text;
	u32 *locs; /* kernel frames, then user frames */
	char *text;
};

static bool is_same(const struct flow_same *a, const struct flow_same *b)
{
	return a->probe == b->probe && a->site == b->site && a->tgid == b->tgid &&
	       a->tid == b->tid && !strcmp(a->comm, b->comm) && a->n_text == b->n_text &&
	       !memcmp(a->text, b->text, a->n_text) && a->n_kernel == b->n_kernel &&
	       a->n_user == b->n_user &&
	       !memcmp(a->locs, b->locs, sizeof(u32) * (a->n_kernel + a->n_user));
}

static u64 hash_of(const struct flow_same *s)
{
	return hash_mix(hash_bytes(s->text, s->n_text),
			hash_bytes(s->locs, (s->n_kernel + s->n_user) * sizeof(u32)) ^ s->tid);
}

static struct flow_same *find_same(struct flow *f, const struct flow_same *want)
{
	size_t at = 0;
	u32 i;

	while (index_next(&f->by_hash, want->hash, &at, &i))
		if (is_same(f->same.items[i], want))
			return f->same.items[i];
	return NULL;
}

static struct flow_same *add_same(struct flow *f, const struct flow_same *want)
{
	u32 n_locs = want->n_kernel + want->n_user;
	struct flow_same *same = mem_alloc(1, sizeof(*same));

	*same = *want;
	same->text = mem_strndup(want->text, want->n_text);
	same->locs = mem_alloc(n_locs + 1, sizeof(u32));
	memcpy(same->locs, want->locs, n_locs * sizeof(u32));
	index_add(&f->by_hash, want->hash, (u32)f->same.n);
	vec_push(&f->same, same);
	return same;
}

/* Memory does not allow another row: further events of each site share one row. */
static struct flow_same *other_same(struct flow *f, const struct event *e)
{
	u32 none = 0;
	struct flow_same want = {
		.probe = e->probe,
		.site = e->site,
		.comm = "[other]",
		.n_text = sizeof(OTHER_TEXT) - 1,
		.text = (char[]){ OTHER_TEXT },
		.locs = &none,
	};

	f->n_folded++;
	want.hash = hash_of(&want);
	return find_same(f, &want) ?: add_same(f, &want);
}

bool flow_same_count(struct flow *f, const struct event *e, const struct event_row *row)
{
	u32 locs[2 * (EVENT_MAX_FRAMES + 1)];
	struct flow_same want = {
		.probe = e->probe,
		.site = e->site,
		.tgid = e->tgid,
		.tid = e->tid,
		.uid = e->uid,
		.cpu = e->cpu,
		.time_ns = row->time_ns,
		.n_kernel = row->n_kernel,
		.n_user = row->n_user,
		.is_user_missing = row->is_user_missing,
		.n_text = row->text.n,
		.text = (char *)(uintptr_t)row->text.p,
		.locs = locs,
	};
	struct flow_same *same;
	bool is_first;

	memcpy(want.comm, e->comm, sizeof(e->comm));
	memcpy(locs, row->kernel, row->n_kernel * sizeof(u32));
	memcpy(locs + row->n_kernel, row->user, row->n_user * sizeof(u32));
	want.hash = hash_of(&want);
	same = find_same(f, &want);
	is_first = !same;
	if (is_first && f->same.n < SAME_MAX && !mem_is_over())
		same = add_same(f, &want);
	else if (is_first && f->opts.aggregate)
		same = other_same(f, e);
	if (same)
		same->count++;
	return is_first;
}

void flow_same_locs(struct flow *f, void (*visit)(void *ctx, u32 *loc), void *ctx)
{
	index_release(&f->by_hash);
	for (size_t i = 0; i < f->same.n; i++) {
		struct flow_same *s = f->same.items[i];

		for (u32 k = 0; k < s->n_kernel + s->n_user; k++)
			visit(ctx, &s->locs[k]);
		s->hash = hash_of(s);
		index_add(&f->by_hash, s->hash, (u32)i);
	}
}

static int by_count(const void *a, const void *b)
{
	const struct flow_same *x = *(const struct flow_same *const *)a,
			       *y = *(const struct flow_same *const *)b;

	if (x->count != y->count)
		return (x->count < y->count) - (x->count > y->count);
	return (x->time_ns > y->time_ns) - (x->time_ns < y->time_ns);
}

int flow_show_same(struct flow *f, struct err *err)
{
	size_t n;

	if (!f->opts.aggregate || !f->same.n)
		return 0;
	qsort(f->same.items, f->same.n, sizeof(*f->same.items), by_count);
	symbolizer_resolve(f->sym, &(struct sym_budget){ .stop = stop_impatience() });
	for (size_t i = 0; i < f->same.n; i++) {
		const struct flow_same *s = f->same.items[i];
		const struct site *site = &f->probes->v.items[s->probe]->plan.sites.items[s->site];
		const struct event_row row = {
			.time_ns = s->time_ns,
			.cpu = s->cpu,
			.tgid = s->tgid,
			.tid = s->tid,
			.uid = s->uid,
			.comm = s->comm,
			.probe = site->name,
			.func = site->func,
			.text = { s->text, s->n_text },
			.frames = symbolizer_frames(f->sym, &n),
			.kernel = s->locs,
			.user = s->locs + s->n_kernel,
			.n_kernel = s->n_kernel,
			.n_user = s->n_user,
			.wants_kernel = f->opts.kernel_stacks,
			.wants_user = f->opts.user_stacks,
			.is_user_missing = s->is_user_missing,
			.count = s->count,
		};

		output_event(f->out, &row);
	}
	return output_flush(f->out, err);
}

static void free_same(struct flow_same *s)
{
	free(s->locs);
	free(s->text);
	free(s);
}

void flow_same_release(struct flow *f)
{
	for (size_t i = 0; i < f->same.n; i++)
		free_same(f->same.items[i]);
	vec_release(&f->same);
	index_release(&f->by_hash);
}
