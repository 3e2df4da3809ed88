// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Format strings: text to pieces, and the positions of errors in them. */
#include "expr/format.h"

#include "base/str.h"
#include "test.h"

static struct arena arena;
static struct str out;

static const char *const kinds[] = { "text", "int", "char", "string", "pointer", "ksym",
				     "usym", "ip",  "mac",  "errno",  "ns" };

/* Bytes as a reader of this file can compare them. */
static void add_bytes(struct view v)
{
	for (size_t i = 0; i < v.n; i++)
		if (v.p[i] > ' ' && v.p[i] <= '~')
			str_addc(&out, v.p[i]);
		else
			str_addf(&out, "<%02x>", (u8)v.p[i]);
}

static void add_number(const char *name, s32 n, bool is_arg, u32 value)
{
	if (is_arg)
		str_addf(&out, " %s=v%u", name, value);
	else if (n >= 0)
		str_addf(&out, " %s=%d", name, n);
}

static void add_piece(const struct format_piece *p)
{
	str_addf(&out, "%s%s", out.n ? ", " : "", kinds[p->kind]);
	if (p->kind == FORMAT_TEXT) {
		str_addc(&out, ' ');
		add_bytes(p->text);
		return;
	}
	str_addf(&out, " %c%u%s%s%s%s%s", p->conv, p->bytes, p->left ? " left" : "",
		 p->zero ? " zero" : "", p->plus ? " plus" : "", p->space ? " space" : "",
		 p->alt ? " alt" : "");
	add_number("width", p->width, p->width_is_arg, p->width_value);
	add_number("precision", p->precision, p->precision_is_arg, p->precision_value);
	if (p->kind == FORMAT_NS)
		str_addf(&out, " unit=%llu", p->unit_ns);
	str_addf(&out, " v%u", p->value);
}

/* "kind conversion bytes, flags, numbers, index of the value" of each piece; or the error, with the
 * bytes that its carets are under and what to do instead. */
static const char *read_format(const char *text)
{
	struct text t = text_of(text);
	const struct format_piece *p;
	struct err err = { 0 };
	struct format f;

	str_clear(&out);
	if (format_parse(&arena, &t, span_all(&t), &f, &err)) {
		CHECK_U64((u64)err.code, ERR_USAGE);
		str_addf(&out, "%s [%.*s] %s", err.what, (int)err.width, err.text + err.caret,
			 err.hint);
		return str_text(&out);
	}
	vec_for_each(p, &f.pieces)
		add_piece(p);
	format_release(&f);
	return str_text(&out);
}

struct row {
	const char *text, *want;
};

static void check_rows(const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++)
		CHECK_STR(read_format(rows[i].text), rows[i].want);
}

TEST(text_is_kept_and_escapes_are_bytes)
{
	static const struct row rows[] = {
		{ "", "" },
		{ "plain", "text plain" },
		{ "100%%", "text 100%" },
		{ "a\\tb\\n\\\\\\\"", "text a<09>b<0a>\\\"" },
		{ "\\x1b[0m\\0\\101\\e\\a", "text <1b>[0m<00>A<1b><07>" },
		/* Two digits and no more, three octal ones; none at all is a zero. */
		{ "\\x414\\1011\\xg", "text A4A1<00>g" },
		{ "\\%d\\?\\", "text %d?\\" },
		{ "a\\q", "there is no escape '\\q' [\\q] a backslash is \\\\" },
		{ "\xff\xc0\xaf gr\xc3\xbc\xc3\x9f\033",
		  "text <ff><c0><af><20>gr<c3><bc><c3><9f><1b>" },
	};

	check_rows(rows, ARRAY_SIZE(rows));
}

TEST(every_conversion_is_read)
{
	static const struct row rows[] = {
		{ "%d%i%u", "int d4 v0, int i4 v1, int u4 v2" },
		{ "%x %X%o", "int x4 v0, text <20>, int X4 v1, int o4 v2" },
		{ "%c%s%p", "char c4 v0, string s4 v1, pointer p4 v2" },
		{ "%K%U%I%E", "ksym K4 v0, usym U4 v1, ip I4 v2, errno E4 v3" },
		{ "%{ns}%{us}%{ms}%{s}",
		  "ns {4 unit=1 v0, ns {4 unit=1000 v1, ns {4 unit=1000000 v2, "
		  "ns {4 unit=1000000000 v3" },
		{ "%hhd%hd%ld%lld%zu%jd%td", "int d1 v0, int d2 v1, int d8 v2, int d8 v3, "
					     "int u8 v4, int d8 v5, int d8 v6" },
	};

	check_rows(rows, ARRAY_SIZE(rows));
}

