// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "probe/copies.h"

#include <stdlib.h>
#include <string.h>

void copies_release(struct copies *c)
{
	free(c->waiting);
	c->waiting = NULL;
}

static u32 walk(struct copies *c, const struct event_copy *rec, size_t size, u64 *frames,
		enum stack_end *end)
{
	const struct unwind_copy copy = {
		.tgid = rec->event.tgid,
		.exec_id = (u32)rec->exec_id,
		.regs = rec->regs,
		.bytes = rec->bytes,
		.n = size - offsetof(struct event_copy, bytes),
	};

	return unwinding_take(c->unwinding, &copy, frames, EVENT_MAX_FRAMES, end);
}

static u16 with_end(u16 flags, enum stack_end end)
{
	return (u16)((flags & ~(EVENT_END | EVENT_IS_COPY)) | end << EVENT_END_SHIFT);
}

static const struct event_stack *take_stack(struct copies *c, const struct event_copy *rec,
					    size_t size)
{
	struct event_stack *st = &c->stack;
	enum stack_end end;
	u32 n = walk(c, rec, size, (u64 *)st->frames, &end);

	st->event = rec->event;
	memcpy(st->id, rec->id, sizeof(st->id));
	st->generation = rec->generation;
	st->event.flags = with_end(rec->event.flags, end);
	st->event.n_kernel = 0;
	st->event.n_user = (u8)n;
	st->event.bytes = (u32)(offsetof(struct event_stack, frames) + n * sizeof(u64));
	return st;
}

static void keep(struct copies *c, const struct event_copy *rec, size_t size)
{
	struct copied *to;

	if (!c->waiting)
		c->waiting = mem_alloc(COPIES_WAITING, sizeof(*c->waiting));
	to = &c->waiting[c->next++ % COPIES_WAITING];
	to->time_ns = rec->event.time_ns;
	to->cpu = rec->event.cpu;
	to->probe = rec->event.probe;
	to->n = walk(c, rec, size, to->frames, &to->end);
}

const struct event_stack *copies_take(struct copies *c, const struct event *rec, size_t size)
{
	const struct event_copy *copy = (const void *)rec;

	if (size < offsetof(struct event_copy, bytes))
		return NULL;
	if (rec->flags & EVENT_IS_STACK)
		return take_stack(c, copy, size);
	keep(c, copy, size);
	return NULL;
}

static struct copied *find(struct copies *c, const struct event *e)
{
	for (u32 i = 0; c->waiting && i < COPIES_WAITING; i++) {
		struct copied *at = &c->waiting[i];

		if (at->time_ns == e->time_ns && at->cpu == e->cpu && at->probe == e->probe)
			return at;
	}
	return NULL;
}

struct event *copies_join(struct copies *c, const struct event *e)
{
	static const struct copied none = { .end = STACK_END_LATE };
	struct copied *found = find(c, e);
	const struct copied *copied = found ? found : &none;
	size_t n = copied->n * sizeof(u64);
	struct event *out = mem_alloc(1, e->bytes + n);

	memcpy(out, e, e->bytes);
	memcpy((u8 *)out + e->bytes, copied->frames, n);
	out->bytes += (u32)n;
	out->n_user = (u8)copied->n;
	out->flags = with_end(e->flags, copied->end);
	if (found)
		found->time_ns = 0;
	return out;
}
