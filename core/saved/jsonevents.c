// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Records of trace: one event after the other (render/events.c writes them).  The kind of a value
 * follows from its JSON, so that it is written in the same form again.
 */
#include <string.h>

#include "base/num.h"
#include "saved/jsonfields.h"

#define ELEMENT_BYTES sizeof(u64)

/* ---- how they are shown ---- */

static u32 take_columns(struct reading *r, const json_t *o)
{
	const json_t *list = field_array(r, o, "columns");
	size_t n = list ? json_array_size(list) : 0;
	u32 columns = 0;

	for (size_t i = 0; i < n; i++) {
		const char *name = json_string_value(json_array_get(list, i));

		for (u32 k = 0; name && k < EVENT_N_COLUMNS; k++)
			columns |= strcmp(event_column_names[k], name) ? 0 : 1u << k;
	}
	return columns;
}

void json_take_events(struct reading *r, const json_t *o)
{
	u32 columns = take_columns(r, o);
	const char *heading = field_text(r, o, "heading");

	if (r->s->files.n)
		return; /* as the first file's */
	r->s->event_columns = columns;
	r->s->heading = heading;
}

/* ---- texts and numbers ---- */

/* In memory that lives as long as the reports. */
static struct view keep(struct reading *r, struct view text)
{
	char *bytes = saved_alloc(r->s, text.n, 1);

	if (text.n)
		memcpy(bytes, text.p, text.n);
	return (struct view){ bytes, text.n };
}

/* Bytes may be 0. */
static struct view take_bytes(struct reading *r, const json_t *text)
{
	return keep(r, (struct view){ json_string_value(text), json_string_length(text) });
}

/* The message, whose bytes need not be text. */
static struct view take_message(struct reading *r, const json_t *o, const json_t *text)
{
	struct str bytes = { 0 };
	struct view message = field_bytes(r, o, "text_hex", &bytes) ? keep(r, str_view(&bytes))
								    : take_bytes(r, text);

	str_release(&bytes);
	return message;
}

static u32 take_u32(struct reading *r, const json_t *o, const char *key)
{
	u64 n = field_u64(r, o, key, 0);

	if (n > UINT32_MAX && !r->err->code)
		reading_fail(r, "'%s' does not fit in 32 bits", key);
	return (u32)n;
}

/* "0x7f00", as addresses are written. */
static bool take_address(const json_t *v, u64 *out)
{
	const char *text = json_string_value(v);

	return text && !strncmp(text, "0x", 2) && num_parse_hex(view_of(text), out);
}

/* ---- stacks ---- */

static const u32 *take_ids(struct reading *r, const json_t *frames, u32 *n)
{
	size_t n_frames = frames ? json_array_size(frames) : 0;
	u32 *ids;

	*n = 0;
	if (n_frames > STACK_MAX_DEPTH) {
		if (!r->err->code)
			reading_fail(r, "a stack of more than %d frames", STACK_MAX_DEPTH);
		return NULL;
	}
	ids = saved_alloc(r->s, n_frames, sizeof(*ids));
	for (size_t i = 0; i < n_frames && !r->err->code; i++) {
		const json_t *frame = json_array_get(frames, i);

		ids[i] = json_is_object(frame) ? json_take_frame(r, frame) : SAVED_NONE;
		/* take_event() in json.c reports that there is no room. */
		if (ids[i] == SAVED_NONE) {
			if (!r->s->tables->is_full && !r->err->code)
				reading_fail(r, "a frame is not an object");
			return NULL;
		}
	}
	*n = (u32)n_frames;
	return ids;
}

/* ---- values ---- */

static bool is_stack(const json_t *v)
{
	return json_object_get(json_array_get(v, 0), "func") != NULL;
}

static enum event_value_kind number_kind(const json_t *v)
{
	return json_is_integer(v) && json_integer_value(v) < 0 ? VALUE_SIGNED : VALUE_UNSIGNED;
}

/* An element's number; false: a list cannot have such an element. */
static bool take_element(const json_t *v, enum event_value_kind *kind, u64 *n)
{
	*n = json_is_true(v);
	*kind = VALUE_BOOL;
	if (json_is_boolean(v))
		return true;
	*kind = VALUE_ADDRESS;
	if (json_is_string(v))
		return take_address(v, n);
	*kind = number_kind(v);
	return json_take_number(v, *kind == VALUE_SIGNED, n);
}

