// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Differences for people: both sides, then a table of functions or a list of stacks, with the
 * largest change last, next to the prompt.
 *
 *     before   1,000 samples, watched for 5.000 s; lost: none
 *     after    2,000 samples, watched for 10.000 s; lost: none
 *
 *     before  after  change    95 % interval  per second   total  change         function (self, %)
 *                                                         100.00   +0.00~        main
 *      10.40  11.00   +0.60~  -0.90 to +2.07       +1.20   11.00   +0.60~        cold
 *       0.00  42.00  +42.00  +38.60 to +45.3      +84.00   42.00  +42.00   new   hot
 */
#include "render/diff.h"

#include "base/utf8.h"
#include "render/framelabel.h"
#include "render/texttable.h"
#include "render/textwriter.h"

/* The rate next to shares, the share next to everything else. */
static enum diff_basis second_basis(const struct diff *d)
{
	return d->opts.basis == DIFF_SHARE ? DIFF_PER_SECOND : DIFF_SHARE;
}

static void add_interval(struct str *out, const struct diff *d, const struct diff_change *c)
{
	if (c->verdict == DIFF_UNCERTAIN)
		return;
	diff_add_number(out, d, d->opts.basis, c->low, true);
	str_adds(out, " to ");
	diff_add_number(out, d, d->opts.basis, c->high, true);
}

static void add_second(struct str *out, const struct diff *d,
		       const struct diff_sum sum[DIFF_N_SIDES])
{
	enum diff_basis basis = second_basis(d);
	struct diff_change c = diff_compare(d, basis, sum);

	if (basis == DIFF_PER_SECOND && !diff_has_rates(d))
		str_addc(out, '-');
	else
		diff_add_number(out, d, basis, c.by, true);
}

static void add_cell(struct grid *g, struct str *text)
{
	grid_add(g, str_view(text));
	str_clear(text);
}

static void add_number_cell(struct grid *g, const struct diff *d, double v)
{
	struct str text = { 0 };

	diff_add_number(&text, d, d->opts.basis, v, false);
	add_cell(g, &text);
	str_release(&text);
}

/* "+1.20 ", or "+1.20~" if it may be chance. */
static void add_change_cell(struct grid *g, const struct diff *d, const struct diff_change *c)
{
	struct str text = { 0 };

	diff_add_number(&text, d, d->opts.basis, c->by, true);
	str_addc(&text, c->verdict == DIFF_NOISE ? '~' : ' ');
	add_cell(g, &text);
	str_release(&text);
}

/* ---- functions ---- */

static void add_headings(struct grid *g, const struct diff *d)
{
	const char *first = d->opts.by_total ? "total" : "self";

	grid_addf(g, "before");
	grid_addf(g, "after");
	grid_addf(g, "change ");
	grid_addf(g, "%s %% interval", d->opts.level);
	grid_addf(g, "%s",
		  second_basis(d) == DIFF_SHARE ? "change, %" : diff_unit(d, DIFF_PER_SECOND));
	grid_addf(g, "%s", d->opts.by_total ? "self" : "total");
	grid_addf(g, "change ");
	grid_addf(g, "%s", "");
	grid_addf(g, "function (%s, %s)", first, diff_unit(d, d->opts.basis));
}

/* Add the change by which the table is sorted; nothing if the function is only a caller. */
static void add_main_cells(struct grid *g, const struct diff *d,
			   const struct diff_sum sum[DIFF_N_SIDES], const struct diff_change *c)
{
	struct str text = { 0 };

	if (!sum[DIFF_BEFORE].value && !sum[DIFF_AFTER].value) {
		for (int i = 0; i < 5; i++)
			grid_add(g, view_of(""));
		return;
	}
	add_number_cell(g, d, c->before);
	add_number_cell(g, d, c->after);
	add_change_cell(g, d, c);
	add_interval(&text, d, c);
	add_cell(g, &text);
	add_second(&text, d, sum);
	add_cell(g, &text);
	str_release(&text);
}

static void add_func(struct grid *g, const struct diff *d, const struct diff_func *f)
{
	const struct diff_change *other = d->opts.by_total ? &f->self_by : &f->total_by;
	struct str text = { 0 };

	if (d->opts.by_total)
		add_main_cells(g, d, f->total, &f->total_by);
	else
		add_main_cells(g, d, f->self, &f->self_by);
	add_number_cell(g, d, other->after);
	add_change_cell(g, d, other);
	grid_add(g, view_of(diff_status(f->total) ?: ""));
	label_add(&text, &d->joined.frames[f->frame], false);
	add_cell(g, &text);
	str_release(&text);
}

