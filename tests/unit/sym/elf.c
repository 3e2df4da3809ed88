// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* ELF files, well-formed and not: headers, symbol tables, compressed sections. */
#include "elfask.h"

#include <errno.h>
#include <fcntl.h>
#include <lzma.h>
#include <zlib.h>

#include "base/clock.h"

TEST(a_function_is_found_by_its_file_offset)
{
	struct elfmake m = elfmake_new();

	elfmake_symbol(&m, "f", 0x1100, 0x10, STT_FUNC, STB_GLOBAL);
	elfmake_finish(&m);
	CHECK_STR(ask_image(&m.image, 0x1108), "f");
	CHECK_U64(answer.vaddr, 0x1108);
	CHECK_U64(answer.start, 0x1100);
	CHECK(!ask_image(&m.image, 0x10ff));
	CHECK(!ask_image(&m.image, 0x1110));
	str_release(&m.image);
}

TEST(an_offset_outside_all_segments_has_no_address)
{
	struct elfmake m = elfmake_new();

	elfmake_finish(&m);
	CHECK(!ask_image(&m.image, 0x9000));
	CHECK_U64(answer.vaddr, UINT64_MAX);
	str_release(&m.image);
}

TEST(of_aliases_the_one_without_underscores_is_shown)
{
	struct elfmake m = elfmake_new();

	elfmake_symbol(&m, "__read", 0x1100, 0x10, STT_FUNC, STB_GLOBAL);
	elfmake_symbol(&m, "read", 0x1100, 0x10, STT_FUNC, STB_WEAK);
	elfmake_symbol(&m, "__GI___read", 0x1100, 0x10, STT_FUNC, STB_LOCAL);
	elfmake_finish(&m);
	CHECK_STR(ask_image(&m.image, 0x1100), "read");
	str_release(&m.image);
}

TEST(of_aliases_the_one_that_programs_call_is_shown)
{
	struct elfmake m = elfmake_new();

	elfmake_symbol(&m, "index", 0x1100, 0x10, STT_FUNC, STB_GLOBAL);
	elfmake_symbol(&m, "strchr", 0x1100, 0x10, STT_FUNC, STB_GLOBAL);
	elfmake_symbol(&m, "_Exit", 0x1200, 0x10, STT_FUNC, STB_GLOBAL);
	elfmake_symbol(&m, "_exit", 0x1200, 0x10, STT_FUNC, STB_GLOBAL);
	elfmake_finish(&m);
	CHECK_STR(ask_image(&m.image, 0x1100), "strchr");
	CHECK_STR(ask_image(&m.image, 0x1200), "_exit");
	str_release(&m.image);
}

TEST(objects_files_and_undefined_symbols_name_no_code)
{
	struct elfmake m = elfmake_new();

	elfmake_symbol(&m, "data", 0x1000, 0x1000, STT_OBJECT, STB_GLOBAL);
	elfmake_symbol(&m, "file.c", 0x1000, 0x1000, STT_FILE, STB_LOCAL);
	elfmake_symbol(&m, "undefined", 0x1000, 0x1000, STT_FUNC, STB_GLOBAL);
	((Elf64_Sym *)(void *)(m.symbols.p + m.symbols.n))[-1].st_shndx = SHN_UNDEF;
	elfmake_symbol(&m, "absolute", 0x1000, 0x1000, STT_FUNC, STB_GLOBAL);
	((Elf64_Sym *)(void *)(m.symbols.p + m.symbols.n))[-1].st_shndx = SHN_ABS;
	elfmake_symbol(&m, "in_data", 0x1000, 0x1000, STT_FUNC, STB_GLOBAL);
	((Elf64_Sym *)(void *)(m.symbols.p + m.symbols.n))[-1].st_shndx = 2;
	elfmake_finish(&m);
	CHECK(!ask_image(&m.image, 0x1100));
	str_release(&m.image);
}

TEST(an_unsized_function_reaches_to_the_next_symbol)
{
	struct elfmake m = elfmake_new();

	elfmake_symbol(&m, "_start", 0x1100, 0, STT_NOTYPE, STB_GLOBAL);
	elfmake_symbol(&m, "label", 0x1110, 0, STT_NOTYPE, STB_LOCAL);
	elfmake_symbol(&m, "next", 0x1120, 0x10, STT_FUNC, STB_GLOBAL);
	elfmake_symbol(&m, "last", 0x1f00, 0, STT_FUNC, STB_GLOBAL);
	elfmake_finish(&m);
	CHECK_STR(ask_image(&m.image, 0x111f), "_start");
	CHECK(!ask_image(&m.image, 0x1130)); /* after a sized one: in no symbol */
	CHECK_STR(ask_image(&m.image, 0x1fff), "last");
	CHECK(!ask_image(&m.image, 0x1080));
	str_release(&m.image);
}

