// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sym/vdso.h"

#include <link.h>
#include <sys/auxv.h>

/* Its length is known from its header: the section table is at its end. */
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
