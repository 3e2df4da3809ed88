// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Call frame information of any bytes, in a well-formed file: a table, searched all over, and
// searches without one.  The first byte chooses .eh_frame or .debug_frame, with a .eh_frame_hdr or
// without, and the machine; or code of arm64's vdso, which has none.
#include "tests/fuzz/fuzz.h"

#include "tests/fixtures/unwind/cfimake.h"
#include "unwind/search.h"
#include "unwind/table.h"

#define BUDGET_NS (100 * NS_PER_MS)
#define LATE_NS	  NS_PER_SEC /* CPU time; sanitizers make the work between two checks slow */
#define MAX_ROWS  10000

enum {
	CHOOSE_DEBUG = 1,
	CHOOSE_ARM64 = 2,
	CHOOSE_VDSO = 4,
	CHOOSE_HEADER = 8,
};

/* A vdso of arm64, with these bytes as its code; the first one chooses where signals return to. */
static struct str vdso_with(struct input *in)
{
	struct elfmake file = elfmake_new();
	u64 at = ELFMAKE_TEXT + 16 * (u64)input_byte(in);
	struct str image;

	file.symtab_type = SHT_DYNSYM;
	elfmake_symbol(&file, "f", ELFMAKE_TEXT, 0x20, STT_FUNC, STB_GLOBAL);
	elfmake_symbol(&file, "g", ELFMAKE_TEXT + 0x40, 0x20, STT_FUNC, STB_GLOBAL);
	elfmake_symbol(&file, "__kernel_rt_sigreturn", at, 8, STT_NOTYPE, STB_GLOBAL);
	elfmake_finish(&file);
	image = file.image;
	((Elf64_Ehdr *)(void *)image.p)->e_machine = EM_AARCH64;
	if (in->n)
		memcpy(image.p + ELFMAKE_TEXT - ELFMAKE_SHIFT, in->p,
		       in->n < ELFMAKE_SIZE ? in->n : ELFMAKE_SIZE);
	return image;
}

/* The number of entries, then these. */
static void take_entries(struct input *in, struct cfimake *m)
{
	u32 n = input_byte(in);
	size_t bytes = in->n < n * CFIMAKE_ENTRY_BYTES ? in->n : n * CFIMAKE_ENTRY_BYTES;

	m->n_entries = n;
	str_add(&m->entries, (const char *)in->p, bytes);
	in->p += bytes;
	in->n -= bytes;
}

static struct str file_with(struct input *in)
{
	u8 choice = input_byte(in);
	struct cfimake m = { .is_debug = choice & CHOOSE_DEBUG };
	struct str image;

	if (choice & CHOOSE_VDSO)
		return vdso_with(in);
	m.has_header = choice & CHOOSE_HEADER;
	if (m.has_header)
		take_entries(in, &m);
	str_add(&m.bytes, (const char *)in->p, in->n);
	image = cfimake_elf(&m);
	if (choice & CHOOSE_ARM64)
		((Elf64_Ehdr *)(void *)image.p)->e_machine = EM_AARCH64;
	return image;
}

static void check_pages(const struct unwind_table *t, const struct unwind_rules *rules)
{
	const struct cfi_page *page;
	size_t next = 0;

	vec_for_each(page, &t->pages) {
		const struct cfi_row *rows = t->rows.items + page->first;

		must(page->n && page->first == next && page->n <= t->rows.n - next);
		must(!rows[0].off);
		for (u32 i = 0; i < page->n; i++)
			must(rows[i].rule < rules->list.n && (!i || rows[i - 1].off < rows[i].off));
		next += page->n;
	}
	must(next == t->rows.n && next <= MAX_ROWS);
}

static void check_rule(const struct cfi_rule *rule)
{
	must(rule->cfa <= CFI_R10 && rule->fp <= CFI_LOST && rule->ra <= CFI_AT_CFA && !rule->pad);
}

static void check_rules(const struct unwind_rules *rules)
{
	const struct cfi_rule *rule;

	vec_for_each(rule, &rules->list)
		check_rule(rule);
}

static void check_search(const struct elf_src *src)
{
	struct unwind_search *search = unwind_search_new(src);
	struct cfi_rule rule;

	for (u64 addr = 0; search && addr < 2 * (ELFMAKE_TEXT + ELFMAKE_SIZE); addr += 64)
		if (unwind_search_rule(search, addr, &rule))
			check_rule(&rule);
	unwind_search_free(search);
}

int fuzz_input(const u8 *data, size_t size)
{
	struct meter meter = { .max_cpu_ns = BUDGET_NS };
	struct input in = { data, size };
	struct str image = file_with(&in);
	struct elf_src src = { .fd = -1, .mem = image.p, .size = image.n, .meter = &meter };
	struct unwind_rules rules;
	struct unwind_table table;
	struct elf elf = { 0 };

	meter_begin(&meter);
	unwind_rules_init(&rules);
	must(!elf_init(&elf, &src));
	if (!unwind_table_build(&table, &elf, &rules, MAX_ROWS))
		check_pages(&table, &rules);
	check_rules(&rules);
	for (u64 addr = 0; addr < 2 * (ELFMAKE_TEXT + ELFMAKE_SIZE); addr++)
		must(unwind_table_find(&table, addr) < rules.list.n);
	check_search(&src);
	meter_is_over(&meter);
	must(meter.cpu_ns < LATE_NS);
	unwind_table_release(&table);
	unwind_rules_release(&rules);
	elf_release(&elf);
	str_release(&image);
	return 0;
}
