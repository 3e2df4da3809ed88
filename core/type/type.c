// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* C's basic types, and types derived from others.  Types from BTF are made in type_btf.c. */
#include "type/type.h"

#include <bpf/btf.h>
#include <stdio.h>

#include "base/str.h"
#include "type/lookup.h"

void types_init(struct types *t, struct arena *a, u32 string_size)
{
	*t = (struct types){ .arena = a, .string_size = string_size, .pointer_size = 8 };
}

void types_add_btf(struct types *t, const struct btf *btf)
{
	for (u32 i = 0; i < t->n_btf; i++)
		if (t->btf[i] == btf)
			return;
	if (btf && t->n_btf < TYPES_MAX_BTF)
		t->btf[t->n_btf++] = btf;
}

void types_set_user_btf(struct types *t, const struct btf *btf)
{
	t->user = btf;
}

void types_release(struct types *t)
{
	btf__free(t->own);
	*t = (struct types){ 0 };
}

/* Both supported architectures are LP64 (base/types.h's u64 is long long: only the name differs).
 */
static const struct type ints[] = {
	{ .kind = TYPE_INT, .size = 1, .is_signed = true, .name = "signed char" },
	{ .kind = TYPE_INT, .size = 1, .name = "unsigned char" },
	{ .kind = TYPE_INT, .size = 2, .is_signed = true, .name = "short" },
	{ .kind = TYPE_INT, .size = 2, .name = "unsigned short" },
	{ .kind = TYPE_INT, .size = 4, .is_signed = true, .name = "int" },
	{ .kind = TYPE_INT, .size = 4, .name = "unsigned int" },
	{ .kind = TYPE_INT, .size = 8, .is_signed = true, .name = "long" },
	{ .kind = TYPE_INT, .size = 8, .name = "unsigned long" },
};

static const struct type type_char = { .kind = TYPE_INT,
				       .size = 1,
				       .is_signed = true,
				       .is_char = true,
				       .show = SHOW_CHAR,
				       .name = "char" };

static const struct type type_bool = {
	.kind = TYPE_INT, .size = 1, .is_bool = true, .show = SHOW_BOOL, .name = "bool"
};

static const struct type type_void = { .kind = TYPE_VOID, .name = "void" };

const struct type *type_int(struct types *t, u32 size, bool is_signed)
{
	(void)t;
	for (size_t i = 0; i < ARRAY_SIZE(ints); i++)
		if (ints[i].size == size && ints[i].is_signed == is_signed)
			return &ints[i];
	return &ints[ARRAY_SIZE(ints) - 1];
}

struct type *type_copy(struct types *t, const struct type *of)
{
	struct type *new = arena_new(t->arena, struct type);

	*new = *of;
	return new;
}

static struct type *new_type(struct types *t, enum type_kind kind, u32 size)
{
	struct type *new = arena_new(t->arena, struct type);

	new->kind = kind;
	new->size = size;
	return new;
}

const struct type *type_pointer(struct types *t, const struct type *to, enum space space)
{
	struct type *new = new_type(t, TYPE_POINTER, t->pointer_size);

	new->to = to;
	new->space = space;
	new->show = SHOW_POINTER;
	return new;
}

const struct type *type_array(struct types *t, const struct type *of, u32 n)
{
	u32 size;
	struct type *new;

	if (__builtin_mul_overflow(of->size, n, &size))
		size = 0;
	new = new_type(t, TYPE_ARRAY, size);
	new->to = of;
	new->n = n;
	return new;
}

const struct type *type_string(struct types *t, u32 size)
{
	return new_type(t, TYPE_STRING, size ? size : t->string_size);
}

const struct type *type_bytes(struct types *t, u32 size, enum show show)
{
	struct type *new = new_type(t, TYPE_BYTES, size);

	new->show = show;
	return new;
}

const struct type *type_shown(struct types *t, const struct type *type, enum show show)
{
	struct type *new = type_copy(t, type);

	new->show = show;
	return new;
}

