// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/shorten.h"

#include <stdio.h>
#include <string.h>

#define DOTS   "..."
#define N_DOTS (sizeof(DOTS) - 1)

static bool is_inside_char(char c)
{
	return ((u8)c & 0xc0) == 0x80;
}

/* The start of the UTF-8 character that contains byte `at`. */
static size_t char_before(const char *text, size_t at)
{
	while (at && is_inside_char(text[at]))
		at--;
	return at;
}

static size_t char_after(const char *text, size_t at)
{
	while (is_inside_char(text[at]))
		at++;
	return at;
}

size_t shorten(char *text, size_t max)
{
	size_t n = strlen(text), head, tail;

	if (n <= max)
		return n;
	head = char_before(text, (max - N_DOTS) / 2);
	tail = char_after(text, n - (max - N_DOTS) / 2);
	memcpy(text + head, DOTS, N_DOTS);
	memmove(text + head + N_DOTS, text + tail, n - tail + 1);
	return head + N_DOTS + n - tail;
}

void shorten_around(const char *text, u32 *at, u32 width, char *out, size_t max)
{
	size_t n = strlen(text), room = max - 2 * N_DOTS, start = 0, end = n;

	if (n > max) {
		size_t shown = width < room / 2 ? width : room / 2;
		size_t before = (room - shown) / 2;

		start = *at > before ? *at - before : 0;
		if (start + room > n)
			start = n - room;
		start = char_before(text, start);
		end = char_before(text, start + room);
	}
	snprintf(out, max + 1, "%s%.*s%s", start ? DOTS : "", (int)(end - start), text + start,
		 end < n ? DOTS : "");
	*at = *at > start ? (u32)(*at - start) : 0;
	*at += start ? N_DOTS : 0;
}
