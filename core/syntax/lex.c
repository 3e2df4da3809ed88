// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "syntax/lex.h"

#include "base/arena.h"

/* Longest first, because the first match is used. */
static const char *const ops[] = {
	"->", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "??", "+", "-", "*", "/", "%", "&",
	"|",  "^",  "~",  "!",	"<",  ">",  "?",  ":",	".",  ",",  "(", ")", "[", "]", "@",
};

/* C's operators that do not exist here, with a hint. */
static const struct {
	const char *text, *hint;
} not_ops[] = {
	{ "++", "values can't be changed" },   { "--", "values can't be changed" },
	{ "+=", "values can't be changed" },   { "-=", "values can't be changed" },
	{ "=", "use == to compare" },	       { ";", "one expression, without ;" },
	{ "{", "blocks are not expressions" }, { "#", "a label is not allowed here" },
};

static bool is_name_start(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_name(char c)
{
	return is_name_start(c) || is_digit(c);
}

/* -1: not a digit of any base. */
static int digit_value(char c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

void lex_init(struct lex *l, const struct text *t, struct text_range where)
{
	*l = (struct lex){
		.text = *t, .at = where.at, .end = span_end(where), .wants_operand = true
	};
}

static char at(const struct lex *l, u32 ahead)
{
	return l->at + ahead < l->end ? l->text.p[l->at + ahead] : '\0';
}

static u32 name_length(const struct lex *l, u32 from)
{
	u32 n = from;

	while (is_name(at(l, n)))
		n++;
	return n - from;
}

static const struct {
	const char *name;
	u64 ns;
	u8 form;
} suffixes[] = {
	{ "ns", 1, NUMBER_TIME },
	{ "us", NS_PER_US, NUMBER_TIME },
	{ "ms", NS_PER_MS, NUMBER_TIME },
	{ "s", NS_PER_SEC, NUMBER_TIME },
	{ "u", 1, NUMBER_UNSIGNED },
	{ "U", 1, NUMBER_UNSIGNED },
	{ "l", 1, NUMBER_LONG },
	{ "L", 1, NUMBER_LONG },
	{ "ll", 1, NUMBER_LONG },
	{ "LL", 1, NUMBER_LONG },
	{ "ul", 1, NUMBER_UNSIGNED | NUMBER_LONG },
	{ "UL", 1, NUMBER_UNSIGNED | NUMBER_LONG },
	{ "lu", 1, NUMBER_UNSIGNED | NUMBER_LONG },
	{ "ull", 1, NUMBER_UNSIGNED | NUMBER_LONG },
	{ "ULL", 1, NUMBER_UNSIGNED | NUMBER_LONG },
	{ "llu", 1, NUMBER_UNSIGNED | NUMBER_LONG },
};

bool lex_is_time(struct view word)
{
	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++)
		if (suffixes[i].form == NUMBER_TIME && view_eq(word, suffixes[i].name))
			return true;
	return false;
}

static int lex_suffix(const struct lex *l, struct token *out, struct view text, struct err *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++) {
		if (!view_eq(text, suffixes[i].name))
			continue;
		out->form |= suffixes[i].form;
		if (!__builtin_mul_overflow(out->value, suffixes[i].ns, &out->value))
			return 0;
		return text_error(&l->text, out->at, err, "the number is too big");
	}
	text_error(&l->text, out->at, err, "'%.*s' is not a number", (int)out->at.n,
		   l->text.p + out->at.at);
	return err_hint(err, "numbers: 10, 0x1f, 017, 5u, 1us, 10ms, 2s");
}

static int lex_number(struct lex *l, struct token *out, struct err *err)
{
	u32 n = 0, base = 10, start;

	if (at(l, 0) == '0' && (at(l, 1) == 'x' || at(l, 1) == 'X'))
		base = 16;
	else if (at(l, 0) == '0' && (at(l, 1) == 'b' || at(l, 1) == 'B'))
		base = 2;
	else if (at(l, 0) == '0' && is_digit(at(l, 1)))
		base = 8;
	start = n = base == 16 || base == 2 ? 2 : 0;
	out->kind = TOKEN_NUMBER;
	out->form = base == 10 ? 0 : NUMBER_NOT_DECIMAL;
	out->at.n = name_length(l, 0);
	for (int d; (d = digit_value(at(l, n))) >= 0 && (u32)d < base; n++)
		if (__builtin_mul_overflow(out->value, base, &out->value) ||
		    __builtin_add_overflow(out->value, (u64)d, &out->value))
			return text_error(&l->text, out->at, err,
					  "the number does not fit in 64 bits");
	if (at(l, n) == '.' && is_digit(at(l, n + 1))) {
		out->at.n = n + 1 + name_length(l, n + 1);
		return text_error(&l->text, out->at, err, "fractions are not supported");
	}
	if (n == start || n < out->at.n)
		return lex_suffix(l, out, (struct view){ l->text.p + l->at + n, out->at.n - n },
				  err);
	return 0;
}

