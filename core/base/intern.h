/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * String interning: one copy of each string, so equal strings have equal pointers for as long as
 * the table lives.  Zero-initialize; intern_release frees all strings.
 */
#ifndef BASE_INTERN_H
#define BASE_INTERN_H

#include "base/types.h"

struct intern {
	struct intern_block *blocks; /* storage of the strings */
	const char **slots;	     /* open addressing, NULL: free */
	size_t n, cap;
	size_t bytes; /* total length of all strings, including NULs */
};

const char *intern(struct intern *t, const char *s);
const char *intern_n(struct intern *t, const char *s, size_t n); /* up to a NUL, at most n bytes */
void intern_release(struct intern *t);

#endif
