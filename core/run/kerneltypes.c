// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "run/kerneltypes.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/btf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"

#define KERNELS_OWN "/sys/kernel/btf/vmlinux"

static struct btf *types;

/* Since 6.15 the kernel's can be mapped, which saves a thousand reads and a copy.  NULL: it can't,
 * or is no plain BTF. */
static struct btf *map_types(const char *path)
{
	_cleanup_(close_p) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct btf *btf = NULL;
	struct stat st;
	void *map;

	if (fd < 0 || fstat(fd, &st) || st.st_size <= 0 || st.st_size > UINT32_MAX)
		return NULL;
	map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED)
		return NULL;
	btf = btf__new(map, (u32)st.st_size);
	munmap(map, (size_t)st.st_size);
	return btf;
}

static int not_btf(const char *path, struct err *err)
{
	err_set(err, ERR_KERNEL, "'%s' is not a BTF file", path);
	return err_hint(err, "raw BTF as in " KERNELS_OWN ", or an ELF file with a .BTF section");
}

/* Raw BTF, or an ELF file that holds some; libbpf finds out the rest. */
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

const struct btf *kernel_types(const char *path, struct err *err)
{
	const char *from = path ? path : getenv("BPERF_BTF");
	bool is_given = from != NULL;

	if (types)
		return types;
	if (!is_given)
		from = KERNELS_OWN;
	/* A file that somebody writes to would change under us. */
	if (!is_given)
		types = map_types(from);
	if (!types && is_given && kernel_types_check(from, err))
		return NULL;
	if (!types)
		types = btf__parse(from, NULL);
	if (types)
		return types;
	if (errno == ENOENT && !is_given)
		err_set(err, ERR_KERNEL, "this kernel has no BTF (CONFIG_DEBUG_INFO_BTF)");
	else if (errno >= __LIBBPF_ERRNO__START || is_given) /* it is broken, or has no .BTF */
		not_btf(from, err);
	else
		err_errno(err, errno, "cannot read BTF from %s", from);
	return NULL;
}

void kernel_types_release(void)
{
	btf__free(types);
	types = NULL;
}
