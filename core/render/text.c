// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Writes text for people, in bcc's format: leaf first, and the hottest stack last, next to the
 * prompt.
 *
 *     do_sys_poll
 *     __poll
 *     main
 *     -                nginx (1200)
 *         245  12.3 %
 *
 * Wakers are printed above the sleeper's leaf, upside down, the farthest first:
 *
 *     [running]
 *     --
 *     waker:           sshd (812)
 *     main
 *     __write
 *     --
 *     do_sys_poll
 *     __poll
 *     main
 *     target:          nginx (1200)
 *         9.310 ms  65.0 %  4 waits, mean 2.328 ms
 */
#include <stdlib.h>
#include <time.h>

#include "base/utf8.h"
#include "render/counts.h"
#include "render/diff.h"
#include "render/dist.h"
#include "render/events.h"
#include "render/heattext.h"
#include "render/ratio.h"
#include "render/tasktable.h"
#include "render/textwriter.h"
#include "render/threads.h"
#include "render/units.h"

/* ---- stacks ---- */

/* The ratios of a report: their unit, and the ratio of the whole. */
static void add_ratio_heading(struct render *out, const struct ratio_scale *scale)
{
	struct str line = { 0 };

	str_adds(&line, "ratio: ");
	ratio_add_about(&line, scale);
	str_adds(&line,
		 " in all; in parentheses the interval at 95 %; ~ may be the same as in all");
	text_add_colored(out, COLOR_FAINT, str_view(&line));
	str_adds(&out->sink->buf, "\n\n");
	str_release(&line);
}

/* scale: NULL if the report has no ratios. */
static void add_value(const struct render *out, const struct report *r, const struct merged *m,
		      const struct ratio_scale *scale, const struct stack_row *row, u64 value)
{
	struct str *buf = &out->sink->buf, text = { 0 };

	text_add_value(&text, r, row, value, out->opts);
	str_addf(buf, "%*s", 2 * TEXT_INDENT, "");
	text_add_colored(out, COLOR_VALUE, str_view(&text));
	str_clear(&text);
	if (r->run->unit == UNIT_NS)
		text_add_waits(&text, row, units_shown(r->run, out->opts));
	if (scale) {
		str_adds(&text, "ratio ");
		ratio_add_long(&text, scale, merged_ratio(m, row));
	}
	if (text.n)
		str_addf(buf, "  %s", str_text(&text));
	str_adds(buf, "\n\n");
	str_release(&text);
}

static void add_stacks(struct render *out, const struct report *r)
{
	struct merged m;
	struct texts texts;
	struct ratio_scale scale = { 0 };
	size_t shown;
	u64 rest = 0, *values;

	report_merge(r, out->opts->addresses || out->opts->offsets ? BY_ADDRESS : BY_TEXT, &m);
	merged_fold_whole(&m, r);
	texts_init(&texts, r, out->opts, text_make_name);
	values = units_round(m.rows.items, m.rows.n, units_shown(r->run, out->opts).divisor);
	shown = text_n_shown(out, m.rows.n);
	out->n_rows = m.rows.n;
	for (size_t i = shown; i < m.rows.n; i++)
		rest += m.rows.items[i].value;
	if (report_has_ratios(r)) {
		scale = ratio_scale_of(r);
		add_ratio_heading(out, &scale);
	}
	text_add_whole(out, r);
	text_add_rest(out, &(struct text_rest){ m.rows.n - shown, "stack", rest, report_listed(r),
						NULL });
	for (size_t i = shown; i-- > 0;) {
		text_add_shape(out, &texts, &m.rows.items[i]);
		add_value(out, r, &m, scale.run ? &scale : NULL, &m.rows.items[i], values[i]);
		sink_spill(out->sink);
	}
	out->n_records += shown;
	free(values);
	texts_release(&texts);
	merged_release(&m);
}

/* ---- functions ---- */

/* "   3.21     3.05~": of self and of total. */
static void add_func_ratios(struct str *buf, const struct report *r, const struct func_row *f,
			    const struct ratio_scale *scale)
{
	struct str text = { 0 };

	for (int i = 0; scale && i < 2; i++) {
		str_clear(&text);
		ratio_add_short(&text, scale, &r->func_ratios.items[f->ratio + i]);
		str_addf(buf, "%*s%*s", text.n && text.p[text.n - 1] == '~' ? 11 : 10,
			 str_text(&text), text.n && text.p[text.n - 1] == '~' ? 0 : 1, "");
	}
	if (scale)
		str_addc(buf, ' ');
	str_release(&text);
}

static void add_func_value(struct str *buf, const struct report *r, struct unit_info unit,
			   u64 value)
{
	struct str text = { 0 };

	units_add_value(&text, unit, (value + unit.divisor / 2) / unit.divisor);
	str_addf(buf, "%12s %5.1f %% ", str_text(&text), units_percent(value, report_listed(r)));
	str_release(&text);
}

