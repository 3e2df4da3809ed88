// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Entries of a .plt have the names of what they jump to, as linkers write them. */
#include "elfask.h"

/* An image with this .plt at 0x1800, and `n` jump slots from 0x5000 on for functions f0, f1... */
static struct elfmake with_plt(u16 machine, const void *plt, size_t size, u32 n, u32 slot_type)
{
	static const char *const names[] = { "f0", "f1", "f2" };
	struct elfmake m = elfmake_new();
	Elf64_Rela rela[ARRAY_SIZE(names)];
	struct elfmake_part *p;
	Elf64_Shdr *text;
	Elf64_Ehdr *h;

	m.symtab_type = SHT_DYNSYM;
	for (u32 i = 0; i < n; i++) {
		elfmake_symbol(&m, names[i], 0, 0, STT_FUNC, STB_GLOBAL);
		rela[i] = (Elf64_Rela){ .r_offset = 0x5000 + 8 * i,
					.r_info = ELF64_R_INFO(i + 1, slot_type) };
	}
	p = elfmake_section(&m, ".plt", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, plt, size);
	p->addr = 0x1800;
	p = elfmake_section(&m, ".rela.plt", SHT_RELA, SHF_ALLOC, rela, n * sizeof(*rela));
	p->link = 5; /* .text .plt .rela.plt .strtab .dynsym */
	elfmake_finish(&m);
	h = (Elf64_Ehdr *)(void *)m.image.p;
	h->e_machine = machine;
	/* .text covers 0x1800 too: cut it, so that the address is the PLT's. */
	text = (Elf64_Shdr *)(void *)(m.image.p + h->e_shoff) + 1;
	text->sh_size = 0x800;
	return m;
}

TEST(a_plt_entry_has_the_name_of_what_it_calls)
{
	/* Entry 1 of .plt: jmp *0x5000-0x1816(%rip), padding. */
	u8 plt[32] = { 0xff, 0x35, 0, 0, 0, 0, 0xff, 0x25, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0x25 };
	s32 disp = 0x5000 - (0x1800 + 22);
	struct elfmake m;

	memcpy(plt + 18, &disp, sizeof(disp));
	m = with_plt(EM_X86_64, plt, sizeof(plt), 1, R_X86_64_JUMP_SLOT);
	CHECK_STR(ask_image(&m.image, 0x1814), "f0@plt");
	CHECK_U64(answer.start, 0x1810);
	CHECK(!ask_image(&m.image, 0x1804));
	str_release(&m.image);
}

/* arm64's entries, as Debian's binutils writes them; pages are those of 0x1800 and of 0x5000. */
#define PUSH	    0xa9bf7bf0 /* stp x16, x30, [sp, #-16]! */
#define ADRP	    0x90000030 /* adrp x16, 0x5000, from page 0x1000 */
#define LDR(slot)   (0xf9400211 | (slot) << 10)
#define ADD(slot)   (0x91000210 | (slot) << 13)
#define AUTIA	    0xd503219f
#define BR	    0xd61f0220
#define NOP	    0xd503201f
#define BTI	    0xd503245f
#define FIRST_ENTRY PUSH, ADRP, LDR(9), ADD(9), BR, NOP, NOP, NOP

struct arm64_entry {
	u32 at;		  /* offset into .plt */
	const char *name; /* NULL: none */
	u32 start;
};

static void check_arm64(const u32 *plt, size_t size, const struct arm64_entry *entries, size_t n)
{
	struct elfmake m = with_plt(EM_AARCH64, plt, size, 2, R_AARCH64_JUMP_SLOT);

	for (size_t i = 0; i < n; i++) {
		const char *got = ask_image(&m.image, 0x1800 + entries[i].at);

		if (!entries[i].name) {
			CHECK(!got);
			continue;
		}
		CHECK_STR(got, entries[i].name);
		CHECK_U64(answer.start, 0x1800 + entries[i].start);
	}
	str_release(&m.image);
}

TEST(an_arm64_plt_entry_has_that_name_too)
{
	static const u32 plt[] = {
		FIRST_ENTRY, ADRP, LDR(0), ADD(0), BR, ADRP, LDR(1), ADD(1), BR
	};
	static const struct arm64_entry entries[] = {
		{ 0, NULL, 0 },	      { 4, NULL, 0 },	    { 28, NULL, 0 },
		{ 32, "f0@plt", 32 }, { 36, "f0@plt", 32 }, { 44, "f0@plt", 32 },
		{ 48, "f1@plt", 48 }, { 60, "f1@plt", 48 },
	};

	check_arm64(plt, sizeof(plt), entries, ARRAY_SIZE(entries));
}

/* Entries of 24 bytes, and no field that says so: the jump at 48 belongs to the entry at 32. */
TEST(an_arm64_plt_entry_with_pointer_authentication)
{
	static const u32 plt[] = { FIRST_ENTRY,					  /* 0 */
				   ADRP,	LDR(0), ADD(0), AUTIA, BR, NOP,	  /* 32 */
				   ADRP,	LDR(1), ADD(1), AUTIA, BR, NOP }; /* 56 */
	static const struct arm64_entry entries[] = {
		{ 32, "f0@plt", 32 }, { 44, "f0@plt", 32 }, { 48, "f0@plt", 32 }, { 52, NULL, 0 },
		{ 56, "f1@plt", 56 }, { 68, "f1@plt", 56 }, { 72, "f1@plt", 56 }, { 76, NULL, 0 },
	};

	check_arm64(plt, sizeof(plt), entries, ARRAY_SIZE(entries));
}

TEST(an_arm64_plt_entry_with_a_landing_pad)
{
	static const u32 plt[] = { FIRST_ENTRY,					   /* 0 */
				   BTI,		ADRP, LDR(0), ADD(0), BR,    NOP,  /* 32 */
				   BTI,		ADRP, LDR(1), ADD(1), AUTIA, BR }; /* 56 */
	static const struct arm64_entry entries[] = {
		{ 32, "f0@plt", 32 }, { 36, "f0@plt", 32 }, { 48, "f0@plt", 32 }, { 52, NULL, 0 },
		{ 56, "f1@plt", 56 }, { 60, "f1@plt", 56 }, { 76, "f1@plt", 56 },
	};

	check_arm64(plt, sizeof(plt), entries, ARRAY_SIZE(entries));
}

/* A section that ends within an entry is read to its end and no further. */
TEST(an_arm64_plt_that_is_cut_off_names_nothing)
{
	static const u32 plt[] = { FIRST_ENTRY, BTI, ADRP };
	static const struct arm64_entry entries[] = { { 32, NULL, 0 }, { 36, NULL, 0 } };

	check_arm64(plt, sizeof(plt), entries, ARRAY_SIZE(entries));
}
