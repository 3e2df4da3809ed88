/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One copy of each string, found by hash; equal text is the same pointer for as long as the
 * table lives.  Zero-initialize; intern_release frees all strings.
 */
#ifndef BASE_INTERN_H
#define BASE_INTERN_H

#include "base/types.h"

struct intern {
	struct intern_block *blocks; /* where the bytes are */
	const char **slots;	     /* open addressing, NULL: free */
	size_t n, cap;
	size_t bytes; /* of all strings, with their NULs */
};

const char *intern(struct intern *t, const char *s);
const char *intern_n(struct intern *t, const char *s, size_t n); /* up to a NUL, n at most */
void intern_release(struct intern *t);

#endif
