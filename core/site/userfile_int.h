/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A program or library while its symbols and notes are read.  Private to core/site. */
#ifndef SITE_USERFILE_INT_H
#define SITE_USERFILE_INT_H

#include "site/find_int.h"
#include "sym/elf.h"

struct user_file {
	struct site_file *site;
	struct elf elf;
	struct meter meter; /* limits the cost of reading; used by elf */
	bool has_symtab;
};

/* Open `lib`, as the user wrote it; an error has a caret under it. */
int user_file_open(struct finder *f, const char *lib, struct user_file *out);
/* Was everything read that was needed?  If not, sets an error with the reason. */
int user_file_check(struct user_file *f, struct err *err);
void user_file_release(struct user_file *f);

/* Translate an address of code to a file offset.  Returns false if it is not in code. */
bool user_file_offset(const struct user_file *f, u64 vaddr, u64 *off);

/* The same for data, for semaphores. */
bool user_file_data_offset(const struct user_file *f, u64 vaddr, u64 *off);

#endif
