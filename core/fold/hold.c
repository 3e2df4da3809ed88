// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "fold/hold.h"

#include <string.h>

void hold_init(struct hold *h, u64 hold_ns)
{
	*h = (struct hold){ .hold_ns = hold_ns };
}

static void release_batch(struct hold_batch *b)
{
	vec_release(&b->v);
	vec_release(&b->bytes);
}

void hold_release(struct hold *h)
{
	release_batch(&h->waiting);
	release_batch(&h->fresh);
}

size_t hold_bytes(const struct hold *h)
{
	return h->waiting.bytes.n + h->fresh.bytes.n;
}

static void *put(struct hold_batch *b, const struct held *r, const void *data)
{
	size_t room = (r->n + 7UL) & ~7UL;
	struct held copy = *r;

	copy.at = b->bytes.n;
	vec_reserve(&b->bytes, room);
	if (b->bytes.items) /* nothing was asked for */
		memcpy(b->bytes.items + b->bytes.n, data, r->n);
	b->bytes.n += room;
	vec_push(&b->v, copy);
	return b->bytes.items + copy.at;
}

void *hold_add(struct hold *h, u64 time_ns, const void *data, size_t n)
{
	const struct held r = {
		.time_ns = time_ns,
		.serial = h->serial++,
		.n = (u32)n,
		.is_late = time_ns < h->shown_ns,
	};

	h->n_late += r.is_late;
	return put(&h->fresh, &r, data);
}

static int compare(const void *a, const void *b)
{
	const struct held *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return (x->time_ns > y->time_ns) - (x->time_ns < y->time_ns);
	return (x->serial > y->serial) - (x->serial < y->serial);
}

static bool is_sorted(const struct hold_batch *b)
{
	for (size_t i = 1; i < b->v.n; i++)
		if (compare(&b->v.items[i - 1], &b->v.items[i]) > 0)
			return false;
	return true;
}

/* What waits and what came, as one ordered run.  One CPU's records come in order, mostly. */
static void merge(struct hold *h)
{
	struct hold_batch out = { 0 }, *w = &h->waiting, *f = &h->fresh;
	size_t i = h->next, k = 0;

	if (!f->v.n)
		return;
	if (!is_sorted(f))
		qsort(f->v.items, f->v.n, sizeof(*f->v.items), compare);
	if (i == w->v.n) { /* nothing waits: no copy */
		out = *w;
		*w = *f;
		*f = out;
		f->v.n = f->bytes.n = 0;
		h->next = 0;
		return;
	}
	while (i < w->v.n || k < f->v.n) {
		bool from_waiting =
			k == f->v.n || (i < w->v.n && compare(&w->v.items[i], &f->v.items[k]) <= 0);
		const struct hold_batch *b = from_waiting ? w : f;
		const struct held *r = &b->v.items[from_waiting ? i++ : k++];

		put(&out, r, b->bytes.items + r->at);
	}
	release_batch(w);
	*w = out;
	f->v.n = f->bytes.n = 0;
	h->next = 0;
}

void *hold_next(struct hold *h, u64 until_ns, size_t *n, bool *is_late)
{
	struct held *r;

	merge(h);
	if (h->next == h->waiting.v.n) {
		h->waiting.v.n = h->waiting.bytes.n = h->next = 0;
		return NULL;
	}
	r = &h->waiting.v.items[h->next];
	if (!r->is_late && until_ns != UINT64_MAX && r->time_ns + h->hold_ns > until_ns)
		return NULL;
	h->next++;
	if (r->time_ns > h->shown_ns)
		h->shown_ns = r->time_ns;
	*n = r->n;
	*is_late = r->is_late;
	return h->waiting.bytes.items + r->at;
}
