// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void str_grow(struct str *s, size_t n)
{
	size_t cap = s->cap ? s->cap : 64;

	if (n > SIZE_MAX / 2)
		n = SIZE_MAX / 2; /* mem_realloc will report it and exit */
	while (cap - s->n <= n)
		cap = cap > SIZE_MAX / 2 ? SIZE_MAX : cap * 2;
	s->p = mem_realloc(s->p, cap, 1);
	s->cap = cap;
}

void str_add(struct str *s, const char *text, size_t n)
{
	memcpy(str_reserve(s, n), text, n);
	s->n += n;
	s->p[s->n] = '\0';
}

void str_adds(struct str *s, const char *text)
{
	str_add(s, text, strlen(text));
}

void str_addc(struct str *s, char c)
{
	str_reserve(s, 1)[0] = c;
	s->p[++s->n] = '\0';
}

void str_add_dec(struct str *s, u64 v)
{
	char text[20], *end = text + sizeof(text), *at = end;

	do
		*--at = (char)('0' + v % 10);
	while (v /= 10);
	str_add(s, at, (size_t)(end - at));
}

void str_add_signed(struct str *s, s64 v)
{
	if (v < 0)
		str_addc(s, '-');
	str_add_dec(s, v < 0 ? -(u64)v : (u64)v);
}

static char hex_digit(u64 v)
{
	return "0123456789abcdef"[v & 15];
}

void str_add_hex(struct str *s, u64 v)
{
	char text[16], *end = text + sizeof(text), *at = end;

	do
		*--at = hex_digit(v);
	while (v >>= 4);
	str_add(s, at, (size_t)(end - at));
}

void str_add_hex_bytes(struct str *s, struct view bytes)
{
	for (size_t i = 0; i < bytes.n; i++) {
		u8 byte = (u8)bytes.p[i];

		str_addc(s, hex_digit(byte >> 4));
		str_addc(s, hex_digit(byte));
	}
}

void str_vaddf(struct str *s, const char *fmt, va_list ap)
{
	va_list again;
	int n;

	va_copy(again, ap);
	n = vsnprintf(str_reserve(s, 128), 129, fmt, ap);
	if (n > 128)
		n = vsnprintf(str_reserve(s, (size_t)n), (size_t)n + 1, fmt, again);
	va_end(again);
	if (n > 0)
		s->n += (size_t)n;
	s->p[s->n] = '\0';
}

void str_addf(struct str *s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	str_vaddf(s, fmt, ap);
	va_end(ap);
}

void str_clear(struct str *s)
{
	s->n = 0;
	if (s->p)
		s->p[0] = '\0';
}

void str_drop(struct str *s, size_t n)
{
	if (!n)
		return;
	s->n -= n;
	memmove(s->p, s->p + n, s->n + 1);
}

void str_release(struct str *s)
{
	free(s->p);
	*s = (struct str){ 0 };
}
