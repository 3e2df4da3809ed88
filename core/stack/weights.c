// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "stack/weights.h"

#include "base/log.h"

void weights_add(struct weights *w, struct store *store, const struct stack_sample *sample)
{
	u32 entry = store_find(store, sample->id.hash);
	struct event_sum *sum;

	/* The ring had no room for the stack: the sample is among those of lost stacks. */
	if (entry == STORE_NONE)
		return;
	while (w->entries.n <= entry)
		vec_push(&w->entries, (struct entry_weights){ 0 });
	sum = &w->entries.items[entry].sums[sample->window & 1];
	sum->n++;
	sum->events += sample->period;
	sum->squares += (double)sample->period * (double)sample->period;
}

void weights_move(struct weights *w, const u32 *to)
{
	size_t n = 0;

	/* Entries keep their order. */
	for (size_t i = 0; i < w->entries.n; i++) {
		if (to[i] == STORE_NONE)
			continue;
		w->entries.items[to[i]] = w->entries.items[i];
		n = to[i] + 1;
	}
	w->entries.n = n;
}

static struct event_sum of_period(u64 n, u64 period)
{
	return (struct event_sum){ n, n * period, (double)n * (double)period * (double)period };
}

/* The samples of an entry in the view's windows. */
static struct event_sum take(struct weights *w, const struct store_view *view, size_t entry)
{
	u32 parities = store_parities(view->window, view->is_last);
	struct event_sum sum = { 0 };

	for (u32 i = 0; entry < w->entries.n && i < 2; i++) {
		struct event_sum *s = &w->entries.items[entry].sums[i];

		if (!(parities >> i & 1))
			continue;
		sum.n += s->n;
		sum.events += s->events;
		sum.squares += s->squares;
		if (!view->is_snapshot)
			*s = (struct event_sum){ 0 };
	}
	return sum;
}

/* Samples that were counted and did not arrive are taken to be like those that did. */
static struct event_sum fill_up(struct event_sum sum, u64 n)
{
	double by = sum.n ? (double)n / (double)sum.n : 1;

	if (n <= sum.n)
		return sum;
	return (struct event_sum){ sum.n, (u64)((double)sum.events * by + 0.5),
				   sum.squares * by * by };
}

static void say_lost(u64 n)
{
	if (n)
		log_warn(
			"samples-unweighted",
			n == 1 ? "%llu sample was counted without its period (the ring was full): its "
				 "number of events is estimated"
			       : "%llu samples were counted without their periods (the ring was full): their "
				 "number of events is estimated",
			n);
}

u64 weights_report(struct weights *w, const struct store_view *view, size_t n_entries,
		   struct report *out)
{
	u64 n_lost = 0;

	vec_push(&out->ratios, (struct ratio){ 0 });
	for (size_t i = 0; i < n_entries; i++) {
		struct event_sum sum = take(w, view, i);
		struct stack_row *row;
		struct ratio ratio = { 0 };
		bool is_second;
		u64 period;

		if (!view->rows[i])
			continue;
		row = &out->stacks.items[view->rows[i] - 1];
		is_second = !row->value;
		period = is_second ? w->second_period : w->first_period;
		n_lost += !period && row->count > sum.n ? row->count - sum.n : 0;
		sum = period ? of_period(row->count, period) : fill_up(sum, row->count);
		*(is_second ? &ratio.second : &ratio.first) = sum;
		row->count = row->value;
		row->ratio = out->ratios.n;
		vec_push(&out->ratios, ratio);
	}
	report_sum_ratios(out);
	say_lost(n_lost);
	return n_lost;
}

void weights_release(struct weights *w)
{
	vec_release(&w->entries);
}