static void add_func(const struct render *out, const struct report *r, const struct func_row *f,
		     struct unit_info unit, const struct ratio_scale *scale)
{
	const struct frame *frame = &r->frames[f->frame];
	struct str *buf = &out->sink->buf;
	struct str raw = { 0 }, name = { 0 }, cut = { 0 };
	size_t start = buf->n;

	label_add(&raw, frame, false);
	utf8_add_clean(&name, str_view(&raw));
	add_func_value(buf, r, unit, f->self);
	add_func_value(buf, r, unit, f->total);
	str_addc(buf, ' ');
	add_func_ratios(buf, r, f, scale);
	text_add_colored(out, text_colors[frame->kind],
			 text_fit(out, str_view(&name), buf->n - start, &cut));
	str_addc(buf, '\n');
	str_release(&raw);
	str_release(&name);
	str_release(&cut);
}

static void add_funcs(struct render *out, const struct report *r)
{
	struct unit_info unit = units_shown(r->run, out->opts);
	size_t shown = text_n_shown(out, r->funcs.n);
	struct ratio_scale scale = { 0 };
	u64 rest = 0;

	if (report_has_ratios(r)) {
		scale = ratio_scale_of(r);
		add_ratio_heading(out, &scale);
	}
	for (size_t i = shown; i < r->funcs.n; i++)
		rest += r->funcs.items[i].self;
	text_add_whole(out, r);
	text_add_rest(out, &(struct text_rest){ r->funcs.n - shown, "function", rest,
						report_listed(r), NULL });
	str_addf(&out->sink->buf, "%12s %7s %12s %7s  %sfunction (%s)\n", "self", "", "total", "",
		 scale.run ? "self ratio total ratio  " : "", unit.name);
	for (size_t i = shown; i-- > 0;) {
		add_func(out, r, &r->funcs.items[i], unit, scale.run ? &scale : NULL);
		sink_spill(out->sink);
	}
	str_addc(&out->sink->buf, '\n');
	out->n_records += shown;
}

/* ---- report ---- */

/* Moves to the top left corner and clears the screen. */
#define CLEAR_SCREEN "\033[H\033[2J"

/* Print the time of the window if there can be more than one. */
static void add_window(struct render *out, const struct report *r)
{
	struct str *buf = &out->sink->buf;

	if (r->count_view.is_wide || out->opts->heat)
		return;
	if (out->opts->timestamp) {
		text_add_clock(buf, r);
		str_addc(buf, '\n');
	} else if ((r->run->interval_ns && r->run->count != 1) || r->is_snapshot) {
		str_addf(buf, "--- %llu.%03llu s to %llu.%03llu s ---\n", r->start_ns / NS_PER_SEC,
			 r->start_ns % NS_PER_SEC / NS_PER_MS, r->end_ns / NS_PER_SEC,
			 r->end_ns % NS_PER_SEC / NS_PER_MS);
	}
}

static void text_report(struct render *out, const struct report *r)
{
	if (out->opts->is_in_place && out->columns)
		str_adds(&out->sink->buf, CLEAR_SCREEN);
	add_window(out, r);
	switch (r->kind) {
	case REPORT_FUNCS:
		tasks_text(out, r);
		add_funcs(out, r);
		break;
	case REPORT_STATES:
		text_add_states(out, r);
		break;
	case REPORT_PATHS:
		text_add_paths(out, r);
		break;
	case REPORT_COUNTS:
		counts_text(out, r);
		break;
	case REPORT_DISTS:
	case REPORT_HEAT:
		dists_text(out, r);
		break;
	case REPORT_DIFF:
		diff_text(out, r->diff);
		break;
	case REPORT_THREADS:
		threads_text(out, r);
		break;
	case REPORT_EVENTS: /* printed one by one before */
		break;
	case REPORT_STACKS:
		tasks_text(out, r);
		add_stacks(out, r);
	}
}

static void text_event(struct render *out, const struct event_row *e)
{
	if (out->opts->event_columns & EVENT_CSV)
		events_csv(out, e);
	else
		events_text(out, e);
}

static void text_release(struct render *out)
{
	heat_text_release(out);
	str_release(&out->names);
}

static const char *const extensions[] = { ".txt", ".text", NULL };

const struct renderer text_renderer = {
	.name = "text",
	.extensions = extensions,
	.kinds = REPORT_STACKS | REPORT_FUNCS | REPORT_STATES | REPORT_PATHS | REPORT_EVENTS |
		 REPORT_COUNTS | REPORT_DISTS | REPORT_HEAT | REPORT_DIFF | REPORT_THREADS,
	.report = text_report,
	.release = text_release,
	.begin_events = events_text_begin,
	.event = text_event,
};
