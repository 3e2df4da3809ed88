// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The part of what was measured that the views show: all windows or the last one, one process or
 * all, and its difference from a baseline. */
#include <stdlib.h>

#include "live/live_int.h"

static const struct diff_opts diff_opts = { .basis = DIFF_SHARE, .z = 1.959964, .level = "95" };

/* Waits through a whole window are threads that had no work, unless the run lists them. */
static bool hides_whole(const struct live *l, const struct report *r)
{
	return r->whole.n && !l->has_idle && !current_source(l)->saved.run.opens_whole;
}

static bool is_wanted(const struct live *l, const struct report *r, const struct stack_row *row)
{
	if (row->is_whole && hides_whole(l, r))
		return false;
	return l->only_pid < 0 || r->tasks[row->task].pid == l->only_pid;
}

/* A copy with its own rows; everything else is borrowed. */
static struct report part_of(const struct live *l, const struct report *r)
{
	struct report part = *r;
	const struct stack_row *row;
	bool is_part = r->stacks.n && (l->only_pid >= 0 || hides_whole(l, r));

	part.stacks = (__typeof__(part.stacks)){ 0 };
	if (is_part)
		part.total = part.whole.n = part.whole.value = 0;
	vec_for_each(row, &r->stacks) {
		if (is_part && !is_wanted(l, r, row))
			continue;
		vec_push(&part.stacks, *row);
		if (is_part) {
			part.total += row->value;
			report_count_whole(&part, row);
		}
	}
	return part;
}

void shown_release(struct shown *s)
{
	if (s->has_diff)
		diff_release(&s->diff);
	vec_release(&s->report.stacks);
	vec_release(&s->before.stacks);
	*s = (struct shown){ 0 };
}

void shown_point(struct live *l)
{
	const struct live_source *source = current_source(l);

	if (!source->stream || !l->shown.drawn)
		return;
	saved_point(&source->saved, &l->shown.report);
	saved_point(&source->saved, &l->shown.before);
}

void shown_make(struct live *l)
{
	const struct live_source *source = current_source(l);
	struct shown *s = &l->shown;
	const struct report *all;
	struct err ignored = { 0 };

	shown_release(s);
	all = l->is_last ? &source->last : &source->sum;
	s->report = part_of(l, all);
	s->hidden = all->whole.value && hides_whole(l, all) ? all->whole.value : 0;
	s->report.run = &source->saved.run;
	s->drawn = &s->report;
	if (!source->has_baseline || !source->baseline.end_ns || !s->report.end_ns)
		return;
	s->before = part_of(l, &source->baseline);
	s->before.run = &source->saved.run;
	if (diff_check(&s->before, &s->report, &ignored))
		return;
	diff_make(&s->diff, &s->before, &s->report, &diff_opts);
	s->has_diff = true;
	s->drawn = &s->diff.joined;
}
