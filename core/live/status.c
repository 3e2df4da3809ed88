// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The lines around a view:
 *
 *	profile: cpu-clock at 49 Hz  12 s, 1,204 samples  [paused]
 *	1 flame graph  2 functions  3 processes                         bperf: 0.4 % of a CPU
 *	... the view ...
 *	main  60.8 % (298 samples), itself 10.2 %
 *	lost: none; user stacks complete: 100 %                               ? help  q quit
 *
 * On a low terminal, the second and the last line are left out first.
 */
#include <string.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "live/live_int.h"
#include "render/summary.h"
#include "render/units.h"

#define ROWS_FOR_TABS	 5
#define ROWS_FOR_DETAIL	 4
#define ROWS_FOR_LEDGER	 8 /* each of its rows */
#define DRAW_LEAST_NS	 (100 * NS_PER_MS)
#define BYTES_PER_SECOND 18000
#define CELLS_USUAL	 (80 * 24)
#define COST_NS		 NS_PER_SEC
/* It leaves the last column: some terminals cannot write into the last one of the last row. */
#define HINT		 "? help  q quit "

static const struct live_view *const views[] = {
	&state_view, &flame_view, &function_view, &task_view,
	&count_view, &dist_view,  &heat_view,	  &message_view,
};

bool live_tab(const struct live *l, u32 number, size_t *source, const struct live_view **view)
{
	for (size_t i = 0; i < l->n_sources; i++)
		for (size_t k = 0; k < ARRAY_SIZE(views); k++)
			if (views[k]->fits(l, &l->sources[i]) && !number--) {
				*source = i;
				*view = views[k];
				return true;
			}
	return false;
}

/* ---- cost ---- */

static void measure_cost(struct live *l)
{
	u64 now = now_ns(), cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);

	if (l->cpu_at_ns && now < l->cpu_at_ns + COST_NS)
		return;
	for (size_t i = 0; i < l->n_sources; i++)
		cpu += source_cpu_ns(&l->sources[i]);
	if (l->cpu_at_ns && cpu > l->cpu_ns)
		l->cpu_percent = 100 * (double)(cpu - l->cpu_ns) / (double)(now - l->cpu_at_ns);
	l->cpu_ns = cpu;
	l->cpu_at_ns = now;
}

/* ---- lines ---- */

static void put_ends(struct live *l, u32 row, const struct str *left, const struct str *right,
		     struct style style)
{
	u32 columns = screen_columns(l->screen), n = (u32)utf8_columns(str_view(right));

	screen_put(l->screen, row, 0, columns, str_view(left), style);
	if (right->n && utf8_columns(str_view(left)) + n + 2 <= columns)
		screen_put(l->screen, row, columns - n, n, str_view(right), style);
}

static void add_mode(struct str *out, bool is_on, const char *text)
{
	if (is_on)
		str_addf(out, "  [%s]", text);
}

static void add_title(struct live *l, struct str *out)
{
	const struct live_source *s = current_source(l);
	const struct report *r = &l->shown.report;
	const struct run_info *run = &s->saved.run;
	struct str event = { 0 };

	str_adds(out, l->opts->title ?: run->command ?: "");
	about_event(&event, run);
	if (event.n)
		str_addf(out, ": %s", str_text(&event));
	if (r->end_ns) {
		str_adds(out, "  ");
		str_addf(out, "%.0f s", (double)(r->end_ns - r->start_ns) / (double)NS_PER_SEC);
	}
	if (r->total && r->kind & (REPORT_STACKS | REPORT_FUNCS | REPORT_PATHS)) {
		str_adds(out, ", ");
		units_add_total(out, run, r->total);
	}
	if (l->shown.hidden) {
		str_adds(out, " + idle ");
		units_add_total(out, run, l->shown.hidden);
	}
	add_mode(out, l->is_paused, "paused");
	add_mode(out, l->is_last, "last window");
	add_mode(out, s->has_baseline, "compared with the baseline");
	add_mode(out, source_is_over(s) && s->stream, s->has_end ? "ended" : "broken off");
	if (l->only_pid >= 0)
		str_addf(out, "  [only %s (%lld)]", l->only_name ?: "", l->only_pid);
	str_release(&event);
}

static void draw_title(struct live *l)
{
	struct str left = { 0 }, right = { 0 };

	add_title(l, &left);
	if (l->cpu_percent > 0)
		str_addf(&right, "bperf: %.1f %% of a CPU", l->cpu_percent);
	put_ends(l, 0, &left, &right, (struct style){ .is_bold = true });
	str_release(&left);
	str_release(&right);
}

