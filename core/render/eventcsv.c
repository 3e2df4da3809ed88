// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Events as comma-separated values (RFC 4180): one line per event, below the names of the values.
 *
 * time,pid,comm
 * 12:30:01,2740,"a ""b"", c"
 *
 * Events of another probe may have other values: their names stand above them.
 */
#include <string.h>

#include "base/utf8.h"
#include "render/events.h"
#include "render/framelabel.h"

static void add_comma(struct str *line)
{
	if (line->n)
		str_addc(line, ',');
}

/* In quotes where a reader would not take the text as it is. */
static void add_text(struct str *line, struct view text)
{
	struct str clean = { 0 };
	bool is_plain;

	utf8_add_clean(&clean, text);
	is_plain = clean.n == strcspn(str_text(&clean), ",\" ");
	str_adds(line, is_plain ? "" : "\"");
	for (size_t i = 0; i < clean.n; i++)
		str_addf(line, clean.p[i] == '"' ? "\"\"" : "%c", clean.p[i]);
	str_adds(line, is_plain ? "" : "\"");
	str_release(&clean);
}

static void add_number(struct str *out, enum event_value_kind kind, u64 number)
{
	if (kind == VALUE_SIGNED)
		str_addf(out, "%lld", (s64)number);
	else
		str_addf(out, kind == VALUE_ADDRESS ? "0x%llx" : "%llu", number);
}

static void add_list(struct str *out, const struct event_value *v)
{
	for (size_t i = 0; i + v->element_bytes <= v->text.n; i += v->element_bytes) {
		str_adds(out, i ? " " : "");
		add_number(
			out, v->element,
			event_element(v->text.p + i, v->element_bytes, v->element == VALUE_SIGNED));
	}
}

static void add_stack(struct str *out, const struct event_row *e, const struct event_value *v)
{
	for (u32 i = 0; i < v->n_stack; i++) {
		str_adds(out, i ? ";" : "");
		label_add(out, &e->frames[v->stack[i]], true);
	}
}

static void add_value(struct str *line, const struct event_row *e, const struct event_value *v)
{
	struct str text = { 0 };
	bool is_bytes = v->kind == VALUE_BYTES;

	if (v->kind == VALUE_LIST)
		add_list(&text, v);
	else if (v->kind == VALUE_STACK)
		add_stack(&text, e, v);
	else if (v->text.n && !is_bytes)
		str_add(&text, v->text.p, v->text.n);
	else if (v->kind != VALUE_TEXT && !is_bytes)
		add_number(&text, v->kind, v->number);
	for (size_t i = 0; is_bytes && i < v->text.n; i++)
		str_addf(&text, "%02x", (u8)v->text.p[i]);
	add_text(line, str_view(&text));
	str_release(&text);
}

static const struct {
	enum event_columns column;
	const char *name, *headed; /* headed: beside names that --heading gives */
} columns[] = {
	{ EVENT_COLUMN_WALL, "time", "TIME" },	 { EVENT_COLUMN_UNIX, "unix", "UNIX(s)" },
	{ EVENT_COLUMN_SINCE, "ts", "TIME(s)" }, { EVENT_COLUMN_CPU, "cpu", "CPU" },
	{ EVENT_COLUMN_UID, "uid", "UID" },
};

static void add_column(const struct render *out, enum event_columns column,
		       const struct event_row *e, struct str *line)
{
	u64 wall_ns = out->run->realtime_ns + e->time_ns;
	u64 ns = column == EVENT_COLUMN_UNIX ? wall_ns : e->time_ns;
	char text[16];

	if (column == EVENT_COLUMN_WALL)
		str_adds(line, events_clock(wall_ns, text, sizeof(text)));
	else if (column == EVENT_COLUMN_CPU || column == EVENT_COLUMN_UID)
		str_addf(line, "%u", column == EVENT_COLUMN_CPU ? e->cpu : e->uid);
	else
		str_addf(line, "%llu.%06llu", ns / NS_PER_SEC, ns % NS_PER_SEC / NS_PER_US);
}

/* The names that --heading gives; NULL: none, or another number of values. */
static const char *heading_of(const struct render *out, const struct event_row *e)
{
	const char *heading = out->opts->heading;
	u32 n = 1;

	for (const char *c = heading ? heading : ""; *c; c++)
		n += *c == ',';
	return heading && n == e->n_values ? heading : NULL;
}

static void add_names(struct render *out, const struct event_row *e)
{
	const char *heading = heading_of(out, e);
	struct str names = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		if (out->opts->event_columns & columns[i].column) {
			add_comma(&names);
			str_adds(&names, heading ? columns[i].headed : columns[i].name);
		}
	if (heading)
		str_addf(&names, "%s%s", names.n ? "," : "", heading);
	for (u32 i = 0; !heading && i < e->n_values; i++) {
		add_comma(&names);
		add_text(&names, view_of(e->values[i].name));
	}
	str_addc(&names, '\n');
	if (!view_eq(str_view(&names), str_text(&out->names))) {
		str_add(&out->sink->buf, names.p, names.n);
		str_clear(&out->names);
		str_add(&out->names, names.p, names.n);
	}
	str_release(&names);
}

void events_csv(struct render *out, const struct event_row *e)
{
	struct str line = { 0 };
	bool is_first = true;

	add_names(out, e);
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		if (out->opts->event_columns & columns[i].column) {
			str_adds(&line, is_first ? "" : ",");
			add_column(out, columns[i].column, e, &line);
			is_first = false;
		}
	for (u32 i = 0; i < e->n_values; i++) {
		str_adds(&line, is_first ? "" : ",");
		if (!e->values[i].is_absent)
			add_value(&line, e, &e->values[i]);
		is_first = false;
	}
	str_addc(&line, '\n');
	str_add(&out->sink->buf, line.p, line.n);
	str_release(&line);
	out->n_records++;
	sink_spill(out->sink);
}
