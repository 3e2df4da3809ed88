// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Numbers whose values have names (op == "READ"): of an argument, of errors, of system calls. */
#include "base/str.h"
#include "expr/check_int.h"

#define HINT_NAMES 12

static void list_names(const struct type_names *names, u32 *n, struct str *list)
{
	for (u32 i = 0; i < names->n; i++)
		if (++*n <= HINT_NAMES)
			str_addf(list, " %s", names->items[i].name);
}

static int hint_names(struct checker *c, const struct type_names *names)
{
	struct str list = { 0 };
	u32 n = 0;
	int ret;

	list_names(names, &n, &list);
	for (u32 i = 0; i < names->n_cases; i++)
		list_names(names->cases[i].names, &n, &list);
	ret = check_hint(c, "its values are%s%s", str_text(&list), n > HINT_NAMES ? " ..." : "");
	str_release(&list);
	return ret;
}

bool check_has_names(const struct checker *c, const struct type *t)
{
	return type_is_scalar(t) && (t->names || t->show == SHOW_ERRNO ||
				     (t->show == SHOW_SYSCALL && c->scope->syscall_number));
}

static int find_syscall(struct checker *c, const char *name, struct text_range at, u64 *value)
{
	s32 n = c->scope->syscall_number(name);

	*value = (u64)n;
	return n < 0 ? check_error(c, at, "there is no system call '%s' here", name) : 0;
}

/* retval == "ENOENT": such values are negative. */
static int find_errno(struct checker *c, const char *name, struct text_range at, u64 *value)
{
	s64 number;

	/* EPOLLIN begins with an E, too. */
	if (name[0] != 'E' || !strncmp(name, "EPOLL", 5) || !constant_find(name, &number)) {
		check_error(c, at, "there is no error named '%s'", name);
		return check_hint(c, "retval == \"ENOENT\" is the same as retval == -ENOENT");
	}
	*value = (u64)-number;
	return 0;
}

static bool find_in(const struct type_names *names, struct nearest *name, u64 *value)
{
	for (u32 i = 0; i < names->n; i++) {
		nearest_offer(name, names->items[i].name);
		if (strcmp(names->items[i].name, name->word) != 0)
			continue;
		*value = names->items[i].value;
		return true;
	}
	return false;
}

const struct type_name *check_find_value(const struct type_names *names, const char *name)
{
	for (u32 i = 0; i < names->n; i++)
		if (!strcmp(names->items[i].name, name))
			return &names->items[i];
	for (u32 i = 0; i < names->n_cases; i++) {
		const struct type_name *one = check_find_value(names->cases[i].names, name);

		if (one)
			return one;
	}
	return NULL;
}

/* "PROT_READ|PROT_WRITE", as it is printed. */
static bool find_flags(const struct type_names *names, const char *text, u64 *value)
{
	struct view rest = view_of(text), one;

	*value = 0;
	while (view_split(&rest, '|', &one)) {
		u32 i = 0;

		while (i < names->n && !view_eq(one, names->items[i].name))
			i++;
		if (i == names->n)
			return false;
		*value |= names->items[i].value;
	}
	return *text != '\0';
}

static bool find_value(const struct type_names *names, struct nearest *name, u64 *value)
{
	return find_in(names, name, value) ||
	       (names->is_flags && find_flags(names, name->word, value));
}

static const struct type *int_type(struct checker *c)
{
	return type_int(c->types, 4, true);
}

static const struct tree *equals(struct checker *c, const struct tree *a, u64 value)
{
	return tree_binary(c->types, TREE_EQ, int_type(c), a,
			   tree_const(c->types, value, a->type, a->at));
}

static const struct tree *joined(struct checker *c, enum tree_kind kind, const struct tree *a,
				 const struct tree *b)
{
	struct tree *t = tree_new(c->arena, kind, int_type(c), a->at);

	t->a = a;
	t->b = b;
	return t;
}

