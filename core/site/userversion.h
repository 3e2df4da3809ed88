/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Versions of a library's functions: memcpy@GLIBC_2.2.5, memcpy@@GLIBC_2.14.  Private to
 * core/site. */
#ifndef SITE_USERVERSION_H
#define SITE_USERVERSION_H

#include "site/find_int.h"
#include "sym/elfsyms.h"

/* Does the symbol have the requested version, if one was requested?  If not, its version is added
 * to `others`. */
bool user_version_fits(const struct site_name *name, const struct elf_symbol *s,
		       struct str *others);

/* "memcpy@GLIBC_2.2.5" if a version was requested, else `shown` unchanged. */
const char *user_version_name(struct finder *f, const char *shown);

/* The error for a version that no symbol has. */
int user_version_none(struct finder *f, const char *path, const struct str *others);

#endif
