// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Writes the tables of a page that have a row for each function, thread or counted site. */
#include <stdlib.h>
#include <string.h>

#include "model/column.h"
#include "render/counts.h"
#include "render/html.h"
#include "render/htmltable.h"
#include "render/jsonrecord.h"
#include "render/ratio.h"
#include "render/svg.h"
#include "render/textwriter.h"
#include "render/units.h"
#include "render/xml.h"

/* ---- functions ---------------------------------------------------------------------------- */

/* Functions below 1/ROW_LEAST of the whole have no row, as they have no box in the graph. */
#define ROW_LEAST 10000

static const struct ratio *ratios_of(const struct report *r, const struct func_row *row)
{
	return &r->func_ratios.items[row->ratio];
}

/* The color that the function has in the flame graph. */
static void add_swatch(struct str *buf, const struct report *r, const struct func_row *row,
		       const struct str *name)
{
	const struct step step = { .what = STEP_FRAME, .frame = row->frame };
	const struct palette *p = palette_of(r->run);
	struct rgb c = palette_shade(p, tint_of(p, r, &step), shade_of(str_text(name)));

	if (report_has_ratios(r)) {
		struct ratio_mark m = ratio_color(&ratios_of(r, row)[1], &r->ratio);

		c = palette_shade(palette_of_ratios(), m.tint, m.shade);
	}

	str_addf(buf, "<i style=\"background:#%02x%02x%02x\"></i>", c.r, c.g, c.b);
}

static void add_function_name(struct render *out, const struct report *r,
			      const struct func_row *row, bool has_graph)
{
	struct str *buf = &out->sink->buf, name = { 0 };
	const char *module = json_module_name(&r->frames[row->frame]);

	label_add(&name, &r->frames[row->frame], false);
	str_adds(buf, "<td class=\"name\">");
	add_swatch(buf, r, row, &name);
	str_adds(buf, has_graph ? "<button type=\"button\" class=\"find\">" : "<span>");
	xml_add(buf, str_view(&name));
	str_adds(buf, has_graph ? "</button>" : "</span>");
	if (module) {
		str_adds(buf, " <small>");
		html_text(buf, module);
		str_adds(buf, "</small>");
	}
	str_adds(buf, "</td>");
	str_release(&name);
}

static void add_ratio_cells(struct str *buf, const struct report *r, const struct func_row *row)
{
	struct ratio_scale scale = ratio_scale_of(r);
	const struct ratio *total = &ratios_of(r, row)[1];
	struct ratio_value v = ratio_value(total, &scale.whole);
	struct str text = { 0 };

	ratio_add_short(&text, &scale, &ratios_of(r, row)[0]);
	html_numberf(buf, "%s", str_text(&text));
	str_clear(&text);
	ratio_add_short(&text, &scale, total);
	html_numberf(buf, "%s", str_text(&text));
	str_clear(&text);
	ratio_add_interval(&text, &scale, &v);
	html_numberf(buf, "%s", str_text(&text));
	str_release(&text);
}

static void add_function(struct render *out, const struct report *r, const struct func_row *row,
			 bool has_graph)
{
	struct str *buf = &out->sink->buf;
	u64 whole = report_listed(r);

	html_row_start(buf);
	add_function_name(out, r, row, has_graph);
	html_value(out, row->self);
	html_share(buf, row->self, whole);
	html_value(out, row->total);
	html_share(buf, row->total, whole);
	if (report_has_ratios(r))
		add_ratio_cells(buf, r, row);
	html_row_end(buf);
	sink_spill(out->sink);
}

static void add_ratio_note(struct str *buf, const struct report *r)
{
	struct ratio_scale scale = ratio_scale_of(r);
	struct str text = { 0 };

	ratio_add_about(&text, &scale);
	str_adds(buf, "<p class=\"note\">Ratio: ");
	html_text(buf, str_text(&text));
	str_adds(buf,
		 " in all; the interval is that of the total.  ~ may be the same as in all.</p>\n");
	str_release(&text);
}