static void add_rest(const struct render *out, size_t n, const char *what)
{
	struct str line = { 0 };

	if (!n)
		return;
	str_adds(&line, "... ");
	units_add_grouped(&line, n);
	str_addf(&line, " more %s%s with smaller changes, or with changes that may be chance", what,
		 n == 1 ? "" : "s");
	text_add_colored(out, COLOR_FAINT, str_view(&line));
	str_adds(&out->sink->buf, "\n\n");
	str_release(&line);
}

static void add_funcs(struct render *out, const struct diff *d)
{
	struct grid g = { .n_columns = 9, .n_left = 2, .width = out->columns };
	size_t n = d->funcs.n, shown = text_n_shown(out, n);

	add_rest(out, n - shown, "function");
	add_headings(&g, d);
	for (size_t i = shown; i-- > 0;)
		add_func(&g, d, &d->funcs.items[i]);
	grid_print(&g, &out->sink->buf);
	str_addc(&out->sink->buf, '\n');
	grid_release(&g);
	out->n_rows = n;
	out->n_records += shown;
}

/* ---- stacks ---- */

static void add_change(const struct render *out, const struct diff *d, const struct diff_stack *s)
{
	struct str *buf = &out->sink->buf, text = { 0 };
	const char *status = diff_status(s->side);

	diff_add_number(&text, d, d->opts.basis, s->by.by, true);
	str_addf(buf, "%*s", 2 * TEXT_INDENT, "");
	text_add_colored(out, COLOR_VALUE, str_view(&text));
	str_addf(buf, " %s", d->opts.basis == DIFF_SHARE ? "points" : diff_unit(d, d->opts.basis));
	str_clear(&text);
	if (s->by.verdict != DIFF_UNCERTAIN) {
		str_addf(&text, " (%s %%: ", d->opts.level);
		add_interval(&text, d, &s->by);
		str_adds(&text, s->by.verdict == DIFF_NOISE ? ", may be chance)" : ")");
	}
	str_adds(&text, ", from ");
	diff_add_number(&text, d, d->opts.basis, s->by.before, false);
	str_adds(&text, " to ");
	diff_add_number(&text, d, d->opts.basis, s->by.after, false);
	if (status)
		str_addf(&text, ", %s", status);
	str_addf(buf, "%s\n\n", str_text(&text));
	str_release(&text);
}

static void add_stacks(struct render *out, const struct diff *d)
{
	size_t n = d->stacks.n, shown = text_n_shown(out, n);
	struct texts texts;

	texts_init(&texts, &d->joined, out->opts, text_make_name);
	add_rest(out, n - shown, "stack");
	for (size_t i = shown; i-- > 0;) {
		text_add_shape(out, &texts, &d->joined.stacks.items[i]);
		add_change(out, d, &d->stacks.items[i]);
		sink_spill(out->sink);
	}
	out->n_rows = n;
	out->n_records += shown;
	texts_release(&texts);
}

/* ---- all ---- */

static void add_side(const struct render *out, const struct diff *d, enum diff_when when)
{
	struct str *buf = &out->sink->buf;

	str_addf(buf, "%-7s ", diff_side_names[when]);
	diff_add_side(buf, d, when);
	str_addc(buf, '\n');
}

static void add_legend(const struct render *out, const struct diff *d)
{
	struct str line = { 0 };
	bool is_certain = d->run.unit == UNIT_SAMPLES || d->run.unit == UNIT_EVENTS ||
			  d->side[DIFF_BEFORE].variance > 0 || d->side[DIFF_AFTER].variance > 0;

	if (is_certain)
		str_addf(&line, "~ may be chance: the interval at %s %% contains 0", d->opts.level);
	else
		str_adds(
			&line,
			"no intervals: these are sums of times or values, whose variance is not known");
	text_add_colored(out, COLOR_FAINT, str_view(&line));
	str_adds(&out->sink->buf, "\n\n");
	str_release(&line);
}

void diff_text(struct render *out, const struct diff *d)
{
	add_side(out, d, DIFF_BEFORE);
	add_side(out, d, DIFF_AFTER);
	add_legend(out, d);
	if (out->opts->stacks)
		add_stacks(out, d);
	else
		add_funcs(out, d);
}
