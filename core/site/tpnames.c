// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Names of values, from a tracepoint's `print fmt`:
 *
 *	__print_symbolic(REC->action, { 0, "TIMER" }, { 1, "NET" })
 *	__print_flags(REC->flags & 0xff, "|", { 1 << 2, "X" })
 *
 * The kernel replaces enumerators there by numbers, but evaluates no expressions; enumerators that
 * a tracepoint's author did not export (the states of tcp_retransmit_skb) are looked up later.
 */
#include <ctype.h>

#include "base/mem.h"
#include "base/num.h"
#include "site/tpformat.h"

#define MAX_NAMES 512
#define MAX_DEPTH 64

/* ---- constant expressions ---- */

struct text_cursor {
	const char *p, *end;
	u32 depth;
	bool is_wrong;
};

static void blanks(struct text_cursor *c)
{
	while (c->p < c->end && isspace((unsigned char)*c->p))
		c->p++;
}

static bool skip_text(struct text_cursor *c, const char *text)
{
	size_t n = strlen(text);

	blanks(c);
	if ((size_t)(c->end - c->p) < n || memcmp(c->p, text, n))
		return false;
	c->p += n;
	return true;
}

static u64 expression(struct text_cursor *c, u32 level);

static u64 number(struct text_cursor *c)
{
	const char *from = c->p;
	struct view v;
	u64 n = 0;

	while (c->p < c->end && isalnum((unsigned char)*c->p))
		c->p++;
	v = (struct view){ from, (size_t)(c->p - from) };
	while (v.n && strchr("uUlL", v.p[v.n - 1]))
		v.n--;
	if (view_starts(v, "0x") || view_starts(v, "0X"))
		c->is_wrong |= !num_parse_hex((struct view){ v.p + 2, v.n - 2 }, &n);
	else
		c->is_wrong |= !num_parse_dec(v, &n);
	return n;
}

/* Skip casts like "(gfp_t)" before a value: no flag has bits that a cast would remove. */
static bool take_cast(struct text_cursor *c)
{
	struct text_cursor t = *c;

	if (!skip_text(&t, "("))
		return false;
	blanks(&t);
	if (t.p == t.end || !(isalpha((unsigned char)*t.p) || *t.p == '_'))
		return false;
	while (t.p < t.end && (isalnum((unsigned char)*t.p) || strchr("_ *", *t.p)))
		t.p++;
	if (!skip_text(&t, ")"))
		return false;
	c->p = t.p;
	return true;
}

static u64 unary(struct text_cursor *c)
{
	u64 value = 0;

	blanks(c);
	if (c->p == c->end || c->depth == MAX_DEPTH) {
		c->is_wrong = true;
		return 0;
	}
	c->depth++;
	if (skip_text(c, "~")) {
		value = ~unary(c);
	} else if (skip_text(c, "-")) {
		value = 0 - unary(c);
	} else if (take_cast(c)) {
		value = unary(c);
	} else if (skip_text(c, "(")) {
		value = expression(c, 0);
		c->is_wrong |= !skip_text(c, ")");
	} else if (isdigit((unsigned char)*c->p)) {
		value = number(c);
	} else {
		c->is_wrong = true;
	}
	c->depth--;
	return value;
}

static u64 apply(const char *op, u64 a, u64 b)
{
	switch (op[0]) {
	case '|':
		return a | b;
	case '^':
		return a ^ b;
	case '&':
		return a & b;
	case '<':
		return b < 64 ? a << b : 0;
	case '>':
		return b < 64 ? a >> b : 0;
	case '+':
		return a + b;
	case '-':
		return a - b;
	}
	return a * b;
}

static u64 expression(struct text_cursor *c, u32 level)
{
	static const char *const ops[][3] = {
		{ "|" }, { "^" }, { "&" }, { "<<", ">>" }, { "+", "-" }, { "*" },
	};
	u64 value;

	if (level == ARRAY_SIZE(ops))
		return unary(c);
	value = expression(c, level + 1);
	for (size_t i = 0; !c->is_wrong && i < 3 && ops[level][i];) {
		if (skip_text(c, ops[level][i])) {
			value = apply(ops[level][i], value, expression(c, level + 1));
			i = 0;
		} else {
			i++;
		}
	}
	return value;
}

/* ---- __print_symbolic(...), __print_flags(...) ---- */

static bool take_string(struct text_cursor *c, struct view *out)
{
	const char *close;

	if (!skip_text(c, "\""))
		return false;
	close = memchr(c->p, '"', (size_t)(c->end - c->p));
	if (!close)
		return false;
	*out = (struct view){ c->p, (size_t)(close - c->p) };
	c->p = close + 1;
	return true;
}

/* Adjacent literals are one: "KVM_EXIT_" "IO". */
static const char *take_text(struct arena *a, struct text_cursor *c)
{
	struct view piece;
	const char *text;

	if (!take_string(c, &piece))
		return NULL;
	text = arena_view(a, piece);
	while (take_string(c, &piece))
		text = arena_printf(a, "%s%.*s", text, (int)piece.n, piece.p);
	return text;
}