/* Read one character of a literal at p, before end.  Returns the number of bytes read. */
static u32 unescape(const char *p, const char *end, char *out)
{
	static const char plain[] = "n\nt\tr\r0\0a\ab\be\033f\fv\v";
	u32 n = 2;

	*out = p[0];
	if (p[0] != '\\' || end - p < 2)
		return 1;
	*out = p[1];
	if (p[1] == 'x' && end - p > 2 && digit_value(p[2]) >= 0) {
		int v = 0;

		for (; n < 4 && p + n < end && digit_value(p[n]) >= 0; n++)
			v = v * 16 + digit_value(p[n]);
		*out = (char)v;
		return n;
	}
	if (p[1] >= '0' && p[1] <= '7') {
		int v = 0;

		for (n = 1; n < 4 && p + n < end && p[n] >= '0' && p[n] <= '7'; n++)
			v = v * 8 + p[n] - '0';
		*out = (char)v;
		return n;
	}
	for (size_t i = 0; i + 1 < sizeof(plain); i += 2)
		if (plain[i] == p[1])
			*out = plain[i + 1];
	return 2;
}

const char *lex_string(struct arena *a, const struct text *t, struct text_range where, u32 *n)
{
	const char *p = t->p + where.at + 1, *end = t->p + span_end(where) - 1;
	char *out = arena_alloc(a, where.n, 1);

	for (*n = 0; p < end; (*n)++)
		p += unescape(p, end, out + *n);
	return out;
}

/* A character that is not a letter stands for itself: \%, \*. */
int lex_escapes(const struct text *t, struct text_range where, struct err *err)
{
	for (u32 i = where.at; i + 1 < span_end(where); i++) {
		char c = t->p[i + 1];

		if (t->p[i] != '\\')
			continue;
		if (is_name_start(c) && c != '_' && !strchr("abefnrtvx", c)) {
			text_error(t, (struct text_range){ i, 2 }, err, "there is no escape '\\%c'",
				   c);
			return err_hint(err, "a backslash is \\\\");
		}
		i++;
	}
	return 0;
}

static int lex_quoted(struct lex *l, struct token *out, struct err *err)
{
	u32 close = text_match(&l->text, l->at, l->end);
	const char *p, *end;
	int ret;
	char c;

	if (close == l->end) {
		out->at.n = l->end - l->at;
		return text_error(&l->text, out->at, err, "the %s is not closed",
				  at(l, 0) == '"' ? "string" : "character");
	}
	out->at.n = close - l->at + 1;
	out->kind = TOKEN_STRING;
	ret = lex_escapes(&l->text, out->at, err);
	if (ret || at(l, 0) == '"')
		return ret;
	out->kind = TOKEN_CHAR;
	p = l->text.p + l->at + 1;
	end = l->text.p + close;
	if (p == end || p + unescape(p, end, &c) != end) {
		text_error(&l->text, out->at, err, "a character literal holds one character");
		return err_hint(err, "put strings in double quotes");
	}
	out->value = (u64)(s64)(signed char)c;
	return 0;
}

static int lex_op(struct lex *l, struct token *out, struct err *err)
{
	struct view rest = { l->text.p + l->at, l->end - l->at };
	unsigned char c = (unsigned char)rest.p[0];

	for (size_t i = 0; i < ARRAY_SIZE(not_ops); i++)
		if (view_starts(rest, not_ops[i].text) && !view_starts(rest, "==")) {
			out->at.n = (u32)strlen(not_ops[i].text);
			text_error(&l->text, out->at, err, "'%s' has no meaning here",
				   not_ops[i].text);
			return err_hint(err, "%s", not_ops[i].hint);
		}
	for (size_t i = 0; i < ARRAY_SIZE(ops); i++)
		if (view_starts(rest, ops[i])) {
			out->kind = TOKEN_OP;
			out->op = ops[i];
			out->at.n = (u32)strlen(ops[i]);
			return 0;
		}
	out->at.n = 1;
	if (c == '$' && is_digit(at(l, 1))) {
		out->at.n = 1 + name_length(l, 1);
		text_error(&l->text, out->at, err, "there are no parameters of the command line");
		return err_hint(err,
				"the shell substitutes them within \"...\"; arguments are arg1 "
				"to arg6, or have names");
	}
	if (c > 0x20 && c < 0x7f)
		return text_error(&l->text, out->at, err, "'%c' has no meaning here", c);
	return text_error(&l->text, out->at, err, "byte 0x%02x has no meaning here", c);
}

static int lex_token(struct lex *l, struct token *out, struct err *err)
{
	char c = at(l, 0);

	if (is_name_start(c)) {
		out->kind = TOKEN_NAME;
		out->at.n = name_length(l, 0);
		return 0;
	}
	if (is_digit(c))
		return lex_number(l, out, err);
	if (c == '"' || c == '\'')
		return lex_quoted(l, out, err);
	if ((c == '$' || (c == '%' && l->wants_operand)) && is_name_start(at(l, 1))) {
		out->kind = c == '$' ? TOKEN_DOLLAR : TOKEN_REG;
		out->at.n = 1 + name_length(l, 1);
		return 0;
	}
	return lex_op(l, out, err);
}

int lex_next(struct lex *l, struct token *out, struct err *err)
{
	int ret;

	while (l->at < l->end && strchr(" \t\r\n", l->text.p[l->at]) && l->text.p[l->at])
		l->at++;
	*out = (struct token){ .kind = TOKEN_END, .at = { l->at, 0 } };
	if (l->at >= l->end)
		return 0;
	ret = lex_token(l, out, err);
	l->at += out->at.n;
	l->wants_operand = out->kind == TOKEN_OP && !lex_is(out, ")") && !lex_is(out, "]");
	return ret;
}
