// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "syntax/parse.h"

#include "base/mem.h"
#include "syntax/parse_int.h"

/* Binary operators with their precedence; all are left-associative.  This is C's table, plus the
 * match of strings next to ==, and ?? (the first member that exists), which binds more tightly than
 * all others. */
static const struct {
	const char *op;
	u32 binds;
} binary_ops[] = {
	{ "||", 2 }, { "&&", 3 }, { "|", 4 },  { "^", 5 },  { "&", 6 },	 { "==", 7 },  { "!=", 7 },
	{ "~", 7 },  { "<", 8 },  { ">", 8 },  { "<=", 8 }, { ">=", 8 }, { "<<", 9 },  { ">>", 9 },
	{ "+", 10 }, { "-", 10 }, { "*", 11 }, { "/", 11 }, { "%", 11 }, { "??", 12 },
};

#define BINDS_COND  1
#define BINDS_UNARY 13

static const char *const unary_ops[] = { "-", "+", "!", "~", "&", "*" };

int parser_init(struct parser *p, struct arena *a, const struct text *t, struct text_range where,
		struct err *err)
{
	*p = (struct parser){ .arena = a, .text = t, .err = err };
	if (t->n > TEXT_MAX)
		return err_set(err, ERR_USAGE, "the text is longer than %d bytes", TEXT_MAX);
	lex_init(&p->lex, t, where);
	return parser_next(p);
}

int parser_next(struct parser *p)
{
	p->last = p->token.at;
	return lex_next(&p->lex, &p->token, p->err);
}

int parser_error(struct parser *p, const char *what)
{
	const struct token *t = &p->token;

	if (t->kind == TOKEN_END)
		return text_error(p->text, t->at, p->err, "%s is missing here", what);
	text_error(p->text, t->at, p->err, "%s expected, not '%.*s'", what, (int)t->at.n,
		   p->text->p + t->at.at);
	if (lex_is(t, "@"))
		err_hint(p->err, "bpftrace's maps are argdist's: argdist -C 'SITE:TYPE:VALUE'");
	else if (lex_is(t, ",") && !strcmp(what, "')'"))
		err_hint(p->err, "flags are joined by |: (A | B)");
	return -p->err->code;
}

int parser_expect(struct parser *p, const char *op)
{
	char what[8];

	if (lex_is(&p->token, op))
		return parser_next(p);
	snprintf(what, sizeof(what), "'%s'", op);
	return parser_error(p, what);
}

const char *parser_name(struct parser *p, u32 skip)
{
	struct text_range at = p->token.at;

	return arena_strndup(p->arena, p->text->p + at.at + skip, at.n - skip);
}

/* Limits the number of nodes, because the later passes recurse over them. */
static struct ast *node(struct parser *p, enum ast_kind kind, struct text_range at)
{
	struct ast *e = arena_new(p->arena, struct ast);

	e->kind = kind;
	e->at = e->mark = at;
	p->n_nodes++;
	return e;
}

static int too_big(struct parser *p)
{
	if (p->n_nodes <= PARSE_MAX_NODES && p->depth <= PARSE_MAX_DEPTH)
		return 0;
	return text_error(p->text, p->token.at, p->err, "the expression is too %s",
			  p->depth > PARSE_MAX_DEPTH ? "deeply nested" : "long");
}

static int parse_binary(struct parser *p, u32 binds, struct ast **out);

static int parse_whole(struct parser *p, struct ast **out)
{
	int ret;

	p->depth++;
	ret = too_big(p) ?: parse_binary(p, BINDS_COND, out);
	p->depth--;
	return ret;
}

/* One argument of a call: those of container_of may be types. */
static int parse_argument(struct parser *p, struct ast **out)
{
	if (!parser_at_type(p, false))
		return parse_whole(p, out);
	*out = node(p, AST_TYPE, p->token.at);
	return parser_type(p, &(*out)->type) ?: ((*out)->at = (*out)->type->at, 0);
}

