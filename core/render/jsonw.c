// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "render/jsonw.h"

#include "base/utf8.h"

static void add_escaped(struct str *out, u32 cp)
{
	static const struct {
		u32 cp;
		const char *escape;
	} short_forms[] = {
		{ '"', "\\\"" }, { '\\', "\\\\" }, { '\n', "\\n" },
		{ '\r', "\\r" }, { '\t', "\\t" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(short_forms); i++) {
		if (short_forms[i].cp != cp)
			continue;
		str_adds(out, short_forms[i].escape);
		return;
	}
	str_addf(out, "\\u%04x", cp);
}

static void add_string(struct str *out, struct view text)
{
	str_addc(out, '"');
	while (text.n) {
		const char *start = text.p;
		u32 cp = utf8_next(&text);

		if (cp == UTF8_BAD)
			str_adds(out, "\xef\xbf\xbd");
		else if (cp == '"' || cp == '\\' || utf8_is_control(cp))
			add_escaped(out, cp);
		else
			str_add(out, start, (size_t)(text.p - start));
	}
	str_addc(out, '"');
}

static void begin_value(struct jsonw *w, const char *key)
{
	if (w->needs_comma)
		str_addc(w->out, ',');
	w->needs_comma = true;
	if (!key)
		return;
	add_string(w->out, view_of(key));
	str_addc(w->out, ':');
}

void json_open(struct jsonw *w, const char *key, char bracket)
{
	begin_value(w, key);
	str_addc(w->out, bracket);
	w->needs_comma = false;
}

void json_close(struct jsonw *w, char bracket)
{
	str_addc(w->out, bracket);
	w->needs_comma = true;
}

void json_view(struct jsonw *w, const char *key, struct view text)
{
	begin_value(w, key);
	add_string(w->out, text);
}

void json_text(struct jsonw *w, const char *key, const char *text)
{
	if (text)
		json_view(w, key, view_of(text));
	else
		json_none(w, key);
}

void json_u64(struct jsonw *w, const char *key, u64 v)
{
	begin_value(w, key);
	str_addf(w->out, "%llu", v);
}

void json_s64(struct jsonw *w, const char *key, s64 v)
{
	begin_value(w, key);
	str_addf(w->out, "%lld", v);
}

void json_bool(struct jsonw *w, const char *key, bool v)
{
	begin_value(w, key);
	str_adds(w->out, v ? "true" : "false");
}

void json_none(struct jsonw *w, const char *key)
{
	begin_value(w, key);
	str_adds(w->out, "null");
}

void json_hex(struct jsonw *w, const char *key, u64 v)
{
	begin_value(w, key);
	str_addf(w->out, "\"0x%llx\"", v);
}

void json_seconds(struct jsonw *w, const char *key, u64 ns, int digits)
{
	u64 unit = NS_PER_SEC;

	for (int i = 0; i < digits; i++)
		unit /= 10;
	begin_value(w, key);
	str_addf(w->out, "%llu.%0*llu", ns / NS_PER_SEC, digits, ns % NS_PER_SEC / unit);
}

void json_decimal(struct jsonw *w, const char *key, double v, int digits)
{
	begin_value(w, key);
	str_addf(w->out, "%.*f", digits, v);
}

void json_share(struct jsonw *w, const char *key, double v)
{
	begin_value(w, key);
	str_addf(w->out, "%.4f", (double)(u64)(v * 1e4) / 1e4);
}

void json_double(struct jsonw *w, const char *key, double v)
{
	begin_value(w, key);
	str_addf(w->out, "%.17g", v);
}

void json_raw(struct jsonw *w, const char *key, struct view json)
{
	begin_value(w, key);
	str_add(w->out, json.p, json.n);
}
