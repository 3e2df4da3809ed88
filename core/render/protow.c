// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "render/protow.h"

enum wire {
	WIRE_VARINT = 0,
	WIRE_FIXED64 = 1,
	WIRE_BYTES = 2
};

#define VARINT_MAX_BYTES 10

/* Seven bits per byte, lowest first; the top bit means that more bytes follow. */
static size_t put_varint(u8 *out, u64 v)
{
	size_t n = 0;

	while (v >= 0x80) {
		out[n++] = (u8)(v | 0x80);
		v >>= 7;
	}
	out[n++] = (u8)v;
	return n;
}

static void add_varint(struct str *out, u64 v)
{
	u8 bytes[VARINT_MAX_BYTES];

	str_add(out, (const char *)bytes, put_varint(bytes, v));
}

static void add_tag(struct str *out, u32 field, enum wire wire)
{
	add_varint(out, (u64)field << 3 | wire);
}

void proto_u64(struct str *out, u32 field, u64 v)
{
	if (!v)
		return;
	add_tag(out, field, WIRE_VARINT);
	add_varint(out, v);
}

void proto_fixed64(struct str *out, u32 field, u64 v)
{
	u8 bytes[8];

	for (u32 i = 0; i < sizeof(bytes); i++)
		bytes[i] = (u8)(v >> 8 * i);
	add_tag(out, field, WIRE_FIXED64);
	str_add(out, (const char *)bytes, sizeof(bytes));
}

void proto_bytes(struct str *out, u32 field, struct view bytes)
{
	add_tag(out, field, WIRE_BYTES);
	add_varint(out, bytes.n);
	str_add(out, bytes.p, bytes.n);
}

void proto_packed(struct str *out, u32 field, const u64 *v, size_t n)
{
	u8 bytes[VARINT_MAX_BYTES];
	size_t size = 0;

	if (!n)
		return;
	for (size_t i = 0; i < n; i++)
		size += put_varint(bytes, v[i]);
	add_tag(out, field, WIRE_BYTES);
	add_varint(out, size);
	for (size_t i = 0; i < n; i++)
		add_varint(out, v[i]);
}
