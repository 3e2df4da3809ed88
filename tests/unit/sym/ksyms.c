// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sym/ksyms.h"

#include "test.h"

#define ADDR 0xffffffff81001010

static const char *answer;

static const char *name(void *ctx, u64 addr)
{
	(void)ctx;
	(void)addr;
	return answer;
}

static const struct ksym_source source = { .name = name };

static bool asked(const char *text, struct ksym *out)
{
	answer = text;
	return ksym_at(&source, ADDR, out);
}

static void is_called(const char *text, const char *want, const char *module)
{
	struct ksym found;

	CHECK(asked(text, &found));
	CHECK(view_eq(found.name, want));
	CHECK(view_eq(found.module, module));
}

TEST(a_symbol_has_bounds)
{
	struct ksym found;

	CHECK(asked("do_work+0x10/0x50", &found));
	CHECK_U64(found.start, ADDR - 0x10);
	CHECK_U64(found.end, ADDR + 0x40);
	CHECK(!found.module.n);
}

TEST(a_module_is_told)
{
	is_called("ext4_x+0x1/0x20 [ext4]", "ext4_x", "ext4");
	is_called("ext4_x+0x1/0x20 [ext4 0123456789abcdef]", "ext4_x", "ext4");
}

TEST(bpf_programs_are_told_from_functions_about_them)
{
	is_called("bpf_prog_6deef7357e7b4530_on_switch+0x1/0x20",
		  "bpf_prog_6deef7357e7b4530_on_switch", "bpf");
	is_called("bpf_prog_6deef7357e7b4530+0x1/0x20", "bpf_prog_6deef7357e7b4530", "bpf");
	is_called("bpf_trampoline_6442451+0x1/0x20", "bpf_trampoline_6442451", "bpf");
	is_called("bpf_prog_run+0x1/0x20", "bpf_prog_run", "");
	is_called("bpf_prog_load_deferred_work+0x1/0x20", "bpf_prog_load_deferred_work", "");
	is_called("bpf_trampoline_get+0x1/0x20", "bpf_trampoline_get", "");
}

TEST(a_name_may_hold_the_mark_of_an_offset)
{
	is_called("odd+0x1+0x10/0x20", "odd+0x1", "");
}

TEST(kallsyms_is_asked_for_the_rest)
{
	static const char *const texts[] = {
		"",
		"0xffffffff81001010",
		"+0x1/0x2",
		"f",
		"f+0x1",
		"f+0x/0x2",
		"f+0x1/",
		"f+0x1/2",
		"f+0x1/0x2 []",
		"f+0x30/0x20",
		"f+0xffffffffffffffff/0x1",
		"f+0x1/0xffffffffffffffff",
		"__sched_text_start+0x10/0x20",
		"_stext+0x0/0x10",
		"bpf_dispatcher_xdp+0x1/0x20",
		"far+0x200000/0x300000",
	};
	struct ksym found;

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		CHECK(!asked(texts[i], &found));
	CHECK(!asked(NULL, &found));
}
