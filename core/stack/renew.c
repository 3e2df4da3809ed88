// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "stack/renew.h"

#include "base/clock.h"
#include "base/memlimit.h"

/* Sending a stack again costs some microseconds, which is not worth it if only a few stacks can be
 * forgotten. */
#define RENEW_NS    (5 * NS_PER_SEC)
/* Replaced code causes a renewal at most this often. */
#define REPLACED_NS NS_PER_SEC
/* For reports in quick succession: a program that was preempted may still count under an old id. */
#define SETTLE_NS   (100 * NS_PER_MS)
#define WORTH_MIN   128
#define KNOWN_MIN   8192

void renewal_begin(struct renewal *r, u64 now)
{
	__atomic_add_fetch(r->generation, 1, __ATOMIC_RELEASE);
	r->begun_ns = now;
}

void renewal_tick(struct renewal *r, struct symbolizer *sym, u64 now)
{
	if (now - r->begun_ns >= REPLACED_NS && symbolizer_is_code_replaced(sym))
		renewal_begin(r, now);
}

/* Worth it: at least an eighth of all entries; any number if memory is full. */
static bool is_worth(const struct store *s, size_t n)
{
	return mem_is_over() ? n > 0 : n >= WORTH_MIN && n >= s->entries.n / 8;
}

static bool has_grown(const struct renewal *r, const struct store *s)
{
	return symbolizer_size(s->sym) > 2 * r->known_after + KNOWN_MIN;
}

/* Stacks below [other stacks] can be shown again if there is enough memory now. */
static bool could_unfold(const struct store *s)
{
	return s->n_ids && !mem_is_over();
}

/* Returns the generation before which no id is made or counted any more. */
static u32 settle(struct renewal *r, u64 now)
{
	u32 settled = r->generations[0];

	if (now - r->settled_ns < SETTLE_NS)
		return settled;
	r->generations[0] = r->generations[1];
	r->generations[1] = *r->generation;
	r->settled_ns = now;
	return settled;
}

bool renewal_is_due(struct renewal *r, struct store *s, u32 *settled)
{
	struct store_idle idle;
	u64 now = now_ns();

	*settled = settle(r, now);
	store_age(s);
	idle = store_idle(s, *settled);
	if (is_worth(s, idle.n_settled) || has_grown(r, s))
		return true;
	if (now - r->begun_ns >= RENEW_NS && (is_worth(s, idle.n) || could_unfold(s)))
		renewal_begin(r, now);
	return false;
}

void renewal_end(struct renewal *r, const struct store *s)
{
	r->known_after = symbolizer_size(s->sym);
	mem_trim();
}
