/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Types from a program's own .BTF section. */
#ifndef SITE_USERTYPES_H
#define SITE_USERTYPES_H

#include "site/plan.h"

/* The file's BTF, kept until kernel_close, and the function's id in it (0: not found).  NULL if it
 * has none that can be read. */
const struct btf *user_btf(struct kernel *k, const struct site_file *file, const char *symbol,
			   u32 *id);

#endif
