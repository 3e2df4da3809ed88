// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// A perf map of any bytes; its names and the input itself go through the demangler.
// seeds: tests/fixtures/sym/*.map
#include "tests/fuzz/fuzz.h"

#include "sym/demangle.h"
#include "sym/perfmap.h"

static void show(const char *name)
{
	for (enum names_style style = SYM_NAMES_SHORT; style <= SYM_NAMES_MANGLED; style++) {
		struct str shown = { 0 };

		demangle(name, style, &shown);
		must(shown.n <= 20000);
		str_release(&shown);
	}
}

int fuzz_input(const u8 *data, size_t size)
{
	struct wants w = { 0 };
	struct lines text;
	const struct sym_query *want;
	struct str whole = { 0 };

	for (u32 i = 0; i < 32; i++)
		wants_add(&w, i, (u64)i * 0x80);
	wants_add(&w, 32, UINT64_MAX);
	wants_sort(&w);
	lines_init_text(&text, (struct view){ (const char *)data, size });
	perfmap_name(&w, &text);
	vec_for_each(want, &w.list) {
		must(want->found.n <= SYM_NAME_MAX);
		if (want->is_named)
			show(str_text(&want->found));
	}
	wants_release(&w);

	str_adds(&whole, "_");
	str_add(&whole, (const char *)data, size);
	show(str_text(&whole));
	str_release(&whole);
	return 0;
}
