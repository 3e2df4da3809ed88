// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Noreturn void out_of_memory(size_t bytes)
{
	fprintf(stderr, "bperf: out of memory (asked for %zu bytes)\n", bytes);
	exit(1);
}

void *mem_alloc(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size ? size : 1);

	if (!p)
		out_of_memory(n * size);
	return p;
}

void *mem_realloc(void *p, size_t n, size_t size)
{
	p = reallocarray(p, n ? n : 1, size ? size : 1);
	if (!p)
		out_of_memory(n * size);
	return p;
}

char *mem_strndup(const char *s, size_t n)
{
	char *p = mem_alloc(n + 1, 1);

	memcpy(p, s, n);
	return p;
}

char *mem_strdup(const char *s)
{
	return mem_strndup(s, strlen(s));
}

char *mem_printf(const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		out_of_memory(0);
	va_end(ap);
	return text;
}

void *mem_grow(void *items, size_t need, size_t *cap, size_t size)
{
	size_t n = *cap ? *cap : 8;

	while (n < need)
		n = n > SIZE_MAX / 2 ? SIZE_MAX : n * 2;
	*cap = n;
	return mem_realloc(items, n, size);
}