TEST(flags_widths_and_precisions_are_printfs)
{
	static const struct row rows[] = {
		{ "%-10s|", "string s4 left width=10 v0, text |" },
		{ "%08x", "int x4 zero width=8 v0" },
		{ "%+d% d%#x", "int d4 plus v0, int d4 space v1, int x4 alt v2" },
		{ "%'d", "int d4 v0" },
		{ "%.3s%.s", "string s4 precision=3 v0, string s4 precision=0 v1" },
		/* A star is a value of its own, before the one that is shown. */
		{ "%*d", "int d4 width=v0 v1" },
		{ "%-*.*s%d", "string s4 left width=v0 precision=v1 v2, int d4 v3" },
		{ "%6.1{ms}", "ns {4 width=6 precision=1 unit=1000000 v0" },
		{ "%4096d", "int d4 width=4096 v0" },
	};

	check_rows(rows, ARRAY_SIZE(rows));
}

TEST(a_wrong_format_says_where_and_how_to_write_it)
{
	static const char letters[] =
		"d i u x X o c s p, K U symbols, I IP address, M MAC, E errno, {us} time";
	static const char percent[] = "%d for a number, %s for text; %% is a percent sign";
	static const char units[] = "%{us}, %{ms}, %{s} or %{ns}";
	static const struct {
		const char *text, *what, *hint;
	} rows[] = {
		{ "a %", "the format ends inside a conversion [%]", percent },
		{ "%-5", "the format ends inside a conversion [%-5]", percent },
		{ "%ll", "the format ends inside a conversion [%ll]", percent },
		{ "%d %y", "'%y' is not a conversion [%y]", letters },
		{ "%n", "'%n' is not a conversion [%n]", letters },
		{ "%5.2f", "'%f' is not a conversion [%5.2f]",
		  "numbers are integers: %d, or %{ms} for a time" },
		{ "%{m}", "%{...} names a unit of time [{m}]", units },
		{ "%4097d", "a width of more than 4096 [4097]", "" },
		{ "%99999999999999999999d", "a width of more than 4096 [99999999999999999999]",
		  "" },
		{ "%.5000s", "a precision of more than 4096 [5000]", "" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char want[256];

		snprintf(want, sizeof(want), "%s %s", rows[i].what, rows[i].hint);
		CHECK_STR(read_format(rows[i].text), want);
	}
}

/* Only the text between the quotes: bytes after it are not read. */
TEST(a_format_ends_where_its_span_ends)
{
	struct text t = text_of("\"%d\" % x");
	struct err err = { 0 };
	struct format f;

	CHECK(!format_parse(&arena, &t, (struct text_range){ 1, 2 }, &f, &err));
	CHECK_U64(f.pieces.n, 1);
	CHECK_U64(f.n_values, 1);
	CHECK_U64(f.pieces.items[0].at.at, 1);
	CHECK_U64(f.pieces.items[0].at.n, 2);
	format_release(&f);
	CHECK(format_parse(&arena, &t, (struct text_range){ 1, 1 }, &f, &err));
	CHECK_U64(err.caret, 1);
	CHECK_U64(err.width, 1);
}

TEST(a_format_says_what_its_values_should_be)
{
	static const enum check_as want[] = { CHECK_SCALAR,  CHECK_STRING,  CHECK_ADDRESS,
					      CHECK_ADDRESS, CHECK_ADDRESS, CHECK_VALUE,
					      CHECK_SCALAR,  CHECK_SCALAR,  CHECK_SCALAR };
	struct text t = text_of("%d %s %p %K %U %I %*d %{us}");
	struct err err = { 0 };
	struct format f;

	CHECK(!format_parse(&arena, &t, span_all(&t), &f, &err));
	CHECK_U64(f.n_values, ARRAY_SIZE(want));
	for (u32 i = 0; i < ARRAY_SIZE(want); i++)
		CHECK_U64(format_wants(&f, i), want[i]);
	/* More values than the format takes: format_check reports that, and nothing else is asked
	 * of them. */
	CHECK_U64(format_wants(&f, ARRAY_SIZE(want)), CHECK_VALUE);
	format_release(&f);
}