TEST(without_the_full_table_unsized_symbols_name_nothing)
{
	struct elfmake m = elfmake_new();

	m.symtab_type = SHT_DYNSYM;
	elfmake_symbol(&m, "sized", 0x1100, 0x10, STT_FUNC, STB_GLOBAL);
	elfmake_symbol(&m, "unsized", 0x1200, 0, STT_FUNC, STB_GLOBAL);
	elfmake_finish(&m);
	CHECK_STR(ask_image(&m.image, 0x1108), "sized");
	CHECK(!ask_image(&m.image, 0x1208));
	str_release(&m.image);
}

TEST(the_build_id_is_read)
{
	struct elfmake m = elfmake_new();
	struct objfile o = { .root_fd = -1, .debug_dirs = no_dirs };

	m.has_build_id = true;
	memset(m.build_id, 0xab, sizeof(m.build_id));
	elfmake_finish(&m);
	o.src = (struct elf_src){ .fd = -1, .mem = m.image.p, .size = m.image.n };
	ask_of(&o, 0x1100);
	CHECK_STR(o.build_id, "abababababababababababababababababababab");
	str_release(&m.image);
}

/* ---- compressed ---- */

static void add_xz(struct elfmake *m, const void *bytes, size_t n)
{
	size_t cap = lzma_stream_buffer_bound(n), used = 0;
	u8 *packed = malloc(cap);

	/* Preset 0 has the smallest dictionary: thousands of times it is allocated to unpack this.
	 */
	CHECK(lzma_easy_buffer_encode(0, LZMA_CHECK_CRC32, NULL, bytes, n, packed, &used, cap) ==
	      LZMA_OK);
	elfmake_section(m, ".gnu_debugdata", SHT_PROGBITS, 0, packed, used);
	free(packed);
}

TEST(mini_debug_info_names_what_the_tables_do_not)
{
	struct elfmake mini = elfmake_new(), m = elfmake_new();

	elfmake_symbol(&mini, "hidden", 0x1200, 0x10, STT_FUNC, STB_LOCAL);
	elfmake_finish(&mini);
	m.symtab_type = SHT_DYNSYM;
	elfmake_symbol(&m, "shown", 0x1100, 0x10, STT_FUNC, STB_GLOBAL);
	add_xz(&m, mini.image.p, mini.image.n);
	elfmake_finish(&m);
	CHECK_STR(ask_image(&m.image, 0x1108), "shown");
	CHECK_STR(ask_image(&m.image, 0x1208), "hidden");
	str_release(&mini.image);
	str_release(&m.image);
}

TEST(an_xz_bomb_is_not_unpacked)
{
	struct elfmake m = elfmake_new();
	size_t n = 200 << 20;
	void *zeros = calloc(1, n);
	u64 start;

	add_xz(&m, zeros, n);
	free(zeros);
	elfmake_symbol(&m, "f", 0x1100, 0x10, STT_FUNC, STB_GLOBAL);
	elfmake_finish(&m);
	start = now_ns();
	CHECK(!ask_image(&m.image, 0x1200));
	CHECK(now_ns() - start < 5 * NS_PER_SEC);
	str_release(&m.image);
}

TEST(broken_xz_is_survived)
{
	struct elfmake m = elfmake_new();

	elfmake_section(&m, ".gnu_debugdata", SHT_PROGBITS, 0,
			"\xfd"
			"7zXZ\0garbage",
			13);
	elfmake_finish(&m);
	CHECK(!ask_image(&m.image, 0x1200));
	str_release(&m.image);
}

static void add_zlib(struct elfmake *m, const char *name, u64 claimed, const void *bytes, size_t n)
{
	uLongf used = compressBound(n);
	struct str s = { 0 };
	Elf64_Chdr head = { .ch_type = ELFCOMPRESS_ZLIB, .ch_size = claimed };
	u8 *packed = malloc(used);

	CHECK(compress(packed, &used, bytes, n) == Z_OK);
	str_add(&s, (const char *)&head, sizeof(head));
	str_add(&s, (const char *)packed, used);
	elfmake_section(m, name, SHT_PROGBITS, SHF_COMPRESSED, s.p, s.n);
	free(packed);
	str_release(&s);
}

static int load_zlib(u64 claimed, size_t n, size_t max, struct str *out)
{
	struct elfmake m = elfmake_new();
	struct elf e;
	char *bytes = malloc(n);
	int ret;

	memset(bytes, 'x', n);
	add_zlib(&m, ".packed", claimed, bytes, n);
	free(bytes);
	elfmake_finish(&m);
	CHECK(!elf_init(&e, &(struct elf_src){ .fd = -1, .mem = m.image.p, .size = m.image.n }));
	ret = elf_section_load(&e, elf_section_named(&e, ".packed"), max, out);
	elf_release(&e);
	str_release(&m.image);
	return ret;
}

