// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "render/tasktable.h"

#include <stdlib.h>

#include "render/textwriter.h"
#include "render/units.h"

#define ROWS_MAX 5

static int sum_cmp(const void *a, const void *b)
{
	const struct task_sum *x = a, *y = b;

	if (x->value != y->value)
		return x->value < y->value ? 1 : -1;
	return (x->rank > y->rank) - (x->rank < y->rank);
}

size_t tasks_sum(const struct report *r, struct task_sum **out)
{
	struct task_sum *sums = mem_alloc(r->n_tasks + 1, sizeof(*sums));
	const struct stack_row *row;
	struct merged m;
	size_t n = 0;

	report_merge(r, BY_TEXT, &m);
	vec_for_each(row, &m.rows) {
		struct task_sum *s = &sums[m.tasks[row->task]];

		s->task = row->task;
		s->rank = m.tasks[row->task];
		s->value += row->value;
	}
	for (size_t i = 0; i < r->n_tasks; i++)
		if (sums[i].value)
			sums[n++] = sums[i];
	qsort(sums, n, sizeof(*sums), sum_cmp);
	merged_release(&m);
	*out = sums;
	return n;
}

static void add_row(const struct render *out, const struct report *r, u64 value, const char *color,
		    const struct str *name)
{
	struct str *buf = &out->sink->buf, cut = { 0 };
	size_t start = buf->n;

	str_addf(buf, "%12llu %5.1f %%  ", value, units_percent(value, r->total));
	text_add_colored(out, color, text_fit(out, str_view(name), buf->n - start, &cut));
	str_addc(buf, '\n');
	str_release(&cut);
}

void tasks_text(struct render *out, const struct report *r)
{
	struct task_sum *sums;
	struct str name = { 0 };
	size_t n, shown;
	u64 rest = 0;

	if (r->run->unit != UNIT_SAMPLES)
		return;
	n = tasks_sum(r, &sums);
	shown = n > ROWS_MAX ? ROWS_MAX : n;
	if (n > 1)
		str_adds(&out->sink->buf, "     samples\n");
	for (size_t i = 0; n > 1 && i < shown; i++) {
		str_clear(&name);
		text_add_task(&name, &r->tasks[sums[i].task]);
		add_row(out, r, sums[i].value, COLOR_TASK, &name);
	}
	for (size_t i = shown; i < n; i++)
		rest += sums[i].value;
	str_clear(&name);
	str_addf(&name, "%zu more", n - shown);
	if (n > shown)
		add_row(out, r, rest, COLOR_FAINT, &name);
	if (n > 1)
		str_addc(&out->sink->buf, '\n');
	free(sums);
	str_release(&name);
}