/* Read to the comma or parenthesis that ends the argument. */
static struct view take_argument(struct text_cursor *c)
{
	const char *from = c->p;
	u32 depth = 0;

	for (; c->p < c->end; c->p++) {
		if (!depth && (*c->p == ',' || *c->p == ')'))
			break;
		depth += *c->p == '(';
		depth -= *c->p == ')';
	}
	return (struct view){ from, (size_t)(c->p - from) };
}

static struct tp_field *plain_field_of(struct view v, struct tp_format *f)
{
	const char *rec = memmem(v.p, v.n, "REC->", 5), *end = v.p + v.n, *name, *stop;

	if (!rec || memmem(rec + 5, (size_t)(end - rec - 5), "REC->", 5))
		return NULL;
	name = stop = rec + 5;
	while (stop < end && (isalnum((unsigned char)*stop) || *stop == '_'))
		stop++;
	/* A shift or comparison changes the values, and a call may do anything. */
	for (const char *p = v.p; p < end; p++)
		if ((p < rec && !strchr("( ", *p)) ||
		    (p >= stop && !strchr("()& |+-~<0123456789abcdefxABCDEFuUlL", *p)))
			return NULL;
	while (stop < end && strchr(" )", *stop))
		stop++;
	if (stop < end && *stop != '&')
		return NULL;
	for (u32 i = 0; i < f->n_fields; i++) {
		size_t n = strlen(f->fields[i].name);

		if ((size_t)(end - name) >= n && !memcmp(name, f->fields[i].name, n) &&
		    (name + n == end || !(isalnum((unsigned char)name[n]) || name[n] == '_')))
			return &f->fields[i];
	}
	return NULL;
}

/* The field of an argument that is a single field, perhaps cast or masked: "REC->f", "(REC->f &
 * 0xff)".  NULL: it is something else. */
static struct tp_field *field_of(struct view v, struct tp_format *f)
{
	struct text_cursor c = { .p = v.p, .end = v.p + v.n };

	while (take_cast(&c))
		v = (struct view){ c.p, (size_t)(c.end - c.p) };
	return plain_field_of(v, f);
}

/* "TCP_ESTABLISHED" and the comma after it; NULL if it is something else. */
static const char *take_enumerator(struct arena *a, struct text_cursor *c)
{
	struct text_cursor t = *c;
	const char *from;

	blanks(&t);
	from = t.p;
	while (t.p < t.end && (isalnum((unsigned char)*t.p) || *t.p == '_'))
		t.p++;
	if (t.p == from || isdigit((unsigned char)*from))
		return NULL;
	c->p = t.p;
	return arena_view(a, (struct view){ from, (size_t)(t.p - from) });
}

/* { 0, NULL }, which ends some lists (that of gfp_t on 6.18). */
static bool take_null(struct text_cursor *c)
{
	return (skip_text(c, "((void *)0)") || skip_text(c, "NULL") || skip_text(c, "0")) &&
	       skip_text(c, "}");
}

static void read_names(struct arena *a, struct text_cursor *c, struct tp_field *to, bool is_flags)
{
	struct tp_name names[MAX_NAMES];
	const char *text;
	u32 n = 0;

	while (skip_text(c, ",") && skip_text(c, "{") && n < MAX_NAMES) {
		const char *enumerator = take_enumerator(a, c);
		u64 value = enumerator ? 0 : expression(c, 0);

		if (!skip_text(c, ",") || c->is_wrong)
			return;
		if (take_null(c))
			break;
		text = take_text(a, c);
		if (!text || !skip_text(c, "}"))
			return;
		names[n++] = (struct tp_name){ value, text, enumerator };
	}
	if (!n || to->names)
		return;
	/* REC->f ? __print_flags(...) : "none" */
	text = is_flags && n < MAX_NAMES && skip_text(c, ")") && skip_text(c, ":") ? take_text(a, c)
										   : NULL;
	if (text && *text)
		names[n++] = (struct tp_name){ 0, text, NULL };
	to->names = memcpy(arena_alloc(a, n, sizeof(*names)), names, n * sizeof(*names));
	to->n_names = n;
	to->names_are_flags = is_flags;
}

void tp_format_name_values(struct arena *a, struct view print, struct tp_format *f)
{
	static const struct {
		const char *word;
		bool is_flags;
	} calls[] = { { "__print_symbolic(", false }, { "__print_flags(", true } };

	for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
		struct text_cursor c = { .p = print.p, .end = print.p + print.n };
		size_t n = strlen(calls[i].word);

		while ((c.p = memmem(c.p, (size_t)(c.end - c.p), calls[i].word, n))) {
			struct tp_field *to;
			struct view separator;

			c.p += n;
			c.is_wrong = false;
			to = field_of(take_argument(&c), f);
			if (calls[i].is_flags &&
			    (!skip_text(&c, ",") || !take_string(&c, &separator)))
				continue;
			if (to)
				read_names(a, &c, to, calls[i].is_flags);
		}
	}
}
