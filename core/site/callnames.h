/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Facts that the types of system call parameters do not tell: the names that headers define for
 * their values (flags, operations, options), and how many bytes they point to. */
#ifndef SITE_CALLNAMES_H
#define SITE_CALLNAMES_H

#include "type/type.h"

/* NULL: the values of this parameter have no names.  `call` is the kernel's or libc's name; or that
 * of a tracepoint or kernel function with such parameters. */
const struct type_names *call_value_names(const char *call, const char *param);

/* The number of bytes that a pointer parameter points to, as an expression over parameters and
 * `retval`; "": nothing yet.  NULL: the parameter's type says it. */
const char *call_data_bytes(const char *call, const char *param, bool is_return, bool *is_text);

#endif
