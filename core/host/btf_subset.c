// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * CO-RE looks up structs, unions and enums by name, and in them members and enumerators by name.
 * The subset holds these types in full size, with only the members that the object names.  Pointers
 * become void *: CO-RE does not check what they point to.
 */
#include <bpf/btf.h>
#include <elf.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/hash.h"
#include "base/index.h"
#include "base/mem.h"
#include "base/view.h"
#include "host/btf.h"
#include "host/rawbtf.h"

#define MAX_DEPTH 32 /* nested structs and typedefs; broken BTF can contain cycles */

/* Names of types or members, without "___flavor". */
struct names {
	struct index index;
	VEC(struct view) list;
	u64 begins[(1 << 16) / 64]; /* bitmap of the first two bytes of all names */
};

struct cut {
	const struct rawbtf *from;
	struct btf *to;
	struct names types, members;
	u32 *ids; /* ids in `to` by ids in `from`; 0: not copied yet */
};

static bool has_view(const struct names *n, struct view name)
{
	size_t at = 0;
	u32 id;

	while (index_next(&n->index, hash_bytes(name.p, name.n), &at, &id))
		if (n->list.items[id].n == name.n && !memcmp(n->list.items[id].p, name.p, name.n))
			return true;
	return false;
}

static u32 beginning(const char *text)
{
	return (u32)(u8)text[0] << 8 | (u8)text[1];
}

/* The bitmap rejects most of the kernel's names. */
static bool has_name(const struct names *n, const char *text)
{
	u32 begin = text[0] ? beginning(text) : 0;

	return n->begins[begin / 64] >> begin % 64 & 1 && has_view(n, view_of(text));
}

static void add_name(struct names *n, const char *text)
{
	const char *flavor = strstr(text, "___");
	struct view name = view_of(text);
	u32 begin;

	if (flavor)
		name.n = (size_t)(flavor - text);
	if (!name.n || has_view(n, name))
		return;
	begin = name.n > 1 ? beginning(name.p) : (u32)(u8)name.p[0] << 8;
	n->begins[begin / 64] |= 1ULL << begin % 64;
	index_add(&n->index, hash_bytes(name.p, name.n), (u32)n->list.n);
	vec_push(&n->list, name);
}

static void names_release(struct names *n)
{
	index_release(&n->index);
	vec_release(&n->list);
}

/* ---- names the object needs ---- */

static void take_names(struct cut *c, const struct rawbtf *local)
{
	for (u32 id = 1; id < rawbtf_count(local); id++) {
		const struct btf_type *t = rawbtf_type(local, id);

		if (!btf_is_composite(t) && !btf_is_any_enum(t))
			continue;
		add_name(&c->types, rawbtf_name(local, t->name_off));
		for (u32 i = 0; i < btf_vlen(t); i++) {
			u32 off = btf_is_composite(t) ? btf_members(t)[i].name_off
				  : btf_is_enum(t)    ? btf_enum(t)[i].name_off
						      : btf_enum64(t)[i].name_off;

			add_name(&c->members, rawbtf_name(local, off));
		}
	}
}

/* ---- copying types ---- */

static int copy(struct cut *c, u32 id, u32 depth);

static bool is_wanted(const struct cut *c, u32 name_off)
{
	const char *name = rawbtf_name(c->from, name_off);

	return !*name || has_name(&c->members, name);
}

/* Copy the types of the members first: btf__add_field adds to the newest type. */
static int copy_composite(struct cut *c, const struct btf_type *t, u32 depth)
{
	const char *name = rawbtf_name(c->from, t->name_off);
	u32 n = btf_vlen(t);
	_cleanup_(free_p) int *types = mem_alloc(n + 1, sizeof(*types));
	int id;

	for (u32 i = 0; i < n; i++) {
		const struct btf_member *m = &btf_members(t)[i];

		types[i] = -1;
		if (is_wanted(c, m->name_off))
			types[i] = copy(c, m->type, depth + 1);
	}
	id = btf_is_union(t) ? btf__add_union(c->to, name, t->size)
			     : btf__add_struct(c->to, name, t->size);
	for (u32 i = 0; id > 0 && i < n; i++) {
		const struct btf_member *m = &btf_members(t)[i];
		int ret = 0;

		if (types[i] >= 0)
			ret = btf__add_field(c->to, rawbtf_name(c->from, m->name_off), types[i],
					     btf_member_bit_offset(t, i),
					     btf_member_bitfield_size(t, i));
		if (ret)
			return ret;
	}
	return id;
}

static int copy_enum(struct cut *c, const struct btf_type *t)
{
	const char *name = rawbtf_name(c->from, t->name_off);
	bool is_wide = !btf_is_enum(t);
	int id = is_wide ? btf__add_enum64(c->to, name, t->size, btf_kflag(t))
			 : btf__add_enum(c->to, name, t->size);

	for (u32 i = 0; id > 0 && i < btf_vlen(t); i++) {
		u32 off = is_wide ? btf_enum64(t)[i].name_off : btf_enum(t)[i].name_off;
		int ret = 0;

		if (!is_wanted(c, off))
			continue;
		ret = is_wide ? btf__add_enum64_value(c->to, rawbtf_name(c->from, off),
						      btf_enum64_value(&btf_enum64(t)[i]))
			      : btf__add_enum_value(c->to, rawbtf_name(c->from, off),
						    btf_enum(t)[i].val);
		if (ret)
			return ret;
	}
	return id;
}

