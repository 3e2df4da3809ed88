// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Expected bytes are from the encoding guide's own examples and by hand. */
#include "render/protow.h"

#include "test.h"

static void check_bytes(struct str *out, const char *want, size_t n)
{
	CHECK_U64(out->n, n);
	CHECK(!memcmp(str_text(out), want, n));
	str_clear(out);
}

TEST(varints_have_seven_bits_a_byte)
{
	struct str out = { 0 };

	proto_u64(&out, 1, 150);
	check_bytes(&out, "\x08\x96\x01", 3);
	proto_u64(&out, 16, 1);
	check_bytes(&out, "\x80\x01\x01", 3);
	proto_u64(&out, 1, UINT64_MAX);
	check_bytes(&out, "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11);
	str_release(&out);
}

TEST(zero_is_not_written)
{
	struct str out = { 0 };

	proto_u64(&out, 1, 0);
	proto_packed(&out, 2, NULL, 0);
	CHECK_U64(out.n, 0);
	str_release(&out);
}

TEST(bytes_and_packed_integers_carry_their_length)
{
	const u64 v[] = { 3, 270, 86942 };
	struct str out = { 0 };

	proto_bytes(&out, 2, view_of("testing"));
	check_bytes(&out, "\x12\x07testing", 9);
	proto_packed(&out, 6, v, 3);
	check_bytes(&out, "\x32\x06\x03\x8e\x02\x9e\xa7\x05", 8);
	proto_bytes(&out, 6, view_of(""));
	check_bytes(&out, "\x32\x00", 2);
	str_release(&out);
}
