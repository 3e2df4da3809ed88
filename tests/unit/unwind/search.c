// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Rules found through .eh_frame_hdr are those of the table. */
#include "unwind/search.h"

#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test.h"
#include "tests/fixtures/unwind/cfimake.h"
#include "unwind/table.h"

#define START 0x0c, 7, 8, 0x90, 1 /* CFA is rsp+8, the return address at CFA-8 */

/* ---- real files ---- */

struct counts {
	u64 n, same, unlike, absent;
};

/* At the first address of each row. */
static struct counts compare(struct unwind_search *s, const struct unwind_table *t,
			     const struct unwind_rules *rules)
{
	struct counts c = { 0 };
	struct cfi_rule rule;

	for (size_t page = 0; page < t->pages.n; page++) {
		const struct cfi_page *p = &t->pages.items[page];
		u64 base = (t->first_page + page) << CFI_PAGE_BITS;

		for (u32 i = 0; i < p->n; i++) {
			const struct cfi_row *row = &t->rows.items[p->first + i];

			bool is_found = unwind_search_rule(s, base + row->off, &rule);

			if (!row->rule) {
				c.unlike += is_found && rule.cfa != CFI_NONE;
				continue;
			}
			c.n++;
			if (!is_found)
				c.absent++;
			else if (memcmp(&rule, &rules->list.items[row->rule], sizeof(rule)) != 0)
				c.unlike++;
			else
				c.same++;
		}
	}
	return c;
}

static void agrees(const char *pattern)
{
	struct elf_src src = { 0 };
	struct unwind_table table;
	struct unwind_rules rules;
	struct unwind_search *s;
	struct counts c;
	struct elf elf;
	struct stat st;
	glob_t found;

	if (glob(pattern, 0, NULL, &found))
		SKIP("no such file here");
	src.fd = open(found.gl_pathv[0], O_RDONLY | O_CLOEXEC);
	CHECK(src.fd >= 0 && !fstat(src.fd, &st));
	src.size = (u64)st.st_size;
	CHECK(!elf_init(&elf, &src));
	unwind_rules_init(&rules);
	CHECK(!unwind_table_build(&table, &elf, &rules, UINT32_MAX));
	s = unwind_search_new(&src);
	close(src.fd);
	CHECK(s);
	c = compare(s, &table, &rules);
	printf("# %s: %llu rows, %llu the same, %llu other, %llu not found\n", found.gl_pathv[0],
	       c.n, c.same, c.unlike, c.absent);
	CHECK(c.n > 1000 && c.same * 1000 >= c.n * 995);
	CHECK_U64(c.unlike, 0);
	unwind_search_free(s);
	unwind_table_release(&table);
	unwind_rules_release(&rules);
	elf_release(&elf);
	globfree(&found);
}

TEST(rules_of_libc_are_those_of_its_table)
{
	agrees("/usr/lib/*-linux-gnu/libc.so.6");
}

TEST(rules_of_libstdcplusplus_are_those_of_its_table)
{
	agrees("/usr/lib/*-linux-gnu/libstdc++.so.6");
}

TEST(rules_of_this_program_are_those_of_its_table)
{
	agrees("/proc/self/exe");
}

/* ---- files that are made ---- */

static struct unwind_search *search_of(struct str *image)
{
	/* A copy of the exact size: the sanitizer sees a read after it. */
	char *copy = malloc(image->n);
	struct elf_src src = { .fd = -1, .mem = copy, .size = image->n };
	struct unwind_search *s;

	memcpy(copy, image->p, image->n);
	str_release(image);
	s = unwind_search_new(&src);
	free(copy);
	return s;
}

static struct unwind_search *search_in(struct cfimake *m)
{
	struct str image = cfimake_elf(m);

	return search_of(&image);
}

/* f: 0x1000 to 0x1020, after a push at 0x1001; g: 0x1040 to 0x1060. */
static struct cfimake two_functions(void)
{
	struct cfimake m = { .has_header = true };
	size_t cie = cfimake_cie(&m, "zR", BYTES(START));

	cfimake_fde(&m, cie, 0x1000, 0x20, BYTES(0x41, 0x0e, 16));
	cfimake_fde(&m, cie, 0x1040, 0x20, BYTES(0x0e, 32));
	return m;
}