static int parse_arguments(struct parser *p, struct ast *call)
{
	VEC(struct ast *) args = { 0 };
	int ret = parser_next(p); /* ( */

	while (!ret && !lex_is(&p->token, ")")) {
		struct ast *arg;

		if (args.n)
			ret = parser_expect(p, ",");
		if (!ret)
			ret = parse_argument(p, &arg);
		if (!ret)
			vec_push(&args, arg);
	}
	call->n_args = (u32)args.n;
	call->args = arena_alloc(p->arena, args.n + 1, sizeof(*call->args));
	if (args.n)
		memcpy(call->args, args.items, args.n * sizeof(*args.items));
	vec_release(&args);
	return ret ?: parser_expect(p, ")");
}

static int parse_name(struct parser *p, struct ast **out)
{
	bool is_dollar = p->token.kind == TOKEN_DOLLAR;
	struct ast *e = node(p, is_dollar ? AST_DOLLAR : AST_NAME, p->token.at);
	int ret;

	*out = e;
	e->name = parser_name(p, is_dollar);
	ret = parser_next(p);
	if (ret || !lex_is(&p->token, "("))
		return ret;
	e->kind = AST_CALL;
	e->is_dollar = is_dollar;
	ret = parse_arguments(p, e);
	e->at = span_to(e->at, p->last);
	return ret;
}

/* Adjacent strings are joined, as in C. */
static int parse_string(struct parser *p, struct ast **out)
{
	struct ast *e = node(p, AST_STRING, p->token.at);

	*out = e;
	while (p->token.kind == TOKEN_STRING) {
		u32 n;
		const char *s = lex_string(p->arena, p->text, p->token.at, &n);
		char *all = arena_alloc(p->arena, e->string.n + n + 1, 1);
		int ret;

		if (e->string.n)
			memcpy(all, e->string.p, e->string.n);
		memcpy(all + e->string.n, s, n);
		e->string = (struct view){ all, e->string.n + n };
		ret = parser_next(p);
		if (ret)
			return ret;
	}
	e->at = e->mark = span_to(e->at, p->last);
	return 0;
}

static int parse_value(struct parser *p, enum ast_kind kind, struct ast **out)
{
	struct ast *e = node(p, kind, p->token.at);

	*out = e;
	e->value = p->token.value;
	e->form = p->token.form;
	if (kind == AST_REG)
		e->name = parser_name(p, 1);
	return parser_next(p);
}

static int parse_unary(struct parser *p, struct ast **out);

/* (type)a, or (a). */
static int parse_parenthesis(struct parser *p, struct ast **out)
{
	struct text_range open = p->token.at;
	struct ast *e;
	int ret;

	if (parser_at_cast(p)) {
		*out = e = node(p, AST_CAST, open);
		ret = parser_next(p) ?: parser_type(p, &e->type);
		p->lex.wants_operand = true; /* after the parenthesis: (int)%di */
		ret = ret ?: parser_expect(p, ")");
		e->mark = span_to(open, p->last);
		ret = ret ?: parse_unary(p, &e->a);
		e->at = span_to(open, p->last);
		return ret;
	}
	ret = parser_next(p) ?: parse_whole(p, out) ?: parser_expect(p, ")");
	if (!ret)
		(*out)->at = span_to(open, p->last);
	return ret;
}

static int no_value(struct parser *p)
{
	struct view before = span_view(p->text, p->last), rest;
	size_t n = 0;

	if (p->token.kind == TOKEN_END && before.n)
		text_error(p->text, p->token.at, p->err, "a value is missing after '%.*s'",
			   (int)before.n, before.p);
	else
		parser_error(p, "a value");
	if (view_eq(before, "~"))
		return err_hint(p->err, "patterns are globs in quotes: x ~ \"*text*\"");
	if (!lex_is(&p->token, "/"))
		return -ERR_USAGE;
	/* In the hint, quote a path as a whole. */
	rest = (struct view){ p->text->p + p->token.at.at, p->lex.end - p->token.at.at };
	while (n < rest.n && !strchr(" \t\n),&|", rest.p[n]))
		n++;
	return err_hint(p->err, "put text in double quotes: \"%.*s\"", (int)n, rest.p);
}