static void draw_tabs(struct live *l)
{
	const struct live_view *view;
	u32 column = 0;
	size_t source;

	screen_put(l->screen, 1, 0, screen_columns(l->screen), view_of(""), (struct style){ 0 });
	for (u32 i = 0; live_tab(l, i, &source, &view); i++) {
		struct style style = { .is_reverse = view == l->view && source == l->at };
		struct str text = { 0 };

		str_addf(&text, "%u %s", i + 1, view->name);
		screen_put(l->screen, 1, column, (u32)text.n, str_view(&text), style);
		column += (u32)text.n + 2;
		str_release(&text);
	}
}

static void draw_detail(struct live *l, u32 row)
{
	struct str text = { 0 };

	if (l->notice)
		str_adds(&text, l->notice);
	else if (l->view->describe)
		l->view->describe(l, &text);
	screen_put(l->screen, row, 0, screen_columns(l->screen), str_view(&text),
		   (struct style){ .is_bold = l->notice });
	str_release(&text);
}

static void draw_prompt(struct live *l, u32 row)
{
	struct str text = { 0 };
	u32 columns = screen_columns(l->screen), n;
	struct view shown;

	str_addf(&text, "%s%s", l->prompt.label, str_text(&l->prompt.text));
	shown = str_view(&text);
	n = (u32)utf8_columns(shown);
	/* The end, where the person types, stays in view. */
	for (; n >= columns && shown.n; n--)
		utf8_next(&shown);
	screen_put(l->screen, row, 0, columns, shown, (struct style){ 0 });
	screen_cursor(l->screen, row, n);
	str_release(&text);
}

/* It has as many rows as it needs, with the hint in the last one. */
static u32 ledger_rows(const struct live *l, const struct str *text)
{
	u32 columns = screen_columns(l->screen), n = 0;
	u32 most = screen_rows(l->screen) / ROWS_FOR_LEDGER;
	struct view rest = str_view(text), row = { "", 0 };

	for (; rest.n; n++)
		row = live_take_row(&rest, columns);
	n += !n || row.n + strlen(HINT) + 2 > columns;
	return n < 1 ? 1 : n > most ? (most ? most : 1) : n;
}

static void draw_ledger(struct live *l, u32 row, u32 rows, const struct str *text)
{
	const struct style style = { .is_faint = true };
	u32 columns = screen_columns(l->screen), hint = (u32)strlen(HINT);
	struct view rest = str_view(text);

	for (; rows; rows--) {
		struct view line = live_take_row(&rest, columns);

		screen_put(l->screen, row++, 0, columns, line, style);
	}
	if (columns > 2 * hint)
		screen_put(l->screen, row - 1, columns - hint - 2, hint + 2, view_of("  " HINT),
			   style);
}

/* A slow ssh line must not fill: a screen of 80x24 gets 20 KB a second, and larger ones more. */
static u64 rest_after(const struct live *l, u64 n_bytes)
{
	u64 cells = (u64)screen_rows(l->screen) * screen_columns(l->screen);
	u64 per_second = BYTES_PER_SECOND;

	if (cells > CELLS_USUAL)
		per_second = per_second * cells / CELLS_USUAL;
	n_bytes = n_bytes * NS_PER_SEC / per_second;
	return n_bytes < DRAW_LEAST_NS ? DRAW_LEAST_NS
	       : n_bytes > NS_PER_SEC  ? NS_PER_SEC
				       : n_bytes;
}

void live_draw(struct live *l)
{
	u32 rows = screen_rows(l->screen), top = 0, bottom = rows, ledger = 0;
	struct str losses = { 0 };
	u64 n_bytes;

	measure_cost(l);
	screen_clear(l->screen);
	screen_cursor(l->screen, UINT32_MAX, 0);
	if (rows > 1) {
		draw_title(l);
		if (l->shown.report.end_ns)
			about_losses(&losses, &l->shown.report.ledger);
		ledger = l->prompt.is_open ? 1 : ledger_rows(l, &losses);
		top = 1;
		bottom = rows - ledger;
	}
	if (rows > ROWS_FOR_TABS) {
		draw_tabs(l);
		top = 2;
	}
	if (rows > ROWS_FOR_DETAIL)
		draw_detail(l, --bottom);
	l->area = (struct area){ top, bottom - top, screen_columns(l->screen) };
	l->view->draw(l, l->area);
	if (l->prompt.is_open)
		draw_prompt(l, rows - 1);
	else if (rows > 1)
		draw_ledger(l, rows - ledger, ledger, &losses);
	str_release(&losses);
	n_bytes = screen_show(l->screen);
	l->shown_ns = now_ns();
	l->rest_ns = rest_after(l, n_bytes);
	l->must_draw = false;
}