/* All numbers of a list have one kind, which is signed if any of them is negative. */
static void take_elements(struct reading *r, const json_t *list, struct event_value *out)
{
	size_t n = json_array_size(list);
	u64 *numbers = saved_alloc(r->s, n, sizeof(*numbers));

	out->kind = VALUE_LIST;
	out->element = VALUE_UNSIGNED;
	out->element_bytes = ELEMENT_BYTES;
	out->text = (struct view){ (const char *)numbers, n * ELEMENT_BYTES };
	for (size_t i = 0; i < n; i++) {
		enum event_value_kind kind;

		if (!take_element(json_array_get(list, i), &kind, &numbers[i])) {
			if (!r->err->code)
				reading_fail(r, "an element of '%s' is not a number", out->name);
			return;
		}
		if (!i || kind == VALUE_SIGNED)
			out->element = kind;
	}
}

static void take_array(struct reading *r, const json_t *v, struct event_value *out)
{
	if (!is_stack(v)) {
		take_elements(r, v, out);
		return;
	}
	out->kind = VALUE_STACK;
	out->stack = take_ids(r, v, &out->n_stack);
}

/* `name`: of a number or an address; NULL: it has none. */
static void take_string(struct reading *r, const json_t *v, const json_t *name,
			struct event_value *out)
{
	out->kind = VALUE_TEXT;
	if (!name) {
		out->text = take_bytes(r, v);
		return;
	}
	out->kind = VALUE_ADDRESS;
	if (!take_address(v, &out->number) && !r->err->code)
		reading_fail(r, "'%s' has a name, and is not an address", out->name);
}

static struct event_value take_value(struct reading *r, const char *name, const json_t *v,
				     const json_t *names)
{
	const json_t *symbol = names ? json_object_get(names, name) : NULL;
	struct event_value out = { .name = intern(&r->s->strings, name), .kind = VALUE_UNSIGNED };

	if (json_is_null(v)) {
		out.is_absent = true;
	} else if (json_is_boolean(v)) {
		out.kind = VALUE_BOOL;
		out.number = json_is_true(v);
	} else if (json_is_array(v)) {
		take_array(r, v, &out);
	} else if (json_is_string(v)) {
		take_string(r, v, symbol, &out);
	} else {
		out.kind = number_kind(v);
		if (!json_take_number(v, out.kind == VALUE_SIGNED, &out.number) && !r->err->code)
			reading_fail(r, "'%s' is not a value", name);
	}
	if (json_is_string(symbol) && out.kind != VALUE_LIST)
		out.text = take_bytes(r, symbol);
	return out;
}

static void mark_cut(const json_t *cut, struct event_row *row, struct event_value *values)
{
	for (size_t i = 0; i < (cut ? json_array_size(cut) : 0); i++) {
		const char *name = json_string_value(json_array_get(cut, i));

		for (u32 k = 0; name && k < row->n_values; k++)
			values[k].is_cut |= !strcmp(values[k].name, name);
	}
}

static void take_values(struct reading *r, const json_t *o, struct event_row *row)
{
	json_t *args = json_object_get(o, "args");
	const json_t *names = field_object(r, o, "names");
	struct event_value *values;
	const char *name;
	json_t *v;

	if (!json_is_object(args)) {
		if (!r->err->code)
			reading_fail(r, "'args' is not an object");
		return;
	}
	values = saved_alloc(r->s, json_object_size(args), sizeof(*values));
	json_object_foreach(args, name, v) values[row->n_values++] = take_value(r, name, v, names);
	mark_cut(field_array(r, o, "cut"), row, values);
	row->values = values;
}

/* ---- events ---- */

void json_take_event(struct reading *r, const json_t *o)
{
	const json_t *text = json_object_get(o, "text");
	struct event_row row = {
		.time_ns = field_seconds(r, o, "ts"),
		.cpu = take_u32(r, o, "cpu"),
		.tgid = take_u32(r, o, "pid"),
		.tid = take_u32(r, o, "tid"),
		.uid = take_u32(r, o, "uid"),
		.comm = json_take_comm(r, o),
		.probe = field_text(r, o, "probe"),
		.func = field_text(r, o, "func"),
		.wants_kernel = field_array(r, o, "kernel") != NULL,
		.wants_user = field_array(r, o, "user") != NULL,
		.is_user_missing = field_text(r, o, "missed") != NULL,
		.is_late = field_bool(r, o, "late"),
		.count = field_number(r, o, "count", false),
	};

	if ((!row.comm || !row.probe || !row.func || !json_is_string(text)) && !r->err->code)
		reading_fail(r, "an event lacks 'comm', 'probe', 'func' or 'text'");
	if (r->err->code)
		return;
	row.text = take_message(r, o, text);
	row.kernel = take_ids(r, field_array(r, o, "kernel"), &row.n_kernel);
	row.user = take_ids(r, field_array(r, o, "user"), &row.n_user);
	take_values(r, o, &row);
	if (r->err->code)
		return;
	vec_push(&r->s->events, row);
	r->file.n_events++;
}
