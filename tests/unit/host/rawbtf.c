// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "host/rawbtf.h"

#include "fixturebtf.h"

/* BTF in memory of its exact size: the sanitizer sees a read after it. */
static bool index_copy(struct rawbtf *b, const void *data, size_t n, void **copy)
{
	*copy = malloc(n ? n : 1);
	memcpy(*copy, data, n);
	return rawbtf_index(b, *copy, n);
}

/* The BTF of the fixture, and its bytes. */
static struct btf *fixture_bytes(const void **data, u32 *n)
{
	struct btf *btf = fixture_btf();

	*data = btf__raw_data(btf, n);
	return btf;
}

TEST(agrees_with_libbpf)
{
	struct rawbtf b = { 0 };
	const void *data;
	void *copy;
	u32 n;
	struct btf *btf = fixture_bytes(&data, &n);

	CHECK(index_copy(&b, data, n, &copy));
	CHECK_U64(rawbtf_count(&b), btf__type_cnt(btf));
	CHECK(!rawbtf_type(&b, 0));
	CHECK(!rawbtf_type(&b, rawbtf_count(&b)));
	for (u32 id = 1; id < rawbtf_count(&b); id++) {
		const struct btf_type *want = btf__type_by_id(btf, id), *t = rawbtf_type(&b, id);
		const char *name = btf__name_by_offset(btf, want->name_off);

		CHECK(!memcmp(t, want, sizeof(*t)));
		CHECK_STR(rawbtf_name(&b, t->name_off), name);
		if (*name)
			CHECK_U64(rawbtf_find(&b, name, btf_kind(t)),
				  (u64)btf__find_by_name_kind(btf, name, btf_kind(t)));
	}
	CHECK_U64(rawbtf_find(&b, "task_struct", BTF_KIND_FUNC), 0);
	CHECK_STR(rawbtf_name(&b, b.names_bytes), "");
	rawbtf_release(&b);
	free(copy);
	btf__free(btf);
}

/* The names come last: without its last byte, BTF has no end of names, and with less still, some of
 * its types reach beyond the end. */
TEST(refuses_cut_btf)
{
	const void *data;
	u32 n;
	struct btf *btf = fixture_bytes(&data, &n);

	for (u32 left = 0; left < n; left += left < 64 || left + 64 > n ? 1 : 61) {
		struct rawbtf b = { 0 };
		void *copy;

		CHECK(!index_copy(&b, data, left, &copy));
		CHECK_U64(rawbtf_count(&b), 0);
		free(copy);
	}
	btf__free(btf);
}

TEST(refuses_broken_types)
{
	struct btf *btf = btf__new_empty();
	struct btf_header *header;
	struct rawbtf b = { 0 };
	struct btf_type *t;
	void *copy;
	u32 n;

	CHECK_U64(btf__add_struct(btf, "point", 4), 1);
	header = (struct btf_header *)(uintptr_t)btf__raw_data(btf, &n);
	CHECK(index_copy(&b, header, n, &copy));
	rawbtf_release(&b);

	t = (struct btf_type *)((u8 *)copy + header->hdr_len);
	t->info = BTF_KIND_STRUCT << 24 | 1; /* a member that there is no room for */
	CHECK(!rawbtf_index(&b, copy, n));
	t->info = 31U << 24; /* a kind that does not exist */
	CHECK(!rawbtf_index(&b, copy, n));
	t->info = 0;
	CHECK(!rawbtf_index(&b, copy, n));
	free(copy);
	btf__free(btf);
}
