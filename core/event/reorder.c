// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "event/reorder.h"

#include <string.h>

void hold_init(struct hold *h, u64 hold_ns)
{
	*h = (struct hold){ .hold_ns = hold_ns };
}

void hold_release(struct hold *h)
{
	vec_release(&h->waiting);
	vec_release(&h->fresh);
	vec_release(&h->bytes);
	vec_release(&h->spare);
}

size_t hold_bytes(const struct hold *h)
{
	return h->bytes.n - h->given;
}

static size_t room_of(const struct reorder_item *r)
{
	return (r->n + 7UL) & ~7UL;
}

void *hold_add(struct hold *h, u64 time_ns, const void *data, size_t n)
{
	const struct reorder_item r = {
		.time_ns = time_ns,
		.serial = h->serial++,
		.at = h->bytes.n,
		.n = (u32)n,
		.is_late = time_ns < h->shown_ns,
	};

	h->n_late += r.is_late;
	vec_push(&h->fresh, r);
	vec_reserve(&h->bytes, room_of(&r));
	if (h->bytes.items) /* hold_next() was not called yet */
		memcpy(h->bytes.items + r.at, data, n);
	h->bytes.n += room_of(&r);
	return h->bytes.items + r.at;
}

static int compare(const void *a, const void *b)
{
	const struct reorder_item *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return (x->time_ns > y->time_ns) - (x->time_ns < y->time_ns);
	return (x->serial > y->serial) - (x->serial < y->serial);
}

static void sort_fresh(struct hold *h)
{
	for (size_t i = 1; i < h->fresh.n; i++)
		if (compare(&h->fresh.items[i - 1], &h->fresh.items[i]) > 0) {
			qsort(h->fresh.items, h->fresh.n, sizeof(*h->fresh.items), compare);
			return;
		}
}

/* Remove the records that were returned; the order of the others is kept. */
static void leave_behind(struct hold *h)
{
	__typeof__(h->bytes) old = h->bytes;

	h->waiting.n -= h->next;
	memmove(h->waiting.items, h->waiting.items + h->next,
		h->waiting.n * sizeof(*h->waiting.items));
	h->next = 0;
	h->spare.n = 0;
	vec_reserve(&h->spare, h->bytes.n - h->given);
	for (size_t i = 0; i < h->waiting.n; i++) {
		struct reorder_item *r = &h->waiting.items[i];

		memcpy(h->spare.items + h->spare.n, h->bytes.items + r->at, r->n);
		r->at = h->spare.n;
		h->spare.n += room_of(r);
	}
	h->bytes = h->spare;
	h->spare = old;
	h->given = 0;
}

/* Insert the new records into the waiting ones, starting at the end, because they are mostly
 * newer. */
static void merge(struct hold *h)
{
	size_t i = h->waiting.n, k = h->fresh.n;

	if (!k)
		return;
	sort_fresh(h);
	vec_reserve(&h->waiting, k);
	h->waiting.n += k;
	while (k) {
		struct reorder_item *to = &h->waiting.items[i + k - 1];

		if (i > h->next && compare(&h->waiting.items[i - 1], &h->fresh.items[k - 1]) > 0)
			*to = h->waiting.items[--i];
		else
			*to = h->fresh.items[--k];
	}
	h->fresh.n = 0;
	if (h->given > h->bytes.n / 2)
		leave_behind(h);
}

void *hold_next(struct hold *h, u64 until_ns, size_t *n, bool *is_late)
{
	struct reorder_item *r;

	merge(h);
	if (h->next == h->waiting.n) {
		h->waiting.n = h->bytes.n = h->next = h->given = 0;
		return NULL;
	}
	r = &h->waiting.items[h->next];
	if (!r->is_late && until_ns != UINT64_MAX && r->time_ns + h->hold_ns > until_ns)
		return NULL;
	h->next++;
	h->given += room_of(r);
	if (r->time_ns > h->shown_ns)
		h->shown_ns = r->time_ns;
	*n = r->n;
	*is_late = r->is_late;
	return h->bytes.items + r->at;
}

void hold_for_each(struct hold *h, void (*visit)(void *ctx, void *record), void *ctx)
{
	const struct reorder_item *r;

	for (size_t i = h->next; i < h->waiting.n; i++)
		visit(ctx, h->bytes.items + h->waiting.items[i].at);
	vec_for_each(r, &h->fresh)
		visit(ctx, h->bytes.items + r->at);
}
