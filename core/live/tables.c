// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The tables: functions and processes of stacks, and counts.  Largest first; the selected row is in
 * reverse. */
#include <stdlib.h>

#include "live/live_int.h"
#include "render/framelabel.h"
#include "render/tasktable.h"
#include "render/textwriter.h"
#include "render/units.h"

static const struct rgb heading_color = { 120, 160, 220 };

struct style row_style(const struct live *l, size_t row)
{
	return (struct style){ .is_reverse = row == l->list.at };
}

void table_heading(struct live *l, struct area area, const struct str *text)
{
	screen_put(l->screen, area.row, 0, area.columns, str_view(text),
		   (struct style){ .is_bold = true, .has_front = true, .front = heading_color });
}

/* Rows below the heading: draw(row) for each that is seen. */
static void draw_rows(struct live *l, struct area area,
		      void (*make)(struct live *l, size_t row, struct str *out))
{
	struct str text = { 0 };

	list_fit(&l->list, area.rows > 1 ? area.rows - 1 : 0);
	l->list.row = area.row + 1;
	for (u32 i = 0; i < l->list.rows && l->list.top + i < l->list.n; i++) {
		size_t row = l->list.top + i;

		str_clear(&text);
		make(l, row, &text);
		screen_put(l->screen, area.row + 1 + i, 0, area.columns, str_view(&text),
			   row_style(l, row));
	}
	str_release(&text);
}

void table_find(struct live *l, bool is_forward,
		void (*name)(const struct live *l, size_t row, struct str *out))
{
	struct str text = { 0 };
	size_t n = l->list.n;

	for (size_t step = 1; step <= n; step++) {
		size_t i = (l->list.at + (is_forward ? step : n - step)) % n;

		str_clear(&text);
		name(l, i, &text);
		if (live_matches(l, str_text(&text))) {
			list_select(&l->list, i);
			break;
		}
	}
	str_release(&text);
}

bool table_key(struct live *l, s32 key)
{
	u32 row, column;

	if (key == KEY_CLICK) {
		screen_mouse(l->screen, &row, &column);
		if (row >= l->list.row)
			list_select(&l->list, l->list.top + row - l->list.row);
		return true;
	}
	return list_key(&l->list, key);
}

/* ---- functions ---- */

enum func_sort {
	SORT_SELF,
	SORT_TOTAL,
};

static bool function_fits(const struct live *l, const struct live_source *s)
{
	(void)l;
	return s->kind == REPORT_STACKS || s->kind == REPORT_FUNCS || s->kind == REPORT_PATHS;
}

static int func_cmp(const void *a, const void *b, void *sort)
{
	const struct func_line *x = a, *y = b;
	bool by_total = *(const u32 *)sort == SORT_TOTAL;
	u64 v = by_total ? x->total : x->self, w = by_total ? y->total : y->self;

	if (v != w)
		return v < w ? 1 : -1;
	v = x->self + x->total;
	w = y->self + y->total;
	return v != w ? (v < w ? 1 : -1) : (x->frame > y->frame) - (x->frame < y->frame);
}

static void add_functions(struct live *l)
{
	struct report r = l->shown.report;
	const struct func_row *f;
	bool is_own = r.kind != REPORT_FUNCS;

	if (is_own) {
		r.funcs = (__typeof__(r.funcs)){ 0 };
		report_functions(&r);
	}
	vec_for_each(f, &r.funcs)
		vec_push(&l->funcs, (struct func_line){ .frame = f->frame,
							.self = f->self,
							.total = f->total });
	if (is_own)
		vec_release(&r.funcs);
}

static void add_changes(struct live *l)
{
	const struct diff_func *f;

	vec_for_each(f, &l->shown.diff.funcs)
		vec_push(&l->funcs, (struct func_line){
					    .frame = f->frame,
					    .self = f->self[DIFF_AFTER].value,
					    .total = f->total[DIFF_AFTER].value,
					    .self_by = f->self_by.by * 100,
					    .total_by = f->total_by.by * 100,
					    .is_change = f->self_by.verdict == DIFF_CHANGED ||
							 f->total_by.verdict == DIFF_CHANGED,
				    });
}

static void function_prepare(struct live *l)
{
	l->funcs.n = 0;
	if (l->shown.has_diff)
		add_changes(l); /* the largest change first */
	else
		add_functions(l);
	if (!l->shown.has_diff && l->funcs.n)
		qsort_r(l->funcs.items, l->funcs.n, sizeof(*l->funcs.items), func_cmp, &l->sort);
	list_resize(&l->list, l->funcs.n);
}

