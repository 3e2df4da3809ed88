// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Turns BTF into types.  The BTF of a module or a user's binary is hostile input: ids may point
 * anywhere and chains may be circular, so every walk is bounded.
 */
#include <bpf/btf.h>
#include <string.h>

#include "base/str.h"
#include "type/lookup.h"

#define MAX_CHAIN 32 /* typedefs, qualifiers, pointers, nested anonymous members */

static const char *name_of(const struct btf *btf, u32 off)
{
	const char *name = btf__name_by_offset(btf, off);

	return name ? name : "";
}

static bool is_modifier(const struct btf_type *bt)
{
	return btf_is_mod(bt) || btf_is_typedef(bt) || btf_is_type_tag(bt);
}

/* Skip typedefs and qualifiers.  *name: that of the outermost typedef.  NULL: the BTF is broken. */
static const struct btf_type *resolve(const struct btf *btf, u32 *id, const char **name)
{
	for (u32 i = 0; i < MAX_CHAIN; i++) {
		const struct btf_type *bt = btf__type_by_id(btf, *id);

		if (!bt || !is_modifier(bt))
			return bt;
		if (name && !*name && btf_is_typedef(bt))
			*name = name_of(btf, bt->name_off);
		*id = bt->type;
	}
	return NULL;
}

/* The space that a tag of the pointer's target names (BTF_KIND_TYPE_TAG before the target). */
static enum space tagged_space(const struct btf *btf, u32 id, enum space space)
{
	for (u32 i = 0; i < MAX_CHAIN; i++) {
		const struct btf_type *bt = btf__type_by_id(btf, id);

		if (!bt || !is_modifier(bt))
			break;
		if (btf_is_type_tag(bt) && !strcmp(name_of(btf, bt->name_off), "user"))
			return SPACE_USER;
		id = bt->type;
	}
	return space;
}

static bool is_const(const struct btf *btf, u32 id)
{
	for (u32 i = 0; i < MAX_CHAIN; i++) {
		const struct btf_type *bt = btf__type_by_id(btf, id);

		if (!bt || !is_modifier(bt))
			break;
		if (btf_is_const(bt))
			return true;
		id = bt->type;
	}
	return false;
}

static bool is_bit_set(const struct type_name *items, u32 n)
{
	u64 all = 0;

	for (u32 i = 0; i < n; i++) {
		if (items[i].value & (items[i].value - 1) || items[i].value & all)
			return false;
		all |= items[i].value;
	}
	return all > 3;
}

static void set_enumerators(struct types *t, const struct btf *btf, const struct btf_type *bt,
			    struct type *new)
{
	u32 n = btf_vlen(bt);
	struct type_names *names;
	struct type_name *items;

	if (!n)
		return;
	names = arena_new(t->arena, struct type_names);
	items = arena_alloc(t->arena, n, sizeof(*items));
	for (u32 i = 0; i < n; i++) {
		if (btf_is_enum(bt)) {
			const struct btf_enum *e = &btf_enum(bt)[i];

			items[i] = (struct type_name){ new->is_signed ? (u64)(s64)e->val
								      : (u64)(u32)e->val,
						       name_of(btf, e->name_off) };
		} else {
			const struct btf_enum64 *e = &btf_enum64(bt)[i];

			items[i] = (struct type_name){ btf_enum64_value(e),
						       name_of(btf, e->name_off) };
		}
	}
	names->items = items;
	names->n = n;
	names->is_flags = is_bit_set(items, n);
	new->names = names;
	new->show = SHOW_NAMES;
}

/* Before BTF recorded it (kernel 6.0), an enumeration is signed if it has a negative value. */
static bool enum_is_signed(const struct btf_type *bt)
{
	if (btf_kflag(bt))
		return true;
	if (!btf_is_enum(bt))
		return false;
	for (u32 i = 0; i < btf_vlen(bt); i++)
		if (btf_enum(bt)[i].val < 0)
			return true;
	return false;
}

static const char *tagged_name(struct types *t, const char *tag, const char *name)
{
	return *name ? arena_printf(t->arena, "%s %s", tag, name) : tag;
}

static void set_int(const struct btf *btf, const struct btf_type *bt, struct type *new)
{
	const char *name = name_of(btf, bt->name_off);
	u32 encoding = btf_int_encoding(bt);

	new->kind = TYPE_INT;
	new->is_signed = encoding &BTF_INT_SIGNED;
	new->is_bool = encoding &BTF_INT_BOOL;
	/* u8 and unsigned char are numbers.  The name decides, because compilers differ in
	 * signedness. */
	new->is_char = !strcmp(name, "char");
	if (new->is_bool)
		new->show = SHOW_BOOL;
	else if (new->is_char)
		new->show = SHOW_CHAR;
	if (bt->size > 8) { /* __int128 */
		new->kind = TYPE_BYTES;
		new->show = SHOW_BUFFER;
	}
}

