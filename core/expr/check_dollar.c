// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* $names: built-ins of every site, of returns, and values saved at an entry or start. */
#include "expr/check_int.h"

#include "syntax/parse.h"

static const struct dollar {
	const char *name;
	enum builtin builtin;
	u8 size;
	bool is_signed;
	enum show show;
} dollars[] = {
	{ "pid", BUILTIN_TID, 4, true, 0 }, /* as in bcc: the kernel's pid is a thread's */
	{ "tid", BUILTIN_TID, 4, true, 0 },
	{ "tgid", BUILTIN_TGID, 4, true, 0 },
	{ "PID", BUILTIN_TGID, 4, true, 0 },
	{ "TID", BUILTIN_TID, 4, true, 0 },
	{ "ppid", BUILTIN_PPID, 4, true, 0 },
	{ "uid", BUILTIN_UID, 4, false, 0 },
	{ "gid", BUILTIN_GID, 4, false, 0 },
	{ "cpu", BUILTIN_CPU, 4, false, 0 },
	{ "cgroup", BUILTIN_CGROUP, 8, false, SHOW_CGROUP },
	{ "time", BUILTIN_TIME, 8, false, SHOW_TIME },
	{ "func", BUILTIN_SITE, 4, false, SHOW_SITE },
	{ "probe", BUILTIN_SITE, 4, false, SHOW_SITE },
	{ "period", BUILTIN_PERIOD, 8, false, 0 },
	{ "random", BUILTIN_RANDOM, 4, false, 0 },
};

/* $names without a row above: each has its own type. */
static const char *const others[] = { "comm",	"COMM",	   "task",   "kstack", "ustack",
				      "retval", "latency", "entry(", "start(", "first(" };

bool check_is_dollar(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(dollars); i++)
		if (!strcmp(dollars[i].name, name))
			return true;
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (!strcmp(others[i], name))
			return true;
	return false;
}

static int set_builtin(struct checker *c, enum builtin builtin, const struct type *type,
		       struct text_range at, struct value *out)
{
	value_set_builtin(c, builtin, type, NULL, at, out);
	return 0;
}

static int check_row(struct checker *c, const struct dollar *d, const struct ast *e,
		     struct value *out)
{
	const struct type *type = type_int(c->types, d->size, d->is_signed);

	if (d->builtin == BUILTIN_PERIOD && !c->scope->has_period)
		return check_error(c, e->at, "only samples (e:...) have a period");
	if (d->show)
		type = type_shown(c->types, type, d->show);
	return set_builtin(c, d->builtin, type, e->at, out);
}

static int check_task(struct checker *c, const struct ast *e, struct value *out)
{
	const struct type *task = type_by_name(c->types, "struct task_struct", SPACE_KERNEL);

	if (!task)
		task = type_by_name(c->types, "void", SPACE_KERNEL);
	return set_builtin(c, BUILTIN_TASK, type_pointer(c->types, task, SPACE_KERNEL), e->at, out);
}

/* limit: the number of innermost frames; 0: all. */
static int check_stack(struct checker *c, const struct ast *e, u32 limit, struct value *out)
{
	bool is_user = *e->name == 'u';
	struct type *type = arena_new(c->arena, struct type);

	type->kind = TYPE_STACK;
	type->size = 16;
	type->n = limit;
	type->space = is_user ? SPACE_USER : SPACE_KERNEL;
	return set_builtin(c, is_user ? BUILTIN_USTACK : BUILTIN_KSTACK, type, e->at, out);
}

bool check_is_stack(const char *name)
{
	return !strcmp(name, "kstack") || !strcmp(name, "ustack");
}

int check_limited_stack(struct checker *c, const struct ast *e, struct value *out)
{
	const struct tree *limit = NULL;
	struct value v;
	int ret = e->n_args == 1 ? check_any(c, e->args[0], &v) : 0;

	if (!ret && e->n_args == 1)
		ret = value_scalar(c, &v, &limit);
	if (ret)
		return ret;
	if (limit && limit->kind == TREE_CONST && limit->value && limit->value <= CHECK_MAX_FRAMES)
		return check_stack(c, e, (u32)limit->value, out);
	check_error(c, limit ? e->args[0]->at : e->at, "%s takes a number of frames from 1 to %u",
		    e->name, CHECK_MAX_FRAMES);
	return check_hint(c, "%s(5) is the five innermost; $%s is all", e->name, e->name);
}

int check_retval(struct checker *c, struct text_range at, struct value *out)
{
	if (c->scope->retval) {
		value_offered(c, out, c->scope->retval, at);
		return 0;
	}
	check_error(c, at, "there is no return value at %s", c->scope->site);
	if (c->scope->no_retval)
		return check_hint(c, "%s", c->scope->no_retval);
	if (c->scope->side == SIDE_ENTRY)
		return check_hint(c, "returns are r:...");
	return -ERR_USAGE;
}

