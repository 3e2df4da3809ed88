// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Call frame information, well-formed and not, to tables. */
#include "unwind/table.h"

#include <errno.h>

#include "test.h"
#include "tests/fixtures/unwind/cfimake.h"

#define START 0x0c, 7, 8, 0x90, 1 /* CFA is rsp+8, the return address at CFA-8 */

static struct unwind_table table;
static struct unwind_rules rules;
static u32 max_rows = UINT32_MAX;

static int build_image(struct str *image, struct meter *meter)
{
	/* A copy of the exact size: the sanitizer sees a read after it. */
	char *copy = malloc(image->n);
	struct elf_src src = { .fd = -1, .mem = copy, .size = image->n, .meter = meter };
	struct elf elf = { 0 };
	int ret;

	memcpy(copy, image->p, image->n);
	str_release(image);
	CHECK(!elf_init(&elf, &src));
	unwind_rules_release(&rules);
	unwind_table_release(&table);
	unwind_rules_init(&rules);
	ret = unwind_table_build(&table, &elf, &rules, max_rows);
	elf_release(&elf);
	free(copy);
	return ret;
}

static int build(struct cfimake *m)
{
	struct str image = cfimake_elf(m);

	return build_image(&image, NULL);
}

static const struct cfi_rule *at(u64 addr)
{
	return &rules.list.items[unwind_table_find(&table, addr)];
}

static bool is_sp(u64 addr, s32 off)
{
	return at(addr)->cfa == CFI_SP && at(addr)->off == off;
}

TEST(a_push_moves_the_frame_address_from_the_next_instruction_on)
{
	struct cfimake m = { 0 };
	size_t cie = cfimake_cie(&m, "zR", BYTES(START));

	cfimake_fde(&m, cie, 0x1000, 0x20, BYTES(0x41, 0x0e, 16, 0x86, 2, 0x44, 0x0d, 6));
	CHECK(!build(&m));
	CHECK(is_sp(0x1000, 8) && at(0x1000)->fp == CFI_SAME);
	CHECK(at(0x1000)->ra == CFI_AT_CFA && at(0x1000)->ra_words == -1);
	CHECK(is_sp(0x1001, 16) && is_sp(0x1004, 16));
	CHECK(at(0x1004)->fp == CFI_AT_CFA && at(0x1004)->fp_words == -2);
	CHECK(at(0x1005)->cfa == CFI_FP && at(0x1005)->off == 16);
	CHECK(at(0x101f)->cfa == CFI_FP);
	CHECK(at(0x1020)->cfa == CFI_NONE && at(0xfff)->cfa == CFI_NONE);
}

TEST(a_remembered_state_comes_back)
{
	struct cfimake m = { 0 };
	size_t cie = cfimake_cie(&m, "zR", BYTES(START));

	cfimake_fde(&m, cie, 0x1000, 0x20,
		    BYTES(0x0e, 32, 0x42, 0x0a, 0x0e, 8, 0x42, 0x0b, 0x42, 0xc6));
	CHECK(!build(&m));
	CHECK(is_sp(0x1001, 32) && is_sp(0x1002, 8) && is_sp(0x1004, 32));
	CHECK(is_sp(0x1010, 32));
}

TEST(an_undefined_return_address_ends_the_stack)
{
	struct cfimake m = { 0 };
	size_t cie = cfimake_cie(&m, "zR", BYTES(START));

	cfimake_fde(&m, cie, 0x1000, 0x20, BYTES(0x07, 16));
	CHECK(!build(&m));
	CHECK(at(0x1010)->cfa == CFI_END);
}

