// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "expr/dump.h"

#include <stdio.h>

static void escaped(struct view s, struct str *out)
{
	str_addc(out, '"');
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		if (c == '"' || c == '\\')
			str_addf(out, "\\%c", c);
		else if (c < 0x20 || c >= 0x7f)
			str_addf(out, "\\x%02x", c);
		else
			str_addc(out, (char)c);
	}
	str_addc(out, '"');
}

/* ---- as written ---- */

static void dump_type(const struct ast_type *t, struct str *out)
{
	str_addc(out, '<');
	if (t->user_at)
		str_adds(out, "user ");
	str_adds(out, t->is_func ? "function" : t->base ? t->base : "?");
	for (u32 i = 0; i < t->n_pointers; i++)
		str_addc(out, '*');
	for (u32 i = 0; i < t->n_dims; i++)
		str_addf(out, "[%llu]", t->dims[i]);
	str_addc(out, '>');
}

static void dump_child(const struct ast *e, struct str *out)
{
	if (!e)
		return;
	str_addc(out, ' ');
	dump_ast(e, out);
}

static void dump_children(const char *head, const struct ast *e, struct str *out)
{
	str_addf(out, "(%s", head);
	if (e->kind == AST_CAST || (e->kind == AST_SIZEOF && e->type)) {
		str_addc(out, ' ');
		dump_type(e->type, out);
	}
	dump_child(e->a, out);
	dump_child(e->b, out);
	dump_child(e->c, out);
	for (u32 i = 0; i < e->n_args; i++)
		dump_child(e->args[i], out);
	if (e->kind == AST_MEMBER)
		str_addf(out, " %s", e->name);
	str_addc(out, ')');
}

void dump_ast(const struct ast *e, struct str *out)
{
	char head[80];

	switch (e->kind) {
	case AST_NUMBER:
	case AST_CHAR:
		str_addf(out, "%lld", (s64)e->value);
		break;
	case AST_STRING:
		escaped(e->string, out);
		break;
	case AST_NAME:
		str_adds(out, e->name);
		break;
	case AST_DOLLAR:
		str_addf(out, "$%s", e->name);
		break;
	case AST_REG:
		str_addf(out, "%%%s", e->name);
		break;
	case AST_TYPE:
		dump_type(e->type, out);
		break;
	case AST_CALL:
		snprintf(head, sizeof(head), "call %s%.60s", e->is_dollar ? "$" : "", e->name);
		dump_children(head, e, out);
		break;
	case AST_SPACE:
		snprintf(head, sizeof(head), "@%.60s", e->name);
		dump_children(head, e, out);
		break;
	case AST_MEMBER:
		dump_children(e->is_arrow ? "->" : ".", e, out);
		break;
	case AST_UNARY:
	case AST_BINARY:
		dump_children(e->op, e, out);
		break;
	case AST_INDEX:
		dump_children("[]", e, out);
		break;
	case AST_COND:
		dump_children("?", e, out);
		break;
	case AST_CAST:
		dump_children("cast", e, out);
		break;
	case AST_SIZEOF:
		dump_children("sizeof", e, out);
		break;
	}
}

/* ---- with types ---- */

static const char *const ops[TREE_OP_N] = {
	[TREE_ADD] = "+",  [TREE_SUB] = "-",  [TREE_MUL] = "*", [TREE_DIV] = "/",
	[TREE_MOD] = "%",  [TREE_BAND] = "&", [TREE_BOR] = "|", [TREE_XOR] = "^",
	[TREE_SHL] = "<<", [TREE_SHR] = ">>", [TREE_EQ] = "==", [TREE_NE] = "!=",
	[TREE_LT] = "<",   [TREE_LE] = "<=",  [TREE_GT] = ">",	[TREE_GE] = ">=",
};

static const char *const builtins[BUILTIN_N] = {
	[BUILTIN_TID] = "tid",	     [BUILTIN_TGID] = "tgid",	  [BUILTIN_PPID] = "ppid",
	[BUILTIN_UID] = "uid",	     [BUILTIN_GID] = "gid",	  [BUILTIN_CPU] = "cpu",
	[BUILTIN_COMM] = "comm",     [BUILTIN_TASK] = "task",	  [BUILTIN_CGROUP] = "cgroup",
	[BUILTIN_TIME] = "time",     [BUILTIN_SITE] = "site",	  [BUILTIN_PERIOD] = "period",
	[BUILTIN_RANDOM] = "random", [BUILTIN_KSTACK] = "kstack", [BUILTIN_USTACK] = "ustack",
	[BUILTIN_PATH] = "path",     [BUILTIN_JOIN] = "join",	  [BUILTIN_DIRNAME] = "dirname",
	[BUILTIN_TARGET] = "target", [BUILTIN_FILTER] = "filter", [BUILTIN_BSWAP] = "bswap",
	[BUILTIN_IP] = "ip",	     [BUILTIN_COMPAT] = "compat", [BUILTIN_SYSCALL] = "syscall",
	[BUILTIN_UADDR] = "uaddr",
};

