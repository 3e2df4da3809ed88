// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Types as C writes them: in casts, in argdist's list, in signatures. */
#include "base/mem.h"
#include "base/suggest.h"
#include "syntax/parse_int.h"

/* One or more of these words name a type. */
static const char *const basic_words[] = { "unsigned", "signed", "long", "short", "int",
					   "char",     "void",	 "bool", "_Bool", "__signed__" };

static const char *const tags[] = { "struct", "union", "enum" };

/* Words that do not change the type of a value. */
static const char *const qualifiers[] = {
	"const",    "volatile", "restrict", "__restrict", "__user",   "__kernel",
	"__percpu", "__rcu",	"__iomem",  "__force",	  "register", "__const",
};

static const char *const unsupported[] = { "float", "double", "_Complex" };

/* Known typedefs whose names do not end in _t. */
static const char *const typedefs[] = {
	"u8",	  "u16",    "u32",    "u64",	"s8",	 "s16",	  "s32",    "s64",    "__u8",
	"__u16",  "__u32",  "__u64",  "__s8",	"__s16", "__s32", "__s64",  "__be16", "__be32",
	"__be64", "__le16", "__le32", "__le64", "uint",	 "ulong", "ushort", "stack",
};

static bool is_in(struct view word, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (view_eq(word, list[i]))
			return true;
	return false;
}

#define IS_IN(word, list) is_in((word), (list), ARRAY_SIZE(list))

static struct view word_of(const struct parser *p, const struct token *t)
{
	return t->kind == TOKEN_NAME ? span_view(p->text, t->at) : (struct view){ "", 0 };
}

static bool is_typedef(struct view w)
{
	return IS_IN(w, typedefs) || (w.n > 2 && !memcmp(w.p + w.n - 2, "_t", 2));
}

static bool is_type_word(struct view w)
{
	return IS_IN(w, basic_words) || IS_IN(w, tags) || IS_IN(w, qualifiers) ||
	       IS_IN(w, unsupported);
}

bool parser_at_type(const struct parser *p, bool or_name)
{
	struct view w = word_of(p, &p->token);

	return is_type_word(w) || (or_name && w.n);
}

/* Read ahead on a copy of the lexer.  A bad token counts as the end. */
static struct token peek(struct lex *l)
{
	struct err ignored = { 0 };
	struct token t;

	if (lex_next(l, &t, &ignored))
		t.kind = TOKEN_END;
	return t;
}

/*
 * Without a table of typedefs, (x) y is a cast if x can only be a type: because of its words, a *
 * before the parenthesis, its name, or the operand after it, which could not follow a value.
 */
bool parser_at_cast(const struct parser *p)
{
	struct lex l = p->lex;
	struct token t = peek(&l);
	struct view w = word_of(p, &t);
	bool is_known = is_typedef(w);

	if (!w.n)
		return false;
	if (is_type_word(w))
		return true;
	t = peek(&l);
	if (lex_is(&t, "*")) {
		while (lex_is(&t, "*"))
			t = peek(&l);
		return lex_is(&t, ")");
	}
	if (lex_is(&t, "[") && is_known)
		return true;
	if (!lex_is(&t, ")"))
		return false;
	l.wants_operand = true;
	t = peek(&l);
	if (is_known)
		return t.kind != TOKEN_OP || lex_is(&t, "(") || lex_is(&t, "-") ||
		       lex_is(&t, "~") || lex_is(&t, "!") || lex_is(&t, "*") || lex_is(&t, "&") ||
		       lex_is(&t, ")");
	return (t.kind != TOKEN_OP && t.kind != TOKEN_END && t.kind != TOKEN_REG) ||
	       lex_is(&t, "(");
}

static void add_word(struct parser *p, struct ast_type *type, const char *word)
{
	type->base = type->base ? arena_printf(p->arena, "%s %s", type->base, word) : word;
}

static int take_qualifier(struct parser *p, struct ast_type *type)
{
	struct view w = word_of(p, &p->token);

	if (view_eq(w, "__user") && !type->user_at)
		type->user_at = (u8)(type->n_pointers + 1);
	if (view_eq(w, "const") && !type->n_pointers)
		type->is_const = true;
	return parser_next(p);
}

/* "struct sock": the tag and its name. */
static int take_tagged(struct parser *p, struct ast_type *type)
{
	add_word(p, type, parser_name(p, 0));
	if (parser_next(p))
		return -p->err->code;
	if (p->token.kind != TOKEN_NAME)
		return parser_error(p, "the name of a type");
	add_word(p, type, parser_name(p, 0));
	return parser_next(p);
}