static void function_name(const struct live *l, size_t row, struct str *out)
{
	label_add(out, &l->shown.drawn->frames[l->funcs.items[row].frame], false);
}

static void function_row(struct live *l, size_t row, struct str *out)
{
	const struct func_line *f = &l->funcs.items[row];
	u64 whole = report_listed(&l->shown.report);

	str_addf(out, "%6.1f %% %6.1f %%  ", units_percent(f->self, whole),
		 units_percent(f->total, whole));
	if (l->shown.has_diff)
		str_addf(out, "%+7.1f %+7.1f %s ", f->self_by, f->total_by,
			 f->is_change ? " " : "~");
	function_name(l, row, out);
}

static void function_draw(struct live *l, struct area area)
{
	struct str head = { 0 };

	str_adds(&head, l->sort == SORT_TOTAL ? "    self   *total  " : "   *self    total  ");
	if (l->shown.has_diff)
		str_adds(&head, " points  points  ");
	str_adds(&head, l->shown.has_diff ? "function (~: may be chance)" : "function");
	if (l->shown.report.whole.value)
		str_adds(&head, ", without waits through the [whole window]");
	table_heading(l, area, &head);
	str_release(&head);
	draw_rows(l, area, function_row);
}

static void function_describe(struct live *l, struct str *out)
{
	const struct func_line *f;
	const struct frame *frame;
	struct str name = { 0 }, numbers = { 0 };

	if (l->list.at >= l->funcs.n)
		return;
	f = &l->funcs.items[l->list.at];
	frame = &l->shown.drawn->frames[f->frame];
	str_adds(&numbers, ": itself ");
	units_add_total(&numbers, l->shown.report.run, f->self);
	str_adds(&numbers, ", with its callees ");
	units_add_total(&numbers, l->shown.report.run, f->total);
	function_name(l, l->list.at, &name);
	live_add_fitting(l, out, str_text(&name), numbers.n);
	str_add(out, numbers.p, numbers.n);
	if (frame->module)
		str_addf(out, "  %s", frame->module);
	str_release(&name);
	str_release(&numbers);
}

/* Enter shows the function in the flame graph. */
static bool function_key(struct live *l, s32 key)
{
	struct str name = { 0 };

	if (key == 's') {
		l->sort = !l->sort;
		live_refresh(l);
		return true;
	}
	if (key != KEY_RETURN || l->list.at >= l->funcs.n || !flame_view.fits(l, current_source(l)))
		return table_key(l, key);
	function_name(l, l->list.at, &name);
	live_use(l, &flame_view);
	live_search_name(l, str_text(&name));
	flame_view.find(l, true);
	str_release(&name);
	return true;
}

static void function_find(struct live *l, bool is_forward)
{
	table_find(l, is_forward, function_name);
}

const struct live_view function_view = {
	.name = "functions",
	.fits = function_fits,
	.prepare = function_prepare,
	.draw = function_draw,
	.key = function_key,
	.describe = function_describe,
	.find = function_find,
};

/* ---- processes of stacks ---- */

static bool task_fits(const struct live *l, const struct live_source *s)
{
	(void)l;
	return s->kind == REPORT_STACKS || s->kind == REPORT_PATHS;
}

static void task_prepare(struct live *l)
{
	struct task_sum *sums;
	size_t n = tasks_sum(&l->shown.report, &sums);

	l->tasks.n = 0;
	for (size_t i = 0; i < n; i++)
		vec_push(&l->tasks, (struct task_line){ sums[i].task, sums[i].value });
	free(sums);
	list_resize(&l->list, n);
}

static void task_name(const struct live *l, size_t row, struct str *out)
{
	size_t before = out->n;

	text_add_task(out, &l->shown.report.tasks[l->tasks.items[row].task]);
	/* Those for which --max-memory had no room. */
	if (out->n == before)
		str_adds(out, "[other]");
}

static void task_row(struct live *l, size_t row, struct str *out)
{
	struct str value = { 0 };

	units_add_total(&value, l->shown.report.run, l->tasks.items[row].value);
	str_addf(out, "%6.1f %%  %18s  ",
		 units_percent(l->tasks.items[row].value, l->shown.report.total), str_text(&value));
	task_name(l, row, out);
	str_release(&value);
}

