// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Where a call passes its arguments, according to their types: on x86-64 by the System V psABI
 * (3.2.3), on arm64 by AAPCS64 (6.8).  Knows BTF's types and counts registers; must not know names
 * or trees.
 *
 * BTF lacks some facts that matter: alignment attributes, C++ constructors, whether an array is a
 * vector.  The place of an argument that depends on them is unknown, and so are the places of all
 * that follow it: a wrong number is worse than none.
 */
#include <bpf/btf.h>

#include "type/scope_parts.h"

#define MAX_DEPTH     32
#define MAX_REGISTERS 4 /* most floating-point registers that arm64 uses for a composite */

/* ---- types ---- */

/* The psABI's classes of an eightbyte: if two are merged, the later one here wins. */
enum class {
	CLASS_NONE,
	CLASS_SSE,
	CLASS_SSEUP, /* the upper half of a vector register's value */
	CLASS_X87,
	CLASS_INTEGER,
	CLASS_MEMORY,
};

struct layout {
	u64 bytes, align;
	bool is_unknown; /* BTF does not contain it */
};

static const struct btf_type *bare_type(const struct btf *btf, u32 id)
{
	for (u32 i = 0; i < MAX_DEPTH; i++) {
		const struct btf_type *t = btf__type_by_id(btf, id);

		if (!t || !(btf_is_mod(t) || btf_is_typedef(t) || btf_is_type_tag(t)))
			return t;
		id = t->type;
	}
	return NULL;
}

/* A float of 16 bytes is x87's long double, a complex number, or a vector register's value. */
static enum class float_class(const struct btf *btf, const struct btf_type *t, u32 eightbyte) {
	const char *name = btf__name_by_offset(btf, t->name_off) ?: "";

		if (strstr(name, "long double") || strstr(name, "Float64x")) return CLASS_X87;
		if (t->size < 16 || strstr(name, "complex") ||
		    strstr(name, "Complex")) return CLASS_SSE;
		return eightbyte ? CLASS_SSEUP : CLASS_SSE;
}

static struct layout layout_of(const struct btf *btf, u32 id, u32 depth);

static u64 round_up(u64 n, u64 to)
{
	return to ? (n + to - 1) / to * to : n;
}

static bool is_bit_field(const struct btf_type *in, u32 i)
{
	return btf_member_bitfield_size(in, i) != 0;
}

static struct layout layout_of_members(const struct btf *btf, const struct btf_type *t, u32 depth)
{
	struct layout all = { .bytes = t->size, .align = 1 };
	u64 end = 0;

	for (u32 i = 0; i < btf_vlen(t); i++) {
		struct layout m = layout_of(btf, btf_members(t)[i].type, depth + 1);
		u32 at = btf_member_bit_offset(t, i), bits = btf_member_bitfield_size(t, i);
		u64 past = bits ? (at + bits + 7) / 8 : at / 8 + m.bytes;

		all.is_unknown |= m.is_unknown;
		/* The member is packed: the struct does not have the alignment of its type. */
		if (!bits && m.align && at / 8 % m.align)
			m.align = 1;
		all.align = m.align > all.align ? m.align : all.align;
		end = past > end ? past : end;
	}
	/* The struct is packed, or aligned more than its members need. */
	if (t->size % all.align)
		all.align = 1;
	all.is_unknown |= t->size > round_up(end, all.align);
	return all;
}

static struct layout layout_of(const struct btf *btf, u32 id, u32 depth)
{
	const struct btf_type *t = depth < MAX_DEPTH ? bare_type(btf, id) : NULL;
	struct layout of;

	if (!t || btf_is_void(t) || btf_is_fwd(t) || btf_is_func_proto(t))
		return (struct layout){ .is_unknown = true };
	if (btf_is_ptr(t))
		return (struct layout){ 8, 8, false };
	if (btf_is_array(t)) {
		of = layout_of(btf, btf_array(t)->type, depth + 1);
		of.bytes *= btf_array(t)->nelems;
		return of;
	}
	if (btf_is_composite(t))
		return layout_of_members(btf, t, depth);
	/* A complex number is aligned as its halves. */
	of = (struct layout){ t->size, t->size, false };
	if (btf_is_float(t) && strcasestr(btf__name_by_offset(btf, t->name_off) ?: "", "complex"))
		of.align = t->size / 2;
	return of;
}

/* ---- x86-64 ---- */

struct classes {
	enum class of[2];
};

static void merge(struct classes *c, u64 byte, u64 n, enum class class)
{
	for (u64 i = byte / 8; n && i < ARRAY_SIZE(c->of) && i <= (byte + n - 1) / 8; i++)
		if (class > c->of[i])
			c->of[i] = class;
}

static void classify(const struct btf *btf, u32 id, u64 at, struct classes *c, u32 depth);

