// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "syntax/signature.h"

#include <ctype.h>

/* Words that occur only in types.  Words that end in _t count, too. */
static const char *const type_words[] = {
	"void",	  "char",  "short", "int",   "long",	 "unsigned", "signed", "float", "double",
	"bool",	  "_Bool", "u8",    "u16",   "u32",	 "u64",	     "s8",     "s16",	"s32",
	"s64",	  "__u8",  "__u16", "__u32", "__u64",	 "__s8",     "__s16",  "__s32", "__s64",
	"struct", "union", "enum",  "const", "volatile", "restrict", "__user",
};

/* The part of a parameter that was read so far. */
struct param {
	u32 n_words, n_stars;
	bool has_type_word, has_pair; /* two words side by side: "foo_t x" */
	bool is_variadic, is_function;
	bool after_word; /* nothing but blanks since the last word */
};

enum decl_shape {
	SHAPE_NONE, /* not a declaration */
	SHAPE_WEAK, /* "a *b": may be a product */
	SHAPE_SURE,
};

static bool is_type_word(struct view w)
{
	if (w.n > 2 && !memcmp(w.p + w.n - 2, "_t", 2))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(type_words); i++)
		if (view_eq(w, type_words[i]))
			return true;
	return false;
}

static enum decl_shape param_shape(const struct param *p)
{
	if (p->is_variadic || p->is_function || p->has_pair || p->has_type_word)
		return SHAPE_SURE;
	return p->n_words && p->n_stars ? SHAPE_WEAK : SHAPE_NONE;
}

static size_t skip_blanks(struct view v, size_t at)
{
	while (at < v.n && isspace((unsigned char)v.p[at]))
		at++;
	return at;
}

/* The index after the bracket that closes the one at `at`; v.n + 1: there is none. */
static size_t skip_bracket(struct view v, size_t at)
{
	char open = v.p[at], close = open == '(' ? ')' : ']';
	u32 depth = 0;

	for (; at < v.n; at++) {
		depth += v.p[at] == open;
		if (v.p[at] == close && !--depth)
			return at + 1;
	}
	return v.n + 1;
}

static size_t read_word(struct view v, size_t at, struct param *p)
{
	size_t from = at;
	struct view word;

	while (at < v.n && (isalnum((unsigned char)v.p[at]) || v.p[at] == '_'))
		at++;
	word = (struct view){ v.p + from, at - from };
	p->has_pair |= p->after_word;
	p->after_word = true;
	p->has_type_word |= is_type_word(word);
	p->n_words++;
	return at;
}

/* Read one token at `at`.  Returns the index of the next token; 0: a declaration cannot contain
 * this token. */
static size_t read_token(struct view v, size_t at, struct param *p)
{
	char c = v.p[at];

	if (isalpha((unsigned char)c) || c == '_')
		return read_word(v, at, p);
	p->after_word = false;
	if (c == '*') {
		p->n_stars++;
		return at + 1;
	}
	if (c == '[' && p->n_words)
		return skip_bracket(v, at);
	if (c == '.' && v.n - at >= 3 && !memcmp(v.p + at, "...", 3)) {
		p->is_variadic = true;
		return at + 3;
	}
	if (c != '(' || !p->n_words)
		return 0;
	/* A pointer to a function, "int (*cb)(void *)", and its parameters; anything else is a
	 * call. */
	if (p->is_function)
		return skip_bracket(v, at);
	at = skip_blanks(v, at + 1);
	if (at >= v.n || v.p[at] != '*')
		return 0;
	p->is_function = true;
	while (at < v.n && v.p[at] != ')')
		at++;
	return at + 1;
}

bool signature_looks_like(struct view v, bool touches)
{
	struct param p = { 0 };
	bool is_sure = false;
	enum decl_shape shape;

	for (size_t at = skip_blanks(v, 0); at < v.n; at = skip_blanks(v, at)) {
		if (v.p[at] == ',') {
			shape = param_shape(&p);
			if (shape == SHAPE_NONE)
				return false;
			is_sure |= shape == SHAPE_SURE;
			p = (struct param){ 0 };
			at++;
			continue;
		}
		at = read_token(v, at, &p);
		if (!at || at > v.n)
			return false;
	}
	shape = param_shape(&p);
	return shape != SHAPE_NONE && (is_sure || shape == SHAPE_SURE || touches);
}
