// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "saved/jsonfields.h"

#include <string.h>

#include "base/num.h"

static void wrong(struct reading *r, const char *key, const char *what)
{
	if (!r->err->code)
		reading_fail(r, "'%s' is not %s", key, what);
}

static const json_t *find(const json_t *o, const char *key)
{
	const json_t *v = json_object_get(o, key);

	return v && !json_is_null(v) ? v : NULL;
}

u64 field_u64(struct reading *r, const json_t *o, const char *key, u64 otherwise)
{
	const json_t *v = find(o, key);

	if (!v)
		return otherwise;
	if (json_is_integer(v) && json_integer_value(v) >= 0)
		return (u64)json_integer_value(v);
	wrong(r, key, "a whole number");
	return otherwise;
}

s64 field_id(struct reading *r, const json_t *o, const char *key)
{
	return (s64)field_u64(r, o, key, (u64)-1);
}

const char *field_text(struct reading *r, const json_t *o, const char *key)
{
	const json_t *v = find(o, key);

	if (!v)
		return NULL;
	if (json_is_string(v))
		return intern_n(&r->s->strings, json_string_value(v), json_string_length(v));
	wrong(r, key, "a text");
	return NULL;
}

bool field_bool(struct reading *r, const json_t *o, const char *key)
{
	const json_t *v = find(o, key);

	if (v && !json_is_boolean(v))
		wrong(r, key, "true or false");
	return v && json_is_true(v);
}

double field_double(struct reading *r, const json_t *o, const char *key)
{
	const json_t *v = find(o, key);

	if (!v)
		return 0;
	if (json_is_number(v) && json_number_value(v) >= 0)
		return json_number_value(v);
	wrong(r, key, "a number");
	return 0;
}

u64 field_scaled(struct reading *r, const json_t *o, const char *key, double scale)
{
	double v = field_double(r, o, key) * scale + 0.5;

	if (v < 0x1p63)
		return (u64)v;
	wrong(r, key, "a number in range");
	return 0;
}

u64 field_seconds(struct reading *r, const json_t *o, const char *key)
{
	return field_scaled(r, o, key, 1e9);
}

u64 field_hex(struct reading *r, const json_t *o, const char *key)
{
	const json_t *v = find(o, key);
	u64 n = 0;

	if (v && (!json_is_string(v) || !num_parse_hex(view_of(json_string_value(v)), &n)))
		wrong(r, key, "a hexadecimal number");
	return n;
}

bool json_take_number(const json_t *v, bool is_signed, u64 *out)
{
	const json_t *digits = json_is_object(v) ? json_object_get(v, "") : NULL;

	if (json_is_integer(v))
		*out = (u64)json_integer_value(v);
	if (json_is_integer(v))
		return is_signed || json_integer_value(v) >= 0;
	return json_is_string(digits) && !is_signed &&
	       num_parse_dec(view_of(json_string_value(digits)), out);
}

u64 field_number(struct reading *r, const json_t *o, const char *key, bool is_signed)
{
	const json_t *v = find(o, key);
	u64 n = 0;

	if (v && !json_take_number(v, is_signed, &n))
		wrong(r, key, "a whole number of 64 bits");
	return n;
}

u32 field_choice(struct reading *r, const json_t *o, const char *key, const char *const *names,
		 u32 n)
{
	const char *name = field_text(r, o, key);

	for (u32 i = 0; name && i < n; i++)
		if (!strcmp(names[i], name))
			return i;
	if (!r->err->code)
		reading_fail(r, "'%s' is '%s', which is unknown", key, name ? name : "");
	return 0;
}

bool field_bytes(struct reading *r, const json_t *o, const char *key, struct str *out)
{
	const json_t *v = find(o, key);
	const char *hex = v ? json_string_value(v) : NULL;
	u64 byte;

	for (; hex && hex[0] && hex[1]; hex += 2) {
		if (!num_parse_hex((struct view){ hex, 2 }, &byte))
			break;
		str_addc(out, (char)byte);
	}
	if (v && (!hex || hex[0]))
		wrong(r, key, "bytes in hexadecimal");
	return v && !r->err->code;
}

const json_t *field_object(struct reading *r, const json_t *o, const char *key)
{
	const json_t *v = find(o, key);

	if (v && !json_is_object(v))
		wrong(r, key, "an object");
	return v && json_is_object(v) ? v : NULL;
}

const json_t *field_array(struct reading *r, const json_t *o, const char *key)
{
	const json_t *v = find(o, key);

	if (v && !json_is_array(v))
		wrong(r, key, "an array");
	return v && json_is_array(v) ? v : NULL;
}
