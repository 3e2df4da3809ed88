/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef OUT_GZIP_H
#define OUT_GZIP_H

#include "base/str.h"

/* Add `in` as a gzip member without name or time: equal input gives equal bytes. */
void gzip_add(struct str *out, struct view in);

#endif
