// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/utf8.h"

/* By length of the sequence: fixed bits of the lead byte and their mask, and the smallest code
 * point that needs this length (overlong sequences are used to bypass filters). */
static const struct {
	u8 mask, lead;
	u32 min;
} forms[] = {
	{ 0x80, 0x00, 0x0 },
	{ 0xe0, 0xc0, 0x80 },
	{ 0xf0, 0xe0, 0x800 },
	{ 0xf8, 0xf0, 0x10000 },
};

static bool is_scalar(u32 cp)
{
	return cp <= 0x10ffff && (cp < 0xd800 || cp > 0xdfff);
}

static u32 decode(struct view v, size_t n)
{
	u32 cp = (u8)v.p[0] & (u8)~forms[n - 1].mask;

	if (v.n < n)
		return UTF8_BAD;
	for (size_t i = 1; i < n; i++) {
		if (((u8)v.p[i] & 0xc0) != 0x80)
			return UTF8_BAD;
		cp = cp << 6 | ((u8)v.p[i] & 0x3f);
	}
	return is_scalar(cp) && cp >= forms[n - 1].min ? cp : UTF8_BAD;
}

u32 utf8_next(struct view *v)
{
	u32 cp = UTF8_BAD;
	size_t n = 1;

	while (n < ARRAY_SIZE(forms) && ((u8)v->p[0] & forms[n - 1].mask) != forms[n - 1].lead)
		n++;
	if (((u8)v->p[0] & forms[n - 1].mask) == forms[n - 1].lead)
		cp = decode(*v, n);
	if (cp == UTF8_BAD)
		n = 1;
	v->p += n;
	v->n -= n;
	return cp;
}

bool utf8_is_control(u32 cp)
{
	return cp < 0x20 || (cp >= 0x7f && cp < 0xa0) || cp == 0x200e || cp == 0x200f ||
	       (cp >= 0x2028 && cp <= 0x202e) || (cp >= 0x2066 && cp <= 0x2069) || cp == 0xfeff;
}

size_t utf8_plain_bytes(struct view v)
{
	size_t n = 0;

	while (n < v.n && v.p[n] >= ' ' && v.p[n] <= '~')
		n++;
	return n;
}

bool utf8_is_valid(struct view v)
{
	size_t plain = utf8_plain_bytes(v);

	v.p += plain;
	v.n -= plain;
	while (v.n)
		if (utf8_next(&v) == UTF8_BAD)
			return false;
	return true;
}

void utf8_add_clean(struct str *out, struct view v)
{
	while (v.n) {
		const char *start = v.p;
		u32 cp = utf8_next(&v);

		if (cp == UTF8_BAD || utf8_is_control(cp))
			str_addc(out, '?');
		else
			str_add(out, start, (size_t)(v.p - start));
	}
}

size_t utf8_columns(struct view v)
{
	size_t n = 0;

	for (; v.n; n++)
		utf8_next(&v);
	return n;
}

static struct view skip_columns(struct view v, size_t n)
{
	while (n-- && v.n)
		utf8_next(&v);
	return v;
}

/* Keep `head` columns of the start and `tail` columns of the end. */
static void add_ends(struct str *out, struct view v, size_t head, size_t tail)
{
	size_t have = utf8_columns(v);
	struct view rest;

	if (have <= head + 2 + tail) {
		str_add(out, v.p, v.n);
		return;
	}
	rest = skip_columns(v, head);
	str_add(out, v.p, v.n - rest.n);
	str_adds(out, "..");
	rest = skip_columns(v, have - tail);
	str_add(out, rest.p, rest.n);
}

/* The tail gets two thirds, because it contains the function's name; the head contains
 * namespaces. */
void utf8_add_cut(struct str *out, struct view v, size_t columns)
{
	size_t head = (columns - 2) / 3;

	add_ends(out, v, head, columns - 2 - head);
}

void utf8_add_head(struct str *out, struct view v, size_t columns)
{
	add_ends(out, v, columns - 2, 0);
}
