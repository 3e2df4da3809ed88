// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "event/reorder.h"

#include <string.h>

void reorder_init(struct reorder *b, u64 delay_ns)
{
	*b = (struct reorder){ .delay_ns = delay_ns };
}

void reorder_release(struct reorder *b)
{
	vec_release(&b->waiting);
	vec_release(&b->fresh);
	vec_release(&b->bytes);
	vec_release(&b->spare);
}

size_t reorder_bytes(const struct reorder *b)
{
	return b->bytes.n - b->given;
}

static size_t room_of(const struct reorder_item *r)
{
	return (r->n + 7UL) & ~7UL;
}

void *reorder_add(struct reorder *b, u64 time_ns, const void *data, size_t n)
{
	const struct reorder_item r = {
		.time_ns = time_ns,
		.serial = b->serial++,
		.at = b->bytes.n,
		.n = (u32)n,
		.is_late = time_ns < b->shown_ns,
	};

	b->n_late += r.is_late;
	vec_push(&b->fresh, r);
	vec_reserve(&b->bytes, room_of(&r));
	if (b->bytes.items) /* reorder_next() was not called yet */
		memcpy(b->bytes.items + r.at, data, n);
	b->bytes.n += room_of(&r);
	return b->bytes.items + r.at;
}

static int compare(const void *a, const void *b)
{
	const struct reorder_item *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return (x->time_ns > y->time_ns) - (x->time_ns < y->time_ns);
	return (x->serial > y->serial) - (x->serial < y->serial);
}

static void sort_fresh(struct reorder *b)
{
	for (size_t i = 1; i < b->fresh.n; i++)
		if (compare(&b->fresh.items[i - 1], &b->fresh.items[i]) > 0) {
			qsort(b->fresh.items, b->fresh.n, sizeof(*b->fresh.items), compare);
			return;
		}
}

/* Remove the records that were returned; the order of the others is kept. */
static void leave_behind(struct reorder *b)
{
	__typeof__(b->bytes) old = b->bytes;

	b->waiting.n -= b->next;
	memmove(b->waiting.items, b->waiting.items + b->next,
		b->waiting.n * sizeof(*b->waiting.items));
	b->next = 0;
	b->spare.n = 0;
	vec_reserve(&b->spare, b->bytes.n - b->given);
	for (size_t i = 0; i < b->waiting.n; i++) {
		struct reorder_item *r = &b->waiting.items[i];

		memcpy(b->spare.items + b->spare.n, b->bytes.items + r->at, r->n);
		r->at = b->spare.n;
		b->spare.n += room_of(r);
	}
	b->bytes = b->spare;
	b->spare = old;
	b->given = 0;
}

/* Insert the new records into the waiting ones, starting at the end, because they are mostly
 * newer. */
static void merge(struct reorder *b)
{
	size_t i = b->waiting.n, k = b->fresh.n;

	if (!k)
		return;
	sort_fresh(b);
	vec_reserve(&b->waiting, k);
	b->waiting.n += k;
	while (k) {
		struct reorder_item *to = &b->waiting.items[i + k - 1];

		if (i > b->next && compare(&b->waiting.items[i - 1], &b->fresh.items[k - 1]) > 0)
			*to = b->waiting.items[--i];
		else
			*to = b->fresh.items[--k];
	}
	b->fresh.n = 0;
	if (b->given > b->bytes.n / 2)
		leave_behind(b);
}

void *reorder_next(struct reorder *b, u64 until_ns, size_t *n, bool *is_late)
{
	struct reorder_item *r;

	merge(b);
	if (b->next == b->waiting.n) {
		b->waiting.n = b->bytes.n = b->next = b->given = 0;
		return NULL;
	}
	r = &b->waiting.items[b->next];
	if (!r->is_late && until_ns != UINT64_MAX && r->time_ns + b->delay_ns > until_ns)
		return NULL;
	b->next++;
	b->given += room_of(r);
	if (r->time_ns > b->shown_ns)
		b->shown_ns = r->time_ns;
	*n = r->n;
	*is_late = r->is_late;
	return b->bytes.items + r->at;
}

void reorder_visit(struct reorder *b, void (*visit)(void *ctx, void *record), void *ctx)
{
	const struct reorder_item *r;

	for (size_t i = b->next; i < b->waiting.n; i++)
		visit(ctx, b->bytes.items + b->waiting.items[i].at);
	vec_for_each(r, &b->fresh)
		visit(ctx, b->bytes.items + r->at);
}
