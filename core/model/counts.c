// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The order of the rows of `funccount`. */
#include <stdlib.h>

#include "model/order.h"
#include "model/report.h"

static int count_cmp(const void *a, const void *b, void *report)
{
	const struct report *r = report;
	const struct count_row *x = &r->counts.items[*(const u32 *)a];
	const struct count_row *y = &r->counts.items[*(const u32 *)b];
	int c = num_cmp(y->value, x->value);

	c = c ? c : text_cmp(x->name, y->name);
	c = c ? c : text_cmp(x->mod, y->mod);
	for (u32 i = 0; !c && x->key && y->key && i < r->count_view.n_keys; i++)
		c = text_cmp(x->key[i], y->key[i]);
	return c ? c : num_cmp(*(const u32 *)a, *(const u32 *)b);
}

u32 *report_counts(const struct report *r)
{
	u32 *order = mem_alloc(r->counts.n + 1, sizeof(*order));

	for (u32 i = 0; i < r->counts.n; i++)
		order[i] = i;
	if (!r->count_view.is_wide)
		qsort_r(order, r->counts.n, sizeof(*order), count_cmp, (void *)r);
	return order;
}
