// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// /proc text of any bytes: maps, mountinfo, kallsyms, modules.
// seeds: tests/fixtures/sym/*.txt
#include "tests/fuzz/fuzz.h"

#include "base/lines.h"
#include "sym/kallsyms.h"
#include "sym/maps.h"
#include "sym/mounts.h"

static void read_maps(struct view text)
{
	struct regions *r = regions_new();
	struct lines l;
	struct view line;
	struct map_line m;

	lines_init_text(&l, text);
	while (lines_next(&l, &line)) {
		struct region add;
		struct str path = { 0 };
		bool is_deleted;

		if (!map_line_parse(line, &m))
			continue;
		map_path_add(&path, m.path, &is_deleted);
		str_release(&path);
		add = (struct region){ .start = m.start, .end = m.end, .off = m.off };
		regions_add(r, &add);
	}
	for (size_t i = 0; i < r->list.n; i++) {
		const struct region *one = &r->list.items[i];

		must(one->start < one->end && regions_find(r, one->start) == one);
		must(!i || one[-1].end <= one->start);
	}
	regions_drop(r);
}

static void read_mounts(struct view text)
{
	struct mount_ns n = { 0 };
	struct intern strings = { 0 };
	struct lines l;

	lines_init_text(&l, text);
	mount_ns_read(&n, &l, &strings);
	vec_release(&n.remote);
	vec_release(&n.local);
	intern_release(&strings);
}

static void read_kallsyms(struct view text)
{
	struct wants w = { 0 };
	const struct want *want;
	struct lines symbols, modules;

	for (u32 i = 0; i < 16; i++)
		wants_add(&w, i, 0xffffffff81000000ULL + i * 0x100ULL);
	wants_add(&w, 16, 1);
	wants_add(&w, 17, UINT64_MAX);
	wants_sort(&w);
	lines_init_text(&symbols, text);
	lines_init_text(&modules, text);
	kallsyms_name(&w, &symbols, &modules);
	vec_for_each(want, &w.list)
		must(want->found.n <= SYM_NAME_MAX && (!want->is_named || want->start <= want->at));
	wants_release(&w);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct view text = { (const char *)data, size };

	read_maps(text);
	read_mounts(text);
	read_kallsyms(text);
	return 0;
}