const struct type *type_named(struct types *t, const struct type *type,
			      const struct type_names *names)
{
	struct type *new = type_copy(t, type);

	new->names = names;
	new->show = SHOW_NAMES;
	return new;
}

/* How often each of the words occurs that C combines in any order to name a basic type. */
struct basic {
	u32 n_long, n_short, n_char, n_int, n_signed, n_unsigned, n_bool, n_void, n_other;
};

static void count_word(struct basic *b, struct view w)
{
	const struct {
		const char *word;
		u32 *n;
	} words[] = {
		{ "long", &b->n_long },		{ "short", &b->n_short },
		{ "char", &b->n_char },		{ "int", &b->n_int },
		{ "signed", &b->n_signed },	{ "__signed__", &b->n_signed },
		{ "unsigned", &b->n_unsigned }, { "_Bool", &b->n_bool },
		{ "bool", &b->n_bool },		{ "void", &b->n_void },
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (view_eq(w, words[i].word)) {
			++*words[i].n;
			return;
		}
	b->n_other++;
}

static const struct type *basic_type(struct types *t, const char *name)
{
	struct view rest = view_of(name), word;
	struct basic b = { 0 };
	u32 size;

	while (view_split(&rest, ' ', &word))
		if (word.n)
			count_word(&b, word);
	if (b.n_other || b.n_long > 2 || b.n_short > 1 || (b.n_signed && b.n_unsigned))
		return NULL;
	if (b.n_void || b.n_bool)
		return b.n_void ? &type_void : &type_bool;
	if (b.n_char && !b.n_signed && !b.n_unsigned)
		return &type_char;
	if (!b.n_char && !b.n_short && !b.n_long && !b.n_int && !b.n_signed && !b.n_unsigned)
		return NULL;
	size = b.n_char ? 1 : b.n_short ? 2 : b.n_long ? 8 : 4;
	return type_int(t, size, !b.n_unsigned);
}

/* Typedefs that mean the same everywhere: the kernel's BTF lacks those of user space, and vice
 * versa. */
static const struct {
	const char *name;
	u8 size;
	bool is_signed;
	enum show show;
} known[] = {
	{ "u8", 1, false, 0 },
	{ "u16", 2, false, 0 },
	{ "u32", 4, false, 0 },
	{ "u64", 8, false, 0 },
	{ "s8", 1, true, 0 },
	{ "s16", 2, true, 0 },
	{ "s32", 4, true, 0 },
	{ "s64", 8, true, 0 },
	{ "__u8", 1, false, 0 },
	{ "__u16", 2, false, 0 },
	{ "__u32", 4, false, 0 },
	{ "__u64", 8, false, 0 },
	{ "__s8", 1, true, 0 },
	{ "__s16", 2, true, 0 },
	{ "__s32", 4, true, 0 },
	{ "__s64", 8, true, 0 },
	{ "__be16", 2, false, 0 },
	{ "__be32", 4, false, 0 },
	{ "__be64", 8, false, 0 },
	{ "__le16", 2, false, 0 },
	{ "__le32", 4, false, 0 },
	{ "__le64", 8, false, 0 },
	{ "uint8_t", 1, false, 0 },
	{ "uint16_t", 2, false, 0 },
	{ "uint32_t", 4, false, 0 },
	{ "uint64_t", 8, false, 0 },
	{ "int8_t", 1, true, 0 },
	{ "int16_t", 2, true, 0 },
	{ "int32_t", 4, true, 0 },
	{ "int64_t", 8, true, 0 },
	{ "uint", 4, false, 0 },
	{ "ulong", 8, false, 0 },
	{ "ushort", 2, false, 0 },
	{ "size_t", 8, false, 0 },
	{ "ssize_t", 8, true, 0 },
	{ "uintptr_t", 8, false, SHOW_HEX },
	{ "intptr_t", 8, true, 0 },
	{ "ptrdiff_t", 8, true, 0 },
	{ "off_t", 8, true, 0 },
	{ "loff_t", 8, true, 0 },
	{ "pid_t", 4, true, 0 },
	{ "uid_t", 4, false, 0 },
	{ "gid_t", 4, false, 0 },
	{ "time_t", 8, true, 0 },
	{ "clockid_t", 4, true, 0 },
	{ "socklen_t", 4, false, 0 },
	{ "sa_family_t", 2, false, 0 },
	{ "in_addr_t", 4, false, SHOW_IP4 },
	{ "in_port_t", 2, false, 0 },
	{ "umode_t", 2, false, SHOW_OCTAL },
	{ "mode_t", 4, false, SHOW_OCTAL },
	{ "gfp_t", 4, false, SHOW_HEX },
	{ "sector_t", 8, false, 0 },
	{ "dev_t", 4, false, SHOW_DEV },
	{ "pthread_t", 8, false, SHOW_HEX },
};

const struct type *type_known(struct types *t, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		struct type *new;

		if (strcmp(known[i].name, name) != 0)
			continue;
		new = type_copy(t, type_int(t, known[i].size, known[i].is_signed));
		new->name = known[i].name;
		new->show = known[i].show;
		return new;
	}
	return NULL;
}