static bool is_sp(struct unwind_search *s, u64 addr, s32 off)
{
	struct cfi_rule rule;

	return unwind_search_rule(s, addr, &rule) && rule.cfa == CFI_SP && rule.off == off;
}

TEST(an_address_has_the_rule_of_its_function)
{
	struct cfimake m = two_functions();
	struct unwind_search *s = search_in(&m);
	struct cfi_rule rule;

	CHECK(s);
	CHECK(is_sp(s, 0x1000, 8) && is_sp(s, 0x1001, 16) && is_sp(s, 0x101f, 16));
	CHECK(is_sp(s, 0x1040, 32) && is_sp(s, 0x105f, 32));
	CHECK(!unwind_search_rule(s, 0xfff, &rule));
	CHECK(!unwind_search_rule(s, 0x1020, &rule));
	CHECK(!unwind_search_rule(s, 0x1060, &rule));
	CHECK(!unwind_search_rule(s, 0, &rule) && !unwind_search_rule(s, UINT64_MAX, &rule));
	unwind_search_free(s);
}

TEST(a_rule_that_is_not_supported_is_none)
{
	struct cfimake m = { .has_header = true };
	size_t cie = cfimake_cie(&m, "zR", BYTES(START));
	struct unwind_search *s;
	struct cfi_rule rule;

	cfimake_fde(&m, cie, 0x1000, 0x20, BYTES(0x0c, 3, 8));
	s = search_in(&m);
	CHECK(s && unwind_search_rule(s, 0x1000, &rule) && rule.cfa == CFI_NONE);
	unwind_search_free(s);
}

TEST(a_file_without_a_header_is_not_searched)
{
	struct cfimake m = two_functions();

	m.has_header = false;
	CHECK(!search_in(&m));
}

TEST(a_header_of_another_kind_is_not_searched)
{
	for (size_t i = 0; i < 4; i++) {
		const char known[] = { 1, 0x1b, 3, 0x3b };
		struct cfimake m = two_functions();
		struct str image = cfimake_elf(&m);
		char *header = memmem(image.p, image.n, known, sizeof(known));

		CHECK(header);
		header[i]++;
		CHECK(!search_of(&image));
	}
}

TEST(a_header_with_too_few_entries_is_not_searched)
{
	struct cfimake m = two_functions();

	m.n_entries = 3;
	CHECK(!search_in(&m));
	m = two_functions();
	m.n_entries = UINT32_MAX;
	CHECK(!search_in(&m));
}

TEST(entries_that_lead_nowhere_find_nothing)
{
	struct cfimake m = two_functions();
	struct unwind_search *s;
	struct cfi_rule rule;

	str_clear(&m.entries);
	m.n_entries = 0;
	cfimake_entry(&m, 0x1000, 0); /* the CIE */
	cfimake_entry(&m, 0x1010, 1);
	cfimake_entry(&m, 0x1020, (size_t)-CFIMAKE_VADDR);
	cfimake_entry(&m, 0x1030, m.bytes.n - 1);
	cfimake_entry(&m, 0x1040, m.bytes.n);
	cfimake_entry(&m, 0x1050, INT32_MAX);
	s = search_in(&m);
	CHECK(s);
	for (u64 addr = 0x1000; addr < 0x1060; addr++)
		CHECK(!unwind_search_rule(s, addr, &rule));
	unwind_search_free(s);
}

TEST(no_entries_find_nothing)
{
	struct cfimake m = { .has_header = true };
	struct unwind_search *s;
	struct cfi_rule rule;

	cfimake_cie(&m, "zR", BYTES(START));
	s = search_in(&m);
	CHECK(s && !unwind_search_rule(s, 0x1000, &rule));
	unwind_search_free(s);
}

TEST(a_file_that_takes_too_long_is_not_searched_again)
{
	struct cfimake m = { .has_header = true };
	size_t cie = cfimake_cie(&m, "zR", BYTES(START)), n = 16 << 20;
	u8 *nops = calloc(1, n);
	struct unwind_search *s;
	struct cfi_rule rule;
	int n_found = 0;

	cfimake_fde(&m, cie, 0x1000, 0x20, nops, n);
	free(nops);
	s = search_in(&m);
	CHECK(s);
	while (n_found < 100 && unwind_search_rule(s, 0x1000, &rule))
		n_found++;
	CHECK(n_found > 0 && n_found < 100);
	unwind_search_free(s);
}