static int parse_primary(struct parser *p, struct ast **out)
{
	switch (p->token.kind) {
	case TOKEN_NAME:
	case TOKEN_DOLLAR:
		return parse_name(p, out);
	case TOKEN_NUMBER:
		return parse_value(p, AST_NUMBER, out);
	case TOKEN_CHAR:
		return parse_value(p, AST_CHAR, out);
	case TOKEN_REG:
		return parse_value(p, AST_REG, out);
	case TOKEN_STRING:
		return parse_string(p, out);
	default:
		if (lex_is(&p->token, "("))
			return parse_parenthesis(p, out);
		return no_value(p);
	}
}

static int parse_member(struct parser *p, struct ast *e)
{
	int ret;

	e->is_arrow = lex_is(&p->token, "->");
	ret = parser_next(p);
	if (ret)
		return ret;
	if (p->token.kind != TOKEN_NAME)
		return parser_error(p, "a member's name");
	e->name = parser_name(p, 0);
	e->mark = p->token.at;
	return parser_next(p);
}

static int parse_postfix(struct parser *p, struct ast **out)
{
	int ret = parse_primary(p, out);

	while (!ret) {
		struct ast *e;

		if (lex_is(&p->token, ".") || lex_is(&p->token, "->")) {
			e = node(p, AST_MEMBER, (*out)->at);
			ret = parse_member(p, e);
		} else if (lex_is(&p->token, "[")) {
			e = node(p, AST_INDEX, (*out)->at);
			ret = parser_next(p) ?: parse_whole(p, &e->b) ?: parser_expect(p, "]");
		} else if (lex_is(&p->token, "@")) {
			e = node(p, AST_SPACE, (*out)->at);
			ret = parse_member(p, e);
			e->is_arrow = false;
		} else {
			return 0;
		}
		e->a = *out;
		e->at = span_to((*out)->at, p->last);
		*out = e;
		ret = ret ?: too_big(p);
	}
	return ret;
}

static int parse_sizeof(struct parser *p, struct ast **out)
{
	struct ast *e = node(p, AST_SIZEOF, p->token.at);
	int ret = parser_next(p);

	*out = e;
	if (!ret && lex_is(&p->token, "(") && parser_at_cast(p))
		ret = parser_next(p) ?: parser_type(p, &e->type) ?: parser_expect(p, ")");
	else if (!ret)
		ret = parse_unary(p, &e->a);
	e->at = span_to(e->at, p->last);
	return ret;
}

static int parse_unary(struct parser *p, struct ast **out)
{
	struct text_range at = p->token.at;
	int ret;

	if (p->token.kind == TOKEN_NAME && view_eq(span_view(p->text, at), "sizeof"))
		return parse_sizeof(p, out);
	for (size_t i = 0; i < ARRAY_SIZE(unary_ops); i++) {
		struct ast *e;

		if (!lex_is(&p->token, unary_ops[i]))
			continue;
		e = node(p, AST_UNARY, at);
		e->op = unary_ops[i];
		p->depth++;
		ret = parser_next(p) ?: too_big(p) ?: parse_unary(p, &e->a);
		p->depth--;
		e->at = span_to(at, p->last);
		*out = e;
		return ret;
	}
	return parse_postfix(p, out);
}

static u32 binds_of(const struct token *t, const char **op)
{
	for (size_t i = 0; i < ARRAY_SIZE(binary_ops); i++)
		if (lex_is(t, binary_ops[i].op)) {
			*op = binary_ops[i].op;
			return binary_ops[i].binds;
		}
	return 0;
}

/* a ? b : c; as in C, b is parsed as if in parentheses. */
static int parse_cond(struct parser *p, struct ast *a, struct ast **out)
{
	struct ast *e = node(p, AST_COND, a->at);
	int ret;

	e->mark = p->token.at;
	e->a = a;
	p->depth++;
	ret = parser_next(p) ?: too_big(p) ?: parse_whole(p, &e->b) ?: parser_expect(p, ":")
		?: parse_binary(p, BINDS_COND, &e->c);
	p->depth--;
	e->at = span_to(a->at, p->last);
	*out = e;
	return ret;
}