TEST(compressed_sections_are_inflated_within_bounds)
{
	struct str out = { 0 };

	CHECK(!load_zlib(5000, 5000, 1 << 20, &out) && out.n == 5000 && out.p[4999] == 'x');
	CHECK(load_zlib(5000, 5000, 4999, &out) == -E2BIG);
	CHECK(load_zlib(1 << 30, 5000, 2U << 30, &out) == -E2BIG); /* claims too much */
	CHECK(load_zlib(6000, 5000, 1 << 20, &out) == -EINVAL);	   /* holds less */
	CHECK_U64(out.n, 5000);
	str_release(&out);
}

/* ---- hostile ---- */

static struct elfmake whole(void)
{
	struct elfmake mini = elfmake_new(), m = elfmake_new();

	elfmake_symbol(&mini, "hidden", 0x1200, 0x10, STT_FUNC, STB_LOCAL);
	elfmake_finish(&mini);
	elfmake_symbol(&m, "f", 0x1100, 0x10, STT_FUNC, STB_GLOBAL);
	elfmake_symbol(&m, "_Z1gv", 0x1110, 8, STT_FUNC, STB_GLOBAL);
	elfmake_section(&m, ".gnu_debuglink", SHT_PROGBITS, 0, "x.debug\0\1\2\3\4", 12);
	add_xz(&m, mini.image.p, mini.image.n);
	add_zlib(&m, ".debug_x", 100, mini.image.p, 100);
	m.has_build_id = true;
	elfmake_finish(&m);
	str_release(&mini.image);
	return m;
}

TEST(a_file_cut_at_any_length_is_survived)
{
	struct elfmake m = whole();
	size_t n = m.image.n;

	CHECK_STR(ask_image(&m.image, 0x1208), "hidden");
	for (m.image.n = 0; m.image.n < n;
	     m.image.n += m.image.n < 0x900 || m.image.n > 0x1700 ? 1 : 97)
		ask_image(&m.image, 0x1208);
	str_release(&m.image);
}

TEST(any_byte_of_the_headers_may_be_wrong)
{
	static const u8 values[] = { 0, 1, 0x7f, 0x80, 0xff };
	struct elfmake m = whole();
	Elf64_Ehdr h;

	memcpy(&h, m.image.p, sizeof(h));
	for (size_t i = 0; i < m.image.n; i++) {
		u8 old = (u8)m.image.p[i];

		if (i >= 200 && i < 0x1800)
			i = 0x1800;
		for (size_t k = 0; k < ARRAY_SIZE(values); k++) {
			m.image.p[i] = (char)values[k];
			ask_image(&m.image, 0x1208);
		}
		m.image.p[i] = (char)old;
	}
	str_release(&m.image);
}

TEST(huge_counts_and_offsets_are_refused_at_once)
{
	struct elfmake m = whole();
	Elf64_Ehdr h;
	Elf64_Shdr *sections;
	u64 start = now_ns();

	memcpy(&h, m.image.p, sizeof(h));
	sections = (Elf64_Shdr *)(void *)(m.image.p + h.e_shoff);
	for (int i = 1; i < h.e_shnum; i++) {
		Elf64_Shdr old = sections[i];

		sections[i].sh_size = UINT64_MAX;
		ask_image(&m.image, 0x1208);
		sections[i] = old;
		sections[i].sh_offset = UINT64_MAX - 8;
		ask_image(&m.image, 0x1208);
		sections[i] = old;
		sections[i].sh_link = UINT32_MAX;
		ask_image(&m.image, 0x1208);
		sections[i] = old;
		sections[i].sh_addr = UINT64_MAX;
		ask_image(&m.image, 0x1208);
		sections[i] = old;
	}
	h.e_shnum = 0; /* then it is in section 0 */
	sections[0].sh_size = UINT64_MAX;
	memcpy(m.image.p, &h, sizeof(h));
	ask_image(&m.image, 0x1208);
	h.e_phnum = 0xffff;
	h.e_phentsize = 1;
	memcpy(m.image.p, &h, sizeof(h));
	ask_image(&m.image, 0x1208);
	CHECK(now_ns() - start < 2 * NS_PER_SEC);
	str_release(&m.image);
}

TEST(names_without_an_end_are_cut)
{
	struct elfmake m = elfmake_new();
	char *name = malloc(20001);

	memset(name, 'n', 20000);
	name[20000] = '\0';
	elfmake_symbol(&m, name, 0x1100, 0x10, STT_FUNC, STB_GLOBAL);
	elfmake_finish(&m);
	CHECK_U64(strlen(ask_image(&m.image, 0x1108)), SYM_NAME_MAX);
	free(name);
	str_release(&m.image);
}

TEST(a_file_that_is_not_elf_says_so)
{
	static const char *const texts[] = { "", "\177EL", "#!/bin/sh\n", "\177ELF",
					     "\177ELF\2\2" };

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct str s = { 0 };

		str_adds(&s, texts[i]);
		CHECK(!ask_image(&s, 0x1108));
		CHECK(answer.ret == -EINVAL);
		str_release(&s);
	}
}