const struct type *type_by_name(struct types *t, const char *name, enum space space)
{
	return basic_type(t, name) ?: type_known(t, name) ?: type_btf_named(t, name, space);
}

bool type_is_float(const struct type *t)
{
	const struct btf_type *bt = t->btf ? btf__type_by_id(t->btf, t->btf_id) : NULL;

	return t->kind == TYPE_BYTES && bt && btf_is_float(bt);
}

static void text_base(const struct type *t, struct str *out)
{
	static const char *const kinds[TYPE_N] = {
		[TYPE_STRING] = "string", [TYPE_BYTES] = "bytes", [TYPE_FUNC] = "function",
		[TYPE_STRUCT] = "struct", [TYPE_UNION] = "union",
	};

	if (t->name)
		str_adds(out, t->name);
	else if (t->kind == TYPE_STACK)
		str_adds(out, t->space == SPACE_USER ? "user stack" : "kernel stack");
	else
		str_adds(out, kinds[t->kind] ? kinds[t->kind] : "?");
	if (t->kind == TYPE_BYTES && !type_is_float(t))
		str_addf(out, "[%u]", t->size);
}

const char *type_text(const struct type *t, char *buf, size_t size)
{
	struct str base = { 0 }, stars = { 0 }, dims = { 0 };

	for (; t->kind == TYPE_ARRAY && !t->name; t = t->to)
		str_addf(&dims, "[%u]", t->n);
	if (t->kind == TYPE_BYTES && t->to && !t->n) {
		str_adds(&dims, "[]");
		t = t->to;
	}
	for (; t->kind == TYPE_POINTER && !t->name; t = t->to)
		str_addc(&stars, '*');
	text_base(t, &base);
	snprintf(buf, size, "%s%s%s%s", str_text(&base), stars.n ? " " : "", str_text(&stars),
		 str_text(&dims));
	str_release(&base);
	str_release(&stars);
	str_release(&dims);
	return buf;
}

bool type_has_words(const struct type *t)
{
	switch (t->show) {
	case SHOW_NAMES:
	case SHOW_ERRNO:
	case SHOW_BOOL:
	case SHOW_SYSCALL:
	case SHOW_DEV:
	case SHOW_CGROUP:
	case SHOW_KSYM:
	case SHOW_USYM:
	case SHOW_SITE:
	case SHOW_TIME:
	case SHOW_CHAR:
		return t->kind == TYPE_INT;
	default:
		return false;
	}
}

bool type_same(const struct type *a, const struct type *b)
{
	while (a != b) {
		if (a->kind != b->kind || a->size != b->size || a->is_signed != b->is_signed ||
		    a->is_char != b->is_char || a->is_bool != b->is_bool || a->space != b->space ||
		    a->n != b->n || a->btf != b->btf || a->btf_id != b->btf_id ||
		    a->show != b->show || a->is_open != b->is_open || a->is_apart != b->is_apart ||
		    a->is_plain != b->is_plain)
			return false;
		if (!a->to || !b->to)
			return a->to == b->to;
		a = a->to;
		b = b->to;
	}
	return true;
}