static int copy_array(struct cut *c, const struct btf_type *t, u32 depth)
{
	const struct btf_array *a = btf_array(t);
	int element = copy(c, a->type, depth + 1);
	int index = element < 0 ? element : copy(c, a->index_type, depth + 1);

	return index < 0 ? index : btf__add_array(c->to, index, element, a->nelems);
}

static int copy_new(struct cut *c, const struct btf_type *t, u32 depth)
{
	const char *name = rawbtf_name(c->from, t->name_off);

	switch (btf_kind(t)) {
	case BTF_KIND_INT:
		return btf__add_int(c->to, name, t->size, btf_int_encoding(t));
	case BTF_KIND_FLOAT:
		return btf__add_float(c->to, name, t->size);
	case BTF_KIND_PTR:
		return btf__add_ptr(c->to, 0);
	case BTF_KIND_FWD:
		return btf__add_fwd(c->to, name, btf_kflag(t) ? BTF_FWD_UNION : BTF_FWD_STRUCT);
	case BTF_KIND_ARRAY:
		return copy_array(c, t, depth);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return copy_composite(c, t, depth);
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		return copy_enum(c, t);
	default: /* CO-RE ignores typedefs and qualifiers */
		return copy(c, t->type, depth + 1);
	}
}

/* Returns the type's id in the new BTF, or -errno. */
static int copy(struct cut *c, u32 id, u32 depth)
{
	const struct btf_type *t = rawbtf_type(c->from, id);
	int new;

	if (!id || depth > MAX_DEPTH || !t || btf_is_func_proto(t))
		return 0;
	if (c->ids[id])
		return (int)c->ids[id];
	new = copy_new(c, t, depth);
	if (new > 0)
		c->ids[id] = (u32) new;
	return new;
}

static int take_types(struct cut *c)
{
	for (u32 id = 1; id < rawbtf_count(c->from); id++) {
		const struct btf_type *t = rawbtf_type(c->from, id);
		int ret;

		if (!btf_is_composite(t) && !btf_is_any_enum(t))
			continue;
		if (!has_name(&c->types, rawbtf_name(c->from, t->name_off)))
			continue;
		ret = copy(c, id, 0);
		if (ret < 0)
			return ret;
	}
	return 0;
}

/* ---- passing it to libbpf ---- */

/* libbpf only accepts a path; the file exists as long as the descriptor is open. */
static const char *write_types(const struct btf *btf)
{
	static char path[64];
	static int fd = -1;
	u32 size;
	const void *data = btf__raw_data(btf, &size);

	close_p(&fd);
	fd = data ? memfd_create("bperf-types", MFD_CLOEXEC) : -1;
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		return NULL;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return access(path, R_OK) ? NULL : path;
}

/* Sections of an ELF file in memory; NULL: it is not one, or its table is incomplete. */
static const Elf64_Shdr *sections_of(const u8 *object, size_t n)
{
	const Elf64_Ehdr *e = (const Elf64_Ehdr *)object;

	return n >= sizeof(*e) && !memcmp(e->e_ident, ELFMAG, SELFMAG) && e->e_shoff <= n &&
			       e->e_shnum * sizeof(Elf64_Shdr) <= n - e->e_shoff &&
			       e->e_shstrndx < e->e_shnum
		       ? (const Elf64_Shdr *)(object + e->e_shoff)
		       : NULL;
}

/* Index the BTF of a BPF object. */
static bool index_object(struct rawbtf *b, const u8 *object, size_t n)
{
	const Elf64_Ehdr *e = (const Elf64_Ehdr *)object;
	const Elf64_Shdr *sections = sections_of(object, n), *s;

	for (s = sections; s && s < sections + e->e_shnum; s++) {
		u64 name = sections[e->e_shstrndx].sh_offset + s->sh_name;

		if (name <= n - sizeof(BTF_ELF_SEC) &&
		    !memcmp(object + name, BTF_ELF_SEC, sizeof(BTF_ELF_SEC)) && s->sh_offset <= n &&
		    s->sh_size <= n - s->sh_offset)
			return rawbtf_index(b, object + s->sh_offset, s->sh_size);
	}
	return false;
}

const char *kernel_types_reduce(const struct rawbtf *kernel, const void *object, size_t n)
{
	struct rawbtf local = { 0 };
	struct cut c = { .from = kernel };
	const char *path = NULL;

	if (index_object(&local, object, n) && (c.to = btf__new_empty())) {
		c.ids = mem_alloc(rawbtf_count(kernel), sizeof(*c.ids));
		take_names(&c, &local);
		if (!take_types(&c))
			path = write_types(c.to);
	}
	free(c.ids);
	names_release(&c.types);
	names_release(&c.members);
	btf__free(c.to);
	rawbtf_release(&local);
	return path;
}
