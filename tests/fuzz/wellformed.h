/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Is the output valid in its format?  Readers as strict as the strictest there are, and independent
 * of the writers. */
#ifndef WELLFORMED_H
#define WELLFORMED_H

#include <ctype.h>
#include <zlib.h>

#include "base/str.h"
#include "tests/fuzz/fuzz.h"

/* ---- characters ---- */

/* One character of UTF-8, cut off *v; aborts where there is none. */
static inline u32 take_character(struct view *v)
{
	static const u32 least[] = { 0, 0x80, 0x800, 0x10000 };
	u8 lead = (u8)*v->p;
	u32 more = lead < 0x80 ? 0 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
	u32 c = more ? lead & (0x3fU >> more) : lead;

	must(lead < 0x80 || (lead >= 0xc2 && lead < 0xf5));
	must(v->n > more);
	for (u32 i = 1; i <= more; i++) {
		must(((u8)v->p[i] & 0xc0) == 0x80);
		c = c << 6 | ((u8)v->p[i] & 0x3f);
	}
	must(c >= least[more] && c <= 0x10ffff && (c < 0xd800 || c > 0xdfff));
	v->p += more + 1;
	v->n -= more + 1;
	return c;
}

/* UTF-8 that no terminal obeys: lines and tabs are all that moves its cursor. */
static inline void must_be_text(struct view v)
{
	while (v.n) {
		u32 c = take_character(&v);

		must((c >= 0x20 && c < 0x7f) || c >= 0xa0 || c == '\n' || c == '\t');
		must(c < 0x202a || c > 0x202e);
		must(c < 0x2066 || c > 0x2069);
	}
}

/* ---- JSON (RFC 8259) ---- */

static inline bool is_next(const struct view *v, char c)
{
	return v->n && *v->p == c;
}

static inline void take_char(struct view *v, char c)
{
	must(is_next(v, c));
	v->p++;
	v->n--;
}

static inline bool take_if(struct view *v, char c)
{
	bool is_so = is_next(v, c);

	if (is_so)
		take_char(v, c);
	return is_so;
}

static inline void take_word(struct view *v, const char *word)
{
	while (*word)
		take_char(v, *word++);
}

static inline void take_json_string(struct view *v)
{
	take_char(v, '"');
	while (!take_if(v, '"')) {
		must(v->n && (u8)*v->p >= 0x20);
		if (!take_if(v, '\\')) {
			take_character(v);
			continue;
		}
		must(v->n && strchr("\"\\/bfnrtu", *v->p));
		if (!take_if(v, 'u')) {
			take_character(v);
			continue;
		}
		for (int i = 0; i < 4; i++) {
			must(v->n && *v->p && strchr("0123456789abcdefABCDEF", *v->p));
			take_char(v, *v->p);
		}
	}
}

static inline void take_digits(struct view *v)
{
	must(v->n && *v->p >= '0' && *v->p <= '9');
	while (v->n && *v->p >= '0' && *v->p <= '9')
		take_char(v, *v->p);
}

static inline void take_json_number(struct view *v)
{
	take_if(v, '-');
	if (!take_if(v, '0'))
		take_digits(v);
	if (take_if(v, '.'))
		take_digits(v);
	if (take_if(v, 'e') || take_if(v, 'E')) {
		if (!take_if(v, '-'))
			take_if(v, '+');
		take_digits(v);
	}
}

static inline void take_json(struct view *v, int depth);

static inline void take_json_list(struct view *v, char end, int depth)
{
	take_char(v, *v->p);
	if (take_if(v, end))
		return;
	do {
		if (end == '}') {
			take_json_string(v);
			take_char(v, ':');
		}
		take_json(v, depth + 1);
	} while (take_if(v, ','));
	take_char(v, end);
}

static inline void take_json(struct view *v, int depth)
{
	must(v->n && depth < 32);
	if (*v->p == '{' || *v->p == '[')
		take_json_list(v, *v->p == '{' ? '}' : ']', depth);
	else if (*v->p == '"')
		take_json_string(v);
	else if (*v->p == 't' || *v->p == 'f' || *v->p == 'n')
		take_word(v, *v->p == 't' ? "true" : *v->p == 'f' ? "false" : "null");
	else
		take_json_number(v);
}

/* An object on every line. */
static inline void must_be_json_lines(struct view v)
{
	must_be_text(v);
	while (v.n) {
		must(is_next(&v, '{'));
		take_json(&v, 0);
		take_char(&v, '\n');
	}
}

/* ---- folded stacks ---- */

/* Frames with ';' between, a blank, a count. */
static inline void must_be_folded(struct view v)
{
	struct view line;

	must_be_text(v);
	must(!v.n || v.p[v.n - 1] == '\n');
	while (view_split(&v, '\n', &line)) {
		const char *blank = memrchr(line.p, ' ', line.n);
		struct view frames, frame, count;

		must(line.n < 65536 && blank && blank > line.p);
		frames = (struct view){ line.p, (size_t)(blank - line.p) };
		must(frames.p[frames.n - 1] != ';');
		while (view_split(&frames, ';', &frame))
			must(frame.n);
		count = (struct view){ blank + 1, (size_t)(line.p + line.n - blank - 1) };
		must(count.n && *count.p != '0');
		take_digits(&count);
		must(!count.n);
	}
}

