/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A growing byte buffer, always NUL-terminated.  Zero-initialize; str_release frees.  The program
 * exits with a message when out of memory: every buffer is bounded by its user, so when a small
 * allocation fails, nothing sensible can be done.
 */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdarg.h>

#include "base/types.h"
#include "base/view.h"

struct str {
	char *p;    /* NULL until something was added; read it with str_text() */
	size_t n;   /* bytes, without the NUL */
	size_t cap; /* bytes allocated */
};

void str_add(struct str *s, const char *text, size_t n);
void str_adds(struct str *s, const char *text);
void str_addc(struct str *s, char c);
/* The same as %llu, %lld, %llx, and %02x for each byte.  They cost a tenth of printf, which matters
 * where something is printed for each event. */
void str_add_dec(struct str *s, u64 v);
void str_add_signed(struct str *s, s64 v);
void str_add_hex(struct str *s, u64 v);
void str_add_hex_bytes(struct str *s, struct view bytes);
void str_addf(struct str *s, const char *fmt, ...) PRINTF(2, 3);
void str_vaddf(struct str *s, const char *fmt, va_list ap) PRINTF(2, 0);
void str_grow(struct str *s, size_t n); /* for str_reserve() */
void str_clear(struct str *s);
/* Remove the first `n` bytes. */
void str_drop(struct str *s, size_t n);
void str_release(struct str *s);

/* Reserve room for n more bytes; returns the address to write to.  The caller adds the bytes
 * written to s->n. */
static inline char *str_reserve(struct str *s, size_t n)
{
	if (s->cap - s->n <= n)
		str_grow(s, n);
	return s->p + s->n;
}

static inline const char *str_text(const struct str *s)
{
	return s->p ? s->p : "";
}

static inline struct view str_view(const struct str *s)
{
	return (struct view){ .p = str_text(s), .n = s->n };
}

#endif
