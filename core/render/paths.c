// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The text of `chain --path`: a paragraph for each path of wakers. */
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "render/stackpath.h"
#include "render/textwriter.h"
#include "render/units.h"

#define PART_COLUMNS 26 /* width of a value and its share */

struct paths {
	struct render *out;
	const struct report *report;
	struct merged merged;
	struct texts texts;
	struct unit_info unit;
};

/* Add "futex_wait < pthread_join": the function in the kernel, and the user code that called it. */
static void add_place(struct paths *p, struct str *out, u32 kernel, u32 user)
{
	const u32 leaves[] = { kernel ? report_place(p->report, kernel) : 0, user };
	const char *before = "";

	for (size_t i = 0; i < ARRAY_SIZE(leaves); i++) {
		struct view name;

		if (!leaves[i])
			continue;
		name = texts_get(&p->texts, p->report->nodes[leaves[i]].frame);
		str_adds(out, before);
		str_add(out, name.p, name.n);
		before = " < ";
	}
}

/* Add the text, shortened to the columns that the line has left after `used`. */
static void add_fitting(const struct paths *p, const struct str *text, size_t used)
{
	struct str cut = { 0 };
	struct view fitting = text_fit(p->out, str_view(text), used, &cut);

	str_add(&p->out->sink->buf, fitting.p, fitting.n);
	str_release(&cut);
}

static void add_path_head(struct paths *p, const struct stack_row *row)
{
	struct str *buf = &p->out->sink->buf, who = { 0 }, place = { 0 }, waits = { 0 };

	text_add_task(&who, report_task(p->report, row));
	if (!who.n)
		str_adds(&who, "[thread]");
	add_place(p, &place, row->kernel, row->user);
	text_add_waits(&waits, row, p->unit);
	text_add_colored(p->out, COLOR_TASK, str_view(&who));
	str_adds(buf, place.n ? " waited in " : " waited");
	add_fitting(p, &place, utf8_columns(str_view(&who)) + waits.n + sizeof(" waited in : "));
	str_addf(buf, "%s%s\n", waits.n ? ": " : "", str_text(&waits));
	str_release(&who);
	str_release(&place);
	str_release(&waits);
}

/* Print the value and share at the start of a line. */
static void add_part(const struct paths *p, u64 value, u64 ns, const char *color)
{
	struct str *buf = &p->out->sink->buf, text = { 0 }, number = { 0 };

	units_add_value(&number, p->unit, value);
	str_addf(&text, "%12s %s %6.1f %%", str_text(&number), p->unit.name,
		 units_percent(ns, report_listed(p->report)));
	text_add_colored(p->out, color, str_view(&text));
	str_adds(buf, "  ");
	str_release(&number);
	str_release(&text);
}

static void add_link(struct paths *p, const struct waker_link *link, u64 value, u64 ns)
{
	struct str *buf = &p->out->sink->buf, who = { 0 }, place = { 0 };

	add_part(p, value, ns, NULL);
	str_adds(buf, "on ");
	text_add_waker(&who, p->report, link);
	text_add_colored(p->out, COLOR_TASK, str_view(&who));
	add_place(p, &place, link->kernel, link->user);
	if (place.n)
		str_adds(buf, ", ");
	add_fitting(p, &place, PART_COLUMNS + utf8_columns(str_view(&who)) + sizeof("on , "));
	str_addc(buf, '\n');
	str_release(&who);
	str_release(&place);
}

/* Print the rest of the value, which belongs to links that the chain does not show. */
static void add_end(struct paths *p, const struct waker_chain *chain, u64 value, u64 ns)
{
	const char *text = chain_end_texts[chain->end];

	if (ns)
		add_part(p, value, ns, NULL);
	else if (text)
		str_addf(&p->out->sink->buf, "%*s", PART_COLUMNS, "");
	if (ns || text)
		str_addf(&p->out->sink->buf, "%s\n", text ? text : "[unknown]");
}

/* Round the parts so that they sum to the rounded whole. */
static void share(u64 *parts, size_t n, u64 whole, u64 divisor)
{
	u64 sum = 0;
	size_t largest = 0;

	units_share(parts, n, divisor);
	for (size_t i = 0; i < n; i++) {
		sum += parts[i];
		if (parts[i] > parts[largest])
			largest = i;
	}
	if (parts[largest] + whole >= sum)
		parts[largest] += whole - sum;
}

static void add_path(struct paths *p, const struct stack_row *row, u64 value)
{
	const struct waker_chain *chain = report_chain(p->report, row->chain);
	const u64 *ns = p->merged.link_values + chain->first;
	u64 *parts = mem_alloc(chain->n + 1, sizeof(*parts)), sum = 0;

	for (u32 i = 0; i < chain->n; i++) {
		parts[i] = ns[i];
		sum += ns[i];
	}
	sum = row->value > sum ? row->value - sum : 0;
	parts[chain->n] = sum;
	share(parts, chain->n + 1, value, p->unit.divisor);
	add_path_head(p, row);
	add_part(p, value, row->value, COLOR_VALUE);
	str_adds(&p->out->sink->buf, "in all\n");
	for (u32 i = 0; i < chain->n; i++)
		add_link(p, report_link(p->report, chain, i), parts[i], ns[i]);
	add_end(p, chain, parts[chain->n], sum);
	str_addc(&p->out->sink->buf, '\n');
	free(parts);
}

void text_add_paths(struct render *out, const struct report *r)
{
	struct paths p = { .out = out, .report = r, .unit = units_shown(r->run, out->opts) };
	const struct stack_row *rows;
	u64 rest = 0, *values;
	size_t n, shown;

	report_merge(r, BY_TEXT, &p.merged);
	merged_fold_whole(&p.merged, r);
	texts_init(&p.texts, r, out->opts, text_make_name);
	rows = p.merged.rows.items;
	n = p.merged.rows.n;
	out->n_rows = n;
	shown = text_n_shown(out, n);
	values = units_round(rows, n, p.unit.divisor);
	for (size_t i = shown; i < n; i++)
		rest += rows[i].value;
	text_add_whole(out, r);
	text_add_rest(out, &(struct text_rest){ n - shown, "path", rest, report_listed(r), NULL });
	for (size_t i = shown; i-- > 0;) {
		add_path(&p, &rows[i], values[i]);
		sink_spill(out->sink);
	}
	out->n_records += shown;
	free(values);
	texts_release(&p.texts);
	merged_release(&p.merged);
}
