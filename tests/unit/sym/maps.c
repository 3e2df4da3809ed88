// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sym/maps.h"

#include <stdlib.h>

#include "base/lines.h"
#include "test.h"

static bool parse(const char *text, struct map_line *out)
{
	return map_line_parse(view_of(text), out);
}

TEST(a_line_gives_range_offset_inode_and_path)
{
	struct map_line m;

	CHECK(parse("7f-a0 r-xp 00002000 fe:01 247134     /usr/bin/a b", &m));
	CHECK_U64(m.start, 0x7f);
	CHECK_U64(m.end, 0xa0);
	CHECK_U64(m.off, 0x2000);
	CHECK_U64(m.maj, 0xfe);
	CHECK_U64(m.min, 1);
	CHECK_U64(m.ino, 247134);
	CHECK(m.is_exec);
	CHECK(view_eq(m.path, "/usr/bin/a b"));
}

TEST(anonymous_memory_has_no_path)
{
	struct map_line m;

	CHECK(parse("7f-a0 rwxp 00000000 00:00 0 ", &m) && !m.path.n && m.is_exec);
	CHECK(parse("7f-a0 rw-p 00000000 00:00 0", &m) && !m.path.n && !m.is_exec);
}

TEST(broken_lines_are_no_mappings)
{
	static const char *const bad[] = {
		"",
		"7f",
		"7f-",
		"-",
		"7f-a0",
		"7f-a0 r-xp",
		"7f-a0 r-x 0 fe:01 1 /x",
		"a0-7f r-xp 0 fe:01 1 /x",
		"7f-7f r-xp 0 fe:01 1 /x",
		"xx-a0 r-xp 0 fe:01 1 /x",
		"7f-a0 r-xp 0 fe01 1 /x",
		"7f-a0 r-xp 0 fe:01 -1 /x",
		"7f-a0 r-xp 0 1ffffffff:01 1 /x",
		"1ffffffffffffffff-2ffffffffffffffff r-xp 0 fe:01 1 /x",
	};
	struct map_line m;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		CHECK(!parse(bad[i], &m));
}

static void check_path(const char *text, const char *want, bool want_deleted)
{
	struct str out = { 0 };
	bool is_deleted;

	map_path_add(&out, view_of(text), &is_deleted);
	CHECK_STR(str_text(&out), want);
	CHECK(is_deleted == want_deleted);
	str_release(&out);
}

TEST(paths_lose_the_deleted_mark_and_the_escaped_newline)
{
	check_path("/usr/bin/cat", "/usr/bin/cat", false);
	check_path("/tmp/x (deleted)", "/tmp/x", true);
	check_path("/tmp/a\\012b", "/tmp/a\nb", false);
	check_path("/tmp/a\\01", "/tmp/a\\01", false);
	check_path(" (deleted)", " (deleted)", false);
	check_path("", "", false);
}

static void add(struct regions *r, u64 start, u64 end, u64 off, u32 file)
{
	struct region one = { .start = start, .end = end, .off = off, .file = file };

	regions_add(r, &one);
}

static u32 file_at(struct regions *r, u64 addr)
{
	struct region *found = regions_find(r, addr);

	return found ? found->file : 0;
}

TEST(a_new_mapping_cuts_what_lies_under_it)
{
	struct regions *r = regions_new();

	add(r, 0x1000, 0x9000, 0x100000, 1);
	add(r, 0x3000, 0x5000, 0, 2);
	CHECK_U64(r->list.n, 3);
	CHECK_U64(file_at(r, 0x2fff), 1);
	CHECK_U64(file_at(r, 0x3000), 2);
	CHECK_U64(file_at(r, 0x4fff), 2);
	CHECK_U64(file_at(r, 0x5000), 1);
	CHECK_U64(regions_find(r, 0x5000)->off, 0x104000);
	add(r, 0, 0x10000, 0, 3);
	CHECK_U64(r->list.n, 1);
	CHECK_U64(file_at(r, 0x8000), 3);
	regions_drop(r);
}

/* Against a page table that does the same slowly. */
TEST(any_sequence_of_mappings_matches_a_page_table)
{
	enum {
		PAGES = 64
	};
	u32 table[PAGES] = { 0 };
	struct regions *r = regions_new();

	srand(1);
	for (u32 i = 1; i < 20000; i++) {
		u64 a = (u64)rand() % PAGES, b = (u64)rand() % (PAGES + 1);

		if (i % 100 == 0) {
			regions_drop(r);
			r = regions_new();
			memset(table, 0, sizeof(table));
		}
		add(r, a, b, a, i);
		for (u64 p = a; p < b; p++)
			table[p] = i;
		for (u64 p = 0; p < PAGES; p++) {
			CHECK_U64(file_at(r, p), table[p]);
			if (table[p])
				CHECK_U64(regions_find(r, p)->off + p - regions_find(r, p)->start,
					  p);
		}
	}
	regions_drop(r);
}

TEST(a_shared_list_is_copied_before_it_changes)
{
	struct regions *a = regions_new(), *b;

	add(a, 0x1000, 0x2000, 0, 1);
	b = regions_share(a);
	regions_own(&b);
	CHECK(a != b);
	add(b, 0x1000, 0x2000, 0, 2);
	CHECK_U64(file_at(a, 0x1000), 1);
	CHECK_U64(file_at(b, 0x1000), 2);
	regions_drop(a);
	regions_drop(b);
}

TEST(lines_longer_than_the_buffer_are_cut_and_skipped)
{
	FILE *f = tmpfile();
	struct lines l;
	struct view line;

	for (int i = 0; i < 200000; i++)
		fputc('x', f);
	fputs("\nsecond\n\nlast", f);
	rewind(f);
	lines_init(&l, fileno(f), 1 << 20);
	CHECK(lines_next(&l, &line) && line.n == LINES_MAX_BYTES);
	CHECK(lines_next(&l, &line) && view_eq(line, "second"));
	CHECK(lines_next(&l, &line) && !line.n);
	CHECK(lines_next(&l, &line) && view_eq(line, "last"));
	CHECK(!lines_next(&l, &line));
	lines_release(&l);
	fclose(f);
}
