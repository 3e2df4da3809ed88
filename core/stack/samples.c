// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "stack/samples.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/memlimit.h"
#include "model/order.h"

void samples_add(struct samples *s, struct store *store, const struct stack_sample *sample)
{
	u32 entry = store_find(store, sample->id.hash);

	/* The ring had no room for the stack: the sample is among those of lost stacks. */
	if (entry == STORE_NONE)
		return;
	if (mem_is_over()) {
		s->is_full = true;
		return;
	}
	vec_push(&s->kept, (struct kept_sample){
				   .time_ns = sample->time_ns,
				   .entry = entry,
				   .pid = sample->tgid,
				   .tid = sample->tid,
				   .cpu = sample->cpu,
				   .window = sample->window,
			   });
}

void samples_move(struct samples *s, const u32 *to)
{
	size_t n = 0;

	for (size_t i = 0; i < s->kept.n; i++) {
		struct kept_sample sample = s->kept.items[i];

		sample.entry = to[sample.entry];
		if (sample.entry != STORE_NONE)
			s->kept.items[n++] = sample;
	}
	s->kept.n = n;
}

static int time_cmp(const void *a, const void *b)
{
	const struct timed_sample *x = a, *y = b;
	int c = num_cmp(x->time_ns, y->time_ns);

	return c ? c : num_cmp(x->cpu, y->cpu);
}

/* Warn once per report of samples that have a place in the counts, but no time. */
static void say_untimed(const struct samples *s, struct report *r)
{
	u64 n = r->total > r->samples.n ? r->total - r->samples.n : 0;

	r->n_untimed = n;
	if (n)
		log_warn(
			"samples-untimed",
			n == 1 ? "%llu of %llu samples was counted without its time (%s): outputs of single "
				 "samples lack it"
			       : "%llu of %llu samples were counted without their times (%s): outputs of single "
				 "samples lack them",
			n, r->total, s->is_full ? "--max-memory" : "the ring was full");
}

void samples_report(struct samples *s, const struct store_view *view, u64 start_ns,
		    struct report *out)
{
	size_t n = 0;

	for (size_t i = 0; i < s->kept.n; i++) {
		const struct kept_sample k = s->kept.items[i];
		bool is_in = view->is_last || k.window <= view->window;

		if (is_in && view->rows[k.entry])
			vec_push(&out->samples,
				 (struct timed_sample){
					 .time_ns = k.time_ns > start_ns ? k.time_ns - start_ns : 0,
					 .n = 1,
					 .row = view->rows[k.entry] - 1,
					 .pid = k.pid,
					 .tid = k.tid,
					 .cpu = k.cpu,
				 });
		if (!is_in || view->is_snapshot)
			s->kept.items[n++] = k;
	}
	s->kept.n = n;
	if (out->samples.n)
		qsort(out->samples.items, out->samples.n, sizeof(*out->samples.items), time_cmp);
	say_untimed(s, out);
	s->is_full = false;
}

void samples_release(struct samples *s)
{
	vec_release(&s->kept);
}
