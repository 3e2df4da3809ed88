// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "expr/format.h"

#include <string.h>

#include "base/num.h"
#include "base/str.h"
#include "syntax/lex.h"
#include "type/build.h"

struct conversion {
	char letter;
	enum format_kind kind;
};

static const struct conversion conversions[] = {
	{ 'd', FORMAT_INT },	 { 'i', FORMAT_INT },  { 'u', FORMAT_INT },  { 'x', FORMAT_INT },
	{ 'X', FORMAT_INT },	 { 'o', FORMAT_INT },  { 'c', FORMAT_CHAR }, { 's', FORMAT_STRING },
	{ 'p', FORMAT_POINTER }, { 'K', FORMAT_KSYM }, { 'U', FORMAT_USYM }, { 'I', FORMAT_IP },
	{ 'E', FORMAT_ERRNO },	 { 'M', FORMAT_MAC },
};

static const struct {
	const char *name;
	u64 ns;
} units[] = {
	{ "ns", 1 },
	{ "us", NS_PER_US },
	{ "ms", NS_PER_MS },
	{ "s", NS_PER_SEC },
};

struct reader {
	const struct text *text;
	u32 at, end;
	struct format *out;
	struct arena *arena;
	struct str plain; /* text since the last conversion */
	u32 plain_at;
	struct err *err;
};

static char peek(const struct reader *r)
{
	return r->at < r->end ? r->text->p[r->at] : 0;
}

/* ---- text --------------------------------------------------------------------------------- */

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
		return (c | 0x20) - 'a' + 10;
	return -1;
}

static u32 read_digits(struct reader *r, u32 base, u32 max)
{
	u32 v = 0;

	for (u32 i = 0; i < max; i++) {
		int digit = hex_digit(peek(r));

		if (digit < 0 || (u32)digit >= base)
			break;
		v = v * base + (u32)digit;
		r->at++;
	}
	return v;
}

/* C's escapes; any other escaped character stands for itself. */
static void add_escape(struct reader *r)
{
	static const char from[] = "abefnrtv", to[] = "\a\b\033\f\n\r\t\v";
	const char *found;
	char c;

	r->at++;
	c = peek(r);
	if (c == 'x') {
		r->at++;
		str_addc(&r->plain, (char)read_digits(r, 16, 2));
		return;
	}
	if (c >= '0' && c <= '7') {
		str_addc(&r->plain, (char)read_digits(r, 8, 3));
		return;
	}
	found = c ? strchr(from, c) : NULL;
	str_addc(&r->plain, found ? to[found - from] : c ? c : '\\');
	r->at += r->at < r->end;
}

static void flush_plain(struct reader *r)
{
	struct format_piece piece = {
		.kind = FORMAT_TEXT,
		.at = { r->plain_at, r->at - r->plain_at },
		.width = -1,
		.precision = -1,
	};

	if (!r->plain.n)
		return;
	piece.text.p = arena_strndup(r->arena, r->plain.p, r->plain.n);
	piece.text.n = r->plain.n;
	vec_push(&r->out->pieces, piece);
	str_clear(&r->plain);
}

/* ---- conversions -------------------------------------------------------------------------- */

static void read_flags(struct reader *r, struct format_piece *p)
{
	for (;; r->at++) {
		switch (peek(r)) {
		case '-':
			p->left = true;
			break;
		case '0':
			p->zero = true;
			break;
		case '+':
			p->plus = true;
			break;
		case ' ':
			p->space = true;
			break;
		case '#':
			p->alt = true;
			break;
		case '\'': /* thousands separators: accepted and ignored */
			break;
		default:
			return;
		}
	}
}

static int read_number(struct reader *r, s32 *out, bool *is_arg, u32 *value, const char *what)
{
	u32 start = r->at;
	u64 n;

	if (peek(r) == '*') {
		r->at++;
		*is_arg = true;
		*value = r->out->n_values++;
		return 0;
	}
	while (peek(r) >= '0' && peek(r) <= '9')
		r->at++;
	if (r->at == start)
		return 0;
	if (!num_parse_dec((struct view){ r->text->p + start, r->at - start }, &n) ||
	    n > FORMAT_WIDTH_MAX)
		return text_error(r->text, (struct text_range){ start, r->at - start }, r->err,
				  "a %s of more than %d", what, FORMAT_WIDTH_MAX);
	*out = (s32)n;
	return 0;
}

static u8 read_size(struct reader *r)
{
	u32 start = r->at;
	char first = peek(r);

	while (peek(r) && strchr("hlLjzt", peek(r)))
		r->at++;
	if (r->at == start)
		return 4;
	if (first != 'h')
		return 8;
	return r->at - start > 1 ? 1 : 2;
}

