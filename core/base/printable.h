/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Bytes that a terminal shows, and does not interpret. */
#ifndef BASE_PRINTABLE_H
#define BASE_PRINTABLE_H

#include "base/types.h"

/* The length of the UTF-8 character at `text`; 0 for an invalid byte, a control character or the
 * end. */
size_t printable_bytes(const char *text);

#endif
