// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* BTF that a compiler would not write, and some that it does. */
#include "host/btf_check.h"

#include "base/file.h"
#include "fixturebtf.h"

/* The bytes, and room to write into them. */
struct bytes {
	struct btf_header *header;
	struct str str;
};

static struct bytes bytes_of(struct btf *btf)
{
	struct bytes b = { 0 };
	u32 n;
	const void *raw = btf__raw_data(btf, &n);

	str_add(&b.str, raw, n);
	b.header = (struct btf_header *)(void *)b.str.p;
	btf__free(btf);
	return b;
}

/* The first type is after the header, whose length is not that of this build's struct. */
static struct btf_type *first_type(const struct bytes *b)
{
	return (struct btf_type *)(void *)(b->str.p + b->header->hdr_len);
}

static bool is_sound(struct bytes *b)
{
	/* A copy of the exact size: the sanitizer sees a read after it. */
	char *copy = malloc(b->str.n ? b->str.n : 1);
	bool is;

	memcpy(copy, b->str.p, b->str.n);
	is = btf_is_sound((struct view){ copy, b->str.n });
	free(copy);
	return is;
}

static void check_refused(struct bytes b)
{
	CHECK(!is_sound(&b));
	str_release(&b.str);
}

/* int, struct point { int x; }, int f(struct point *p) */
static struct btf *small(void)
{
	struct btf *btf = btf__new_empty();

	CHECK_U64(btf__add_int(btf, "int", 4, BTF_INT_SIGNED), 1);
	CHECK_U64(btf__add_struct(btf, "point", 4), 2);
	CHECK(!btf__add_field(btf, "x", 1, 0, 0));
	CHECK_U64(btf__add_ptr(btf, 2), 3);
	CHECK_U64(btf__add_func_proto(btf, 1), 4);
	CHECK(!btf__add_func_param(btf, "p", 3));
	CHECK_U64(btf__add_func(btf, "f", BTF_FUNC_GLOBAL, 4), 5);
	return btf;
}

TEST(btf_from_a_compiler_is_sound)
{
	struct bytes b = bytes_of(small());

	CHECK(is_sound(&b));
	str_release(&b.str);
	b = bytes_of(fixture_btf());
	CHECK(is_sound(&b));
	str_release(&b.str);
}

TEST(btf_of_the_kernel_is_sound)
{
	struct str btf = { 0 };

	if (file_read("/sys/kernel/btf/vmlinux", 64 << 20, &btf))
		SKIP("no BTF of this kernel can be read");
	CHECK(btf_is_sound(str_view(&btf)));
	str_release(&btf);
}

TEST(btf_that_is_cut_off_is_not_sound)
{
	struct bytes b = bytes_of(small());

	while (b.str.n--)
		CHECK(!is_sound(&b));
	b.str.n = 0;
	str_release(&b.str);
}

TEST(the_header_names_no_bytes_outside_the_file)
{
	struct bytes b = bytes_of(small());

	b.header->hdr_len = 0xfffffff0;
	check_refused(b);
	b = bytes_of(small());
	b.header->type_len = 0xfffffff0;
	check_refused(b);
	b = bytes_of(small());
	b.header->str_off = 0xfffffff0;
	check_refused(b);
	b = bytes_of(small());
	b.header->version = 2;
	check_refused(b);
}

/* Making an index of functions' names, bperf ended with SIGSEGV. */
TEST(a_name_outside_the_strings)
{
	struct bytes b = bytes_of(small());

	first_type(&b)->name_off = 0x7fffffff;
	check_refused(b);
}

TEST(names_have_an_end_within_reason)
{
	char name[5000];
	struct btf *btf = btf__new_empty();
	struct bytes b = bytes_of(small());

	b.str.p[b.str.n - 1] = 'x';
	check_refused(b);
	memset(name, 'n', sizeof(name));
	name[4095] = '\0';
	btf__add_int(btf, name, 4, 0);
	b = bytes_of(btf);
	CHECK(is_sound(&b));
	str_release(&b.str);
	name[4095] = 'n';
	name[4096] = '\0';
	btf = btf__new_empty();
	btf__add_int(btf, name, 4, 0);
	check_refused(bytes_of(btf));
}

TEST(an_unknown_kind)
{
	struct bytes b = bytes_of(small());

	first_type(&b)->info = 31U << 24;
	check_refused(b);
	b = bytes_of(small());
	first_type(&b)->info = 0;
	check_refused(b);
}

TEST(a_type_that_does_not_exist)
{
	struct btf *btf = btf__new_empty();

	btf__add_ptr(btf, 7);
	check_refused(bytes_of(btf));
	btf = btf__new_empty();
	btf__add_struct(btf, "s", 4);
	btf__add_field(btf, "x", 7, 0, 0);
	check_refused(bytes_of(btf));
	btf = btf__new_empty();
	btf__add_array(btf, 1, 7, 3);
	check_refused(bytes_of(btf));
}

/* With two in each, a walk over all members took 2^32 steps. */
TEST(a_struct_that_holds_itself)
{
	struct btf *btf = btf__new_empty();

	btf__add_struct(btf, "s", 16);
	btf__add_field(btf, NULL, 1, 0, 0);
	btf__add_field(btf, NULL, 1, 64, 0);
	check_refused(bytes_of(btf));
	btf = btf__new_empty();
	btf__add_typedef(btf, "t", 2);
	btf__add_const(btf, 1);
	check_refused(bytes_of(btf));
	btf = btf__new_empty();
	btf__add_array(btf, 1, 1, 3);
	check_refused(bytes_of(btf));
}

TEST(a_struct_that_points_to_itself_is_a_list)
{
	struct btf *btf = btf__new_empty();
	struct bytes b;

	btf__add_struct(btf, "list", 8);
	btf__add_field(btf, "next", 2, 0, 0);
	btf__add_ptr(btf, 1);
	b = bytes_of(btf);
	CHECK(is_sound(&b));
	str_release(&b.str);
}

/* n structs, each with two of the next one. */
static struct bytes doubling(int n)
{
	struct btf *btf = btf__new_empty();

	for (int id = 1; id <= n; id++) {
		btf__add_struct(btf, "", 8);
		btf__add_field(btf, NULL, id + 1, 0, 0);
		btf__add_field(btf, NULL, id + 1, 0, 0);
	}
	btf__add_int(btf, "int", 4, 0);
	return bytes_of(btf);
}

TEST(more_members_than_can_be_walked_over)
{
	struct bytes b = doubling(10);

	CHECK(is_sound(&b));
	str_release(&b.str);
	check_refused(doubling(30));
}