static const struct type *of_btf(struct types *t, const struct btf *btf, u32 id, enum space space,
				 u32 depth);

/* This is only a declaration: another BTF may have the definition. */
static const struct type *of_forward(struct types *t, struct type *new)
{
	for (u32 i = 0; i < t->n_btf; i++) {
		const char *name = strchr(new->name, ' ');
		s32 id = name ? btf__find_by_name_kind(t->btf[i], name + 1,
						       new->kind == TYPE_UNION ? BTF_KIND_UNION
									       : BTF_KIND_STRUCT)
			      : -1;

		if (id > 0)
			return type_of_btf(t, t->btf[i], (u32)id, SPACE_KERNEL);
	}
	return new;
}

static const struct type *of_pointer(struct types *t, const struct btf *btf,
				     const struct btf_type *bt, const char *name, enum space space,
				     u32 depth)
{
	enum space to_space = tagged_space(btf, bt->type, space);
	const struct type *to = of_btf(t, btf, bt->type, space, depth + 1);
	struct type *new;

	if (!to)
		return NULL;
	new = type_copy(t, type_pointer(t, to, to_space));
	new->name = name;
	new->is_const = is_const(btf, bt->type);
	return new;
}

static const struct type *of_array(struct types *t, const struct btf *btf,
				   const struct btf_type *bt, enum space space, u32 depth)
{
	const struct btf_array *a = btf_array(bt);
	const struct type *of = of_btf(t, btf, a->type, space, depth + 1);

	return of ? type_array(t, of, a->nelems) : NULL;
}

/* How values of some typedefs are shown. */
static enum show show_of_typedef(const char *name, enum show old)
{
	static const struct {
		const char *name;
		enum show show;
	} rows[] = {
		{ "dev_t", SHOW_DEV },	{ "__kernel_dev_t", SHOW_DEV }, { "gfp_t", SHOW_HEX },
		{ "bool", SHOW_BOOL },	{ "fmode_t", SHOW_HEX },	{ "blk_opf_t", SHOW_HEX },
		{ "u8", SHOW_DEFAULT }, { "s8", SHOW_DEFAULT },
	};

	for (size_t i = 0; name && i < ARRAY_SIZE(rows); i++)
		if (!strcmp(rows[i].name, name))
			return rows[i].show;
	return old;
}

static const struct type *of_btf(struct types *t, const struct btf *btf, u32 id, enum space space,
				 u32 depth)
{
	const char *name = NULL, *own;
	const struct btf_type *bt = depth < MAX_CHAIN ? resolve(btf, &id, &name) : NULL;
	struct type *new;

	if (!bt)
		return NULL;
	if (btf_is_ptr(bt))
		return of_pointer(t, btf, bt, name, space, depth);
	if (btf_is_array(bt))
		return of_array(t, btf, bt, space, depth);
	if (btf_is_void(bt))
		return type_by_name(t, "void", space);
	own = name_of(btf, bt->name_off);
	new = arena_new(t->arena, struct type);
	new->btf = btf;
	new->btf_id = id;
	new->name = own;
	if (btf_is_int(bt)) {
		new->size = bt->size;
		set_int(btf, bt, new);
	} else if (btf_is_any_enum(bt)) {
		new->kind = TYPE_INT;
		new->size = bt->size > 8 ? 8 : bt->size;
		new->is_signed = enum_is_signed(bt);
		new->name = tagged_name(t, "enum", own);
		set_enumerators(t, btf, bt, new);
	} else if (btf_is_composite(bt)) {
		new->kind = btf_is_union(bt) ? TYPE_UNION : TYPE_STRUCT;
		new->size = bt->size;
		new->name = tagged_name(t, btf_is_union(bt) ? "union" : "struct", own);
	} else if (btf_is_fwd(bt)) {
		new->kind = btf_kflag(bt) ? TYPE_UNION : TYPE_STRUCT;
		new->name = tagged_name(t, btf_kflag(bt) ? "union" : "struct", own);
		return of_forward(t, new);
	} else if (btf_is_func_proto(bt) || btf_is_func(bt)) {
		new->kind = TYPE_FUNC;
		new->name = NULL;
	} else { /* floating point */
		new->kind = TYPE_BYTES;
		new->size = bt->size;
		new->show = SHOW_BUFFER;
	}
	/* Integers keep the typedef's name, as in the source; structs keep their own. */
	if (name && (new->kind == TYPE_INT || !*own)) {
		new->name = name;
		new->show = show_of_typedef(name, new->show);
	}
	return new;
}

const struct type *type_of_btf(struct types *t, const struct btf *btf, u32 id, enum space space)
{
	return of_btf(t, btf, id, space, 0);
}

