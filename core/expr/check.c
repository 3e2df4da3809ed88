// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The checker's entry points, literals, names, and conversion to the form that the caller needs. */
#include "expr/check.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/str.h"
#include "expr/check_int.h"
#include "syntax/parse.h"

#define MAX_MACROS 8

struct text_range check_at(const struct checker *c, struct text_range at)
{
	return c->depth ? c->at : at;
}

void check_say(struct checker *c, struct text_range at, const char *fmt, ...)
{
	char what[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	text_error(c->text, check_at(c, at), c->err, "%s", what);
}

/* The macro's text is bperf's own and is never shown: errors in it point at the user's text. */
int check_macro(struct checker *c, const char *macro, const struct binding *bindings,
		struct text_range at, struct value *out)
{
	struct text text = text_of(macro);
	const struct binding *outer = c->bindings;
	struct text_range outer_at = c->at;
	struct ast *e;
	int ret;

	if (c->depth == MAX_MACROS)
		return check_error(c, at, "too many nested aliases");
	c->at = check_at(c, at);
	c->depth++;
	c->bindings = bindings;
	ret = parse_expr(c->arena, &text, span_all(&text), &e, c->err) ?: check_any(c, e, out);
	c->bindings = outer;
	c->depth--;
	c->at = outer_at;
	out->at = check_at(c, at);
	return ret;
}

/* ---- literals ---- */

/* As in C: int, then long; hex and octal literals may also be unsigned int. */
static const struct type *number_type(struct checker *c, u64 value, u8 form)
{
	bool may_be_unsigned = form & (NUMBER_UNSIGNED | NUMBER_NOT_DECIMAL);
	bool is_unsigned = form & NUMBER_UNSIGNED;

	if (!(form & (NUMBER_LONG | NUMBER_TIME))) {
		if (!is_unsigned && value <= INT32_MAX)
			return type_int(c->types, 4, true);
		if (may_be_unsigned && value <= UINT32_MAX)
			return type_int(c->types, 4, false);
	}
	return type_int(c->types, 8, !is_unsigned && value <= INT64_MAX);
}

static int check_string(struct checker *c, const struct ast *e, struct value *out)
{
	struct tree *t = tree_new(c->arena, TREE_TEXT, type_string(c->types, (u32)e->string.n + 1),
				  check_at(c, e->at));

	t->string = e->string;
	*out = (struct value){ .type = t->type, .tree = t, .at = e->at, .is_literal = true };
	return 0;
}

/* ---- names ---- */

static bool is_register_name(const char *name)
{
	return !strncmp(name, "arg", 3) && name[3] >= '1' && name[3] <= '9';
}

static bool is_offered(const struct scope_name *n)
{
	return n->is_bare && !is_register_name(n->name);
}

/* An argument may have two rows: one from registers, the other from types. */
static bool is_repeated(const struct scope *s, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (is_offered(&s->names.items[i]) &&
		    !strcmp(s->names.items[i].name, s->names.items[at].name))
			return true;
	return false;
}

/* The hint if no known name is similar lists the first eight names. */
static int hint_names(struct checker *c)
{
	const struct scope *s = c->scope;
	struct str list = { 0 };
	u32 n = 0;
	int ret;

	for (size_t i = 0; i < s->names.n; i++) {
		if (!is_offered(&s->names.items[i]) || is_repeated(s, i))
			continue;
		if (n++ < 8)
			str_addf(&list, "%s%s", n > 1 ? ", " : "", s->names.items[i].name);
	}
	if (n)
		ret = check_hint(c, "it has %s%s", str_text(&list), n > 8 ? ", ..." : "");
	else if (s->names.n)
		ret = check_hint(c, "arguments are arg1 to arg6, unless a signature names them: "
				    "f(int a, char *b)");
	else
		ret = check_hint(
			c, "its arguments are not known; give a signature: f(int a, char *b)");
	str_release(&list);
	return ret;
}

/* True if the name is a constant of some value in the scope, such as O_CREAT of `flags`: the user
 * has written it before that value. */
static bool is_value_of_any(const struct scope *s, const char *name)
{
	const struct scope_name *n;

	vec_for_each(n, &s->names)
		if (n->value && n->value->type->names &&
		    check_find_value(n->value->type->names, name))
			return true;
	return false;
}

/* A variable of the kernel, whose address kaddr() knows. */
static bool is_symbol(const struct types *t, const char *name)
{
	struct type_symbol s = { 0 };

	if (t->find_symbol)
		t->find_symbol(t->find_ctx, name, &s);
	return s.n_found == 1;
}

static int unknown_name(struct checker *c, const struct ast *e)
{
	struct nearest near = { .word = e->name };
	const struct scope *s = c->scope;
	bool is_kernels;

	for (size_t i = 0; i < s->names.n; i++)
		if (s->names.items[i].is_bare)
			nearest_offer(&near, s->names.items[i].name);
	if (s->entry)
		for (size_t i = 0; i < s->entry->names.n; i++)
			if (s->entry->names.items[i].is_bare)
				nearest_offer(&near, s->entry->names.items[i].name);
	if (s->retval)
		nearest_offer(&near, "retval");
	for (u32 i = 0; c->names && i < c->names->n; i++)
		nearest_offer(&near, c->names->items[i].name);
	is_kernels = !near.best && is_symbol(s->types, e->name);
	constant_offer(&near);
	if (!near.best && strlen(e->name) > 5)
		type_offer_enumerators(s->types, &near);
	check_error(c, e->at, "'%s' is not known at %s", e->name, s->site);
	if (!strcmp(e->name, "not"))
		return check_hint(c, "write !x");
	if (!strcmp(e->name, "nsecs")) /* bpftrace's */
		return check_hint(c, "the time is $time");
	if (is_register_name(e->name) && !e->name[4] && scope_find(s, "arg6"))
		return check_hint(c, "arg1 to arg6 are registers; a signature names the others");
	if (check_is_dollar(e->name))
		return check_hint(c, "did you mean '$%s'?", e->name);
	if (s->retval && !strcmp(e->name, "errno"))
		return check_hint(c, "a failed call returns it in its value: \"%%E\", retval");
	if (is_value_of_any(s, e->name))
		return check_hint(c, "put it in double quotes: \"%s\"", e->name);
	if (is_kernels)
		return check_hint(c,
				  "kaddr(\"%s\") is the address of the kernel's; "
				  "*(int *)kaddr(\"%s\") reads it",
				  e->name, e->name);
	if (near.best)
		return check_hint(c, "did you mean '%s'?", near.best);
	if (!strncmp(e->name, "arg", 3) && s->no_args)
		return check_hint(c, "%s", s->no_args);
	return hint_names(c);
}

static int from_scope(struct checker *c, const struct scope_name *n, const struct ast *e,
		      struct value *out)
{
	if (n->value) {
		value_offered(c, out, n->value, e->at);
		return 0;
	}
	if (n->expr)
		return check_macro(c, n->expr, NULL, e->at, out);
	return check_error(c, e->at, "'%s' cannot be read here (%s)", e->name,
			   n->why	       ? n->why
			   : c->scope->no_args ? c->scope->no_args
					       : "a vector register");
}

static int check_constant(struct checker *c, const struct ast *e, s64 number, struct value *out)
{
	bool is_int = number >= INT32_MIN && number <= INT32_MAX;

	value_const(c, out, (u64)number,
		    type_int(c->types, is_int || number <= UINT32_MAX ? 4 : 8,
			     is_int || number > UINT32_MAX),
		    e->at);
	return 0;
}

static int check_name(struct checker *c, const struct ast *e, struct value *out)
{
	const struct scope_name *n;
	const struct type *type;
	s64 number;
	u64 value;

	for (const struct binding *b = c->bindings; b; b = b->outer)
		if (!strcmp(b->name, e->name)) {
			*out = *b->value;
			return 0;
		}
	n = scope_find(c->scope, e->name);
	if (n && n->is_bare)
		return from_scope(c, n, e, out);
	if (!strcmp(e->name, "retval"))
		return check_retval(c, e->at, out);
	if (c->scope->entry && c->scope->side == SIDE_RETURN &&
	    scope_find(c->scope->entry, e->name))
		return check_saved_name(c, e, out);
	if (constant_find(e->name, &number))
		return check_constant(c, e, number, out);
	type = type_enumerator(c->types, e->name, &value);
	if (!type) {
		const struct type_name *one = c->names ? check_find_value(c->names, e->name) : NULL;

		if (!one)
			return unknown_name(c, e);
		check_constant(c, e, (s64)one->value, out);
		out->is_value_name = true;
		return 0;
	}
	/* In C, an enumerator is an int, whatever its enumeration is. */
	if ((s64)value >= INT32_MIN && (s64)value <= INT32_MAX && type->names)
		type = type_named(c->types, type_int(c->types, 4, true), type->names);
	value_const(c, out, value, type, check_at(c, e->at));
	return 0;
}

static int check_reg(struct checker *c, const struct ast *e, struct value *out)
{
	struct ast ctx = { .kind = AST_NAME, .name = "ctx", .at = e->at, .mark = e->at };
	struct ast member = *e;

	member.kind = AST_MEMBER;
	member.a = &ctx;
	return check_member(c, &member, out);
}

static int check_number(struct checker *c, const struct ast *e, struct value *out)
{
	const struct type *type = e->kind == AST_CHAR ? type_int(c->types, 4, true)
						      : number_type(c, e->value, e->form);

	value_const(c, out, e->value, type, check_at(c, e->at));
	return 0;
}

static int check_bare_type(struct checker *c, const struct ast *e, struct value *out)
{
	(void)out;
	return check_error(c, e->at, "a type is not a value");
}

static int (*const checks[])(struct checker *, const struct ast *, struct value *) = {
	[AST_NUMBER] = check_number,  [AST_CHAR] = check_number,   [AST_STRING] = check_string,
	[AST_NAME] = check_name,      [AST_DOLLAR] = check_dollar, [AST_REG] = check_reg,
	[AST_MEMBER] = check_member,  [AST_INDEX] = check_index,   [AST_CALL] = check_call,
	[AST_UNARY] = check_unary,    [AST_BINARY] = check_binary, [AST_COND] = check_cond,
	[AST_CAST] = check_cast,      [AST_SIZEOF] = check_sizeof, [AST_SPACE] = check_space,
	[AST_TYPE] = check_bare_type,
};

int check_any(struct checker *c, const struct ast *e, struct value *out)
{
	*out = (struct value){ .at = e->at };
	return checks[e->kind](c, e, out);
}

/* ---- conversion to what the caller wants ---- */

/* Structs that are shown as a whole. */
static const struct {
	const char *name;
	u32 size;
	enum show show;
} shown_structs[] = {
	{ "struct in_addr", 4, SHOW_IP4 },
	{ "struct in6_addr", 16, SHOW_IP6 },
	{ "struct sockaddr", 28, SHOW_SOCKADDR },
	{ "struct sockaddr_in", 28, SHOW_SOCKADDR },
	{ "struct sockaddr_in6", 28, SHOW_SOCKADDR },
	{ "struct sockaddr_storage", 28, SHOW_SOCKADDR },
	{ "struct sockaddr_un", 110, SHOW_SOCKADDR },
};

static int want_struct(struct checker *c, const struct value *v, const struct tree **out)
{
	for (size_t i = 0; i < ARRAY_SIZE(shown_structs); i++)
		if (v->type->name && !strcmp(v->type->name, shown_structs[i].name))
			return value_bytes(c, v, shown_structs[i].size, shown_structs[i].show, out);
	return value_scalar(c, v, out);
}

#define MAX_BYTES 256

/* An array of bytes is shown as a buffer, not as a list of numbers. */
static bool is_list(const struct type *array)
{
	return type_is_scalar(array->to) && array->to->size > 1;
}

static int want_array(struct checker *c, const struct value *v, const struct tree **out)
{
	u32 n = v->type->size;
	struct type *numbers;
	struct tree *list;
	int ret;

	if (!n)
		return value_scalar(c, v, out);
	ret = value_bytes(c, v, n < MAX_BYTES ? n : MAX_BYTES, SHOW_BUFFER, out);
	if (ret || !is_list(v->type))
		return ret;
	numbers = type_copy(c->types, (*out)->type);
	numbers->to = v->type->to;
	numbers->n = v->type->n;
	list = tree_new(c->arena, TREE_BYTES, numbers, (*out)->at);
	list->a = (*out)->a;
	list->space = (*out)->space;
	*out = list;
	return 0;
}

static int want_value(struct checker *c, const struct value *v, const struct tree **out)
{
	if (value_is_text(v, true))
		return value_string(c, v, out);
	switch (v->type->kind) {
	case TYPE_BYTES:
	case TYPE_STACK:
		*out = v->tree;
		return 0;
	case TYPE_ARRAY:
		return want_array(c, v, out);
	case TYPE_STRUCT:
	case TYPE_UNION:
		return want_struct(c, v, out);
	default:
		return value_scalar(c, v, out);
	}
}

static int no_string(struct checker *c, const struct value *v)
{
	char text[128];

	check_error(c, v->at, "'%s' is not a string", type_text(v->type, text, sizeof(text)));
	return check_hint(c, "it has elements: write [0] after it for the first");
}

static int want_string(struct checker *c, const struct value *v, const struct tree **out)
{
	const struct type *t = v->type;
	bool is_address = t->kind == TYPE_POINTER || (t->kind == TYPE_ARRAY && !is_list(t)) ||
			  (t->kind == TYPE_INT && t->size == 8 && t->show == SHOW_DEFAULT);

	if (t->kind == TYPE_ARRAY && !type_is_scalar(t->to))
		return no_string(c, v);
	/* A number whose values have names is printed as the name. */
	return is_address ? value_string(c, v, out) : want_value(c, v, out);
}

static int want_address(struct checker *c, const struct value *v, const struct tree **out)
{
	bool is_whole = v->type->kind == TYPE_STRING || v->type->kind == TYPE_BYTES ||
			v->type->kind == TYPE_STACK;

	if (!is_whole)
		return value_scalar(c, v, out);
	*out = v->tree;
	return 0;
}

static int want_key(struct checker *c, const struct value *v, const struct tree **out)
{
	if (v->type->kind == TYPE_STACK)
		return check_error(c, v->at, "a stack cannot be a key of a span");
	return value_is_text(v, false) ? value_string(c, v, out) : want_address(c, v, out);
}

static int want_predicate(struct checker *c, const struct value *v, const struct tree **out)
{
	if (v->type->kind != TYPE_STRING)
		return value_scalar(c, v, out);
	check_error(c, v->at, "a string cannot be a condition");
	return check_hint(c, "compare it: == \"text\", ~ \"glob*\"");
}

static int want_scalar(struct checker *c, const struct value *v, const struct tree **out)
{
	int ret = value_scalar(c, v, out);

	if (!ret || v->type->kind != TYPE_STRING || v->tree->kind == TREE_SAVED)
		return ret;
	c->err->hint[0] = '\0'; /* that of any string */
	return check_hint(c, "a string is printed with %%s, counted with -C, or a key");
}

static int (*const wants[])(struct checker *, const struct value *, const struct tree **) = {
	[CHECK_VALUE] = want_value,	    [CHECK_SCALAR] = want_scalar,
	[CHECK_PREDICATE] = want_predicate, [CHECK_STRING] = want_string,
	[CHECK_ADDRESS] = want_address,	    [CHECK_KEY] = want_key,
};

int expr_check(const struct text *text, const struct ast *e, struct scope *scope, enum check_as as,
	       const struct check_opts *opts, const struct tree **out, struct err *err)
{
	struct checker c = { .text = text,
			     .scope = scope,
			     .types = scope->types,
			     .arena = scope->arena,
			     .opts = opts,
			     .err = err };
	struct value v;

	return check_any(&c, e, &v) ?: wants[as](&c, &v, out);
}

int expr_compile(const struct text *text, struct text_range where, struct scope *scope,
		 enum check_as as, const struct check_opts *opts, const struct tree **out,
		 struct err *err)
{
	struct ast *e;

	return parse_expr(scope->arena, text, where, &e, err)
		       ?: expr_check(text, e, scope, as, opts, out, err);
}

/* char *, const char *, unsigned char *. */
static bool is_text(const struct ast_type *type)
{
	return type->base && type->n_pointers == 1 &&
	       (!strcmp(type->base, "char") || !strcmp(type->base, "unsigned char"));
}

/* Negative return values in the kernel are errors, even if the function's type is not known. */
static bool is_error(const struct scope *s, const struct type *t)
{
	return t->show == SHOW_ERRNO || (t->is_plain && !s->is_user);
}

int expr_convert(const struct text *text, const struct tree *value, const struct ast_type *type,
		 struct scope *scope, const struct tree **out, struct err *err)
{
	struct checker c = { .text = text,
			     .scope = scope,
			     .types = scope->types,
			     .arena = scope->arena,
			     .err = err };
	struct value v = { .type = value->type, .tree = value, .at = value->at };
	const struct type *to;
	int ret;

	*out = value;
	/* unsigned char name[]: bytes, unless the user asks for text. */
	if (is_text(type) && value->kind == TREE_BYTES && !value->length &&
	    value->type->show == SHOW_BUFFER)
		*out = tree_string(c.types, value->a, value->space, NULL,
				   value->type->size < c.types->string_size ? value->type->size + 1
									    : c.types->string_size,
				   value->at);
	if (!type_is_scalar(value->type) || (type->base && !strcmp(type->base, "stack")))
		return 0;
	if (is_text(type))
		return type_has_words(value->type) ? 0 : value_string(&c, &v, out);
	ret = check_type(&c, type, &to);
	if (ret)
		return ret;
	if (!type_is_scalar(to))
		return text_error(text, type->at, err, "a value can't have this type");
	/* The expression's own names and units are more informative than those of the type. */
	if (value->type->show != SHOW_DEFAULT && value->type->show != SHOW_POINTER &&
	    value->type->size == to->size)
		return 0;
	if (is_error(scope, value->type) && to->kind == TYPE_INT && to->is_signed)
		to = type_shown(scope->types, to, SHOW_ERRNO);
	*out = tree_cast(scope->types, value, to);
	return 0;
}

/* A return value of unknown type: negative values of the kernel's functions are shown as errors. */
static const struct tree *shown_return(struct scope *s)
{
	const struct type *type = s->retval->type;

	if (!s->is_retval_plain || s->is_user)
		return s->retval;
	return tree_cast(s->types, s->retval, type_shown(s->types, type, SHOW_ERRNO));
}

/* The data that a pointer points to: all bytes, even after a NUL. */
static int want_data(struct checker *c, const struct scope_name *name, const struct value *pointer,
		     const struct tree **out)
{
	const char *expr = arena_printf(c->arena, "buf(%s, %s)", name->name, name->n_bytes);
	struct value v;
	int ret;

	if (!*name->n_bytes)
		return value_scalar(c, pointer, out);
	ret = check_macro(c, expr, NULL, pointer->at, &v) ?: want_value(c, &v, out);
	if (!ret && name->is_text)
		*out = tree_shown(c->types, *out, SHOW_TEXT);
	return ret;
}

u32 expr_all_args(struct scope *scope, const char **names, const struct tree **values, u32 cap)
{
	struct checker c = { .text = &(struct text){ "", 0 },
			     .scope = scope,
			     .types = scope->types,
			     .arena = scope->arena };
	u32 n = 0;

	for (size_t i = 0; i < scope->names.n && n < cap; i++) {
		const struct scope_name *name = &scope->names.items[i];
		struct err ignored = { 0 };
		struct value v;

		if (!name->is_arg || !name->value)
			continue;
		c.err = &ignored;
		value_of_tree(&v, name->value);
		if (name->n_bytes ? want_data(&c, name, &v, &values[n])
				  : want_value(&c, &v, &values[n]))
			continue;
		names[n++] = name->name;
	}
	if (scope->retval && n < cap) {
		names[n] = "retval";
		values[n++] = shown_return(scope);
	}
	return n;
}
