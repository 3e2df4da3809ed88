// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Histograms over time as text: a line for each report, with a cell of two columns for each bucket.
 * The more of a line's events are in a bucket, the hotter is its cell (as in sysdig's spectrogram,
 * but this one scrolls):
 *
 * r:syscall:read():u64:$latency
 *  $latency (ns)  512     8192    131072
 *        1.000 s |  ..@@++..      ..    | 1204
 *        2.000 s |  ..@@==::            | 1190
 *
 * All lines of a histogram use the same scale.  If a bucket outside of it is needed, the scale is
 * widened and printed again.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "render/dist.h"
#include "render/heattext.h"
#include "render/textwriter.h"

#define LABEL_CELLS 4  /* distance of labels in cells */
#define SCALE_EVERY 24 /* lines: each screen shows a scale */
#define TIME_LEAST  14

/* Without colors: from few events to most. */
static const char paper[HEAT_LEVELS + 1] = ".:-=+*#%@";
/* With 256 colors: from blue over green and yellow to red. */
static const int terminal[HEAT_LEVELS] = { 17, 19, 25, 29, 70, 148, 214, 202, 196 };

void heat_add_label(struct str *out, const struct dist *d, u32 bucket)
{
	static const char prefixes[] = "kMGTPE";
	struct dist_bucket b = dist_bucket_at(&d->scale, d->is_signed, bucket);
	double value = dist_number(b.from, d->is_signed);
	int prefix = 0;
	char text[32];

	if (b.is_first) {
		str_adds(out, "...");
		return;
	}
	if (value > -1e5 && value < 1e6) {
		str_addf(out, "%.0f", value);
		return;
	}
	for (value /= 1000; (value >= 999.5 || value <= -999.5) && prefix < 5; prefix++)
		value /= 1000;
	snprintf(text, sizeof(text), "%.3g%c", value, prefixes[prefix]);
	str_adds(out, text);
}

void heat_add_name(struct str *out, const struct dist *d)
{
	utf8_add_clean(out, view_of(d->value_name));
	if (d->unit)
		str_addf(out, " (%s)", d->unit);
}

static int time_width(const struct dist *d)
{
	struct str name = { 0 };
	int n;

	heat_add_name(&name, d);
	n = (int)utf8_columns(str_view(&name));
	str_release(&name);
	return n > TIME_LEAST ? n : TIME_LEAST;
}

/* Print the title, and the start of every LABEL_CELLS'th bucket. */
static void add_scale(struct render *out, const struct dist *d, const struct heat_scale *s)
{
	struct str *buf = &out->sink->buf, name = { 0 }, label = { 0 };

	if (out->n_heat_lines)
		str_addc(buf, '\n');
	utf8_add_clean(buf, view_of(d->title));
	str_addc(buf, '\n');
	heat_add_name(&name, d);
	str_addf(buf, "%*s%s  ", time_width(d) - (int)utf8_columns(str_view(&name)), "",
		 str_text(&name));
	for (u32 i = s->first; i < s->end; i += LABEL_CELLS) {
		str_clear(&label);
		heat_add_label(&label, d, i);
		str_addf(buf, "%-*s", i + LABEL_CELLS < s->end ? 2 * LABEL_CELLS : 0,
			 str_text(&label));
	}
	str_addc(buf, '\n');
	str_release(&name);
	str_release(&label);
}

/* Make the scale wide enough for all buckets of the report; true: it became wider. */
static bool widen(struct heat_scale *s, const struct dist *d)
{
	const struct dist_row *row;
	struct heat_scale was = *s;

	vec_for_each(row, &d->rows) {
		if (!row->n)
			continue;
		if (s->first == s->end) {
			s->first = row->first;
			s->end = row->first;
		}
		if (row->first < s->first)
			s->first = row->first;
		if (row->first + row->n > s->end)
			s->end = row->first + row->n;
	}
	return s->first != was.first || s->end != was.end;
}

u32 heat_level(u64 n, u64 most)
{
	u32 level = (u32)((double)n / (double)most * HEAT_LEVELS + 0.5);

	if (!n)
		return 0;
	return level ? level : 1;
}

char heat_paper(u32 level)
{
	return level ? paper[level - 1] : ' ';
}

static void add_cell(const struct render *out, u32 level)
{
	struct str *buf = &out->sink->buf;

	if (!level)
		str_adds(buf, "  ");
	else if (out->has_color)
		str_addf(buf, "\033[48;5;%dm  \033[0m", terminal[level - 1]);
	else
		str_addf(buf, "%c%c", paper[level - 1], paper[level - 1]);
}

static void add_cells(const struct render *out, const struct heat_scale *s,
		      const struct dist_row *row)
{
	u64 most = 1;

	for (u32 i = 0; i < row->n; i++)
		if (row->buckets[i] > most)
			most = row->buckets[i];
	for (u32 i = s->first; i < s->end; i++) {
		bool is_in = i >= row->first && i - row->first < row->n;

		add_cell(out, is_in ? heat_level(row->buckets[i - row->first], most) : 0);
	}
}

static void add_time(const struct render *out, const struct report *r, int width)
{
	struct str text = { 0 };

	if (out->opts->timestamp)
		text_add_clock(&text, r);
	else
		str_addf(&text, "%llu.%03llu s", r->end_ns / NS_PER_SEC,
			 r->end_ns % NS_PER_SEC / NS_PER_MS);
	str_addf(&out->sink->buf, "%*s |", width, str_text(&text));
	str_release(&text);
}

static void add_line(struct render *out, const struct report *r, const struct dist *d,
		     const struct heat_scale *s, const struct dist_row *row)
{
	struct str *buf = &out->sink->buf, key = { 0 };

	add_time(out, r, time_width(d));
	if (row)
		add_cells(out, s, row);
	else
		str_addf(buf, "%*s", 2 * (int)(s->end - s->first), "");
	str_addf(buf, "| %llu", row ? row->count : 0);
	if (row && d->n_keys) {
		text_add_key(&key, d, row);
		str_adds(buf, "  ");
		utf8_add_clean(buf, str_view(&key));
	}
	str_addc(buf, '\n');
	str_release(&key);
	out->n_heat_lines++;
	sink_spill(out->sink);
}

static void add_heat(struct render *out, const struct report *r, const struct dist *d,
		     struct heat_scale *s)
{
	size_t shown = text_n_shown(out, d->rows.n);
	u32 *order = dist_order(d);
	bool is_new = widen(s, d);

	/* Lines of several histograms alternate, so each needs its own scale. */
	if (is_new || r->dists.n > 1 || out->n_heat_lines - s->told >= SCALE_EVERY) {
		add_scale(out, d, s);
		s->told = out->n_heat_lines;
	}
	if (!shown)
		add_line(out, r, d, s, NULL);
	for (size_t i = shown; i-- > 0;)
		add_line(out, r, d, s, &d->rows.items[order[i]]);
	out->n_records += shown;
	free(order);
}

void heat_text(struct render *out, const struct report *r)
{
	while (out->heat.n < r->dists.n)
		vec_push(&out->heat, (struct heat_scale){ 0 });
	for (size_t i = 0; i < r->dists.n; i++)
		add_heat(out, r, &r->dists.items[i], &out->heat.items[i]);
}

void heat_text_release(struct render *out)
{
	vec_release(&out->heat);
}