/* ---- XML, as much of it as a picture has ---- */

static inline bool take_until(struct view *v, const char *begin, const char *end)
{
	const char *at;

	if (!view_starts(*v, begin))
		return false;
	at = memmem(v->p, v->n, end, strlen(end));
	must(at);
	at += strlen(end);
	v->n -= (size_t)(at - v->p);
	v->p = at;
	return true;
}

static inline struct view take_xml_name(struct view *v)
{
	struct view name = *v;

	while (v->n && (isalnum((u8)*v->p) || (*v->p && strchr("_:-.", *v->p))))
		take_char(v, *v->p);
	name.n -= v->n;
	must(name.n);
	return name;
}

static inline void take_entity(struct view *v)
{
	static const char *const entities[] = { "&amp;", "&lt;", "&gt;", "&quot;", "&#39;" };

	for (size_t i = 0; i < ARRAY_SIZE(entities); i++) {
		if (!view_starts(*v, entities[i]))
			continue;
		take_word(v, entities[i]);
		return;
	}
	must(false);
}

static inline void take_blanks(struct view *v)
{
	while (v->n && strchr(" \n\t", *v->p))
		take_char(v, *v->p);
}

static inline void take_attributes(struct view *v)
{
	for (take_blanks(v); v->n && !strchr("/>", *v->p); take_blanks(v)) {
		char quote;

		take_xml_name(v);
		take_char(v, '=');
		must(is_next(v, '"') || is_next(v, '\''));
		quote = *v->p;
		take_char(v, quote);
		while (!take_if(v, quote)) {
			must(v->n && *v->p != '<');
			if (*v->p == '&')
				take_entity(v);
			else
				take_char(v, *v->p);
		}
	}
}

/* An element's tag; the names of those that are open. */
static inline void take_tag(struct view *v, struct view *open, size_t max, size_t *n)
{
	struct view name;

	take_char(v, '<');
	if (take_if(v, '/')) {
		name = take_xml_name(v);
		must(*n && open[*n - 1].n == name.n && !memcmp(open[*n - 1].p, name.p, name.n));
		--*n;
		take_char(v, '>');
		return;
	}
	name = take_xml_name(v);
	take_attributes(v);
	if (!take_if(v, '/')) {
		must(*n < max);
		open[(*n)++] = name;
	}
	take_char(v, '>');
}

static inline void must_be_xml(struct view v)
{
	struct view open[64];
	size_t n = 0;

	must_be_text(v);
	while (v.n) {
		if (take_until(&v, "<?", "?>") || take_until(&v, "<!--", "-->") ||
		    take_until(&v, "<![CDATA[", "]]>") || take_until(&v, "<!DOCTYPE", ">"))
			continue;
		if (*v.p == '<')
			take_tag(&v, open, ARRAY_SIZE(open), &n);
		else if (*v.p == '&')
			take_entity(&v);
		else
			take_char(&v, *v.p);
	}
	must(!n);
}

/* ---- pprof ---- */

static inline struct str unzipped(struct view v)
{
	z_stream z = { .next_in = (Bytef *)(uintptr_t)v.p, .avail_in = (uInt)v.n };
	struct str out = { 0 };
	int ret;

	must(inflateInit2(&z, MAX_WBITS + 16) == Z_OK);
	do {
		z.next_out = (Bytef *)str_reserve(&out, 65536);
		z.avail_out = 65536;
		ret = inflate(&z, Z_NO_FLUSH);
		out.n += 65536 - z.avail_out;
	} while (ret == Z_OK);
	must(ret == Z_STREAM_END && !z.avail_in);
	inflateEnd(&z);
	return out;
}

static inline u64 take_varint(struct view *v)
{
	u64 n = 0;
	u8 byte;

	for (u32 shift = 0;; shift += 7) {
		must(v->n && shift < 64);
		byte = (u8)*v->p;
		v->p++;
		v->n--;
		n |= (u64)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return n;
	}
}

/* Packets, one after another. */
static inline void must_be_pftrace(struct view v)
{
	must(v.n);
	while (v.n) {
		u64 tag = take_varint(&v), n = take_varint(&v);

		must(tag == (1 << 3 | 2) && n && n <= v.n);
		v.p += n;
		v.n -= n;
	}
}

/* Fields of a Profile; the sixth is the strings, the first of them empty. */
static inline void must_be_pprof(struct view zipped)
{
	struct str all = unzipped(zipped);
	struct view v = str_view(&all);
	u32 n_strings = 0;

	while (v.n) {
		u64 tag = take_varint(&v), value = take_varint(&v);
		struct view bytes = { v.p, value };

		must((tag & 7) == 0 || (tag & 7) == 2);
		if ((tag & 7) == 0)
			continue;
		must(value <= v.n);
		v.p += value;
		v.n -= value;
		if (tag >> 3 != 6)
			continue;
		must(n_strings++ || !bytes.n);
		while (bytes.n)
			take_character(&bytes);
	}
	must(n_strings);
	str_release(&all);
}

#endif
