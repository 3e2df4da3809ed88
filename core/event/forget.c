// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Tells the symbolizer which locations no event needs any more. */
#include <stdlib.h>

#include "base/memlimit.h"
#include "event/stream.h"

/* Forgetting costs some microseconds for each location that is kept. */
#define KNOWN_MIN 8192

struct visit {
	void (*loc)(void *ctx, u32 *loc);
	void *ctx;
};

static void mark(void *ctx, u32 *loc)
{
	bool *used = ctx;

	used[*loc] = true;
}

static void move(void *ctx, u32 *loc)
{
	const u32 *to = ctx;

	*loc = to[*loc];
}

static void visit_held(void *ctx, void *record)
{
	struct event *e = record;
	const struct visit *v = ctx;
	u64 *frames = flow_frames(e);

	for (u32 i = 0; i < (u32)e->n_kernel + e->n_user; i++) {
		u32 loc = (u32)frames[i];

		v->loc(v->ctx, &loc);
		frames[i] = loc;
	}
}

static void for_each_loc(struct flow *f, void (*loc)(void *ctx, u32 *loc), void *ctx)
{
	struct visit v = { loc, ctx };

	reorder_visit(&f->reorder, visit_held, &v);
	flow_same_locs(f, loc, ctx);
}

static bool has_grown(const struct flow *f)
{
	size_t allowed = mem_is_over() ? f->known_after : 2 * f->known_after;

	return symbolizer_size(f->sym) > allowed + KNOWN_MIN;
}

void flow_forget(struct flow *f)
{
	bool *used;
	size_t n;
	u32 *to;

	if (!has_grown(f))
		return;
	symbolizer_frames(f->sym, &n);
	used = mem_alloc(n + 1, sizeof(*used));
	for_each_loc(f, mark, used);
	to = symbolizer_forget(f->sym, used);
	for_each_loc(f, move, to);
	f->known_after = symbolizer_size(f->sym);
	free(used);
	free(to);
	mem_trim();
}