TEST(a_stack_that_is_aligned_is_read_through_its_expressions)
{
	struct cfimake m = { 0 };
	size_t cie = cfimake_cie(&m, "zR", BYTES(START));

	/* CFA is *(rbp-8), rbp at rbp+0; first CFA is r10+0 */
	cfimake_fde(&m, cie, 0x1000, 0x20,
		    BYTES(0x0c, 10, 0, 0x44, 0x10, 6, 2, 0x76, 0, 0x0f, 3, 0x76, 0x78, 0x06));
	CHECK(!build(&m));
	CHECK(at(0x1000)->cfa == CFI_R10 && at(0x1000)->off == 0);
	CHECK(at(0x1004)->cfa == CFI_FP_DEREF && at(0x1004)->off == -8 && !at(0x1004)->add);
	CHECK(at(0x1004)->fp == CFI_AT_FP && !at(0x1004)->fp_words);
}

TEST(a_plt_pushes_in_the_second_half_of_its_entries)
{
	struct cfimake m = { 0 };
	size_t cie = cfimake_cie(&m, "zR", BYTES(START));

	cfimake_fde(&m, cie, 0x1000, 0x40,
		    BYTES(0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22));
	CHECK(!build(&m));
	CHECK(at(0x1010)->cfa == CFI_PLT && at(0x1010)->off == 11);
}

TEST(a_signal_frame_has_all_registers)
{
	struct cfimake m = { 0 };
	size_t cie = cfimake_cie(&m, "zRS", BYTES(START));

	cfimake_fde(&m, cie, 0x1000, 0x10, BYTES(0));
	CHECK(!build(&m));
	CHECK(at(0x1000)->cfa == CFI_SIGNAL);
}

TEST(frames_that_no_walk_can_follow_have_no_rule)
{
	struct cfimake m = { 0 };
	size_t cie = cfimake_cie(&m, "zR", BYTES(START));

	cfimake_fde(&m, cie, 0x1000, 0x10, BYTES(0x0c, 3, 8));	/* CFA by rbx */
	cfimake_fde(&m, cie, 0x1010, 0x10, BYTES(0x09, 16, 3)); /* return address in rbx */
	cfimake_fde(&m, cie, 0x1020, 0x10, BYTES(0x90, 3));	/* at CFA-24 */
	cfimake_fde(&m, cie, 0x1030, 0x10, BYTES(0x0f, 3, 0x77, 8, 0x96)); /* a nop too many */
	CHECK(!build(&m));
	CHECK(at(0x1000)->cfa == CFI_NONE && at(0x1010)->cfa == CFI_NONE);
	CHECK(at(0x1020)->ra_words == -3);
	CHECK(at(0x1030)->cfa == CFI_NONE);
	CHECK_U64(table.stats.n_none, 3);
}

TEST(padding_between_functions_costs_no_row_and_other_code_has_no_rule)
{
	struct cfimake m = { 0 };
	size_t cie = cfimake_cie(&m, "zR", BYTES(START));

	cfimake_fde(&m, cie, 0x1030, 0x10, BYTES(0)); /* not in order */
	cfimake_fde(&m, cie, 0x1000, 0x11, BYTES(0));
	cfimake_fde(&m, cie, 0x1060, 0x10, BYTES(0));
	CHECK(!build(&m));
	CHECK(at(0x1011)->cfa == CFI_NONE && at(0x102f)->cfa == CFI_NONE);
	CHECK(is_sp(0x1030, 8) && at(0x1040)->cfa == CFI_NONE);
	CHECK_U64(table.stats.n_fdes, 3);

	cie = cfimake_cie(&m, "zR", BYTES(START));
	cfimake_fde(&m, cie, 0x1000, 0x11, BYTES(0));
	cfimake_fde(&m, cie, 0x1020, 0x10, BYTES(0));
	CHECK(!build(&m));
	CHECK(is_sp(0x1018, 8));
	CHECK_U64(table.rows.n, 3);
}

