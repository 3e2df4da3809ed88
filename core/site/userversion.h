/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Versions of a library's functions: memcpy@GLIBC_2.2.5, memcpy@@GLIBC_2.14.  Only core/site. */
#ifndef SITE_USERVERSION_H
#define SITE_USERVERSION_H

#include "site/find_int.h"
#include "sym/elfsyms.h"

/* Is the symbol of the version that was asked for, if one was?  If not, its own is added to
 * `others`. */
bool user_version_fits(const struct site_name *name, const struct elf_symbol *s,
		       struct str *others);

/* "memcpy@GLIBC_2.2.5" of a version that was asked for, else `shown` as it is. */
const char *user_version_name(struct finder *f, const char *shown);

/* The error where no symbol has that version. */
int user_version_none(struct finder *f, const char *path, const struct str *others);

#endif
