// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// An ELF file of any bytes, asked for names all over it.
// seeds: tests/fixtures/sym/*.elf
#include <stdlib.h>

#include "sym/demangle.h"
#include "sym/objfile.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

static void show(const struct wants *w)
{
	const struct want *want;

	vec_for_each(want, &w->list) {
		struct str shown = { 0 };

		if (want->is_named)
			demangle(str_text(&want->found), SYM_NAMES_SHORT, &shown);
		str_release(&shown);
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static const char *const dirs[] = { NULL };
	struct objfile o = {
		.src = { .fd = -1, .mem = data, .size = size },
		.path = "/nonexistent/file",
		.root_fd = -1,
		.debug_dirs = dirs,
	};
	struct wants w = { 0 };

	if (!size) /* NULL memory would mean a descriptor */
		return 0;
	for (u32 i = 0; i < 64; i++)
		wants_add(&w, i, (u64)i * size / 64);
	wants_add(&w, 64, 0x1000);
	wants_add(&w, 65, UINT64_MAX);
	wants_sort(&w);
	if (!objfile_name(&o, &w))
		show(&w);
	wants_release(&w);
	return 0;
}