TEST(of_two_entries_for_an_address_the_first_counts)
{
	struct cfimake m = { 0 };
	size_t cie = cfimake_cie(&m, "zR", BYTES(START));

	cfimake_fde(&m, cie, 0x1000, 0x20, BYTES(0x0e, 32));
	cfimake_fde(&m, cie, 0x1010, 0x20, BYTES(0x0e, 48, 0x44, 0x0e, 56));
	cfimake_fde(&m, cie, 0x1012, 0x02, BYTES(0x0e, 64));
	CHECK(!build(&m));
	CHECK(is_sp(0x1014, 32) && is_sp(0x101f, 32));
	CHECK(is_sp(0x1020, 56) && is_sp(0x102f, 56));
}

TEST(debug_frame_covers_what_eh_frame_does_not)
{
	struct cfimake eh = { 0 }, debug = { .is_debug = true };
	struct elfmake file = elfmake_new();

	cfimake_fde(&eh, cfimake_cie(&eh, "zR", BYTES(START)), 0x1000, 0x20, BYTES(0x0e, 16));
	cfimake_cie(&debug, "", BYTES(START));
	cfimake_fde(&debug, 0, 0x1000, 0x20, BYTES(0x0e, 24));
	cfimake_fde(&debug, 0, 0x1020, 0x20, BYTES(0x0e, 32));
	cfimake_add(&eh, &file);
	cfimake_add(&debug, &file);
	elfmake_finish(&file);
	CHECK(!build_image(&file.image, NULL));
	CHECK(is_sp(0x1010, 16) && is_sp(0x1030, 32));
}

TEST(a_start_routine_without_information_ends_the_stack)
{
	struct cfimake m = { 0 };
	struct str image;

	cfimake_fde(&m, cfimake_cie(&m, "zR", BYTES(START)), 0x1020, 0x20, BYTES(0));
	image = cfimake_elf(&m);
	((Elf64_Ehdr *)(void *)image.p)->e_entry = 0x1000;
	CHECK(!build_image(&image, NULL));
	CHECK(at(0x1000)->cfa == CFI_END && at(0x101f)->cfa == CFI_END);
	CHECK(is_sp(0x1020, 8));
}

TEST(vfork_has_its_return_address_in_rdi)
{
	struct cfimake m = { 0 };
	struct str image;

	/* At 0x1001 the CFA is rsp+0 and rip is in rdi; at 0x1002 rip is in rsi. */
	cfimake_fde(&m, cfimake_cie(&m, "zR", BYTES(START)), 0x1000, 0x20,
		    BYTES(0x41, 0x0e, 0, 0x09, 16, 5, 0x41, 0x09, 16, 4));
	image = cfimake_elf(&m);
	CHECK(!build_image(&image, NULL));
	CHECK(is_sp(0x1000, 8) && at(0x1000)->ra == CFI_AT_CFA);
	CHECK(is_sp(0x1001, 0) && at(0x1001)->ra == CFI_SAME);
	CHECK(at(0x1002)->cfa == CFI_NONE);
}

TEST(an_arm64_leaf_has_its_return_address_in_a_register_signed_or_not)
{
	struct cfimake m = { 0 };
	struct str image;

	/* CFA is sp+0; then x29 and x30 at CFA-32 */
	cfimake_fde(&m, cfimake_cie(&m, "zRBG", BYTES(0x0c, 31, 0)), 0x1000, 0x20,
		    BYTES(0x2d, 0x2c, 0x2b, 1, 0, 0x44, 0x0e, 32, 0x9d, 4, 0x90, 3));
	image = cfimake_elf(&m);
	((Elf64_Ehdr *)(void *)image.p)->e_machine = EM_AARCH64;
	CHECK(!build_image(&image, NULL));
	CHECK(is_sp(0x1000, 0) && at(0x1000)->ra == CFI_SAME);
	CHECK(is_sp(0x1004, 32) && at(0x1004)->ra == CFI_AT_CFA && at(0x1004)->ra_words == -3);
	CHECK(at(0x1004)->fp == CFI_AT_CFA && at(0x1004)->fp_words == -4);
}