static void classify_members(const struct btf *btf, const struct btf_type *t, u64 at,
			     struct classes *c, u32 depth)
{
	for (u32 i = 0; i < btf_vlen(t); i++) {
		const struct btf_member *m = &btf_members(t)[i];
		u64 bit = btf_member_bit_offset(t, i), bits = btf_member_bitfield_size(t, i);
		struct layout of = layout_of(btf, m->type, depth + 1);

		if (is_bit_field(t, i)) {
			if (m->name_off)
				merge(c, at + bit / 8, (bit % 8 + bits + 7) / 8, CLASS_INTEGER);
			continue;
		}
		/* "If it has unaligned fields, it has class MEMORY." */
		if (of.align && (at + bit / 8) % of.align)
			merge(c, 0, 16, CLASS_MEMORY);
		classify(btf, m->type, at + bit / 8, c, depth + 1);
	}
}

/* Merge the classes of a type at byte `at` of a value of at most 16 bytes. */
static void classify(const struct btf *btf, u32 id, u64 at, struct classes *c, u32 depth)
{
	const struct btf_type *t = depth < MAX_DEPTH ? bare_type(btf, id) : NULL;

	if (!t || at >= 16)
		return;
	if (btf_is_composite(t)) {
		classify_members(btf, t, at, c, depth);
	} else if (btf_is_array(t)) {
		struct layout of = layout_of(btf, btf_array(t)->type, depth + 1);

		for (u64 i = 0; of.bytes && i < btf_array(t)->nelems && i * of.bytes < 16; i++)
			classify(btf, btf_array(t)->type, at + i * of.bytes, c, depth + 1);
	} else if (btf_is_float(t)) {
		merge(c, at, 8, float_class(btf, t, 0));
		if (t->size > 8)
			merge(c, at + 8, 8, float_class(btf, t, 1));
	} else {
		merge(c, at, btf_is_ptr(t) ? 8 : t->size, CLASS_INTEGER);
	}
}

static bool is_in_memory(const struct classes *c)
{
	/* Half of an x87 value, or an x87 value next to something else. */
	return c->of[0] == CLASS_MEMORY || c->of[1] == CLASS_MEMORY ||
	       (c->of[1] == CLASS_X87 && c->of[0] != CLASS_X87);
}

static u32 count_class(const struct classes *c, enum class class)
{
	return (c->of[0] == class) + (c->of[1] == class);
}

/* ---- arm64 ---- */

/* The number of floating-point values of one size that make up a composite; 0: it has other
 * members, or too many for registers. */
static u32 count_floats(const struct btf *btf, u32 id, u32 *bytes, u32 depth)
{
	const struct btf_type *t = depth < MAX_DEPTH ? bare_type(btf, id) : NULL;
	u32 n = 0;

	if (!t)
		return 0;
	if (btf_is_float(t)) {
		bool is_pair =
			strcasestr(btf__name_by_offset(btf, t->name_off) ?: "", "complex") != NULL;
		u32 one = is_pair ? t->size / 2 : t->size;

		if (*bytes && *bytes != one)
			return 0;
		*bytes = one;
		return is_pair ? 2 : 1;
	}
	if (btf_is_array(t)) {
		u32 of = count_floats(btf, btf_array(t)->type, bytes, depth + 1);

		return btf_array(t)->nelems <= MAX_REGISTERS ? of * btf_array(t)->nelems : 0;
	}
	if (!btf_is_composite(t))
		return 0;
	for (u32 i = 0; i < btf_vlen(t); i++) {
		u32 of = count_floats(btf, btf_members(t)[i].type, bytes, depth + 1);

		if (!of || is_bit_field(t, i))
			return 0;
		n = btf_is_union(t) ? (of > n ? of : n) : n + of;
	}
	return n <= MAX_REGISTERS && n * *bytes == t->size ? n : 0;
}

static u32 floats_of(const struct btf *btf, u32 id)
{
	u32 bytes = 0;

	return count_floats(btf, id, &bytes, 0);
}

/* ---- both ---- */

static const struct {
	u32 ints, floats;
} registers[] = {
	[ARCH_X86_64] = { 6, 8 },
	[ARCH_ARM64] = { 8, 8 },
};

static struct call_place lose(struct call *c)
{
	c->is_lost = true;
	return (struct call_place){ CALL_LOST, 0, 0 };
}

/* Words from 0 are the integer registers; stack slots follow. */
static struct call_place put_on_stack(struct call *c, const struct layout *of)
{
	u32 at;

	/* Arguments in registers do not depend on the stack: only later stack slots are lost. */
	if (of->is_unknown || of->align > 16)
		c->is_stack_lost = true;
	if (c->is_stack_lost)
		return (struct call_place){ CALL_LOST, 0, 0 };
	if (of->align == 16)
		c->stack = (u32)round_up(c->stack, 2);
	at = registers[c->arch].ints + c->stack;
	c->stack += (u32)((of->bytes + 7) / 8);
	return (struct call_place){ CALL_STACK, at, (u32)((of->bytes + 7) / 8) };
}

static bool put_in_floats(struct call *c, u32 n)
{
	if (c->floats + n > registers[c->arch].floats)
		return false;
	c->floats += n;
	return true;
}