static void add_function_rows(struct render *out, const struct report *r, bool has_graph)
{
	struct str *buf = &out->sink->buf;
	const struct func_row *row;
	size_t n_hidden = 0;

	str_adds(
		buf,
		"<p class=\"note\">Self: in the function; total: in it or in what it called.  In ");
	html_text(buf, html_unit(out));
	str_adds(buf, has_graph ? ".  A click on a function marks it in the flame graph.</p>\n"
				: ".</p>\n");
	if (report_has_ratios(r))
		add_ratio_note(buf, r);
	html_table_start(buf, "Functions");
	html_heading(buf, HTML_WORDS, "Function");
	html_heading(buf, HTML_SORTED, "Self");
	html_heading(buf, HTML_NUMBERS, "Self %");
	html_heading(buf, HTML_NUMBERS, "Total");
	html_heading(buf, HTML_NUMBERS, "Total %");
	if (report_has_ratios(r)) {
		html_heading(buf, HTML_NUMBERS, "Self ratio");
		html_heading(buf, HTML_NUMBERS, "Total ratio");
		html_heading(buf, HTML_NUMBERS, "95 % interval");
	}
	html_table_body(buf);
	vec_for_each(row, &r->funcs) {
		if (row->total < report_listed(r) / ROW_LEAST)
			n_hidden++;
		else
			add_function(out, r, row, has_graph);
	}
	html_table_end(buf);
	if (!n_hidden)
		return;
	str_adds(buf, "<p class=\"note\">Not listed: ");
	units_add_grouped(buf, n_hidden);
	str_adds(buf, " with less than 0.01 % of the whole each.</p>\n");
}

void html_functions(struct render *out, const struct report *r, bool has_graph)
{
	struct report view = *r;

	if (!(r->kind & (REPORT_STACKS | REPORT_PATHS | REPORT_FUNCS)))
		return;
	if (r->kind != REPORT_FUNCS) {
		memset(&view.funcs, 0, sizeof(view.funcs));
		memset(&view.func_ratios, 0, sizeof(view.func_ratios));
		report_functions(&view);
	}
	html_section_start(&out->sink->buf, "functions", "Functions");
	if (view.funcs.n)
		add_function_rows(out, &view, has_graph);
	else
		html_element(&out->sink->buf, "p class=\"note\"", "Nothing was counted.");
	html_section_end(&out->sink->buf);
	if (r->kind == REPORT_FUNCS)
		return;
	vec_release(&view.funcs);
	vec_release(&view.func_ratios);
}

/* ---- wait states -------------------------------------------------------------------------- */

struct state_table {
	struct render *out;
	const struct report *report;
	bool is_used[STATE_N_COLUMNS];
	u64 divisor; /* as in text */
};

static void add_state_value(const struct state_table *s, u64 value)
{
	if (s->out->opts->unit)
		html_numberf(&s->out->sink->buf, "%llu", value);
	else
		html_numberf(&s->out->sink->buf, "%llu.%03llu", value / 1000, value % 1000);
}

static void add_state_bar(const struct state_table *s, const struct state_row *row)
{
	struct str *buf = &s->out->sink->buf;

	str_adds(buf, "<td><span class=\"states\">");
	for (int i = 0; i < STATE_N_COLUMNS; i++) {
		double percent = units_percent(row->ns[i], row->wall_ns);

		if (row->ns[i])
			str_addf(
				buf,
				"<i class=\"s%d\" style=\"width:%.2f%%\" title=\"%s %.1f %%\"></i>",
				i, percent, state_names[i], percent);
	}
	str_adds(buf, "</span></td>");
}

static void add_state_row(const struct state_table *s, const struct state_row *row)
{
	struct str *buf = &s->out->sink->buf, name = { 0 };
	u64 values[STATE_N_COLUMNS];

	text_add_task(&name, &s->report->tasks[row->task]);
	memcpy(values, row->ns, sizeof(values));
	units_share(values, STATE_N_COLUMNS, s->divisor);
	html_row_start(buf);
	html_words(buf, str_text(&name));
	html_number(buf, row->n_threads);
	add_state_value(s, (row->wall_ns + s->divisor / 2) / s->divisor);
	add_state_bar(s, row);
	for (int i = 0; i < STATE_N_COLUMNS; i++)
		if (s->is_used[i])
			add_state_value(s, values[i]);
	html_row_end(buf);
	sink_spill(s->out->sink);
	str_release(&name);
}

static void add_state_headings(const struct state_table *s)
{
	struct str *buf = &s->out->sink->buf;

	html_heading(buf, HTML_WORDS, "Thread or process");
	html_heading(buf, HTML_NUMBERS, "Threads");
	html_heading(buf, HTML_NUMBERS, "Wall time");
	html_heading(buf, HTML_PICTURE, "Where it went");
	for (int i = 0; i < STATE_N_COLUMNS; i++)
		if (s->is_used[i])
			str_addf(buf, "<th scope=\"col\" class=\"n\"><i class=\"s%d\"></i>%s</th>",
				 i, state_names[i]);
}