/* Parse operators that bind at least as tightly as `binds`. */
static int parse_binary(struct parser *p, u32 binds, struct ast **out)
{
	int ret = parse_unary(p, out);

	while (!ret) {
		const char *op = NULL;
		u32 own = binds_of(&p->token, &op);
		struct ast *e;

		if (!own || own < binds)
			break;
		e = node(p, AST_BINARY, (*out)->at);
		e->op = op;
		e->mark = p->token.at;
		e->a = *out;
		ret = parser_next(p) ?: parse_binary(p, own + 1, &e->b) ?: too_big(p);
		e->at = span_to(e->at, p->last);
		*out = e;
	}
	if (!ret && binds <= BINDS_COND && lex_is(&p->token, "?"))
		return parse_cond(p, *out, out);
	return ret;
}

/* Operators that other languages spell as words. */
static int no_operator(struct parser *p, const char *what)
{
	static const struct {
		const char *word, *op;
	} rows[] = {
		{ "and", "&&" }, { "or", "||" }, { "eq", "==" }, { "ne", "!=" },  { "lt", "<" },
		{ "le", "<=" },	 { "gt", ">" },	 { "ge", ">=" }, { "like", "~" }, { "is", "==" },
	};
	struct view word = span_view(p->text, p->token.at), before = span_view(p->text, p->last);
	int ret;

	if (lex_is(&p->token, ")"))
		return text_error(p->text, p->token.at, p->err, "one ')' too many");
	ret = parser_error(p, what);
	if (p->token.kind != TOKEN_NAME)
		return ret;
	if (lex_is_time(word) && before.n && before.p[0] >= '0' && before.p[0] <= '9')
		return err_hint(p->err, "write %.*s%.*s", (int)before.n, before.p, (int)word.n,
				word.p);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (view_eq(word, rows[i].word))
			return err_hint(p->err, "write %s", rows[i].op);
	return ret;
}

static int parse_end(struct parser *p)
{
	return p->token.kind == TOKEN_END ? 0 : no_operator(p, "an operator");
}

int parse_expr(struct arena *a, const struct text *t, struct text_range where, struct ast **out,
	       struct err *err)
{
	struct parser p;

	*out = NULL;
	return parser_init(&p, a, t, where, err) ?: parse_whole(&p, out) ?: parse_end(&p);
}

/* "NAME=" before an expression of a list names its value. */
static int take_label(struct parser *p, struct text_range *label)
{
	const struct text *t = p->text;
	u32 at = p->lex.at;

	*label = (struct text_range){ 0 };
	if (p->token.kind != TOKEN_NAME)
		return 0;
	while (at < p->lex.end && t->p[at] == ' ')
		at++;
	if (at + 1 >= p->lex.end || t->p[at] != '=' || t->p[at + 1] == '=')
		return 0;
	*label = p->token.at;
	p->lex.at = at + 1;
	return parser_next(p);
}

int parse_exprs(struct arena *a, const struct text *t, struct text_range where, struct ast ***out,
		u32 *n, struct err *err)
{
	VEC(struct ast *) list = { 0 };
	struct parser p;
	int ret = parser_init(&p, a, t, where, err);

	while (!ret && p.token.kind != TOKEN_END) {
		struct text_range label;
		struct ast *e;

		if (list.n && !lex_is(&p.token, ","))
			ret = no_operator(&p, "an operator or ','");
		else if (list.n)
			ret = parser_next(&p);
		p.n_nodes = 0;
		ret = ret ?: take_label(&p, &label) ?: parse_whole(&p, &e);
		if (ret)
			break;
		e->label = label;
		vec_push(&list, e);
	}
	*n = (u32)list.n;
	*out = arena_alloc(a, list.n + 1, sizeof(**out));
	if (list.n)
		memcpy(*out, list.items, list.n * sizeof(*list.items));
	vec_release(&list);
	return ret;
}
