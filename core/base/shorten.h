/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Messages repeat words of the user and of files, which may be of any length. */
#ifndef BASE_SHORTEN_H
#define BASE_SHORTEN_H

#include "base/types.h"

/* Leave out of the middle what is more than `max` bytes (8 at least), with "..." for it: a message
 * says at its end why something failed.  UTF-8 characters stay whole.  The new length. */
size_t shorten(char *text, size_t max);

/* At most `max` bytes (16 at least) around [at, at + width), "..." where something is left out.
 * *at becomes the place in `out`, which has room for max + 1. */
void shorten_around(const char *text, u32 *at, u32 width, char *out, size_t max);

#endif
