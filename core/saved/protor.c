// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "saved/protor.h"

enum wire {
	WIRE_VARINT = 0,
	WIRE_FIXED64 = 1,
	WIRE_BYTES = 2,
	WIRE_FIXED32 = 5
};

#define VARINT_MAX_BYTES 10

static bool take_varint(struct view *v, u64 *out)
{
	u64 n = 0;

	for (u32 i = 0; i < VARINT_MAX_BYTES && i < v->n; i++) {
		u8 byte = (u8)v->p[i];

		n |= (u64)(byte & 0x7f) << (7 * i);
		if (byte & 0x80)
			continue;
		v->p += i + 1;
		v->n -= i + 1;
		*out = n;
		return true;
	}
	return false;
}

static bool take_fixed(struct view *v, size_t size, u64 *out)
{
	*out = 0;
	if (v->n < size)
		return false;
	for (size_t i = 0; i < size; i++)
		*out |= (u64)(u8)v->p[i] << (8 * i);
	v->p += size;
	v->n -= size;
	return true;
}

static bool take_bytes(struct view *v, struct view *out)
{
	u64 n;

	if (!take_varint(v, &n) || n > v->n)
		return false;
	*out = (struct view){ v->p, (size_t)n };
	v->p += n;
	v->n -= (size_t)n;
	return true;
}

enum proto_next proto_next(struct view *message, struct proto_field *out)
{
	bool is_whole = false;
	u64 tag;

	if (!message->n)
		return PROTO_END;
	*out = (struct proto_field){ 0 };
	if (!take_varint(message, &tag) || !(tag >> 3) || tag >> 3 > 536870911)
		return PROTO_BAD;
	out->number = (u32)(tag >> 3);
	switch (tag & 7) {
	case WIRE_VARINT:
		is_whole = take_varint(message, &out->value);
		break;
	case WIRE_FIXED64:
		is_whole = take_fixed(message, 8, &out->value);
		break;
	case WIRE_FIXED32:
		is_whole = take_fixed(message, 4, &out->value);
		break;
	case WIRE_BYTES:
		out->is_bytes = true;
		is_whole = take_bytes(message, &out->bytes);
		break;
	}
	return is_whole ? PROTO_FIELD : PROTO_BAD;
}

enum proto_next proto_next_packed(struct view *packed, u64 *out)
{
	if (!packed->n)
		return PROTO_END;
	return take_varint(packed, out) ? PROTO_FIELD : PROTO_BAD;
}