/* A leaf, a function with a frame, and the end of signals: offsets in .text. */
static struct str arm64_vdso(struct cfimake *cfi)
{
	static const u32 framed[] = {
		0xd503233f, /* paciasp */
		0xa9b87bfd, /* stp x29, x30, [sp, #-128]! */
		0x910003fd, /* mov x29, sp */
		0xa8c87bfd, /* ldp x29, x30, [sp], #128 */
		0xd65f03c0, /* ret */
		0xd503201f, /* nop: reached by a branch */
	};
	static const u32 sigreturn[] = { 0xd2801168, 0xd4000001 }; /* mov x8, #139; svc #0 */
	struct elfmake file = elfmake_new();
	struct str image;

	file.symtab_type = SHT_DYNSYM;
	elfmake_symbol(&file, "leaf", 0x1000, 0x20, STT_FUNC, STB_GLOBAL);
	elfmake_symbol(&file, "framed", 0x1020, sizeof(framed), STT_FUNC, STB_GLOBAL);
	elfmake_symbol(&file, "after", 0x1040, 0x20, STT_FUNC, STB_GLOBAL);
	elfmake_symbol(&file, "__kernel_rt_sigreturn", 0x1100, 8, STT_NOTYPE, STB_GLOBAL);
	if (cfi)
		cfimake_add(cfi, &file);
	elfmake_finish(&file);
	image = file.image;
	((Elf64_Ehdr *)(void *)image.p)->e_machine = EM_AARCH64;
	memcpy(image.p + 0x1020 - ELFMAKE_SHIFT, framed, sizeof(framed));
	memcpy(image.p + 0x1100 - ELFMAKE_SHIFT, sigreturn, sizeof(sigreturn));
	return image;
}

TEST(arm64_has_a_vdso_without_information)
{
	struct str image = arm64_vdso(NULL);

	CHECK(!build_image(&image, NULL));
	CHECK(is_sp(0x1000, 0) && at(0x1000)->ra == CFI_SAME);
	CHECK(is_sp(0x1024, 0) && is_sp(0x1028, 128) && at(0x1028)->ra == CFI_AT_CFA);
	CHECK(at(0x102c)->cfa == CFI_FP && at(0x102c)->off == 128);
	CHECK(at(0x102c)->fp_words == -16 && at(0x102c)->ra_words == -15);
	CHECK(is_sp(0x1030, 0) && at(0x1034)->cfa == CFI_FP && is_sp(0x1040, 0));
	CHECK(is_sp(0x10fb, 0) && is_sp(0x1108, 0));
	CHECK(at(0x10ff)->cfa == CFI_SIGNAL && at(0x1104)->cfa == CFI_SIGNAL);
}

TEST(arm64_has_a_vdso_without_information_for_signals)
{
	struct cfimake m = { 0 };
	struct str image;

	cfimake_fde(&m, cfimake_cie(&m, "zR", BYTES(0x0c, 31, 0)), 0x1000, 0x20, BYTES(0x0e, 32));
	image = arm64_vdso(&m);
	CHECK(!build_image(&image, NULL));
	CHECK(is_sp(0x1000, 32) && at(0x1024)->cfa == CFI_NONE);
	CHECK(at(0x10ff)->cfa == CFI_SIGNAL && at(0x1108)->cfa == CFI_NONE);
}

TEST(a_file_without_call_frame_information_has_no_table)
{
	struct elfmake file = elfmake_new();

	elfmake_finish(&file);
	CHECK(build_image(&file.image, NULL) == -ENOENT);
	CHECK(at(0x1000)->cfa == CFI_NONE);
}