/* A value is passed in registers as a whole or not at all: the caller has checked that it fits. */
static struct call_place put_in_ints(struct call *c, u32 n)
{
	struct call_place place = { CALL_REGISTERS, c->ints, n };

	c->ints += n;
	return place;
}

static struct call_place x86_place(struct call *c, const struct btf *btf, u32 id,
				   const struct layout *of)
{
	struct classes classes = { 0 };
	u32 ints, floats;

	if (of->bytes > 16)
		return put_on_stack(c, of);
	classify(btf, id, 0, &classes, 0);
	if (is_in_memory(&classes) || count_class(&classes, CLASS_X87))
		return put_on_stack(c, of);
	ints = count_class(&classes, CLASS_INTEGER);
	floats = count_class(&classes, CLASS_SSE);
	if (c->ints + ints > registers[c->arch].ints || !put_in_floats(c, floats))
		return put_on_stack(c, of);
	if (floats || !ints) {
		c->ints += ints;
		return (struct call_place){ CALL_FLOATS, 0, 0 };
	}
	return put_in_ints(c, ints);
}

static struct call_place arm64_place(struct call *c, const struct btf *btf, u32 id,
				     const struct layout *of)
{
	u32 floats = floats_of(btf, id), words = (u32)((of->bytes + 7) / 8);

	if (floats) {
		if (put_in_floats(c, floats))
			return (struct call_place){ CALL_FLOATS, 0, 0 };
		c->floats = registers[c->arch].floats;
		return put_on_stack(c, of);
	}
	if (of->bytes > 16) {
		struct layout address = { 8, 8, false };
		struct call_place place = { CALL_REFERENCE, c->ints, 1 };

		if (c->ints < registers[c->arch].ints) {
			c->ints++;
			return place;
		}
		place.word = put_on_stack(c, &address).word;
		return place;
	}
	/* The alignment decides which registers are used. */
	if (of->is_unknown)
		return lose(c);
	if (of->align == 16)
		c->ints = (u32)round_up(c->ints, 2);
	if (c->ints + words <= registers[c->arch].ints)
		return put_in_ints(c, words);
	/* All later integer arguments are on the stack too. */
	c->ints = registers[c->arch].ints;
	return put_on_stack(c, of);
}

/* An array can't be a parameter, so in BTF it is a vector; C++ passes a composite with constructors
 * by its address. */
static bool is_ambiguous(const struct call *c, const struct btf *btf, u32 id)
{
	const struct btf_type *t = bare_type(btf, id);

	return !t || btf_is_array(t) || (c->is_cplusplus && btf_is_composite(t));
}

struct call_place call_next(struct call *c, const struct btf *btf, u32 id)
{
	struct layout of = layout_of(btf, id, 0);

	if (c->is_lost || !of.align || is_ambiguous(c, btf, id))
		return lose(c);
	/* C's empty struct. */
	if (!of.bytes)
		return (struct call_place){ CALL_FLOATS, 0, 0 };
	return c->arch == ARCH_X86_64 ? x86_place(c, btf, id, &of) : arm64_place(c, btf, id, &of);
}

struct call_place call_next_word(struct call *c)
{
	static const struct layout word = { 8, 8, false };

	if (c->is_lost)
		return lose(c);
	return c->ints < registers[c->arch].ints ? put_in_ints(c, 1) : put_on_stack(c, &word);
}

/* C++ returns a value that has a destructor in memory, however small it is. */
struct call_place call_return(struct call *c, const struct btf *btf, u32 id)
{
	struct layout of = layout_of(btf, id, 0);
	struct classes classes = { 0 };

	if (!of.align || !of.bytes)
		return (struct call_place){ CALL_FLOATS, 0, 0 };
	if (is_ambiguous(c, btf, id))
		return lose(c);
	if (c->arch == ARCH_ARM64) {
		if (floats_of(btf, id))
			return (struct call_place){ CALL_FLOATS, 0, 0 };
		/* Its address is in x8, which no argument uses. */
		if (of.bytes > 16)
			return (struct call_place){ CALL_STACK, 0, 0 };
		return (struct call_place){ CALL_REGISTERS, 0, (u32)((of.bytes + 7) / 8) };
	}
	classify(btf, id, 0, &classes, 0);
	/* A complex long double is in two of x87's registers. */
	if (of.bytes > 16 && !btf_is_composite(bare_type(btf, id)))
		return (struct call_place){ CALL_FLOATS, 0, 0 };
	if (of.bytes > 16 || is_in_memory(&classes)) {
		c->ints++;
		return (struct call_place){ CALL_STACK, 0, 0 };
	}
	if (count_class(&classes, CLASS_INTEGER) != (of.bytes + 7) / 8)
		return (struct call_place){ CALL_FLOATS, 0, 0 };
	return (struct call_place){ CALL_REGISTERS, 0, (u32)((of.bytes + 7) / 8) };
}
