// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Messages from formats and values: printf's rules, by printf itself where possible. */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "event/value.h"

/* A piece of a format with the values of its `*`. */
struct fill {
	const struct format_piece *p;
	bool left;
	s32 width, precision;
};

/* A width sent by a program must not exhaust our memory; a precision is limited to the bytes
 * received. */
static s32 star(const struct value_view *v, s32 max)
{
	s32 n = v->is_absent ? 0 : (s32)v->number;

	return n > max ? max : n < -max ? -max : n;
}

static struct fill fill_of(const struct format_piece *p, const struct value_view *values)
{
	struct fill f = { p, p->left, p->width, p->precision };

	if (p->width_is_arg) {
		f.width = star(&values[p->width_value], FORMAT_WIDTH_MAX);
		if (f.width < 0) {
			f.left = true;
			f.width = -f.width;
		}
	}
	if (p->precision_is_arg)
		f.precision = star(&values[p->precision_value],
				   p->conv == 's' ? INT32_MAX : FORMAT_WIDTH_MAX);
	return f;
}

static void add_padded(const struct fill *f, struct view text, struct str *out)
{
	size_t n = text.n, width = f->width > 0 ? (size_t)f->width : 0;

	if (f->precision >= 0 && n > (size_t)f->precision)
		n = (size_t)f->precision;
	if (!f->left && width > n)
		str_addf(out, "%*s", (int)(width - n), "");
	str_add(out, text.p, n);
	if (f->left && width > n)
		str_addf(out, "%*s", (int)(width - n), "");
}

/* A plain %d or %u, the most common case: printf would take five times as long. */
static bool add_plain(const struct fill *f, char conv, u64 number, struct str *out)
{
	bool is_signed = conv == 'd' || conv == 'i', is_negative = is_signed && (s64)number < 0;
	char digits[24], *at = digits + sizeof(digits);
	u64 n = is_negative ? -number : number;

	if ((!is_signed && conv != 'u') || f->width >= 0 || f->precision >= 0 || f->p->plus ||
	    f->p->space)
		return false;
	do
		*--at = (char)('0' + n % 10);
	while (n /= 10);
	if (is_negative)
		*--at = '-';
	str_add(out, at, (size_t)(digits + sizeof(digits) - at));
	return true;
}