static int need_entry(struct checker *c, struct text_range at, const char *what)
{
	if (c->scope->entry)
		return 0;
	check_error(c, at, "there is no %s at %s", what, c->scope->site);
	return check_hint(c, "%s",
			  c->scope->no_entry ? c->scope->no_entry
					     : "returns (r:...) and spans have one");
}

static int check_latency(struct checker *c, const struct ast *e, struct value *out)
{
	const struct type *ns = type_shown(c->types, type_int(c->types, 8, false), SHOW_NS);
	struct tree *t = tree_new(c->arena, TREE_LATENCY, ns, check_at(c, e->at));
	int ret = c->scope->starts ? 0 : need_entry(c, e->at, "start to measure from");

	if (ret)
		return ret;
	t->of_span = c->scope->starts != NULL;
	c->scope->wants_latency |= !t->of_span;
	value_set(out, t, e->at);
	return 0;
}

static const struct dollar *find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(dollars); i++)
		if (!strcmp(dollars[i].name, name))
			return &dollars[i];
	return NULL;
}

static int unknown(struct checker *c, const struct ast *e)
{
	struct nearest near = { .word = e->name };

	for (size_t i = 0; i < ARRAY_SIZE(dollars); i++)
		nearest_offer(&near, dollars[i].name);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		nearest_offer(&near, others[i]);
	check_error(c, e->at, "'$%s' is not known", e->name);
	if (near.best && strchr(near.best, '('))
		return check_hint(c, "did you mean '$%sexpr)'?", near.best);
	if (near.best)
		return check_hint(c, "did you mean '$%s'?", near.best);
	return check_hint(c, "$pid $tgid $uid $cpu $comm $task $time ...; arguments have no $");
}

int check_dollar(struct checker *c, const struct ast *e, struct value *out)
{
	const struct dollar *d = find(e->name);

	if (d)
		return check_row(c, d, e, out);
	if (!strcmp(e->name, "comm") || !strcmp(e->name, "COMM"))
		return set_builtin(c, BUILTIN_COMM, type_string(c->types, 16), e->at, out);
	if (!strcmp(e->name, "task"))
		return check_task(c, e, out);
	if (check_is_stack(e->name))
		return check_stack(c, e, 0, out);
	if (!strcmp(e->name, "retval"))
		return check_retval(c, e->at, out);
	if (!strcmp(e->name, "latency"))
		return check_latency(c, e, out);
	if (check_keeps(e->name)) {
		check_error(c, e->at, "$%s needs an expression", e->name);
		return check_hint(c, "$%s(expression)", e->name);
	}
	return unknown(c, e);
}

static bool is_literal(const struct tree *t)
{
	return t->kind == TREE_CONST || t->kind == TREE_TEXT;
}

static void set_saved(struct checker *c, const struct type *type, u32 index, bool of_span,
		      struct text_range at, struct value *out)
{
	struct tree *saved = tree_new(c->arena, TREE_SAVED, type, check_at(c, at));

	saved->index = index;
	saved->of_span = of_span;
	value_set(out, saved, at);
}

/* ---- the entry of a call ---- */

/* Equal expressions are saved only once. */
static u32 saved_index(struct scope *s, const struct tree *t)
{
	for (size_t i = 0; i < s->saved.n; i++)
		if (tree_same(s->saved.items[i], t))
			return (u32)i;
	vec_push(&s->saved, t);
	return (u32)s->saved.n - 1;
}

/* A number that changes when the current process executes another program.  NULL: not known. */
static const struct tree *program_of_task(struct checker *c)
{
	struct types *t = c->types;
	const struct type *type = type_by_name(t, "struct task_struct", SPACE_KERNEL);
	struct type_member id;
	struct tree *task;

	if (!type || !type_find_member(t, type, "self_exec_id", SPACE_KERNEL, &id))
		return NULL;
	task = tree_new(c->arena, TREE_BUILTIN, type_int(t, 8, false), (struct text_range){ 0 });
	task->builtin = BUILTIN_TASK;
	return tree_load(t, task, id.offset, type_int(t, id.type->size, false), SPACE_KERNEL,
			 task->at);
}

/*
 * A system call's string may lie in a page that was never touched; the kernel brings it in
 * during the call.  What the function may write to is not read again: the string at the return is
 * not the one at the entry.
 */
static const struct tree *read_again(struct checker *c, const struct tree *t)
{
	struct tree *copy;

	if (t->kind != TREE_STRING || t->length || t->space == SPACE_KERNEL ||
	    t->a->type->kind != TYPE_POINTER || !t->a->type->is_const)
		return t;
	copy = tree_new(c->arena, t->kind, t->type, t->at);
	*copy = *t;
	copy->program = program_of_task(c);
	return copy;
}