static const struct type *find_kind(struct types *t, const struct btf *btf, const char *name,
				    u32 kind, enum space space)
{
	s32 id = btf ? btf__find_by_name_kind(btf, name, kind) : -1;

	return id > 0 ? type_of_btf(t, btf, (u32)id, space) : NULL;
}

static const struct type *find_tagged(struct types *t, const struct btf *btf, const char *name,
				      enum space space)
{
	if (!strncmp(name, "struct ", 7))
		return find_kind(t, btf, name + 7, BTF_KIND_STRUCT, space);
	if (!strncmp(name, "union ", 6))
		return find_kind(t, btf, name + 6, BTF_KIND_UNION, space);
	if (!strncmp(name, "enum ", 5))
		return find_kind(t, btf, name + 5, BTF_KIND_ENUM, space)
			       ?: find_kind(t, btf, name + 5, BTF_KIND_ENUM64, space);
	return find_kind(t, btf, name, BTF_KIND_TYPEDEF, space);
}

/* Kernel structs that were renamed. */
static const struct {
	const char *old, *new;
} renamed[] = {
	{ "struct timespec", "struct timespec64" },
	{ "struct timeval", "struct __kernel_old_timeval" },
	{ "struct itimerspec", "struct itimerspec64" },
};

const struct type *type_btf_named(struct types *t, const char *name, enum space space)
{
	const struct type *found = NULL;

	if (space == SPACE_USER)
		found = find_tagged(t, t->user, name, space)
				?: find_tagged(t, type_own_btf(t), name, space);
	for (u32 i = 0; !found && i < t->n_btf; i++)
		found = find_tagged(t, t->btf[i], name, space);
	for (size_t r = 0; !found && r < ARRAY_SIZE(renamed); r++)
		for (u32 i = 0; !found && !strcmp(renamed[r].old, name) && i < t->n_btf; i++)
			found = find_tagged(t, t->btf[i], renamed[r].new, space);
	if (!found && space != SPACE_USER)
		found = find_tagged(t, type_own_btf(t), name, space);
	return found;
}

static u32 load_size(u32 bits)
{
	return bits > 32 ? 8 : bits > 16 ? 4 : bits > 8 ? 2 : 1;
}

/* Shrink the member's integer to the fewest bytes that hold its bits. */
static void shrink_bits(struct types *t, struct type_member *m)
{
	m->offset += m->bit_offset / 8;
	m->bit_offset %= 8;
	m->type = type_int(t, load_size(m->bit_offset + m->bit_size), m->type->is_signed);
}

/* Use the storage unit of C's bit-field layout; a packed bit-field may extend past it. */
static void place_bits(struct types *t, struct type_member *m, u32 bits)
{
	u32 unit = m->type->size * 8;

	if (!unit || (unit & (unit - 1)))
		return;
	m->offset = bits / unit * m->type->size;
	m->bit_offset = bits % unit;
	if (m->bit_offset + m->bit_size <= unit)
		return;
	shrink_bits(t, m);
}

static bool find_member(struct types *t, const struct btf *btf, u32 id, const char *name,
			enum space space, u32 base_bits, u32 depth, struct type_member *out)
{
	const struct btf_type *bt = depth < MAX_CHAIN ? resolve(btf, &id, NULL) : NULL;

	if (!bt || !btf_is_composite(bt))
		return false;
	for (u32 i = 0; i < btf_vlen(bt); i++) {
		const struct btf_member *m = &btf_members(bt)[i];
		const char *own = name_of(btf, m->name_off);
		u32 bits = base_bits + btf_member_bit_offset(bt, i);

		if (!*own && find_member(t, btf, m->type, name, space, bits, depth + 1, out))
			return true;
		if (strcmp(own, name) != 0)
			continue;
		*out = (struct type_member){ .name = own,
					     .type = type_of_btf(t, btf, m->type, space),
					     .offset = bits / 8,
					     .bit_size = btf_member_bitfield_size(bt, i) };
		if (!out->type)
			return false;
		if (out->bit_size)
			place_bits(t, out, bits);
		return true;
	}
	return false;
}

bool type_find_member(struct types *t, const struct type *in, const char *name, enum space space,
		      struct type_member *out)
{
	if (!in->btf || !*name || !find_member(t, in->btf, in->btf_id, name, space, 0, 0, out))
		return false;
	/* A packed struct may end within its last unit: bytes after it may not be readable. */
	if (out->bit_size && out->offset + out->type->size > in->size)
		shrink_bits(t, out);
	return true;
}

static void offer(const struct btf *btf, u32 id, struct nearest *near, u32 depth)
{
	const struct btf_type *bt = depth < MAX_CHAIN ? resolve(btf, &id, NULL) : NULL;

	if (!bt || !btf_is_composite(bt))
		return;
	for (u32 i = 0; i < btf_vlen(bt); i++) {
		const struct btf_member *m = &btf_members(bt)[i];
		const char *own = name_of(btf, m->name_off);

		if (*own)
			nearest_offer(near, own);
		else
			offer(btf, m->type, near, depth + 1);
	}
}

