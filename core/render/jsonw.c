// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "render/jsonw.h"

#include "base/utf8.h"

/* Inline, because a traced event takes dozens of them. */
static inline void add_char(struct str *s, char c)
{
	str_reserve(s, 1)[0] = c;
	s->p[++s->n] = '\0';
}

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

/* The highest bit of each byte that is not written as it is: control characters, '"', '\\', DEL and
 * everything that is not ASCII.  A borrow may mark bytes after such a one too. */
static u64 special_bytes(u64 word)
{
	const u64 ones = 0x0101010101010101ULL;
	u64 quote = word ^ ones * '"', backslash = word ^ ones * '\\';

	return ((word - ones * ' ') | (word + ones) | (quote - ones) | (backslash - ones) | word) &
	       ones << 7;
}

/* Copy the leading bytes that are written as they are: all of most strings. */
static size_t copy_verbatim(char *to, struct view text)
{
	size_t n = 0;
	u64 word;

	for (; n + sizeof(word) <= text.n; n += sizeof(word)) {
		memcpy(&word, text.p + n, sizeof(word));
		if (special_bytes(word))
			break;
		memcpy(to + n, &word, sizeof(word));
	}
	for (; n < text.n; n++) {
		char c = text.p[n];

		if (c < ' ' || c > '~' || c == '"' || c == '\\')
			break;
		to[n] = c;
	}
	return n;
}

static void add_code_point(struct str *out, struct view *text)
{
	const char *start = text->p;
	u32 cp = utf8_next(text);

	if (cp == UTF8_BAD)
		str_adds(out, "\xef\xbf\xbd");
	else if (cp == '"' || cp == '\\' || utf8_is_control(cp))
		add_escaped(out, cp);
	else
		str_add(out, start, (size_t)(text->p - start));
}

/* Add a text that begins with a character that may have to be escaped. */
static void add_special(struct str *out, struct view text)
{
	while (text.n) {
		size_t n;

		add_code_point(out, &text);
		n = copy_verbatim(str_reserve(out, text.n), text);
		out->n += n;
		text.p += n;
		text.n -= n;
	}
}

/* An event has 20 strings, so each is added with one reservation and not one for each part. */
static inline __attribute__((always_inline)) void add_string(struct str *out, bool has_comma,
							     struct view text, bool is_key)
{
	char *at = str_reserve(out, text.n + 4);
	size_t n;

	if (has_comma)
		*at++ = ',';
	*at++ = '"';
	n = copy_verbatim(at, text);
	at += n;
	if (n < text.n) {
		out->n = (size_t)(at - out->p);
		add_special(out, (struct view){ text.p + n, text.n - n });
		at = str_reserve(out, 2);
	}
	*at++ = '"';
	if (is_key)
		*at++ = ':';
	*at = '\0';
	out->n = (size_t)(at - out->p);
}

static void begin_value(struct jsonw *w, const char *key)
{
	if (key)
		add_string(w->out, w->needs_comma, view_of(key), true);
	else if (w->needs_comma)
		add_char(w->out, ',');
	w->needs_comma = true;
}

void json_open(struct jsonw *w, const char *key, char bracket)
{
	begin_value(w, key);
	add_char(w->out, bracket);
	w->needs_comma = false;
}

void json_close(struct jsonw *w, char bracket)
{
	add_char(w->out, bracket);
	w->needs_comma = true;
}

void json_view(struct jsonw *w, const char *key, struct view text)
{
	begin_value(w, key);
	add_string(w->out, false, text, false);
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
	str_add_dec(w->out, v);
}

void json_s64(struct jsonw *w, const char *key, s64 v)
{
	begin_value(w, key);
	str_add_signed(w->out, v);
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
	str_adds(w->out, "\"0x");
	str_add_hex(w->out, v);
	add_char(w->out, '"');
}

void json_hex_bytes(struct jsonw *w, const char *key, struct view bytes)
{
	begin_value(w, key);
	add_char(w->out, '"');
	str_add_hex_bytes(w->out, bytes);
	add_char(w->out, '"');
}

void json_seconds(struct jsonw *w, const char *key, u64 ns, int digits)
{
	u32 fraction = (u32)(ns % NS_PER_SEC);
	char text[9];

	for (size_t i = sizeof(text); i-- > 0; fraction /= 10)
		text[i] = (char)('0' + fraction % 10);
	begin_value(w, key);
	str_add_dec(w->out, ns / NS_PER_SEC);
	add_char(w->out, '.');
	str_add(w->out, text, (size_t)digits);
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
