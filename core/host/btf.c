// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "host/btf.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/btf.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "host/rawbtf.h"

#define KERNELS_OWN "/sys/kernel/btf/vmlinux"

static struct btf *types;

/* The BTF of the running kernel: a mapping of the file in which the kernel shows it. */
static struct {
	void *p;
	size_t n;
} own;
static struct rawbtf raw;

/* ---- memory ---- */

/*
 * libbpf copies the types and builds tables of them: 6 MB that are written once.  With 4 KB pages
 * the kernel takes 1,500 page faults and 2.9 ms (6.18, x86-64), with huge pages 0.4 ms.  malloc has
 * no option to use huge pages, but it allocates the next large block at a known address: the end of
 * its heap.
 */
#define HUGE_BYTES	 (2UL << 20)
#define BELOW_BYTES	 (1UL << 20)
#define HEAP_BLOCK_BYTES (32 << 20)  /* the largest value that M_MMAP_THRESHOLD accepts */
#define TRIM_BYTES	 (128 << 10) /* glibc's M_TRIM_THRESHOLD */

static struct {
	void *p;
	size_t n;
} huge;

/* Put huge pages at the end of the heap, and return a filler block so that the next block starts at
 * the first of them.  Free the filler when the types are loaded: later allocations that outlive the
 * types then fit into its memory.  If they were above the types, malloc could not return the types'
 * memory, and would use it for growing vectors and copies of them. */
static void *make_room(size_t n_bytes)
{
	size_t room = (n_bytes + n_bytes / 8 + HUGE_BYTES - 1) & -HUGE_BYTES;
	uintptr_t end, first;

	mallopt(M_MMAP_THRESHOLD, HEAP_BLOCK_BYTES);
	mallopt(M_TRIM_THRESHOLD, HEAP_BLOCK_BYTES);
	huge.p = malloc(BELOW_BYTES + HUGE_BYTES + room);
	if (!huge.p)
		return NULL;
	end = (uintptr_t)huge.p;
	free(huge.p);
	first = (end + BELOW_BYTES + HUGE_BYTES - 1) & -HUGE_BYTES;
	huge.p = (void *)first;
	huge.n = room;
	madvise(huge.p, huge.n, MADV_HUGEPAGE);
	return malloc(first - end);
}

static void use_room(void *before)
{
	free(before);
	mallopt(M_MMAP_THRESHOLD, TYPES_OWN_MAPPING_BYTES);
	mallopt(M_TRIM_THRESHOLD, TRIM_BYTES);
}

/* Later allocations are small and should not use 2 MB pages. */
static void give_room_back(void)
{
	if (!huge.n)
		return;
	malloc_trim(0);
	madvise(huge.p, huge.n, MADV_NOHUGEPAGE);
	huge.n = 0;
}

/* ---- sources ---- */

/* Kernels since 6.15 can map their BTF, which saves a thousand reads and a copy. */
static void *map_or_read(int fd, size_t n)
{
	void *p = mmap(NULL, n, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
	size_t at = 0;
	ssize_t got = 1;

	if (p != MAP_FAILED)
		return p;
	p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return NULL;
	madvise(p, n, MADV_HUGEPAGE);
	while (at < n && got > 0) {
		got = read(fd, (u8 *)p + at, n - at);
		at += got > 0 ? (size_t)got : 0;
	}
	if (at == n)
		return p;
	munmap(p, n);
	return NULL;
}

/* False: this kernel has no BTF, or it cannot be read; errno says why. */
static bool have_own(void)
{
	_cleanup_(close_p) int fd = -1;
	struct stat st;

	if (own.p)
		return true;
	fd = open(KERNELS_OWN, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 || fstat(fd, &st))
		return false;
	if (st.st_size <= 0 || st.st_size > UINT32_MAX) {
		errno = EINVAL;
		return false;
	}
	own.n = (size_t)st.st_size;
	own.p = map_or_read(fd, own.n);
	return own.p;
}

static void drop_own(void)
{
	if (own.p)
		munmap(own.p, own.n);
	own.p = NULL;
}

static struct btf *copy_own(void)
{
	struct btf *btf;
	void *before;

	if (!have_own())
		return NULL;
	before = make_room(own.n);
	btf = btf__new(own.p, (u32)own.n);
	use_room(before);
	if (!rawbtf_count(&raw))
		drop_own();
	return btf;
}

static int not_btf(const char *path, struct err *err)
{
	err_set(err, ERR_KERNEL, "'%s' is not a BTF file", path);
	return err_hint(err, "raw BTF as in " KERNELS_OWN ", or an ELF file with a .BTF section");
}

/* Checks the magic only (raw BTF, or an ELF file that may contain a .BTF section); libbpf checks
 * the rest. */
int kernel_types_check(const char *path, struct err *err)
{
	_cleanup_(close_p) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	u8 magic[4] = { 0 };
	u16 btf;

	if (fd < 0 || read(fd, magic, sizeof(magic)) < 0)
		return err_set(err, ERR_KERNEL, "cannot read BTF from '%s': %s", path,
			       strerror(errno));
	memcpy(&btf, magic, sizeof(btf));
	if (btf == BTF_MAGIC || !memcmp(magic, ELFMAG, SELFMAG))
		return 0;
	return not_btf(path, err);
}

/* The file to read instead of the kernel's own; NULL: none. */
static const char *given(const char *path)
{
	return path ? path : getenv("BPERF_BTF");
}

const struct btf *kernel_types(const char *path, struct err *err)
{
	const char *from = given(path);

	if (types)
		return types;
	/* A file of the user is not mapped: it could change while it is in use. */
	if (from && kernel_types_check(from, err))
		return NULL;
	types = from ? btf__parse(from, NULL) : copy_own();
	if (types)
		return types;
	if (from || errno >= __LIBBPF_ERRNO__START) /* broken, or without .BTF */
		not_btf(from ? from : KERNELS_OWN, err);
	else if (errno == ENOENT)
		err_set(err, ERR_KERNEL, "this kernel has no BTF (CONFIG_DEBUG_INFO_BTF)");
	else
		err_errno(err, errno, "cannot read BTF from %s", KERNELS_OWN);
	return NULL;
}

const struct rawbtf *kernel_types_raw(const char *path)
{
	struct err ignored = { 0 };
	const struct btf *full;
	const void *data;
	u32 n;

	if (rawbtf_count(&raw))
		return &raw;
	if (!types && !given(path))
		return have_own() && rawbtf_index(&raw, own.p, own.n) ? &raw : NULL;
	full = kernel_types(path, &ignored);
	data = full ? btf__raw_data(full, &n) : NULL;
	return data && rawbtf_index(&raw, data, n) ? &raw : NULL;
}

void kernel_types_release_index(void)
{
	rawbtf_release(&raw);
	drop_own();
}

void kernel_types_release(void)
{
	kernel_types_release_index();
	btf__free(types);
	types = NULL;
	give_room_back();
}