static int read_unit(struct reader *r, struct format_piece *p)
{
	u32 start = ++r->at;
	struct view name;

	while (peek(r) && peek(r) != '}')
		r->at++;
	name = (struct view){ r->text->p + start, r->at - start };
	for (size_t i = 0; i < ARRAY_SIZE(units) && peek(r) == '}'; i++) {
		if (!view_eq(name, units[i].name))
			continue;
		p->kind = FORMAT_NS;
		p->conv = '{';
		p->unit_ns = units[i].ns;
		r->at++;
		return 0;
	}
	text_error(r->text, (struct text_range){ start - 1, r->at - start + 2 }, r->err,
		   "%%{...} names a unit of time");
	return err_hint(r->err, "%%{us}, %%{ms}, %%{s} or %%{ns}");
}

static int bad_conversion(struct reader *r, u32 start)
{
	char c = peek(r);
	struct text_range at = { start, r->at - start + (c != 0) };

	if (!c) {
		text_error(r->text, at, r->err, "the format ends inside a conversion");
		return err_hint(r->err, "%%d for a number, %%s for text; %%%% is a percent sign");
	}
	text_error(r->text, at, r->err, "'%%%c' is not a conversion", c);
	if (strchr("feEgGaA", c))
		return err_hint(r->err, "numbers are integers: %%d, or %%{ms} for a time");
	return err_hint(r->err,
			"d i u x X o c s p, K U symbols, I IP address, M MAC, E errno, {us} time");
}

static int read_letter(struct reader *r, struct format_piece *p, u32 start)
{
	if (peek(r) == '{')
		return read_unit(r, p);
	for (size_t i = 0; i < ARRAY_SIZE(conversions); i++) {
		if (conversions[i].letter != peek(r) || !peek(r))
			continue;
		p->kind = conversions[i].kind;
		p->conv = peek(r);
		r->at++;
		return 0;
	}
	return bad_conversion(r, start);
}

static int read_conversion(struct reader *r)
{
	struct format_piece p = { .width = -1, .precision = -1 };
	u32 start = r->at++;
	int ret;

	if (peek(r) == '%') {
		str_addc(&r->plain, '%');
		r->at++;
		return 0;
	}
	r->at = start;
	flush_plain(r);
	r->at = start + 1;
	read_flags(r, &p);
	ret = read_number(r, &p.width, &p.width_is_arg, &p.width_value, "width");
	if (!ret && peek(r) == '.') {
		r->at++;
		p.precision = 0;
		ret = read_number(r, &p.precision, &p.precision_is_arg, &p.precision_value,
				  "precision");
	}
	if (ret)
		return ret;
	p.bytes = read_size(r);
	ret = read_letter(r, &p, start);
	if (ret)
		return ret;
	p.at = (struct text_range){ start, r->at - start };
	p.value = r->out->n_values++;
	r->plain_at = r->at;
	vec_push(&r->out->pieces, p);
	return 0;
}

int format_parse(struct arena *a, const struct text *t, struct text_range inside,
		 struct format *out, struct err *err)
{
	struct reader r = {
		.text = t,
		.at = inside.at,
		.end = span_end(inside),
		.out = out,
		.arena = a,
		.plain_at = inside.at,
		.err = err,
	};
	int ret = lex_escapes(t, inside, err);

	*out = (struct format){ 0 };
	while (!ret && r.at < r.end) {
		if (peek(&r) == '%')
			ret = read_conversion(&r);
		else if (peek(&r) == '\\')
			add_escape(&r);
		else
			str_addc(&r.plain, r.text->p[r.at++]);
	}
	if (!ret)
		flush_plain(&r);
	str_release(&r.plain);
	if (ret)
		format_release(out);
	return ret;
}

void format_release(struct format *f)
{
	vec_release(&f->pieces);
}

/* ---- against values ------------------------------------------------------------------------ */

/* The conversion that uses value `i`.  *is_star: it uses the value as its width or precision. */
static const struct format_piece *taker(const struct format *f, u32 i, bool *is_star)
{
	const struct format_piece *p;

	*is_star = false;
	vec_for_each(p, &f->pieces) {
		if (p->kind == FORMAT_TEXT)
			continue;
		*is_star = (p->width_is_arg && p->width_value == i) ||
			   (p->precision_is_arg && p->precision_value == i);
		if (*is_star || p->value == i)
			return p;
	}
	return NULL;
}

enum check_as format_wants(const struct format *f, u32 i)
{
	bool is_star;
	const struct format_piece *p = taker(f, i, &is_star);

