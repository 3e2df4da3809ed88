// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "site/usertypes.h"

#include <errno.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "host/btf_check.h"
#include "host/kernel_facts.h"
#include "sym/elf.h"

/* The kernel's own BTF has 6 MB, with 150,000 types. */
#define MAX_BTF_BYTES (16 << 20)

static struct btf *read_btf(const struct site_file *file)
{
	_cleanup_(str_release) struct str bytes = { 0 };
	_cleanup_(elf_release) struct elf e = { 0 };
	const struct elf_section *sec;
	struct elf_src src = { .fd = file->fd };
	struct stat st;
	int ret;

	if (fstat(file->fd, &st))
		return NULL;
	src.size = (u64)st.st_size;
	sec = elf_init(&e, &src) ? NULL : elf_section_named(&e, ".BTF");
	ret = sec ? elf_section_load(&e, sec, MAX_BTF_BYTES, &bytes) : -ENOENT;
	if (ret == -E2BIG)
		log_warn("btf-large", "%s: its .BTF section has %llu bytes, and is not read",
			 file->path, sec->size);
	if (ret)
		return NULL;
	return btf_is_sound(str_view(&bytes)) ? btf__new(bytes.p, (u32)bytes.n) : NULL;
}

const struct btf *user_btf(struct kernel *k, const struct site_file *file, const char *symbol,
			   u32 *id)
{
	const struct user_types *old;
	struct user_types t = { .dev = file->dev, .ino = file->ino };

	*id = 0;
	vec_for_each(old, &k->user_types)
		if (old->dev == file->dev && old->ino == file->ino)
			t = *old;
	if (!t.is_known) {
		t.is_known = true;
		t.btf = read_btf(file);
		vec_push(&k->user_types, t);
	}
	if (t.btf && symbol)
		*id = kernel_btf_find(k, t.btf, symbol, BTF_KIND_FUNC);
	return t.btf;
}