TEST(entries_that_lie_about_their_size_are_refused)
{
	struct cfimake m = { 0 };
	size_t cie = cfimake_cie(&m, "zR", BYTES(START));

	cfimake_fde(&m, cie, 0x1000, 0x10, BYTES(0));
	cfimake_fde(&m, cie, 0x1010, 0x10, BYTES(0));
	m.bytes.p[m.bytes.n - 20] = 100; /* the length of the last one */
	cfimake_fde(&m, 0x7fffffff, 0x1030, 0x10, BYTES(0));
	CHECK(!build(&m));
	CHECK(is_sp(0x1000, 8) && at(0x1030)->cfa == CFI_NONE);
	CHECK(table.stats.n_refused > 0);
}

TEST(addresses_outside_the_code_are_refused)
{
	struct cfimake m = { 0 };
	size_t cie = cfimake_cie(&m, "zR", BYTES(START));

	cfimake_fde(&m, cie, 0x1000, 0x7fffffff, BYTES(0));
	cfimake_fde(&m, cie, 0x900, 0x10, BYTES(0));
	cfimake_fde(&m, cie, 0x70000000, 0x10, BYTES(0));
	CHECK(!build(&m));
	CHECK_U64(table.stats.n_refused, 3);
	CHECK_U64(table.rows.n, 0);
}

TEST(a_broken_program_has_no_rules_from_there_on)
{
	struct cfimake m = { 0 };
	size_t cie = cfimake_cie(&m, "zR", BYTES(START));
	u8 deep[20];

	memset(deep, 0x0a, sizeof(deep)); /* remembers more states than any compiler's code */
	cfimake_fde(&m, cie, 0x1000, 0x10, BYTES(0x0e, 16, 0x44, 0x0b)); /* nothing remembered */
	cfimake_fde(&m, cie, 0x1010, 0x10, BYTES(0x0e, 24, 0x44, 0x0f, 0xff));
	cfimake_fde(&m, cie, 0x1020, 0x10, deep, sizeof(deep));
	cfimake_fde(&m, cie, 0x1030, 0x10, BYTES(0x0e, 40, 0x44, 0x3f)); /* no instruction */
	CHECK(!build(&m));
	CHECK(is_sp(0x1003, 16) && at(0x1004)->cfa == CFI_NONE);
	CHECK(is_sp(0x1013, 24) && at(0x1014)->cfa == CFI_NONE);
	CHECK(at(0x1020)->cfa == CFI_NONE);
	CHECK(is_sp(0x1033, 40) && at(0x1034)->cfa == CFI_NONE);
}

TEST(rules_for_addresses_after_the_function_are_ignored)
{
	struct cfimake m = { 0 };
	size_t cie = cfimake_cie(&m, "zR", BYTES(START));

	cfimake_fde(&m, cie, 0x1000, 0x10, BYTES(0x0e, 32, 0x04, 0xff, 0xff, 0xff, 0xff, 0x0e, 40));
	CHECK(!build(&m));
	CHECK(is_sp(0x100f, 32) && at(0x1010)->cfa == CFI_NONE);
}

TEST(a_table_without_room_is_left_out)
{
	struct cfimake m = { 0 };
	size_t cie = cfimake_cie(&m, "zR", BYTES(START));

	cfimake_fde(&m, cie, 0x1000, 0x20, BYTES(0x41, 0x0e, 16, 0x41, 0x0e, 24, 0x41, 0x0e, 32));
	max_rows = 3;
	CHECK(build(&m) == -E2BIG);
	CHECK(at(0x1000)->cfa == CFI_NONE);
}

TEST(a_meter_ends_the_work)
{
	struct meter meter = { .max_cpu_ns = 1 };
	struct cfimake m = { 0 };
	size_t cie = cfimake_cie(&m, "zR", BYTES(START));
	struct str image;

	for (u64 i = 0; i < 100000; i++)
		cfimake_fde(&m, cie, 0x1000 + i % 0xff0, 1, BYTES(0));
	image = cfimake_elf(&m);
	meter_begin(&meter);
	CHECK(!build_image(&image, &meter));
	CHECK(meter.over == METER_CPU);
	CHECK(table.stats.n_fdes < 100000);
}