	if (!p)
		return CHECK_VALUE;
	if (is_star)
		return CHECK_SCALAR;
	switch (p->kind) {
	case FORMAT_STRING:
		return CHECK_STRING;
	case FORMAT_POINTER:
	case FORMAT_KSYM:
	case FORMAT_USYM:
		return CHECK_ADDRESS;
	case FORMAT_IP:
	case FORMAT_MAC:
		return CHECK_VALUE;
	default:
		return CHECK_SCALAR;
	}
}

void format_limit(const struct format *f, struct types *t, const struct tree **values, u32 n)
{
	const struct format_piece *p;

	vec_for_each(p, &f->pieces) {
		const struct tree *value = p->value < n ? values[p->value] : NULL;
		const struct tree *limit = NULL;

		if (p->kind != FORMAT_STRING || !value || value->kind != TREE_STRING ||
		    value->length)
			continue;
		if (p->precision_is_arg && type_is_scalar(values[p->precision_value]->type))
			limit = values[p->precision_value];
		else if (p->precision >= 0)
			limit = tree_const(t, (u64)p->precision, type_int(t, 4, false), p->at);
		if (limit)
			values[p->value] = tree_string(t, value->a, value->space, limit,
						       value->type->size, value->at);
	}
}

static bool is_ip(const struct type *type)
{
	if (type->kind == TYPE_BYTES && type->show == SHOW_BUFFER)
		return type->size == 4 || type->size == 16;
	if (type->kind == TYPE_BYTES)
		return type->show == SHOW_IP4 || type->show == SHOW_IP6 || type->show == SHOW_IP ||
		       type->show == SHOW_SOCKADDR;
	return type->kind == TYPE_INT && type->size <= 4;
}

static bool is_mac(const struct type *type)
{
	return type->kind == TYPE_BYTES && type->size == 6;
}

static bool takes(const struct format_piece *p, bool is_star, const struct type *type)
{
	if (is_star)
		return type_is_scalar(type);
	switch (p->kind) {
	case FORMAT_STRING:
		return type->kind == TYPE_INT ? type_has_words(type) : type->kind != TYPE_POINTER;
	case FORMAT_IP:
		return is_ip(type);
	case FORMAT_MAC:
		return is_mac(type);
	default:
		return type_is_scalar(type);
	}
}

static int wrong_type(const struct format_piece *p, const struct text *t, const struct tree *value,
		      struct err *err)
{
	char name[96];

	type_text(value->type, name, sizeof(name));
	if (p->kind == FORMAT_STRING) {
		text_error(t, value->at, err, "%%s needs a string, but this is %s", name);
		return err_hint(err, "%%d or %%x for a number");
	}
	if (p->kind == FORMAT_IP) {
		text_error(t, value->at, err, "%%I needs an IP address, but this is %s", name);
		return err_hint(err, "ip(family, v4, v6), sockaddr(x), or 4 bytes as they are on "
				     "the wire");
	}
	if (p->kind == FORMAT_MAC) {
		text_error(t, value->at, err, "%%M needs 6 bytes, but this is %s", name);
		return err_hint(err, "mac(x) reads them from an address");
	}
	text_error(t, value->at, err, "%.*s needs a number, but this is %s", (int)p->at.n,
		   t->p + p->at.at, name);
	return err_hint(err, "%%s");
}

static int wrong_number(const struct format *f, const struct text *t, struct text_range whole,
			const struct tree *const *values, u32 n, struct err *err)
{
	bool is_star;

	if (n > f->n_values) {
		text_error(t, values[f->n_values]->at, err,
			   "the format takes %u value%s, and there %s %u", f->n_values,
			   f->n_values == 1 ? "" : "s", n == 1 ? "is" : "are", n);
		return err_hint(err, "one more %%d, %%s, ... in the format for each");
	}
	text_error(t, f->n_values ? taker(f, n, &is_star)->at : whole, err,
		   "no value for this: the format takes %u, and there %s %u", f->n_values,
		   n == 1 ? "is" : "are", n);
	return err_hint(err, "after the format and a comma; %%%% is a percent sign");
}

int format_check(const struct format *f, const struct text *t, struct text_range whole,
		 const struct tree *const *values, u32 n, struct err *err)
{
	if (n != f->n_values)
		return wrong_number(f, t, whole, values, n, err);
	for (u32 i = 0; i < n; i++) {
		bool is_star;
		const struct format_piece *p = taker(f, i, &is_star);

		if (!takes(p, is_star, values[i]->type))
			return wrong_type(p, t, values[i], err);
	}
	return 0;
}
