// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The wire format of protocol buffers: protow's output, and malformed input. */
#include "saved/protor.h"

#include "render/protow.h"
#include "test.h"

TEST(reads_what_is_written)
{
	const u64 numbers[] = { 1, 300, UINT64_MAX };
	struct str out = { 0 };
	struct view message, packed;
	struct proto_field f;
	u64 v;

	proto_u64(&out, 12, UINT64_MAX);
	proto_bytes(&out, 6, view_of("text"));
	proto_packed(&out, 2, numbers, 3);
	message = str_view(&out);
	CHECK(proto_next(&message, &f) == PROTO_FIELD);
	CHECK(f.number == 12 && !f.is_bytes && f.value == UINT64_MAX);
	CHECK(proto_next(&message, &f) == PROTO_FIELD);
	CHECK(f.number == 6 && f.is_bytes && view_eq(f.bytes, "text"));
	CHECK(proto_next(&message, &f) == PROTO_FIELD);
	packed = f.bytes;
	for (size_t i = 0; i < 3; i++) {
		CHECK(proto_next_packed(&packed, &v) == PROTO_FIELD);
		CHECK_U64(v, numbers[i]);
	}
	CHECK(proto_next_packed(&packed, &v) == PROTO_END);
	CHECK(proto_next(&message, &f) == PROTO_END);
	str_release(&out);
}

TEST(numbers_of_fixed_size)
{
	const char bytes[] = "\x09\x01\x00\x00\x00\x00\x00\x00\x80\x15\x02\x00\x00\x00";
	struct view message = { bytes, sizeof(bytes) - 1 };
	struct proto_field f;

	CHECK(proto_next(&message, &f) == PROTO_FIELD);
	CHECK_U64(f.value, 0x8000000000000001ULL);
	CHECK(proto_next(&message, &f) == PROTO_FIELD);
	CHECK_U64(f.value, 2);
	CHECK(proto_next(&message, &f) == PROTO_END);
}

TEST(broken_messages)
{
	static const struct {
		const char *bytes;
		size_t n;
	} broken[] = {
		{ "\x08", 1 },						/* no value */
		{ "\x08\x80", 2 },					/* a value that goes on */
		{ "\x0a\x05 four", 6 },					/* five bytes of four */
		{ "\x00\x01", 2 },					/* field 0 */
		{ "\x0b\x01", 2 },					/* a group */
		{ "\x09\x01\x02", 3 },					/* half a number */
		{ "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 11 }, /* a tag without end */
	};

	for (size_t i = 0; i < ARRAY_SIZE(broken); i++) {
		struct view message = { broken[i].bytes, broken[i].n };
		struct proto_field f;

		CHECK(proto_next(&message, &f) == PROTO_BAD);
	}
}
