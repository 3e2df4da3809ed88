// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* ELF files, well-formed and not: headers, symbol tables, debug data. */
#include "sym/objfile.h"

#include <errno.h>
#include <fcntl.h>
#include <lzma.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/clock.h"
#include "test.h"
#include "tests/fixtures/sym/elfmake.h"

static const char *const no_dirs[] = { NULL };

struct answer {
	char name[SYM_NAME_MAX + 1];
	u64 vaddr, start;
	int ret;
};

static struct answer answer;

/* The name of the byte at an address of .text; NULL for none. */
static const char *ask_of(struct objfile *o, u64 vaddr)
{
	struct wants w = { 0 };
	const char *name = NULL;

	wants_add(&w, 0, vaddr - ELFMAKE_SHIFT);
	wants_sort(&w);
	answer = (struct answer){ .ret = objfile_name(o, &w) };
	if (w.list.items[0].is_named)
		name = strcpy(answer.name, str_text(&w.list.items[0].found));
	answer.vaddr = w.list.items[0].at;
	answer.start = w.list.items[0].start;
	wants_release(&w);
	return name;
}

static const char *ask_image(const struct str *image, u64 vaddr)
{
	struct objfile o = { .root_fd = -1, .debug_dirs = no_dirs };

	/* A copy of the exact size: the sanitizer sees a read behind it. */
	void *copy = malloc(image->n ? image->n : 1);
	const char *name;

	memcpy(copy, str_text(image), image->n);
	o.src = (struct elf_src){ .fd = -1, .mem = copy, .size = image->n };
	name = ask_of(&o, vaddr);
	free(copy);
	return name;
}

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
	CHECK(!ask_image(&m.image, 0x1130)); /* behind a sized one: nobody's */
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

	CHECK(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC32, NULL, bytes, n, packed, &used, cap) ==
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

/* ---- separate debug files ---- */

static char dir[64];

static void dir_make(void)
{
	strcpy(dir, "/tmp/bperf-elf-XXXXXX");
	CHECK(mkdtemp(dir));
}

static void dir_remove(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", dir);
	CHECK(!system(command)); /* NOLINT: a test's own directory */
}

static char *file_at(const char *name)
{
	return mem_printf("%s/%s", dir, name);
}

static void file_put(const char *name, const struct str *image)
{
	char *path = file_at(name);
	FILE *f;

	for (char *p = path + strlen(dir) + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		mkdir(path, 0755);
		*p = '/';
	}
	f = fopen(path, "w");
	CHECK(f && fwrite(str_text(image), 1, image->n, f) == image->n && !fclose(f));
	free(path);
}

/* Name through the file, as the symbolizer does. */
static const char *ask_file(const char *name, u64 vaddr)
{
	char *path = file_at(name), *debug = file_at("debug");
	const char *const dirs[] = { debug, NULL };
	struct objfile o = { .root_fd = -1, .debug_dirs = dirs, .path = path };
	struct stat st;
	const char *found;

	o.src.fd = open(path, O_RDONLY);
	CHECK(o.src.fd >= 0 && !fstat(o.src.fd, &st));
	o.src.size = (u64)st.st_size;
	found = ask_of(&o, vaddr);
	close(o.src.fd);
	free(path);
	free(debug);
	return found;
}

static struct elfmake stripped(const char *link, u32 crc, u8 id)
{
	struct elfmake m = elfmake_new();
	char bytes[300] = { 0 };
	size_t n = link ? (strlen(link) + 4) & ~3UL : 0;

	if (link) {
		snprintf(bytes, sizeof(bytes) - 4, "%s", link);
		memcpy(bytes + n, &crc, 4);
		elfmake_section(&m, ".gnu_debuglink", SHT_PROGBITS, 0, bytes, n + 4);
	}
	m.has_build_id = id;
	memset(m.build_id, id, sizeof(m.build_id));
	elfmake_finish(&m);
	return m;
}

static struct elfmake debug_of(u8 id)
{
	struct elfmake m = elfmake_new();

	elfmake_symbol(&m, "debug_name", 0x1100, 0x100, STT_FUNC, STB_GLOBAL);
	m.has_build_id = id;
	memset(m.build_id, id, sizeof(m.build_id));
	elfmake_finish(&m);
	return m;
}

