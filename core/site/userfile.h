/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A program or library while its symbols and notes are read.  Only core/site. */
#ifndef SITE_USERFILE_H
#define SITE_USERFILE_H

#include "site/find_int.h"
#include "sym/elf.h"

struct user_file {
	struct site_file *site;
	struct elf elf;
	struct meter meter; /* what reading it may cost; elf has it */
	bool has_symtab;
};

/* `lib` as the user wrote it; an error has a caret under it. */
int user_file_open(struct finder *f, const char *lib, struct user_file *out);
/* Has all that was asked of it been read?  Else the error that says why not. */
int user_file_check(struct user_file *f, struct err *err);
void user_file_release(struct user_file *f);

/* An address of the file to an offset in it, where that is code.  false: it isn't. */
bool user_file_offset(const struct user_file *f, u64 vaddr, u64 *off);

/* The same for data: semaphores. */
bool user_file_data_offset(const struct user_file *f, u64 vaddr, u64 *off);

#endif
