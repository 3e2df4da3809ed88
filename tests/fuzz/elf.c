// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// An ELF file of any bytes, asked for the names of addresses all over it.
// seeds: tests/fixtures/sym/*.elf
#include "tests/fuzz/fuzz.h"

#include "sym/demangle.h"
#include "sym/objfile.h"

#define N_PLACES   64
#define PLT_SUFFIX 4 /* "@plt" */
#define BUDGET_NS  (100 * NS_PER_MS)
#define LATE_NS	   NS_PER_SEC /* CPU time; sanitizers make the work between two checks look slow */

static void check_name(const struct sym_query *want)
{
	for (enum names_style style = SYM_NAMES_SHORT; style <= SYM_NAMES_MANGLED; style++) {
		struct str shown = { 0 };

		demangle(str_text(&want->found), style, &shown);
		must(shown.n <= 5 * SYM_NAME_MAX);
		str_release(&shown);
	}
}

static void check_names(const struct wants *w)
{
	const struct sym_query *want;

	vec_for_each(want, &w->list) {
		must(want->found.n <= SYM_NAME_MAX + PLT_SUFFIX);
		must(!want->is_named || (want->found.n && want->start <= want->at));
		if (want->is_named)
			check_name(want);
	}
}

int fuzz_input(const u8 *data, size_t size)
{
	static const char *const dirs[] = { NULL };
	struct meter meter = { .max_cpu_ns = BUDGET_NS };
	struct objfile o = {
		.src = { .fd = -1, .mem = data, .size = size, .meter = &meter },
		.path = "/nonexistent/file",
		.root_fd = -1,
		.debug_dirs = dirs,
	};
	struct wants w = { .meter = &meter };
	u32 id = 0;

	if (!size) /* NULL memory would mean a descriptor */
		return 0;
	meter_begin(&meter);
	for (u64 i = 0; i < N_PLACES; i++) {
		wants_add(&w, id++, i * size / N_PLACES);
		wants_add(&w, id++, 0x800 + i * 0x10); /* where the seeds have their code */
	}
	wants_add(&w, id++, UINT64_MAX);
	wants_sort(&w);
	if (!objfile_name(&o, &w))
		check_names(&w);
	meter_is_over(&meter);
	must(meter.cpu_ns < LATE_NS);
	must(strlen(o.build_id) <= 2 * BUILD_ID_MAX);
	wants_release(&w);
	return 0;
}
