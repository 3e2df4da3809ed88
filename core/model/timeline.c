// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "model/timeline.h"

#include <stdlib.h>

#include "model/order.h"

static int bin_cmp(const void *a, const void *b)
{
	const struct timeline_bin *x = a, *y = b;
	int c = num_cmp(x->row, y->row);

	return c ? c : num_cmp(x->bin, y->bin);
}

static void merge_equal(struct timeline *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->bins.n; i++) {
		struct timeline_bin bin = t->bins.items[i];

		if (n && !bin_cmp(&t->bins.items[n - 1], &bin))
			t->bins.items[n - 1].n += bin.n;
		else
			t->bins.items[n++] = bin;
	}
	t->bins.n = n;
}

void timeline_make(const struct report *r, const struct merged *m, struct timeline *out)
{
	u32 *rows = merged_rows_of(m, r);
	const struct timed_sample *s;

	*out = (struct timeline){ 0 };
	vec_reserve(&out->bins, r->samples.n);
	vec_for_each(s, &r->samples)
		vec_push(&out->bins,
			 (struct timeline_bin){ .row = rows[s->row],
						.bin = (u32)(s->time_ns / TIMELINE_BIN_NS),
						.n = s->n });
	if (out->bins.n)
		qsort(out->bins.items, out->bins.n, sizeof(*out->bins.items), bin_cmp);
	merge_equal(out);
	free(rows);
}

void timeline_release(struct timeline *t)
{
	vec_release(&t->bins);
}
