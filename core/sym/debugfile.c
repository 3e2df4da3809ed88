// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sym/debugfile.h"

#include <errno.h>
#include <fcntl.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#include "base/cleanup.h"
#include "sym/elfsyms.h"
#include "sym/regular_file.h"

/* Fedora's largest ones have less than 10 MB when unpacked.  Unpacking needs 65 MB for xz -9, and 9
 * MB for xz -6. */
#define MAX_PACKED     (8 << 20)
#define MAX_UNPACKED   (24 << 20)
#define MAX_XZ_MEMORY  (16 << 20)
/* The most bytes that are read of a debug file to compute its checksum.  Only small files and those
 * from before 2010 have no build id.  256 MB take 0.1 s. */
#define MAX_CHECKED    (256ULL << 20)
#define UNPACK_STEP    (256 << 10)
#define CHECK_STEP     (64 << 10)
#define DEBUG_NAME_MAX 256

/* ---- .gnu_debugdata ---- */

static int unpack(lzma_stream *xz, struct meter *meter, struct str *out)
{
	lzma_ret ret = LZMA_OK;

	while (ret == LZMA_OK && out->n < MAX_UNPACKED && meter_step(meter, UNPACK_STEP)) {
		xz->next_out = (u8 *)str_reserve(out, UNPACK_STEP);
		xz->avail_out = UNPACK_STEP;
		ret = lzma_code(xz, LZMA_FINISH);
		out->n += UNPACK_STEP - xz->avail_out;
	}
	if (ret == LZMA_STREAM_END)
		return 0;
	return ret == LZMA_OK || ret == LZMA_MEMLIMIT_ERROR ? -E2BIG : -EINVAL;
}

static int unpack_xz(const struct str *packed, struct meter *meter, struct str *out)
{
	lzma_stream xz = LZMA_STREAM_INIT;
	int ret;

	if (lzma_stream_decoder(&xz, MAX_XZ_MEMORY, 0) != LZMA_OK)
		return -ENOMEM;
	xz.next_in = (const u8 *)str_text(packed);
	xz.avail_in = packed->n;
	ret = unpack(&xz, meter, out);
	lzma_end(&xz);
	return ret;
}

void debugdata_name(const struct elf *e, struct wants *w)
{
	const struct elf_section *sec = elf_section_named(e, ".gnu_debugdata");
	_cleanup_(str_release) struct str packed = { 0 }, image = { 0 };
	_cleanup_(elf_release) struct elf mini = { 0 };
	struct elf_src src;
	int ret;

	if (!sec)
		return;
	ret = elf_section_load(e, sec, MAX_PACKED, &packed);
	if (!ret)
		ret = unpack_xz(&packed, e->src.meter, &image);
	if (ret == -E2BIG)
		meter_refuse(e->src.meter);
	if (ret)
		return;
	src = (struct elf_src){
		.fd = -1, .mem = str_text(&image), .size = image.n, .meter = e->src.meter
	};
	if (!elf_init(&mini, &src))
		elfsyms_name(&mini, w, false); /* only names that .dynsym lacks */
}

/* ---- separate files ---- */

/* The criteria that a debug file must meet. */
struct wanted_file {
	const struct elf *e;
	u32 crc;
	bool has_crc;
};

static bool crc_matches(const struct elf_src *src, u32 want)
{
	_cleanup_(free_p) u8 *chunk = mem_alloc(1, CHECK_STEP);
	uLong crc = crc32(0, NULL, 0);
	size_t n;

	if (src->size > MAX_CHECKED) {
		meter_refuse(src->meter);
		return false;
	}
	for (u64 off = 0; off < src->size; off += n) {
		n = elf_src_read_some(src, off, chunk, CHECK_STEP);
		if (!n)
			return false;
		crc = crc32(crc, chunk, (uInt)n);
	}
	return crc == want;
}

static bool is_wanted(const struct wanted_file *want, const struct elf *debug)
{
	const struct elf *e = want->e;

	if (e->n_build_id && debug->n_build_id)
		return e->n_build_id == debug->n_build_id &&
		       !memcmp(e->build_id, debug->build_id, e->n_build_id);
	return want->has_crc && crc_matches(&debug->src, want->crc);
}

