// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "type/scope.h"

#include <bpf/btf.h>
#include <stdio.h>

#include "syntax/parse.h"
#include "type/lookup.h"
#include "type/scope_parts.h"

#define MAX_ARGS 12

void scope_init(struct scope *s, struct types *types, enum scope_ctx ctx, enum scope_side side,
		const char *site)
{
	*s = (struct scope){ .types = types,
			     .arena = types->arena,
			     .arch = scope_host_arch(),
			     .ctx = ctx,
			     .side = side,
			     .space = SPACE_KERNEL,
			     .site = site };
}

bool scope_enumerator(const struct scope *s, const char *name, u64 *value)
{
	return type_enumerator(s->types, name, value) != NULL;
}

void scope_release(struct scope *s)
{
	vec_release(&s->names);
	vec_release(&s->saved);
}

static void add(struct scope *s, const struct scope_name *name)
{
	vec_push(&s->names, *name);
}

/* The last row of a name wins: a signature overrides BTF. */
const struct scope_name *scope_find(const struct scope *s, const char *name)
{
	for (size_t i = s->names.n; i-- > 0;) {
		const struct scope_name *n = &s->names.items[i];

		if ((n->is_bare || n->is_args) && !strcmp(n->name, name))
			return n;
	}
	return NULL;
}

static const char *arg_name(struct scope *s, u32 i)
{
	return arena_printf(s->arena, "arg%u", i + 1);
}

/* Signed, because most functions that return numbers return negative ones for errors. */
static void set_plain_retval(struct scope *s)
{
	struct type *type = arena_new(s->arena, struct type);
	struct tree *value = tree_new(s->arena, TREE_CTX, type, (struct text_range){ 0 });

	*type = *type_int(s->types, 8, true);
	type->is_plain = true;
	value->offset = scope_return_word(s)->offset;
	s->retval = value;
	s->is_retval_plain = true;
}

void scope_args(struct scope *s, u32 n_args)
{
	bool has_regs = s->ctx == SCOPE_REGS || s->ctx == SCOPE_REGS_INNER;
	bool has_words = s->ctx == SCOPE_WORDS || scope_is_syscall(s);
	u32 n = s->ctx == SCOPE_WORDS ? n_args : 6;

	if (s->side == SIDE_RETURN && s->ctx != SCOPE_WORDS && (has_regs || has_words))
		set_plain_retval(s);
	if (!has_regs && !has_words)
		return;
	/* At a return, the registers no longer hold the arguments. */
	if (s->side == SIDE_RETURN && has_regs)
		return;
	for (u32 i = 0; i < n; i++)
		add(s, &(struct scope_name){ .name = arg_name(s, i),
					     .value = scope_arg_word(s, i),
					     .is_bare = true });
}

/* The low bytes of a word.  The ABIs leave the bytes above a _Bool undefined. */
static const struct tree *word_as(struct scope *s, const struct tree *word, const struct type *type)
{
	if (type->is_bool)
		word = tree_cast(s->types, word, type_int(s->types, 1, false));
	return tree_cast(s->types, word, type);
}

/* An argument without a name still counts in the order, but is found only as an untyped argN. */
static void add_arg(struct scope *s, u32 word, const struct type *type, const char *name)
{
	const struct tree *value = word_as(s, scope_arg_word(s, word), type);
	bool is_named = name && *name;

	add(s, &(struct scope_name){ .name = is_named ? name : arg_name(s, word),
				     .value = value,
				     .is_bare = is_named,
				     .is_arg = true,
				     .is_args = is_named });
}

/* An argument that is not in a single word: using it is an error that gives the reason. */
static void add_unread(struct scope *s, const struct type *type, const char *name, const char *why)
{
	if (name && *name)
		add(s, &(struct scope_name){ .name = name,
					     .why = why,
					     .type = type,
					     .is_bare = true,
					     .is_arg = true,
					     .is_args = true });
}

/* The number of words of a parameter in fentry's context. */
static u32 words_of(const struct type *type)
{
	return type_is_scalar(type) ? 1 : (type->size + 7) / 8;
}

