// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "event/unpack.h"

#include <stddef.h>
#include <string.h>

#include "bpf/abi/keytext.h"
#include "gen/program.h"
#include "type/scope.h"

/* The names of a number that depend on another one: see scope_mark_values(). */
static void choose_names(struct value_view *v)
{
	const struct type_names *names = v->type->names;
	u64 mask = (1ULL << SCOPE_CHOICE_BITS) - 1, by = v->number >> 32 & mask;

	if ((v->number & SCOPE_CHOSEN_MASK) != SCOPE_CHOSEN)
		return;
	v->number = v->type->is_signed ? (u64)(s64)(s32)v->number : (u32)v->number;
	for (u32 i = 0; i < names->n_cases; i++)
		if ((names->cases[i].value & mask) == by)
			v->names = names->cases[i].names;
}

/* SYSCALL_COMPAT: see core/type/scope.h. */
static void take_number(struct value_view *v, const u8 *at)
{
	s64 number;

	memcpy(&number, at, sizeof(number));
	v->names = v->type->names;
	v->has_no_name =
		v->type->show == SHOW_SYSCALL && (number < INT32_MIN || number > (s64)UINT32_MAX);
	v->number = (u64)number ^ (v->has_no_name ? SYSCALL_COMPAT : 0);
	if (v->names && v->names->by)
		choose_names(v);
}

/* A buffer of variable length: see type->is_open. */
static void cut_open(struct value_view *v)
{
	if (!v->type->is_open || v->bytes.n != v->type->size)
		return;
	v->bytes.n--;
	v->is_cut = true;
}

/* Strings that were left out of join() and quoted() are "..." at the end (join_all() in
 * core/gen/builtin.c).  A last string that is "..." itself is taken for that, too: one mark too
 * many is better than two keys that look alike. */
static void cut_joined(struct value_view *v)
{
	static const char ends[] = "...";
	size_t n = sizeof(ends) - 1;
	char separator = v->type->show == SHOW_QUOTED ? TREE_QUOTED_MARK : ' ';

	if (v->type->show != SHOW_JOINED && v->type->show != SHOW_QUOTED)
		return;
	v->has_dots = view_ends(v->bytes, ends) && v->bytes.n > n &&
		      v->bytes.p[v->bytes.n - n - 1] == separator;
	v->is_cut |= v->has_dots;
}

bool unpack_event(const struct event *e, size_t n, const struct tree *const *values, u32 n_values,
		  struct value_view *out)
{
	const u8 *at = (const u8 *)(e + 1), *end = (const u8 *)e + n;

	for (u32 i = 0; i < n_values; i++) {
		out[i] = (struct value_view){ .type = values[i]->type,
					      .is_absent = e->absent >> i & 1,
					      .is_frames = gen_is_frames(values[i]) };
		if (!type_is_scalar(values[i]->type))
			continue;
		if ((size_t)(end - at) < sizeof(u64))
			return false;
		take_number(&out[i], at);
		at += sizeof(u64);
	}
	for (u32 i = 0; i < n_values; i++) {
		u32 length;

		if (type_is_scalar(values[i]->type) || out[i].is_frames)
			continue;
		if ((size_t)(end - at) < sizeof(length))
			return false;
		memcpy(&length, at, sizeof(length));
		out[i].is_cut = length & EVENT_CUT;
		length &= ~EVENT_CUT;
		if ((size_t)(end - at) - sizeof(length) < length)
			return false;
		out[i].bytes = (struct view){ (const char *)at + sizeof(length), length };
		cut_open(&out[i]);
		cut_joined(&out[i]);
		at += (sizeof(length) + length + 7UL) & ~7UL;
		if (at > end)
			at = end;
	}
	return true;
}

/* A string or bytes of a key, in `n` bytes from `at` on. */
static bool take_rest(struct value_view *v, const u8 *at, u32 n)
{
	u32 length;

	memcpy(&length, at, sizeof(length));
	v->is_cut = length & EVENT_CUT;
	length &= ~EVENT_CUT;
	if (length > n - sizeof(length))
		return false;
	v->bytes = (struct view){ (const char *)at + sizeof(length), length };
	if (v->type->kind == TYPE_STRING)
		v->bytes.n = strnlen(v->bytes.p, length);
	return true;
}

/* A string that may be kept apart. */
static void take_text(struct value_view *v, const u8 *at, const struct unpack_texts *texts)
{
	struct key_text_part part;
	bool is_cut = false;

	memcpy(&part, at, sizeof(part));
	v->is_cut = part.length & EVENT_CUT;
	part.length &= ~EVENT_CUT;
	v->bytes = (struct view){ (const char *)at + offsetof(struct key_text_part, head),
				  part.length };
	if (part.length > KEY_TEXT_BYTES && !texts->find(texts->ctx, part.id, &v->bytes, &is_cut)) {
		v->bytes.n = sizeof(part.head);
		is_cut = true;
	}
	v->is_cut |= is_cut;
	v->bytes.n = strnlen(v->bytes.p, v->bytes.n);
}

bool unpack_key(const void *key, size_t n, const struct tree *const *values, u32 n_values,
		const struct unpack_texts *texts, struct value_view *out)
{
	const u8 *at = key, *end = at + n;
	u64 absent = 0;

	if (gen_key_has_bits(values, n_values)) {
		if (n < sizeof(absent))
			return false;
		end -= sizeof(absent);
		memcpy(&absent, end, sizeof(absent));
	}
	for (u32 rest = 0; rest < 2; rest++)
		for (u32 i = 0; i < n_values; i++) {
			u32 bytes = gen_key_bytes(&values[i], 1);

			if (type_is_scalar(values[i]->type) == rest)
				continue;
			if ((size_t)(end - at) < bytes)
				return false;
			out[i] = (struct value_view){ .type = values[i]->type,
						      .is_absent = absent >> i & 1 };
			if (!rest) {
				take_number(&out[i], at);
			} else if (values[i]->type->kind == TYPE_STACK) {
				out[i].bytes = (struct view){ (const char *)at, bytes };
			} else {
				if (values[i]->type->is_apart)
					take_text(&out[i], at, texts);
				else if (!take_rest(&out[i], at, bytes))
					return false;
				cut_open(&out[i]);
				cut_joined(&out[i]);
			}
			at += bytes;
		}
	return true;
}
