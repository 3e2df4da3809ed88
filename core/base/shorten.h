/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shorten text in messages: names from users and files can have any length. */
#ifndef BASE_SHORTEN_H
#define BASE_SHORTEN_H

#include "base/types.h"

/* Replace the middle of a text longer than `max` bytes (at least 8) by "...": the end of a message
 * says why something failed.  UTF-8 characters stay whole.  Returns the new length. */
size_t shorten(char *text, size_t max);

/* Copy at most `max` bytes (at least 16) around [at, at + width), with "..." for omitted text.  *at
 * becomes the position in `out`, which needs room for max + 1 bytes. */
void shorten_around(const char *text, u32 *at, u32 width, char *out, size_t max);

#endif