static void no_retval(struct scope *s, const char *why)
{
	s->retval = NULL;
	s->is_retval_plain = false;
	s->no_retval = why;
}

/* A small struct is in the return register; for others, the register holds something else. */
static void set_aggregate_retval(struct scope *s, const struct type *type,
				 const struct call_place *place)
{
	char buf[128];
	const char *text = type->name ? type->name : type_text(type, buf, sizeof(buf));

	if (s->ctx == SCOPE_WORDS)
		return;
	if (place->where == CALL_FLOATS)
		no_retval(s, arena_printf(s->arena,
					  "the function returns '%s', in a "
					  "floating-point register",
					  text));
	else if (place->where == CALL_STACK)
		no_retval(s, arena_printf(s->arena,
					  "the function returns '%s', in memory of its "
					  "caller",
					  text));
	else if (place->where == CALL_LOST || place->n_words > 1)
		no_retval(s, arena_printf(s->arena,
					  "the function returns '%s', which is more than "
					  "one register",
					  text));
}

/* Give the return value its type: as the caller sees it, extended to a word. */
static void set_retval(struct scope *s, const struct type *type, u32 word)
{
	const struct tree *value =
		s->ctx == SCOPE_WORDS ? scope_arg_word(s, word) : scope_return_word(s);

	if (type->kind == TYPE_VOID) {
		no_retval(s, "the function returns nothing");
		return;
	}
	if (!type_is_scalar(type))
		return;
	/* A user function's -1 is no error number: the error is in errno. */
	if (!s->is_user && type->kind == TYPE_INT && type->is_signed && !type->is_char &&
	    !type->names)
		type = type_shown(s->types, type, SHOW_ERRNO);
	s->retval = word_as(s, value, type);
	s->is_retval_plain = false;
}

int scope_retval(struct scope *s, const char *c_type, struct err *err)
{
	const struct type *type = type_of_text(s->types, c_type, s->space);

	if (!type)
		return err_set(err, ERR_KERNEL, "'%s' returns an unknown '%s'", s->site, c_type);
	set_retval(s, type, 0);
	return 0;
}

static const struct btf_type *func_proto(const struct btf *btf, u32 id)
{
	const struct btf_type *bt = btf__type_by_id(btf, id);

	if (bt && btf_is_func(bt))
		bt = btf__type_by_id(btf, bt->type);
	return bt && btf_is_func_proto(bt) ? bt : NULL;
}

static const struct btf_type *skip_modifiers(const struct btf *btf, const struct btf_type *t)
{
	while (t && (btf_is_mod(t) || btf_is_typedef(t)))
		t = btf__type_by_id(btf, t->type);
	return t;
}

/* The rules of btf_ctx_access() in 5.10, the oldest supported kernel. */
static bool may_load(const struct btf *btf, u32 id)
{
	const struct btf_type *t = skip_modifiers(btf, btf__type_by_id(btf, id)), *to;

	if (!t || !btf_is_ptr(t) || !t->type)
		return true;
	to = btf__type_by_id(btf, t->type);
	if (to && btf_is_const(to))
		to = btf__type_by_id(btf, to->type);
	if (to && btf_is_int(to) && to->size == 1)
		return true;
	to = skip_modifiers(btf, to);
	return to && btf_is_composite(to);
}

/* A struct passed by value may have more words than there are bits, but the kernel does not attach
 * to such functions. */
static void hide_word(struct scope *s, u32 word)
{
	if (word < 64)
		s->hidden_words |= 1ULL << word;
}

void scope_hide_words(struct scope *s, const struct btf *btf, u32 id, u32 skip)
{
	const struct btf_type *proto = func_proto(btf, id);
	u32 word = 0;

	for (u32 i = skip; proto && i < btf_vlen(proto) && word < MAX_ARGS; i++) {
		u32 of = btf_params(proto)[i].type;
		const struct type *type = type_of_btf(s->types, btf, of, s->space);

		if (!may_load(btf, of))
			hide_word(s, word);
		word += type ? words_of(type) : 1;
	}
	if (proto && s->side == SIDE_RETURN && !may_load(btf, proto->type))
		hide_word(s, word);
}