/* The argument `name` at the time of the number.  NULL: it is not known there, and numbers are
 * printed without such names. */
static int other_argument(struct checker *c, const struct tree *number, const char *name,
			  const struct tree **out)
{
	const struct scope *s = c->scope;
	const struct scope_name *other;
	struct value v;

	*out = NULL;
	if (number->kind == TREE_SAVED && number->of_span)
		return 0;
	other = scope_find(number->kind == TREE_SAVED ? s->entry : s, name);
	if (!other || !other->value)
		return 0;
	if (number->kind != TREE_SAVED) {
		*out = other->value;
		return 0;
	}
	return check_macro(c, arena_printf(c->arena, "$entry(%s)", name), NULL, number->at, &v)
		       ?: value_scalar(c, &v, out);
}

/* optname == "SO_REUSEADDR" only if level is SOL_SOCKET: other levels have other options.
 * *out is NULL if no case has the name. */
static int check_choice(struct checker *c, const struct type_names *names, struct nearest *name,
			const struct tree *number, const struct tree **out)
{
	const struct tree *other;
	int ret = other_argument(c, number, names->by, &other);

	*out = NULL;
	for (u32 i = 0; !ret && i < names->n_cases; i++) {
		const struct tree *is;
		u64 value;

		if (!find_value(names->cases[i].names, name, &value))
			continue;
		is = equals(c, number, value);
		if (other)
			is = joined(c, TREE_AND, is, equals(c, other, names->cases[i].value));
		*out = *out ? joined(c, TREE_OR, *out, is) : is;
	}
	return ret;
}

/* NULL: c->err says why. */
static const struct tree *is_value_name(struct checker *c, const struct type_names *names,
					const char *name, struct text_range at,
					const struct tree *number)
{
	struct nearest near = { .word = name };
	const struct tree *is = NULL;
	u64 value;

	if (find_value(names, &near, &value))
		return equals(c, number, value);
	if (names->by && check_choice(c, names, &near, number, &is))
		return NULL;
	if (is)
		return is;
	check_error(c, at, "it has no value named '%s'", name);
	if (near.best)
		check_hint(c, "did you mean \"%s\"?", near.best);
	else
		hint_names(c, names);
	return NULL;
}

static const struct tree *negated(struct checker *c, const struct tree *a, struct text_range at)
{
	struct tree *t = tree_new(c->arena, TREE_LNOT, int_type(c), at);

	t->a = a;
	return t;
}

/* Numbers of 32-bit (compat) system calls mean other calls, so they do not match any name. */
static const struct tree *unless_compat(struct checker *c, const struct tree *is)
{
	const struct tree *compat = c->scope->compat;

	return compat ? joined(c, TREE_AND, is, negated(c, compat, is->at)) : is;
}

static const struct tree *unlike(struct checker *c, const struct tree *is)
{
	if (is->kind == TREE_BINARY)
		return tree_binary(c->types, TREE_NE, is->type, is->a, is->b);
	return negated(c, is, is->at);
}

int check_value_name(struct checker *c, const struct ast *e, const struct value *number,
		     const struct value *text, struct value *out)
{
	const struct type_names *names = number->type->names;
	const char *name = arena_view(c->arena, text->tree->string);
	const struct tree *a, *is = NULL;
	u64 value;
	bool is_call = number->type->show == SHOW_SYSCALL;
	int ret = value_scalar(c, number, &a);

	if (ret)
		return ret;
	if (names)
		is = is_value_name(c, names, name, text->at, a);
	else if (!(is_call ? find_syscall(c, name, text->at, &value)
			   : find_errno(c, name, text->at, &value)))
		is = equals(c, a, value);
	if (!is)
		return -c->err->code;
	if (is_call)
		is = unless_compat(c, is);
	value_set(out, *e->op == '!' ? unlike(c, is) : is, e->at);
	return 0;
}
