/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The name of the byte at an address in an ELF file, for tests that make such files. */
#ifndef ELFASK_H
#define ELFASK_H

#include "sym/objfile.h"

#include <stdlib.h>

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
static inline const char *ask_of(struct objfile *o, u64 vaddr)
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

static inline const char *ask_image(const struct str *image, u64 vaddr)
{
	struct objfile o = { .root_fd = -1, .debug_dirs = no_dirs };

	/* A copy of the exact size: the sanitizer sees a read after it. */
	void *copy = malloc(image->n ? image->n : 1);
	const char *name;

	memcpy(copy, str_text(image), image->n);
	o.src = (struct elf_src){ .fd = -1, .mem = copy, .size = image->n };
	name = ask_of(&o, vaddr);
	free(copy);
	return name;
}

#endif