/* The place where an argument is, which can't be read.  Registers are named as the user writes
 * them: arg1, arg2, ... */
static const char *why_not(struct scope *s, const struct call_place *p)
{
	switch (p->where) {
	case CALL_FLOATS:
		return "a floating-point register";
	case CALL_REFERENCE:
		return "memory that is its caller's copy";
	case CALL_STACK:
		return "the stack, as a whole struct";
	case CALL_REGISTERS:
		if (p->n_words > 1)
			return arena_printf(s->arena, "more than one register: arg%u, arg%u",
					    p->word + 1, p->word + 2);
		return arena_printf(s->arena, "a struct within one register: arg%u", p->word + 1);
	default:
		return "its type doesn't tell where it is";
	}
}

static bool is_cplusplus(const struct btf *btf, u32 id)
{
	const struct btf_type *bt = btf__type_by_id(btf, id);
	const char *name = bt ? btf__name_by_offset(btf, bt->name_off) : NULL;

	return name && !strncmp(name, "_Z", 2);
}

/* Add arguments and return value of a call in registers, whose places the ABI determines. */
static void add_call(struct scope *s, const struct btf *btf, u32 id, u32 skip)
{
	const struct btf_type *proto = func_proto(btf, id);
	struct call call = { .arch = s->arch, .is_cplusplus = is_cplusplus(btf, id) };
	struct call_place ret = call_return(&call, btf, proto->type);

	for (u32 i = skip; s->side != SIDE_RETURN && i < btf_vlen(proto) && i < MAX_ARGS + skip;
	     i++) {
		const struct btf_param *p = &btf_params(proto)[i];
		const char *name = btf__name_by_offset(btf, p->name_off);
		const struct type *type = type_of_btf(s->types, btf, p->type, s->space);
		struct call_place place;

		if (!type || !p->type) /* varargs */
			break;
		place = call_next(&call, btf, p->type);
		if (type_is_scalar(type) && place.where <= CALL_STACK)
			add_arg(s, place.word, type, name);
		else
			add_unread(s, type, name, why_not(s, &place));
	}
	if (s->side == SIDE_RETURN) {
		const struct type *type = type_of_btf(s->types, btf, proto->type, s->space);

		if (type && (type_is_scalar(type) || type->kind == TYPE_VOID))
			set_retval(s, type, 0);
		else if (type)
			set_aggregate_retval(s, type, &ret);
	}
}

/* Add arguments that are in the words of fentry's context, one by one; the return value follows. */
static void add_words(struct scope *s, const struct btf *btf, u32 id, u32 skip)
{
	const struct btf_type *proto = func_proto(btf, id);
	const struct type *type;
	u32 word = 0;

	for (u32 i = skip; i < btf_vlen(proto) && word < MAX_ARGS; i++) {
		const struct btf_param *p = &btf_params(proto)[i];
		const char *name = btf__name_by_offset(btf, p->name_off);

		type = type_of_btf(s->types, btf, p->type, s->space);
		if (!type || !words_of(type)) /* varargs */
			break;
		if (type_is_scalar(type))
			add_arg(s, word, type, name);
		else
			add_unread(s, type, name, "a struct by value");
		word += words_of(type);
	}
	type = s->side == SIDE_RETURN ? type_of_btf(s->types, btf, proto->type, s->space) : NULL;
	if (type)
		set_retval(s, type, word);
}

int scope_btf_func(struct scope *s, const struct btf *btf, u32 id, u32 skip, struct err *err)
{
	if (!func_proto(btf, id))
		return err_set(err, ERR_KERNEL, "the BTF of '%s' is broken", s->site);
	s->proto_btf = btf;
	s->proto_id = id;
	s->proto_skip = skip;
	if (s->ctx == SCOPE_REGS)
		add_call(s, btf, id, skip);
	else
		add_words(s, btf, id, skip);
	return 0;
}

