// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/sparse.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void sparse_cover(struct sparse *w, u32 from, u32 end)
{
	u32 new_from = w->n && w->from < from ? w->from : from;
	u32 new_end = w->n && w->from + w->n > end ? w->from + w->n : end;
	u64 *v;

	if (w->n && new_from == w->from && new_end == w->from + w->n)
		return;
	v = mem_alloc(new_end - new_from, sizeof(*v));
	if (w->n)
		memcpy(v + (w->from - new_from), w->v, w->n * sizeof(*v));
	free(w->v);
	*w = (struct sparse){ new_from, new_end - new_from, v };
}

u64 sparse_at(const struct sparse *w, u32 i)
{
	return i >= w->from && i - w->from < w->n ? w->v[i - w->from] : 0;
}

void sparse_release(struct sparse *w)
{
	free(w->v);
	*w = (struct sparse){ 0 };
}
