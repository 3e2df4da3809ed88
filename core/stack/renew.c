// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "stack/renew.h"

#include "base/clock.h"
#include "base/memlimit.h"

/* To send all stacks again costs some microseconds each: not worth it if only a few can be
 * forgotten. */
#define RENEW_NS  (5 * NS_PER_SEC)
#define WORTH_MIN 128
#define KNOWN_MIN 8192

void collect_renew(struct collect *c, u64 now)
{
	__atomic_add_fetch(c->kernel.generation, 1, __ATOMIC_RELEASE);
	c->generation_ns = now;
}

/* At least an eighth of all; any number if memory is full. */
static bool is_worth(const struct collect *c, size_t n)
{
	return mem_is_over() ? n > 0 : n >= WORTH_MIN && n >= c->store.entries.n / 8;
}

static bool has_grown(const struct collect *c)
{
	return symbolizer_size(c->sym) > 2 * c->known_after + KNOWN_MIN;
}

static void forget(struct collect *c, u32 generation)
{
	c->source->forget(c->source_ctx, generation);
	c->known_after = symbolizer_size(c->sym);
	mem_trim();
}

/* Stacks below [other stacks] can be shown again if there is room by now. */
static bool could_unfold(const struct collect *c)
{
	return c->store.n_ids && !mem_is_over();
}

void collect_forget(struct collect *c)
{
	u32 settled = c->generations[0];
	struct store_idle idle;
	u64 now = now_ns();

	c->generations[0] = c->generations[1];
	c->generations[1] = *c->kernel.generation;
	if (c->source->hold)
		c->source->hold(c->source_ctx);
	store_age(&c->store);
	idle = store_idle(&c->store, settled);
	if (is_worth(c, idle.n_settled) || has_grown(c))
		forget(c, settled);
	else if (now - c->generation_ns >= RENEW_NS && (is_worth(c, idle.n) || could_unfold(c)))
		collect_renew(c, now);
}