static int save_entry(struct checker *c, const struct ast *e, enum check_as as, struct value *out)
{
	const struct tree *t;
	int ret = expr_check(c->text, e, c->scope->entry, as, c->opts, &t, c->err);

	if (ret)
		return ret;
	t = read_again(c, t);
	if (is_literal(t))
		value_set(out, t, e->at);
	else
		set_saved(c, t->type, saved_index(c->scope, t), false, e->at, out);
	return 0;
}

int check_saved_name(struct checker *c, const struct ast *e, struct value *out)
{
	return save_entry(c, e, CHECK_ADDRESS, out);
}

bool check_is_entry(const struct checker *c, const struct ast *e)
{
	return e->kind == AST_CALL && e->is_dollar && !strcmp(e->name, "entry") && e->n_args == 1 &&
	       c->scope->entry;
}

int check_entry_address(struct checker *c, const struct ast *e, struct value *out)
{
	return save_entry(c, e->args[0], CHECK_ADDRESS, out);
}

/* ---- the starts of a span ---- */

/* A saved value has the same slot and type, no matter which start of the span saved it. */
static bool is_alike(const struct type *a, const struct type *b)
{
	if (type_is_scalar(a) && type_is_scalar(b))
		return a->size == b->size && (a->is_signed == b->is_signed || a->kind != b->kind);
	return a->kind == b->kind && a->size == b->size;
}

static int unlike(struct checker *c, const struct ast *e, const struct tree *const *at_start, u32 k)
{
	const struct scope_starts *starts = c->scope->starts;
	char one[128], other[128];

	check_error(c, e->at, "this is '%s' at %s and '%s' at %s",
		    type_text(at_start[0]->type, one, sizeof(one)), starts->scopes[0]->site,
		    type_text(at_start[k]->type, other, sizeof(other)), starts->scopes[k]->site);
	return check_hint(c, "a cast makes it one type: $start((%s)...)", one);
}

static u32 start_index(struct scope_starts *starts, const struct tree **at_start)
{
	for (u32 i = 0; i < starts->saved.n; i++) {
		u32 k = 0;

		while (k < starts->n && tree_same(starts->saved.items[i][k], at_start[k]))
			k++;
		if (k == starts->n)
			return i;
	}
	vec_push(&starts->saved, at_start);
	return (u32)starts->saved.n - 1;
}

/* An update leaves the value of $first(...) as it is.  In the update's values, a number or a string
 * of the same type takes its place. */
static int keep_value(struct checker *c, const struct ast *e, const struct tree *first,
		      const struct tree **out)
{
	bool is_number = type_is_scalar(first->type);
	struct tree *t;

	if (!is_number && first->type->kind != TYPE_STRING)
		return check_error(c, e->at, "$first keeps numbers and strings");
	t = tree_new(c->arena, is_number ? TREE_CONST : TREE_TEXT, first->type, first->at);
	t->is_kept = true;
	*out = t;
	return 0;
}

static int save_start(struct checker *c, const struct ast *e, bool is_first, struct value *out)
{
	struct scope_starts *starts = c->scope->starts;
	const struct tree **at_start = arena_alloc(c->arena, starts->n, sizeof(struct tree *));
	bool is_const = true;

	for (u32 k = 0; k < starts->n; k++) {
		int ret = 0;

		if (is_first && starts->scopes[k]->is_update)
			ret = keep_value(c, e, at_start[0], &at_start[k]);
		else
			ret = expr_check(c->text, e, starts->scopes[k], CHECK_VALUE, c->opts,
					 &at_start[k], c->err);
		if (ret)
			return ret;
		is_const =
			is_const && is_literal(at_start[k]) && tree_same(at_start[0], at_start[k]);
		if (!is_alike(at_start[0]->type, at_start[k]->type))
			return unlike(c, e, at_start, k);
	}
	if (is_const)
		value_set(out, at_start[0], e->at);
	else
		set_saved(c, at_start[0]->type, start_index(starts, at_start), true, e->at, out);
	return 0;
}

/* ---- $entry(e), $start(e), $first(e) ---- */

bool check_keeps(const char *name)
{
	return !strcmp(name, "entry") || !strcmp(name, "start") || !strcmp(name, "first");
}

/* Without a span, all are evaluated at the entry of the call. */
int check_saved(struct checker *c, const struct ast *e, struct value *out)
{
	bool of_span = c->scope->starts && strcmp(e->name, "entry") != 0;
	int ret;

	if (e->n_args != 1) {
		check_error(c, e->at, "$%s takes one expression", e->name);
		return check_hint(c, "$%s(size)", e->name);
	}
	if (c->scope->starts && !c->scope->entry && !of_span) {
		check_error(c, e->at, "%s is not a return, and has no entry", c->scope->site);
		return check_hint(c, "$start(...) is the value at the span's start");
	}
	if (of_span)
		ret = save_start(c, e->args[0], !strcmp(e->name, "first"), out);
	else
		ret = need_entry(c, e->at, "start to keep a value from")
			      ?: save_entry(c, e->args[0], CHECK_VALUE, out);
	out->at = e->at;
	return ret;
}