TEST(a_debug_file_is_found_by_build_id_and_must_have_it)
{
	struct elfmake a = stripped(NULL, 0, 0x11), right = debug_of(0x11), wrong = debug_of(0x22);
	const char *at = "debug/.build-id/11/11111111111111111111111111111111111111.debug";

	dir_make();
	file_put("prog", &a.image);
	CHECK(!ask_file("prog", 0x1180));
	file_put(at, &wrong.image);
	CHECK(!ask_file("prog", 0x1180));
	file_put(at, &right.image);
	CHECK_STR(ask_file("prog", 0x1180), "debug_name");
	dir_remove();
	str_release(&a.image);
	str_release(&right.image);
	str_release(&wrong.image);
}

static u32 crc_of(const struct str *image)
{
	return (u32)crc32(0, (const Bytef *)image->p, (uInt)image->n);
}

TEST(a_debuglink_is_followed_when_its_checksum_fits)
{
	static const char *const places[] = { "prog.debug", ".debug/prog.debug" };
	struct elfmake d = debug_of(0), a = stripped("prog.debug", crc_of(&d.image), 0);
	struct elfmake wrong = stripped("prog.debug", crc_of(&d.image) + 1, 0);

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		dir_make();
		file_put("prog", &a.image);
		file_put(places[i], &d.image);
		CHECK_STR(ask_file("prog", 0x1180), "debug_name");
		file_put("prog", &wrong.image);
		CHECK(!ask_file("prog", 0x1180));
		dir_remove();
	}
	str_release(&d.image);
	str_release(&a.image);
	str_release(&wrong.image);
}

TEST(a_debuglink_is_looked_for_below_the_debug_directory)
{
	struct elfmake d = debug_of(0), a = stripped("prog.debug", crc_of(&d.image), 0);
	char *below;

	dir_make();
	below = mem_printf("debug%s/prog.debug", dir);
	file_put("prog", &a.image);
	file_put(below, &d.image);
	CHECK_STR(ask_file("prog", 0x1180), "debug_name");
	dir_remove();
	free(below);
	str_release(&d.image);
	str_release(&a.image);
}

TEST(a_debuglink_to_itself_or_elsewhere_is_not_followed)
{
	static const char *const links[] = {
		"prog", "..", ".", "../prog.debug", "/etc/passwd", ""
	};

	for (size_t i = 0; i < ARRAY_SIZE(links); i++) {
		struct elfmake a = stripped(links[i], 1, 0);

		dir_make();
		file_put("prog", &a.image);
		CHECK(!ask_file("prog", 0x1180));
		dir_remove();
		str_release(&a.image);
	}
}

TEST(debug_files_that_link_in_a_circle_end)
{
	struct elfmake a = stripped("b", 0, 0x33), b = stripped("a", 0, 0x33);

	dir_make();
	file_put("a", &a.image);
	file_put("b", &b.image);
	CHECK(!ask_file("a", 0x1180));
	dir_remove();
	str_release(&a.image);
	str_release(&b.image);
}

TEST(a_fifo_as_debug_file_does_not_hang)
{
	struct elfmake a = stripped("prog.debug", 0, 0);
	char *fifo;

	dir_make();
	fifo = file_at("prog.debug");
	file_put("prog", &a.image);
	CHECK(!mkfifo(fifo, 0600));
	CHECK(!ask_file("prog", 0x1180));
	free(fifo);
	dir_remove();
	str_release(&a.image);
}

/* ---- PLT ---- */

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

TEST(an_arm64_plt_entry_has_it_too)
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

/* 24 bytes each, and no field that says so: what jumps at 48 belongs to what began at 32. */
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
TEST(an_arm64_plt_that_is_cut_names_nothing)
{
	static const u32 plt[] = { FIRST_ENTRY, BTI, ADRP };
	static const struct arm64_entry entries[] = { { 32, NULL, 0 }, { 36, NULL, 0 } };

	check_arm64(plt, sizeof(plt), entries, ARRAY_SIZE(entries));
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

TEST(what_is_no_elf_file_says_so)
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

TEST_MAIN()
