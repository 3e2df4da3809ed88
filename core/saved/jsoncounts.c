// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Reads records of funccount: counts with their keys, and the columns that --col computes from
 * them. */
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "model/key.h"
#include "saved/jsonfields.h"

/* The text of a key; the mark of a truncated one is added again. */
static const char *take_key_text(struct reading *r, const json_t *hex, const char *name,
				 const json_t *value, bool is_cut)
{
	struct str text = { 0 };
	const char *out;

	if (!hex || !field_bytes(r, hex, name, &text))
		str_adds(&text, json_string_value(value));
	str_adds(&text, is_cut ? KEY_CUT : "");
	out = intern(&r->s->strings, str_text(&text));
	str_release(&text);
	return out;
}

static bool is_listed(const json_t *list, const char *name)
{
	for (size_t i = 0; list && i < json_array_size(list); i++) {
		const char *text = json_string_value(json_array_get(list, i));

		if (text && !strcmp(text, name))
			return true;
	}
	return false;
}

/* The name without its position, which JSON adds when a name occurs again: "comm#2". */
static const char *take_key_name(struct reading *r, const char *name, u32 i)
{
	const char *at = strrchr(name, '#');
	u64 position;

	if (!at || !num_parse_dec(view_of(at + 1), &position) || position != i + 1)
		return intern(&r->s->strings, name);
	return intern_n(&r->s->strings, name, (size_t)(at - name));
}

u32 json_take_key(struct reading *r, const json_t *o, u32 max, const char **names,
		  const char **texts, struct key_marks *marks)
{
	const json_t *cut = field_array(r, o, "cut"), *value;
	const json_t *unreadable = field_array(r, o, "unreadable");
	const json_t *hex = field_object(r, o, "key_hex");
	json_t *key = json_object_get(o, "key");
	const char *name;
	u32 n = 0;

	*marks = (struct key_marks){ 0 };
	json_object_foreach(key, name, value)
	{
		if (n == max || !json_is_string(value)) {
			reading_fail(r, "the key is not an object of at most %u strings", max);
			return 0;
		}
		names[n] = take_key_name(r, name, n);
		marks->cut |= is_listed(cut, name) ? 1u << n : 0;
		marks->unreadable |= is_listed(unreadable, name) ? 1u << n : 0;
		texts[n++] = take_key_text(r, hex, name, value, is_listed(cut, name));
	}
	return n;
}

/* All rows of a report have the same keys as the first. */
static void take_key(struct reading *r, const json_t *o, struct count_view *view,
		     struct count_row *row)
{
	const char *names[COUNT_MAX_KEYS], *texts[COUNT_MAX_KEYS];
	u32 n;

	if (!json_is_object(json_object_get(o, "key")))
		return; /* null: no keys; "other": the row of those that had no room */
	n = json_take_key(r, o, COUNT_MAX_KEYS, names, texts, &row->marks);
	if (!view->key_names) {
		view->key_names = saved_list(r->s, names, n);
		view->n_keys = n;
	}
	if (n != view->n_keys || (n && memcmp(names, view->key_names, n * sizeof(*names)) != 0)) {
		if (!r->err->code)
			reading_fail(r,
				     "the names of the keys differ from those of the rows before");
		return;
	}
	row->key = saved_list(r->s, texts, n);
}

void json_take_count(struct reading *r, const json_t *o, struct report *report)
{
	struct count_row row = {
		.probe = field_text(r, o, "probe"),
		.label = field_text(r, o, "label"),
		.func = field_text(r, o, "func"),
		.mod = field_text(r, o, "mod"),
		.value = field_u64(r, o, "value", 0),
		.errors = field_u64(r, o, "errors", 0),
		/* Microseconds with three decimals. */
		.time_ns = field_scaled(r, o, "total_us", 1e3),
	};

	row.name = field_text(r, o, "name");
	if (!row.name)
		row.name = row.label ? row.label : row.func;
	if ((!row.name || !row.probe) && !r->err->code)
		reading_fail(r, "a count has no probe");
	report->count_view.has_errors |= json_object_get(o, "errors") != NULL;
	report->count_view.has_times |= json_object_get(o, "total_us") != NULL;
	take_key(r, o, &report->count_view, &row);
	if (__builtin_add_overflow(report->total, row.value, &report->total) && !r->err->code)
		reading_too_much(r);
	if (!r->err->code)
		vec_push(&report->counts, row);
}

void json_take_columns(struct reading *r, const json_t *o, struct report *report)
{
	struct count_view *view = &report->count_view;
	json_t *columns = json_object_get(o, "columns");
	const char **names;
	double *values;
	const char *name;
	json_t *value;
	u32 n = 0;

	if (!json_is_object(columns)) {
		reading_fail(r, "'columns' is not an object");
		return;
	}
	names = saved_alloc(r->s, json_object_size(columns), sizeof(*names));
	values = saved_alloc(r->s, json_object_size(columns), sizeof(*values));
	json_object_foreach(columns, name, value)
	{
		names[n] = intern(&r->s->strings, name);
		values[n++] = json_is_number(value) ? json_number_value(value) : NAN;
	}
	view->columns = names;
	view->derived = values;
	view->n_columns = n;
}
