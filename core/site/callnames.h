/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The names that headers define for values of system call parameters: flags, operations,
 * options. */
#ifndef SITE_CALLNAMES_H
#define SITE_CALLNAMES_H

#include "type/type.h"

/* NULL: the values of this parameter have no names.  `call` is the kernel's or libc's name. */
const struct type_names *call_value_names(const char *call, const char *param);

#endif
