// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// /proc text of any bytes: maps, mountinfo (of files and of cgroups), kallsyms, modules, stat,
// status. seeds: tests/fixtures/sym/*.txt
#include "tests/fuzz/fuzz.h"

#include "base/lines.h"
#include "base/procfile.h"
#include "host/cgroup_mounts.h"
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

static void read_cgroups(struct view text)
{
	struct cgroup_mounts m = { 0 };
	const struct cgroup_mount *one;
	struct lines l;
	char name[32];

	lines_init_text(&l, text);
	cgroup_mounts_add(&m, &l);
	vec_for_each(one, &m.v) {
		must(strlen(one->options) < sizeof(one->options));
		must(strlen(cgroup_mount_of(&m, one->path)->path) == strlen(one->path));
		cgroup_controller_of(one, name, sizeof(name));
		must(strlen(name) < sizeof(name));
	}
	cgroup_mounts_release(&m);
}

static void read_fields(struct view text)
{
	static const char *const names[] = { "Tgid", "NSpid", "State", "Name" };
	struct view value;

	for (u32 i = 0; i < 60; i++)
		if (proc_stat_field(text, i, &value))
			must(i >= 3 && value.n && value.p > text.p &&
			     value.p + value.n <= text.p + text.n);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (proc_status_field(text, names[i], &value))
			must(value.p > text.p && value.p + value.n <= text.p + text.n);
}

static void read_kallsyms(struct view text)
{
	struct wants w = { 0 };
	const struct sym_query *want;
	struct kfunctions known = { 0 };
	struct lines symbols, text_of_modules;
	struct modules *modules;

	for (u32 i = 0; i < 16; i++)
		wants_add(&w, i, 0xffffffff81000000ULL + i * 0x100ULL);
	wants_add(&w, 16, 1);
	wants_add(&w, 17, UINT64_MAX);
	wants_sort(&w);
	lines_init_text(&symbols, text);
	lines_init_text(&text_of_modules, text);
	modules = modules_read(&text_of_modules);
	known.n_reads = 1; /* they are collected */
	kallsyms_name(&w, &symbols, modules, &known);
	kallsyms_name_known(&w, modules, &known);
	modules_free(modules);
	kfunctions_release(&known);
	vec_for_each(want, &w.list)
		must(want->found.n <= SYM_NAME_MAX && (!want->is_named || want->start <= want->at));
	wants_release(&w);
}

int fuzz_input(const u8 *data, size_t size)
{
	struct view text = { (const char *)data, size };

	read_maps(text);
	read_mounts(text);
	read_cgroups(text);
	read_fields(text);
	read_kallsyms(text);
	return 0;
}
