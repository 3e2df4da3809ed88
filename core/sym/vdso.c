// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sym/vdso.h"

#include <link.h>
#include <sys/auxv.h>

/* The section table is at the end of the vdso, so the header tells its length. */
bool vdso_src(struct elf_src *src)
{
	const ElfW(Ehdr) *head = (const void *)getauxval(AT_SYSINFO_EHDR); /* NOLINT */

	if (!head)
		return false;
	*src = (struct elf_src){ .fd = -1,
				 .mem = head,
				 .size = head->e_shoff + (u64)head->e_shnum * head->e_shentsize };
	return true;
}