/* Arrays and functions are passed as pointers. */
static const struct type *decayed(struct types *t, const struct type *type, enum space space)
{
	if (type->kind == TYPE_ARRAY)
		return type_pointer(t, type->to, space);
	return type;
}

static int unknown_type(const struct scope *s, const struct text *t, const struct ast_param *p,
			const char *unknown, struct err *err)
{
	const char *near = type_nearest(s->types, unknown, s->is_user);

	text_error(t, p->type->at, err, "nothing here describes the type '%s'", unknown);
	if (near)
		return err_hint(err, "did you mean '%s'?", near);
	return err_hint(err, "a pointer to it would do, or u8 to u64, int, long, size_t");
}

/* The row of argument i from an earlier source (BTF). */
static const struct scope_name *older_arg(const struct scope *s, u32 i)
{
	for (size_t j = 0; j < s->names.n; j++)
		if (s->names.items[j].is_arg && i-- == 0)
			return &s->names.items[j];
	return NULL;
}

/* The BTF parameter for one that is written without a type; NULL: it has a type, or there is no
 * BTF. */
static const struct btf_param *open_param(const struct scope *s, const struct ast_param *p, u32 i)
{
	const struct btf_type *proto = s->proto_btf ? func_proto(s->proto_btf, s->proto_id) : NULL;

	i += s->proto_skip;
	return proto && !p->type->base && i < btf_vlen(proto) ? &btf_params(proto)[i] : NULL;
}

/* Find the places of the signature's parameters: one word each, unless BTF knows more about a call
 * in registers. */
static void place_params(const struct scope *s, const struct ast_signature *sig,
			 struct call_place *places)
{
	struct call call = { .arch = s->arch };

	if (s->proto_btf) {
		call.is_cplusplus = is_cplusplus(s->proto_btf, s->proto_id);
		call_return(&call, s->proto_btf, func_proto(s->proto_btf, s->proto_id)->type);
	}
	for (u32 i = 0; i < sig->n_params; i++) {
		const struct btf_param *p = open_param(s, &sig->params[i], i);

		if (s->ctx != SCOPE_REGS)
			places[i] = (struct call_place){ CALL_REGISTERS, i, 1 };
		else if (p)
			places[i] = call_next(&call, s->proto_btf, p->type);
		else
			places[i] = call_next_word(&call);
	}
}

int scope_signature(struct scope *s, const struct text *t, const struct ast_signature *sig,
		    struct err *err)
{
	const struct type *types[MAX_ARGS];
	struct call_place places[MAX_ARGS];
	u32 n = sig->n_params;

	if (n > MAX_ARGS)
		return text_error(t, sig->params[MAX_ARGS].at, err, "more than %d parameters",
				  MAX_ARGS);
	for (u32 i = 0; i < n; i++) {
		const struct ast_param *p = &sig->params[i];
		const char *unknown = NULL;

		if (!p->type->base) {
			const struct scope_name *old = older_arg(s, i);

			types[i] = old && old->value ? old->value->type : old ? old->type : NULL;
			types[i] = types[i] ?: type_int(s->types, 8, false);
			continue;
		}
		types[i] = type_of_ast(s->types, p->type, s->space, &unknown);
		if (!types[i])
			return unknown_type(s, t, p, unknown, err);
		types[i] = decayed(s->types, types[i], s->space);
		if (!type_is_scalar(types[i])) {
			text_error(t, p->at, err, "a struct passed by value can't be read");
			return err_hint(err, "name the registers it is in: u64 a, u64 b");
		}
	}
	for (size_t j = 0; j < s->names.n; j++)
		s->names.items[j].is_arg = false;
	place_params(s, sig, places);
	for (u32 i = 0; i < n; i++) {
		const char *name = sig->params[i].name;

		if (name && type_is_scalar(types[i]) && places[i].where <= CALL_STACK)
			add_arg(s, places[i].word, types[i], name);
		else if (name)
			add_unread(s, types[i], name, why_not(s, &places[i]));
	}
	return 0;
}

