// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Debug files beside the stripped ones: by build id, by link, and the traps on the way. */
#include "elfask.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

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
