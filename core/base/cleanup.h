/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Scope cleanup: `_cleanup_(free_p) char *s = NULL;`.  Do not mix it with goto in one function.
 */
#ifndef BASE_CLEANUP_H
#define BASE_CLEANUP_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define _cleanup_(fn) __attribute__((cleanup(fn)))

static inline void free_p(void *p)
{
	free(*(void **)p);
}

static inline void close_p(const int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void fclose_p(FILE **f)
{
	if (*f)
		fclose(*f);
}

#endif