void html_states(struct render *out, const struct report *r)
{
	struct state_table s = { .out = out, .report = r, .divisor = NS_PER_MS };
	struct str *buf = &out->sink->buf;
	const struct state_row *row;
	u32 *order;

	if (r->kind != REPORT_STATES)
		return;
	if (out->opts->unit)
		s.divisor = units_of(r->run, out->opts).divisor;
	vec_for_each(row, &r->states)
		for (int i = 0; i < STATE_N_COLUMNS; i++)
			s.is_used[i] |= row->ns[i] > 0;
	html_section_start(buf, "states", "Wait states");
	str_addf(
		buf,
		"<p class=\"note\">Times in %s, sorted by the time running, runnable, or waiting for "
		"disks and page faults.  Times in user and system are estimated from the kernel's "
		"ticks.</p>\n",
		out->opts->unit ? out->opts->unit : "seconds");
	html_table_start(buf, "Wait states");
	add_state_headings(&s);
	html_table_body(buf);
	order = report_states(r);
	for (size_t i = 0; i < r->states.n; i++)
		add_state_row(&s, &r->states.items[order[i]]);
	free(order);
	html_table_end(buf);
	html_section_end(buf);
}

/* ---- counts ------------------------------------------------------------------------------- */

static void add_count_headings(struct str *buf, const struct count_view *v)
{
	html_heading(buf, HTML_WORDS, "Function");
	for (u32 i = 0; i < v->n_keys; i++)
		html_heading(buf, HTML_WORDS, v->key_names[i]);
	html_heading(buf, HTML_SORTED, "Count");
	html_heading(buf, HTML_NUMBERS, "Per second");
	html_heading(buf, HTML_NUMBERS, "%");
	if (v->has_errors)
		html_heading(buf, HTML_NUMBERS, "Errors");
	if (v->has_times) {
		html_heading(buf, HTML_NUMBERS, "Total (us)");
		html_heading(buf, HTML_NUMBERS, "Mean (us)");
	}
}

static void add_us(struct str *buf, u64 ns)
{
	html_numberf(buf, "%llu.%03llu", ns / NS_PER_US, ns % NS_PER_US);
}

static void add_count(struct render *out, const struct report *r, const struct count_row *row)
{
	const struct count_view *v = &r->count_view;
	struct str *buf = &out->sink->buf;

	html_row_start(buf);
	html_words(buf, row->name);
	for (u32 i = 0; i < v->n_keys; i++)
		html_words(buf, counts_key(row, i));
	html_number(buf, row->value);
	html_numberf(buf, "%.1f", counts_per_second(r, row->value));
	html_share(buf, row->value, r->total);
	if (v->has_errors)
		html_number(buf, row->errors);
	if (v->has_times) {
		add_us(buf, row->time_ns);
		add_us(buf, row->value ? row->time_ns / row->value : 0);
	}
	html_row_end(buf);
	sink_spill(out->sink);
}

/* The values of --col. */
static void add_derived(struct str *buf, const struct count_view *v)
{
	struct str number = { 0 };

	if (!v->n_columns)
		return;
	html_table_start(buf, "Columns");
	html_heading(buf, HTML_WORDS, "Column");
	html_heading(buf, HTML_NUMBERS, "Value");
	html_table_body(buf);
	for (u32 i = 0; i < v->n_columns; i++) {
		if (column_is_hidden(v->columns[i]))
			continue;
		html_row_start(buf);
		html_words(buf, v->columns[i]);
		str_clear(&number);
		units_add_real(&number, v->derived[i]);
		html_numberf(buf, "%s", str_text(&number));
		html_row_end(buf);
	}
	html_table_end(buf);
	str_release(&number);
}

void html_counts(struct render *out, const struct report *r)
{
	struct str *buf = &out->sink->buf;
	u32 *order;

	if (r->kind != REPORT_COUNTS)
		return;
	html_section_start(buf, "counts", "Counts");
	add_derived(buf, &r->count_view);
	if (r->counts.n) {
		html_table_start(buf, "Counts");
		add_count_headings(buf, &r->count_view);
		html_table_body(buf);
		order = report_counts(r);
		for (size_t i = 0; i < r->counts.n; i++)
			add_count(out, r, &r->counts.items[order[i]]);
		free(order);
		html_table_end(buf);
	} else {
		html_element(buf, "p class=\"note\"", "Nothing was counted.");
	}
	html_section_end(buf);
}