static int refuse_float(struct parser *p)
{
	struct token type = p->token;
	bool is_pointer = !parser_next(p) && lex_is(&p->token, "*");

	err_clear(p->err);
	text_error(p->text, type.at, p->err, "floating point can't be read in the kernel");
	if (is_pointer)
		return err_hint(p->err, "a pointer to it can: void *");
	return err_hint(p->err, "in a signature leave it out: the others are counted without it");
}

/* Parse the words before the pointers.  A name is the type if no type word precedes it; otherwise
 * it is the parameter's name and is not consumed. */
static int parse_base(struct parser *p, struct ast_type *type)
{
	bool is_whole = false;
	int ret = 0;

	while (!ret && p->token.kind == TOKEN_NAME) {
		struct view w = word_of(p, &p->token);

		if (IS_IN(w, unsupported))
			return refuse_float(p);
		if (IS_IN(w, qualifiers)) {
			ret = take_qualifier(p, type);
		} else if (IS_IN(w, basic_words) && !is_whole) {
			add_word(p, type, parser_name(p, 0));
			ret = parser_next(p);
		} else if (IS_IN(w, tags) && !type->base) {
			ret = take_tagged(p, type);
			is_whole = true;
		} else if (!type->base) {
			add_word(p, type, parser_name(p, 0));
			ret = parser_next(p);
			is_whole = true;
		} else {
			break;
		}
	}
	if (!ret && !type->base)
		return parser_error(p, "a type");
	return ret;
}

static int parse_pointers(struct parser *p, struct ast_type *type)
{
	int ret = 0;

	while (!ret) {
		if (lex_is(&p->token, "*")) {
			if (++type->n_pointers > 8)
				return parser_error(p, "fewer pointers");
			ret = parser_next(p);
		} else if (IS_IN(word_of(p, &p->token), qualifiers)) {
			ret = take_qualifier(p, type);
		} else {
			break;
		}
	}
	return ret;
}

static int parse_dims(struct parser *p, struct ast_type *type)
{
	int ret = 0;

	while (!ret && lex_is(&p->token, "[")) {
		if (type->n_dims == ARRAY_SIZE(type->dims))
			return parser_error(p, "fewer dimensions");
		ret = parser_next(p);
		if (!ret && p->token.kind == TOKEN_NUMBER) {
			if (p->token.value > UINT16_MAX)
				return text_error(p->text, p->token.at, p->err,
						  "the array is too long");
			type->dims[type->n_dims] = p->token.value;
			ret = parser_next(p);
		}
		type->n_dims++;
		ret = ret ?: parser_expect(p, "]");
	}
	return ret;
}

int parser_type(struct parser *p, struct ast_type **out)
{
	struct ast_type *type = arena_new(p->arena, struct ast_type);
	struct text_range start = p->token.at;
	int ret;

	*out = type;
	ret = parse_base(p, type) ?: parse_pointers(p, type) ?: parse_dims(p, type);
	type->at = span_to(start, p->last);
	return ret;
}

static int parse_all(struct parser *p)
{
	return p->token.kind == TOKEN_END ? 0 : parser_error(p, "the end of the type");
}

int parse_type(struct arena *a, const struct text *t, struct text_range where,
	       struct ast_type **out, struct err *err)
{
	struct parser p;

	return parser_init(&p, a, t, where, err) ?: parser_type(&p, out) ?: parse_all(&p);
}

int parse_types(struct arena *a, const struct text *t, struct text_range where,
		struct ast_type ***out, u32 *n, struct err *err)
{
	VEC(struct ast_type *) list = { 0 };
	struct parser p;
	int ret = parser_init(&p, a, t, where, err);

	while (!ret && p.token.kind != TOKEN_END) {
		struct ast_type *type;

		if (list.n)
			ret = parser_expect(&p, ",");
		ret = ret ?: parser_type(&p, &type);
		if (!ret)
			vec_push(&list, type);
	}
	*n = (u32)list.n;
	*out = arena_alloc(a, list.n + 1, sizeof(**out));
	if (list.n)
		memcpy(*out, list.items, list.n * sizeof(*list.items));
	vec_release(&list);
	return ret;
}