/* Read names from the file at `path` if it meets the criteria.  Returns false if it does not. */
static bool try_file(int root_fd, const char *path, u32 flags, const struct wanted_file *want,
		     struct wants *w)
{
	_cleanup_(close_p) int fd = -1;
	_cleanup_(elf_release) struct elf debug = { 0 };
	struct elf_src src;
	struct stat st;

	fd = regular_open(root_fd >= 0 ? root_fd : AT_FDCWD, path,
			  flags | (root_fd >= 0 ? REGULAR_IN_ROOT : 0), &st);
	if (fd < 0)
		return false;
	src = (struct elf_src){ .fd = fd, .size = (u64)st.st_size, .meter = want->e->src.meter };
	if (elf_init(&debug, &src) || !is_wanted(want, &debug))
		return false;
	elfsyms_name(&debug, w, true);
	return true;
}

/* Try the path in the file's own root first, then in ours. */
static bool try_roots(const struct objfile *o, const char *path, u32 flags,
		      const struct wanted_file *want, struct wants *w)
{
	return (o->root_fd >= 0 && try_file(o->root_fd, path, flags, want, w)) ||
	       try_file(-1, path, flags, want, w);
}

static bool by_build_id(const struct objfile *o, const struct wanted_file *want, struct wants *w)
{
	if (want->e->n_build_id < 2)
		return false;
	for (const char *const *dir = o->debug_dirs; *dir; dir++) {
		_cleanup_(free_p) char *path = mem_printf("%s/.build-id/%.2s/%s.debug", *dir,
							  o->build_id, o->build_id + 2);

		if (try_roots(o, path, 0, want, w))
			return true;
	}
	return false;
}

/* "name.debug", padding to 4, checksum.  A name with a slash is refused: it would let the file
 * choose which paths root opens. */
static bool debuglink_read(const struct elf *e, char *name, u32 *crc)
{
	const struct elf_section *sec = elf_section_named(e, ".gnu_debuglink");
	_cleanup_(str_release) struct str text = { 0 };
	size_t n;

	if (!sec || elf_section_load(e, sec, DEBUG_NAME_MAX + 8, &text))
		return false;
	n = strnlen(str_text(&text), text.n);
	if (!n || n >= DEBUG_NAME_MAX || memchr(text.p, '/', n) || ((n + 4) & ~3UL) + 4 > text.n)
		return false;
	memcpy(name, text.p, n + 1);
	memcpy(crc, text.p + ((n + 4) & ~3UL), sizeof(*crc));
	return strcmp(name, ".") && strcmp(name, "..");
}

static void by_debuglink(const struct objfile *o, struct wanted_file *want, struct wants *w)
{
	const char *slash = o->path ? strrchr(o->path, '/') : NULL;
	int n_dir = slash ? (int)(slash - o->path) : 0;
	char name[DEBUG_NAME_MAX];

	if (!slash || !debuglink_read(want->e, name, &want->crc))
		return;
	want->has_crc = true;
	for (int i = 0; i < 2 && !o->skip_beside; i++) {
		_cleanup_(free_p) char *path =
			mem_printf("%.*s/%s%s", n_dir, o->path, i ? ".debug/" : "", name);

		/* Skip a program that names itself as its debug file.  The folder belongs to the
		 * file's owner: a link there may lead to a server that never answers. */
		if (strcmp(path, o->path) && try_roots(o, path, REGULAR_NO_LINKS, want, w))
			return;
	}
	for (const char *const *dir = o->debug_dirs; *dir; dir++) {
		_cleanup_(free_p) char *path = mem_printf("%s%.*s/%s", *dir, n_dir, o->path, name);

		if (try_roots(o, path, 0, want, w))
			return;
	}
}

void debugfile_name(const struct objfile *o, const struct elf *e, struct wants *w)
{
	struct wanted_file want = { .e = e };

	if (!by_build_id(o, &want, w))
		by_debuglink(o, &want, w);
}