/* "%-08.3llx" of a 64-bit number, by printf itself. */
static void add_printf(const struct fill *f, char conv, u64 number, struct str *out)
{
	char fmt[48], text[8192];
	int n;

	if (add_plain(f, conv, number, out))
		return;
	snprintf(fmt, sizeof(fmt), "%%%s%s%s%s%s%s%sll%c", f->left ? "-" : "",
		 f->p->zero ? "0" : "", f->p->plus ? "+" : "", f->p->space ? " " : "",
		 f->p->alt ? "#" : "", f->width >= 0 ? "*" : "", f->precision >= 0 ? ".*" : "",
		 conv);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	if (f->width >= 0 && f->precision >= 0)
		n = snprintf(text, sizeof(text), fmt, f->width, f->precision, number);
	else if (f->width >= 0)
		n = snprintf(text, sizeof(text), fmt, f->width, number);
	else if (f->precision >= 0)
		n = snprintf(text, sizeof(text), fmt, f->precision, number);
	else
		n = snprintf(text, sizeof(text), fmt, number);
#pragma GCC diagnostic pop
	if (n > 0)
		str_add(out, text, (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1);
}

/*
 * The number that printf would print: hh and h truncate it as in C.  Without a size, C prints 32
 * bits; a value that does not fit is printed in full, because a wrong number is worse than a long
 * one.  A value from a register fits if its upper half is zero, and is then printed as an int.
 */
static u64 narrow_to_size(const struct format_piece *p, const struct value_view *v)
{
	bool is_signed = p->conv == 'd' || p->conv == 'i';
	u64 n = v->number;

	if (p->bytes == 1)
		return is_signed ? (u64)(s64)(signed char)n : (u8)n;
	if (p->bytes == 2)
		return is_signed ? (u64)(s64)(short)n : (u16)n;
	if (p->bytes == 4 && is_signed && (n >> 32) == 0 &&
	    (!v->type->is_signed || v->type->is_plain))
		return (u64)(s64)(s32)n;
	if (p->bytes == 4 && !is_signed && v->type->size <= 4)
		return (u32)n;
	return n;
}

static void put_ns(u64 ns, u64 unit, s32 precision, struct str *out)
{
	u32 digits = precision < 0 ? 3 : (u32)precision, n = 0;
	u64 scale = 1;

	for (; n < digits && scale < unit; n++)
		scale *= 10;
	if (!n)
		str_addf(out, "%llu", ns / unit);
	else
		str_addf(out, "%llu.%0*llu", ns / unit, (int)n, ns % unit * scale / unit);
}

void show_ns(const struct format_piece *p, u64 ns, struct str *out)
{
	put_ns(ns, p->unit_ns, p->precision, out);
}

static void add_ns(const struct fill *f, u64 ns, struct str *out)
{
	struct fill whole = *f;
	struct str text = { 0 };

	whole.precision = -1;
	put_ns(ns, f->p->unit_ns, f->precision, &text);
	add_padded(&whole, str_view(&text), out);
	str_release(&text);
}

/* The type to print a number as, whatever its declared type. */
static void add_as(struct show_env *s, const struct fill *f, const struct value_view *v,
		   enum show show, struct str *out)
{
	struct type type = *v->type;
	struct value_view as = *v;
	struct str text = { 0 };

	type.show = show;
	type.is_plain = show == SHOW_ERRNO;
	as.type = &type;
	show_plain(s, &as, &text);
	add_padded(f, str_view(&text), out);
	str_release(&text);
}

static void add_ip(struct show_env *s, const struct fill *f, const struct value_view *v,
		   struct str *out)
{
	u32 number = (u32)v->number;
	char text[INET_ADDRSTRLEN] = "?";
	struct str plain = { 0 };

	if (v->type->kind == TYPE_BYTES && v->type->show == SHOW_BUFFER) {
		add_as(s, f, v, v->type->size == 4 ? SHOW_IP4 : SHOW_IP6, out);
		return;
	}
	if (type_is_scalar(v->type)) {
		inet_ntop(AF_INET, &number, text, sizeof(text));
		str_adds(&plain, text);
	} else {
		show_plain(s, v, &plain);
	}
	add_padded(f, str_view(&plain), out);
	str_release(&plain);
}

static void add_char(const struct fill *f, u64 number, struct str *out)
{
	char c = (char)number;

	add_padded(f, (struct view){ c >= ' ' && c <= '~' ? &c : "?", 1 }, out);
}

static void add_string(struct show_env *s, const struct fill *f, const struct value_view *v,
		       struct str *out)
{
	struct str text = { 0 };

	show_plain(s, v, &text);
	add_padded(f, str_view(&text), out);
	if (f->precision < 0)
		str_adds(out, value_dots(v));
	str_release(&text);
}

static void add_piece(struct show_env *s, const struct format_piece *p,
		      const struct value_view *values, struct str *out)
{
	const struct value_view *v = &values[p->value];
	struct fill f;

	if (p->kind == FORMAT_TEXT) {
		str_add(out, p->text.p, p->text.n);
		return;
	}
	f = fill_of(p, values);
	if (v->is_absent) {
		add_padded(&f, view_of("?"), out);
		return;
	}
	switch (p->kind) {
	case FORMAT_INT:
		add_printf(&f, p->conv, narrow_to_size(p, v), out);
		break;
	case FORMAT_CHAR:
		add_char(&f, v->number, out);
		break;
	case FORMAT_STRING:
		add_string(s, &f, v, out);
		break;
	case FORMAT_POINTER:
		add_as(s, &f, v, SHOW_POINTER, out);
		break;
	case FORMAT_KSYM:
		add_as(s, &f, v, SHOW_KSYM, out);
		break;
	case FORMAT_USYM:
		add_as(s, &f, v, SHOW_USYM, out);
		break;
	case FORMAT_IP:
		add_ip(s, &f, v, out);
		break;
	case FORMAT_MAC:
		add_as(s, &f, v, SHOW_MAC, out);
		break;
	case FORMAT_ERRNO:
		add_as(s, &f, v, SHOW_ERRNO, out);
		break;
	case FORMAT_NS:
		add_ns(&f, v->number, out);
		break;
	case FORMAT_TEXT:
		break;
	}
}

void show_format(struct show_env *s, const struct format *f, const struct value_view *values,
		 struct str *out)
{
	const struct format_piece *p;

	vec_for_each(p, &f->pieces)
		add_piece(s, p, values, out);
}
