// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* kaddr("name"): where a variable or a function of the kernel is. */
#include <bpf/btf.h>

#include "expr/check_int.h"

/* The variable's type; NULL: no BTF has it.  Most BTFs have only the types of per-CPU variables. */
static const struct type *type_of_variable(struct checker *c, const char *name)
{
	struct types *t = c->types;

	for (u32 i = 0; i < t->n_btf; i++) {
		s32 id = btf__find_by_name_kind(t->btf[i], name, BTF_KIND_VAR);

		if (id > 0)
			return type_of_btf(t, t->btf[i], btf__type_by_id(t->btf[i], (u32)id)->type,
					   SPACE_KERNEL);
	}
	return NULL;
}

static int no_address(struct checker *c, const struct ast *e, const struct type_symbol *s)
{
	struct text_range at = e->args[0]->at;
	const char *name = arena_view(c->arena, e->args[0]->string);

	if (s->errnum) {
		check_error(c, at, "the kernel's addresses cannot be read: %s",
			    strerror(s->errnum));
		return check_hint(c, "kaddr() needs /proc/kallsyms");
	}
	if (s->is_hidden) {
		check_error(c, at, "the kernel hides its addresses");
		return check_hint(c, "run it with CAP_SYSLOG; sysctl kernel.kptr_restrict must "
				     "not be 2");
	}
	if (s->n_found > 1)
		return check_error(c, at, "the kernel has %u symbols '%s', at different addresses",
				   s->n_found, name);
	check_error(c, at, "the kernel has no symbol '%s'", name);
	if (!s->has_data) {
		c->err->code = ERR_KERNEL; /* another kernel may have it */
		return check_hint(c, "/proc/kallsyms has only functions on this kernel: "
				     "CONFIG_KALLSYMS_ALL is off");
	}
	return check_hint(c, "/proc/kallsyms has all");
}

/* The address of this CPU's own variable: the address that the symbol has, plus
 * __per_cpu_offset[cpu]. */
static const struct tree *of_this_cpu(struct checker *c, const struct type_symbol *s,
				      struct text_range at)
{
	struct types *t = c->types;
	const struct type *word = type_int(t, 8, false);
	struct tree *cpu = tree_new(c->arena, TREE_BUILTIN, type_int(t, 4, false), at);
	const struct tree *slot, *offset;

	cpu->builtin = BUILTIN_CPU;
	slot = tree_binary(t, TREE_ADD, word, tree_const(t, s->offsets, word, at),
			   tree_scaled(t, cpu, sizeof(u64)));
	offset = tree_load(t, slot, 0, word, SPACE_KERNEL, at);
	return tree_binary(t, TREE_ADD, word, tree_const(t, s->addr, word, at), offset);
}

int check_kaddr(struct checker *c, const struct ast *e, struct value *out)
{
	const struct type *type;
	struct type_symbol s = { 0 };
	const char *name;
	const struct tree *address;

	if (e->n_args != 1 || e->args[0]->kind != AST_STRING) {
		check_error(c, e->n_args ? e->args[0]->at : e->at,
			    "kaddr takes the name of a variable or function, in double quotes");
		return check_hint(c, "*(int *)kaddr(\"nr_threads\")");
	}
	name = arena_view(c->arena, e->args[0]->string);
	if (c->types->find_symbol)
		c->types->find_symbol(c->types->find_ctx, name, &s);
	if (s.errnum || s.is_hidden || s.n_found != 1)
		return no_address(c, e, &s);
	type = type_of_variable(c, name) ?: type_by_name(c->types, "void", SPACE_KERNEL);
	type = type_pointer(c->types, type, SPACE_KERNEL);
	address = s.offsets ? of_this_cpu(c, &s, check_at(c, e->at))
			    : tree_const(c->types, s.addr, type, check_at(c, e->at));
	address = tree_cast(c->types, address, type);
	*out = (struct value){ .type = address->type, .tree = address, .at = e->at };
	return 0;
}