int scope_param(struct scope *s, u32 arg, const char *c_type, const char *name, struct err *err)
{
	const struct type *type = type_of_text(s->types, c_type, s->space);

	if (!type)
		type = type_int(s->types, 8, false);
	type = decayed(s->types, type, s->space);
	if (arg >= MAX_ARGS || !type_is_scalar(type))
		return err_set(err, ERR_KERNEL, "parameter '%s %s' of '%s' can't be read", c_type,
			       name, s->site);
	add_arg(s, arg, type, name);
	return 0;
}

static const struct tree *operand_value(struct scope *s, const struct scope_operand *o)
{
	struct types *t = s->types;
	const struct type *type = type_int(t, o->size, o->is_signed), *word = type_int(t, 8, false);
	const struct tree *reg, *index;

	if (o->kind == OPERAND_CONST)
		return tree_const(t, (u64)o->value, type, (struct text_range){ 0 });
	reg = tree_ctx_word(t, o->reg_offset);
	if (o->kind == OPERAND_REG) {
		if (o->reg_shift)
			reg = tree_binary(t, TREE_SHR, word, reg,
					  tree_const(t, o->reg_shift, word, reg->at));
		return tree_cast(t, reg, type);
	}
	if (o->has_index) {
		index = tree_ctx_word(t, o->index_offset);
		index = tree_binary(t, TREE_MUL, word, index,
				    tree_const(t, o->scale, word, index->at));
		reg = tree_binary(t, TREE_ADD, word, reg, index);
	}
	return tree_load(t, tree_offset(t, reg, o->value), 0, type, SPACE_USER,
			 (struct text_range){ 0 });
}

void scope_operand(struct scope *s, u32 arg, const struct scope_operand *o)
{
	struct scope_name name = { .name = arg_name(s, arg), .is_bare = true, .is_arg = true };

	if (o->kind != OPERAND_NONE)
		name.value = operand_value(s, o);
	add(s, &name);
}

void scope_alias(struct scope *s, const char *name, const char *expr)
{
	add(s, &(struct scope_name){ .name = name, .expr = expr, .is_bare = true });
}

static bool same_or_none(const struct tree *a, const struct tree *b)
{
	return (!a && !b) || (a && b && tree_same(a, b));
}

static bool value_names_same(const struct type_names *a, const struct type_names *b)
{
	if (a == b)
		return true;
	if (!a || !b || a->by || b->by || a->n != b->n || a->is_flags != b->is_flags ||
	    a->number != b->number)
		return false;
	for (u32 i = 0; i < a->n; i++)
		if (a->items[i].value != b->items[i].value ||
		    strcmp(a->items[i].name, b->items[i].name) != 0)
			return false;
	return true;
}

/* The names of a value belong to what the program's reader prints, so they are compared, too. */
static const struct type_names *value_names(const struct scope_name *n)
{
	return n->value ? n->value->type->names : NULL;
}

static bool name_same(const struct scope_name *a, const struct scope_name *b)
{
	return !strcmp(a->name, b->name) && same_or_none(a->value, b->value) &&
	       value_names_same(value_names(a), value_names(b)) && a->is_bare == b->is_bare &&
	       a->is_arg == b->is_arg && !strcmp(a->expr ? a->expr : "", b->expr ? b->expr : "") &&
	       !strcmp(a->n_bytes ? a->n_bytes : "", b->n_bytes ? b->n_bytes : "");
}

bool scope_same(const struct scope *a, const struct scope *b)
{
	if (a->ctx != b->ctx || a->side != b->side || a->space != b->space ||
	    a->is_user != b->is_user || a->names.n != b->names.n || !a->entry != !b->entry ||
	    !same_or_none(a->retval, b->retval) || !same_or_none(a->guard, b->guard) ||
	    !same_or_none(a->caller, b->caller))
		return false;
	for (size_t i = 0; i < a->names.n; i++)
		if (!name_same(&a->names.items[i], &b->names.items[i]))
			return false;
	return !a->entry || scope_same(a->entry, b->entry);
}