/* int (*cb)(int, void *): a pointer; only its name is kept. */
static int parse_function_pointer(struct parser *p, struct ast_param *param)
{
	u32 close;
	int ret = parser_next(p) ?: parser_expect(p, "*");

	param->type->is_func = true;
	if (!ret && p->token.kind == TOKEN_NAME) {
		param->name = parser_name(p, 0);
		ret = parser_next(p);
	}
	ret = ret ?: parser_expect(p, ")");
	if (ret || !lex_is(&p->token, "("))
		return ret ?: parser_error(p, "'('");
	close = text_match(p->text, p->token.at.at, p->lex.end);
	if (close == p->lex.end)
		return text_error(p->text, p->token.at, p->err, "the parenthesis is not closed");
	p->lex.at = close;
	return parser_next(p) ?: parser_next(p);
}

/* A single name that is not a type is the parameter's name; its type comes from BTF or is
 * unknown. */
static int parse_lone_name(struct parser *p, struct ast_param *param)
{
	struct lex l = p->lex;
	struct token next = peek(&l);
	struct view w = word_of(p, &p->token);

	if (!w.n || is_type_word(w) || is_typedef(w) ||
	    (!lex_is(&next, ",") && next.kind != TOKEN_END))
		return 0;
	param->name = parser_name(p, 0);
	param->type = arena_new(p->arena, struct ast_type);
	param->type->at = p->token.at;
	return parser_next(p);
}

/* "strct foo *x": a word or * after a parameter's name means that the first word is misspelt. */
static int check_word(struct parser *p, struct text_range first, const char *base)
{
	static const char *const words[] = { "struct", "union",	   "enum", "const",
					     "signed", "unsigned", "long", "short" };
	const char *near = base ? nearest_of(base, words, ARRAY_SIZE(words)) : NULL;

	if (!near || !strcmp(near, base) || !view_eq(span_view(p->text, first), base) ||
	    (p->token.kind != TOKEN_NAME && !lex_is(&p->token, "*")))
		return 0;
	text_error(p->text, first, p->err, "'%s' is not a type", base);
	return err_hint(p->err, "did you mean '%s'?", near);
}

static int parse_param(struct parser *p, struct ast_param *param)
{
	struct text_range start = p->token.at;
	int ret = parse_lone_name(p, param);

	if (!ret && !param->name) {
		param->type = arena_new(p->arena, struct ast_type);
		ret = parse_base(p, param->type) ?: parse_pointers(p, param->type);
		if (!ret && lex_is(&p->token, "(")) {
			ret = parse_function_pointer(p, param);
		} else if (!ret && p->token.kind == TOKEN_NAME) {
			param->name = parser_name(p, 0);
			ret = parser_next(p) ?: check_word(p, start, param->type->base);
		}
		ret = ret ?: parse_dims(p, param->type);
		param->type->at = span_to(start, p->last);
	}
	param->at = span_to(start, p->last);
	return ret;
}

/* "..." is skipped: variadic arguments are read as arg2, arg3. */
static bool skip_ellipsis(struct parser *p, int *ret)
{
	u32 n = 0;

	while (!*ret && lex_is(&p->token, ".") && n < 3) {
		*ret = parser_next(p);
		n++;
	}
	return n == 3;
}

static bool is_void(const struct ast_param *param)
{
	const struct ast_type *t = param->type;

	return !param->name && t->base && !strcmp(t->base, "void") && !t->n_pointers;
}

int parse_signature(struct arena *a, const struct text *t, struct text_range inside,
		    struct ast_signature *out, struct err *err)
{
	VEC(struct ast_param) params = { 0 };
	struct parser p;
	int ret = parser_init(&p, a, t, inside, err);

	while (!ret && p.token.kind != TOKEN_END) {
		struct ast_param param = { 0 };

		if (params.n)
			ret = parser_expect(&p, ",");
		if (!ret && lex_is(&p.token, ".") && skip_ellipsis(&p, &ret))
			break;
		ret = ret ?: parse_param(&p, &param);
		for (size_t i = 0; !ret && param.name && i < params.n; i++)
			if (params.items[i].name && !strcmp(params.items[i].name, param.name))
				ret = text_error(t, param.at, err, "a second parameter '%s'",
						 param.name);
		if (!ret)
			vec_push(&params, param);
	}
	if (!ret && p.token.kind != TOKEN_END)
		ret = parser_error(&p, "the end of the signature");
	if (params.n == 1 && is_void(&params.items[0]))
		params.n = 0;
	*out = (struct ast_signature){ .at = { inside.at - (inside.at > 0), inside.n + 2 },
				       .n_params = (u32)params.n };
	out->params = arena_alloc(a, params.n + 1, sizeof(*out->params));
	if (params.n)
		memcpy(out->params, params.items, params.n * sizeof(*params.items));
	vec_release(&params);
	return ret;
}