static const char *const spaces[SPACE_N] = {
	[SPACE_NONE] = "",     [SPACE_CTX] = "ctx",	  [SPACE_KERNEL] = "kernel",
	[SPACE_USER] = "user", [SPACE_EITHER] = "either", [SPACE_OWN] = "own",
};

static const char *const matches[] = {
	[MATCH_EQ] = "equal",
	[MATCH_PREFIX] = "prefix",
	[MATCH_GLOB] = "glob",
	[MATCH_BYTES] = "bytes",
};

static const char *const heads[TREE_N] = {
	[TREE_CTX_ADDR] = "ctx&", [TREE_SAVED] = "saved",   [TREE_LATENCY] = "latency",
	[TREE_NEG] = "-",	  [TREE_NOT] = "~",	    [TREE_LNOT] = "!",
	[TREE_AND] = "&&",	  [TREE_OR] = "||",	    [TREE_COND] = "?",
	[TREE_CAST] = "cast",	  [TREE_STRING] = "string", [TREE_BYTES] = "bytes",
	[TREE_LOAD] = "load",	  [TREE_CTX] = "ctx",
};

/* s32, u64, str81, bytes16: the part of a type that the generator uses. */
static void dump_kind(const struct type *t, struct str *out)
{
	switch (t->kind) {
	case TYPE_INT:
		if (t->is_bool)
			str_adds(out, "bool");
		else
			str_addf(out, "%c%u", t->is_signed ? 's' : 'u', t->size * 8);
		break;
	case TYPE_POINTER:
		str_adds(out, "ptr");
		break;
	case TYPE_STRING:
		str_addf(out, "str%u", t->size);
		break;
	case TYPE_BYTES:
		str_addf(out, "bytes%u", t->size);
		break;
	case TYPE_STACK:
		str_adds(out, "stack");
		if (t->n)
			str_addf(out, "%u", t->n);
		break;
	default:
		str_adds(out, t->name ? t->name : "aggregate");
	}
}

static void dump_head(const struct tree *t, struct str *out)
{
	switch (t->kind) {
	case TREE_BUILTIN:
		str_adds(out, builtins[t->builtin]);
		break;
	case TREE_BINARY:
		str_adds(out, ops[t->op]);
		break;
	case TREE_MATCH:
		str_adds(out, matches[t->match]);
		if (t->index)
			str_addf(out, " %u", t->index);
		break;
	default:
		str_adds(out, heads[t->kind] ? heads[t->kind] : "?");
	}
}

/* The place from which the value is read: slot, address space, offset, bits. */
static void dump_place(const struct tree *t, struct str *out)
{
	if (t->of_span)
		str_adds(out, " of span");
	if (t->kind == TREE_SAVED)
		str_addf(out, " %u", t->index);
	if (t->kind == TREE_LOAD || t->kind == TREE_STRING || t->kind == TREE_BYTES)
		str_addf(out, " %s", spaces[t->space]);
	if (t->kind == TREE_CTX || t->kind == TREE_CTX_ADDR || t->offset)
		str_addf(out, " +%u", t->offset);
	if (t->bit_size)
		str_addf(out, " bits %u:%u", t->bit_offset, t->bit_size);
}

void dump_tree(const struct tree *t, struct str *out)
{
	const struct tree *const parts[] = { t->a, t->b, t->c, t->length };

	if (t->kind == TREE_CONST) {
		dump_kind(t->type, out);
		str_addf(out, " %lld", (s64)t->value);
		return;
	}
	if (t->kind == TREE_TEXT) {
		escaped(t->string, out);
		return;
	}
	dump_kind(t->type, out);
	str_addc(out, '(');
	dump_head(t, out);
	dump_place(t, out);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (parts[i]) {
			str_adds(out, i ? ", " : " ");
			dump_tree(parts[i], out);
		}
	str_addc(out, ')');
}