void type_offer_members(const struct type *in, struct nearest *near)
{
	if (in->btf)
		offer(in->btf, in->btf_id, near, 0);
}

static u32 list(const struct btf *btf, u32 id, u32 max, u32 depth, struct str *out)
{
	const struct btf_type *bt = depth < MAX_CHAIN ? resolve(btf, &id, NULL) : NULL;
	u32 n = 0;

	if (!bt || !btf_is_composite(bt))
		return 0;
	for (u32 i = 0; i < btf_vlen(bt) && n <= max; i++) {
		const struct btf_member *m = &btf_members(bt)[i];
		const char *own = name_of(btf, m->name_off);

		if (*own && n++ < max)
			str_addf(out, "%s%s", out->n ? ", " : "", own);
		else if (!*own)
			n += list(btf, m->type, max - n, depth + 1, out);
	}
	return n;
}

void type_list_members(const struct type *in, u32 max, struct str *out)
{
	if (in->btf && list(in->btf, in->btf_id, max, 0, out) > max)
		str_adds(out, ", ...");
}

static bool has_enumerator(const struct btf *btf, const struct btf_type *bt, const char *name,
			   u64 *value)
{
	for (u32 i = 0; i < btf_vlen(bt); i++) {
		u32 off = btf_is_enum(bt) ? btf_enum(bt)[i].name_off : btf_enum64(bt)[i].name_off;

		if (strcmp(name_of(btf, off), name) != 0)
			continue;
		*value = btf_is_enum(bt) ? (u64)(s64)btf_enum(bt)[i].val
					 : btf_enum64_value(&btf_enum64(bt)[i]);
		return true;
	}
	return false;
}

const struct type *type_enumerator(struct types *t, const char *name, u64 *value)
{
	for (u32 i = 0; i < t->n_btf; i++) {
		u32 n = btf__type_cnt(t->btf[i]);

		for (u32 id = 1; id < n; id++) {
			const struct btf_type *bt = btf__type_by_id(t->btf[i], id);

			if (btf_is_any_enum(bt) && has_enumerator(t->btf[i], bt, name, value))
				return type_of_btf(t, t->btf[i], id, SPACE_KERNEL);
		}
	}
	return NULL;
}

void type_offer_enumerators(struct types *t, struct nearest *near)
{
	for (u32 i = 0; i < t->n_btf; i++) {
		u32 n = btf__type_cnt(t->btf[i]);

		for (u32 id = 1; id < n; id++) {
			const struct btf_type *bt = btf__type_by_id(t->btf[i], id);

			for (u32 e = 0; btf_is_enum(bt) && e < btf_vlen(bt); e++)
				nearest_offer(near, name_of(t->btf[i], btf_enum(bt)[e].name_off));
		}
	}
}

static const char *tag_of(const struct btf_type *bt)
{
	if (btf_is_struct(bt))
		return "struct ";
	if (btf_is_union(bt))
		return "union ";
	if (btf_is_any_enum(bt))
		return "enum ";
	return btf_is_typedef(bt) ? "" : NULL;
}

/* Offer names with this tag.  If there is no tag, set *forgotten to the tag of a type with the same
 * name. */
static void offer_tagged(const struct btf *btf, const char *tag, size_t n_tag, struct nearest *near,
			 const char **forgotten)
{
	u32 n = btf ? btf__type_cnt(btf) : 0;

	for (u32 id = 1; id < n; id++) {
		const struct btf_type *bt = btf__type_by_id(btf, id);
		const char *name = name_of(btf, bt->name_off), *own = tag_of(bt);

		if (!own || !*name)
			continue;
		if (strlen(own) == n_tag && !strncmp(own, tag, n_tag))
			nearest_offer(near, name);
		else if (!n_tag && !strcmp(name, near->word))
			*forgotten = own;
	}
}

const char *type_nearest(struct types *t, const char *name, bool is_user)
{
	const char *space = strchr(name, ' ');
	size_t n_tag = space ? (size_t)(space - name) + 1 : 0;
	struct nearest near = { .word = name + n_tag };
	const char *forgotten = NULL;

	offer_tagged(t->user, name, n_tag, &near, &forgotten);
	offer_tagged(type_own_btf(t), name, n_tag, &near, &forgotten);
	for (u32 i = 0; i < t->n_btf && !is_user; i++)
		offer_tagged(t->btf[i], name, n_tag, &near, &forgotten);
	if (forgotten)
		return arena_printf(t->arena, "%s%s", forgotten, name);
	return near.best ? arena_printf(t->arena, "%.*s%s", (int)n_tag, name, near.best) : NULL;
}