static void task_draw(struct live *l, struct area area)
{
	struct str head = { 0 };

	str_addf(&head, "   share  %18s  process", l->shown.report.run->value_name);
	table_heading(l, area, &head);
	str_release(&head);
	draw_rows(l, area, task_row);
}

static u32 task_pid(const struct live *l)
{
	s64 pid;

	if (l->list.at >= l->tasks.n)
		return 0;
	pid = l->shown.report.tasks[l->tasks.items[l->list.at].task].pid;
	return pid > 0 ? (u32)pid : 0;
}

/* Enter shows the flame graph of that process. */
static bool task_key(struct live *l, s32 key)
{
	u32 pid = task_pid(l);

	if (key != KEY_RETURN)
		return table_key(l, key);
	if (!pid)
		return true;
	live_remember(l);
	l->only_pid = pid;
	l->only_name = l->shown.report.tasks[l->tasks.items[l->list.at].task].comm;
	live_use(l, &flame_view);
	return true;
}

static void task_find(struct live *l, bool is_forward)
{
	table_find(l, is_forward, task_name);
}

const struct live_view task_view = {
	.name = "processes",
	.fits = task_fits,
	.prepare = task_prepare,
	.draw = task_draw,
	.key = task_key,
	.find = task_find,
	.pid = task_pid,
};

/* ---- counts ---- */

static bool count_fits(const struct live *l, const struct live_source *s)
{
	(void)l;
	return s->kind == REPORT_COUNTS;
}

static void count_prepare(struct live *l)
{
	const struct report *r = &l->shown.report;
	u32 *order = report_counts(r);

	l->order.n = 0;
	for (size_t i = 0; i < r->counts.n; i++)
		vec_push(&l->order, order[i]);
	free(order);
	list_resize(&l->list, l->order.n);
}

static const struct count_row *count_at(const struct live *l, size_t row)
{
	return &l->shown.report.counts.items[l->order.items[row]];
}

static void count_name(const struct live *l, size_t row, struct str *out)
{
	const struct count_row *c = count_at(l, row);

	str_adds(out, c->name);
	for (u32 i = 0; i < l->shown.report.count_view.n_keys; i++)
		str_addf(out, "  %s", c->key ? c->key[i] : "[other]");
}

#define BAR_COLUMNS 16

static void count_row(struct live *l, size_t row, struct str *out)
{
	const struct count_row *c = count_at(l, row), *most = count_at(l, 0);
	const struct report *r = &l->shown.report;
	double seconds = (double)(r->end_ns - r->start_ns) / (double)NS_PER_SEC;
	struct str n = { 0 };
	u32 bar = most->value ? (u32)((double)c->value / (double)most->value * BAR_COLUMNS) : 0;

	units_add_grouped(&n, c->value);
	str_addf(out, "%16s %12.1f  ", str_text(&n), seconds > 0 ? (double)c->value / seconds : 0);
	if (r->count_view.has_errors)
		str_addf(out, "%10llu  ", c->errors);
	if (r->count_view.has_times)
		str_addf(out, "%12.1f  ",
			 c->value ? (double)c->time_ns / 1000 / (double)c->value : 0);
	for (u32 i = 0; i < BAR_COLUMNS; i++)
		str_addc(out, i < bar ? '#' : ' ');
	str_adds(out, "  ");
	count_name(l, row, out);
	str_release(&n);
}

static void count_draw(struct live *l, struct area area)
{
	const struct count_view *view = &l->shown.report.count_view;
	struct str head = { 0 };

	str_addf(&head, "%16s %12s  ", "count", "per second");
	if (view->has_errors)
		str_addf(&head, "%10s  ", "errors");
	if (view->has_times)
		str_addf(&head, "%12s  ", "mean us");
	str_addf(&head, "%*s  name", BAR_COLUMNS, "");
	for (u32 i = 0; i < view->n_keys; i++)
		str_addf(&head, "  %s", view->key_names[i]);
	table_heading(l, area, &head);
	str_release(&head);
	draw_rows(l, area, count_row);
}

static void count_find(struct live *l, bool is_forward)
{
	table_find(l, is_forward, count_name);
}

const struct live_view count_view = {
	.name = "counts",
	.fits = count_fits,
	.prepare = count_prepare,
	.draw = count_draw,
	.key = table_key,
	.find = count_find,
};
