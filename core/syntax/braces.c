// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "syntax/braces.h"

#define MAX_DEPTH 16
#define MAX_BYTES (4 << 20) /* most that is copied in total: limits nested sets of long names */

/* Quoted text contains no sets.  Returns the index of the closing quote; `i` if no quote begins
 * there. */
static size_t skip_quoted(struct view v, size_t i)
{
	const char *close = v.p[i] == '"' ? memchr(v.p + i + 1, '"', v.n - i - 1) : NULL;

	return close ? (size_t)(close - v.p) : i;
}

/* The index of the first brace, or v.n. */
static size_t brace_open(struct view v)
{
	size_t i = 0;

	while (i < v.n && v.p[i] != '{')
		i = skip_quoted(v, i) + 1;
	return i < v.n ? i : v.n;
}

/* The index of the brace that closes the one at `open`, or v.n. */
static size_t brace_close(struct view v, size_t open)
{
	u32 depth = 0;

	for (size_t i = open; i < v.n; i++) {
		i = skip_quoted(v, i);
		depth += v.p[i] == '{';
		if (v.p[i] == '}' && !--depth)
			return i;
	}
	return v.n;
}

/* The index at which the member that begins at `from` ends: a comma of this set, or `close`. */
static size_t member_end(struct view v, size_t from, size_t close)
{
	u32 depth = 0;

	for (size_t i = from; i < close; i++) {
		i = skip_quoted(v, i);
		depth += v.p[i] == '{';
		depth -= v.p[i] == '}';
		if (v.p[i] == ',' && !depth)
			return i;
	}
	return close;
}

static bool open_from(struct arena *a, struct view text, u32 depth, struct braces *out)
{
	size_t open = brace_open(text), close, end;

	if (open == text.n) {
		if (out->names.n == BRACES_MAX)
			return false;
		vec_push(&out->names, arena_view(a, text));
		return true;
	}
	close = brace_close(text, open);
	if (close == text.n || depth == MAX_DEPTH)
		return false;
	for (size_t from = open + 1;; from = end + 1) {
		const char *one;

		end = member_end(text, from, close);
		out->bytes += text.n;
		if (out->bytes > MAX_BYTES)
			return false;
		one = arena_printf(a, "%.*s%.*s%.*s", (int)open, text.p, (int)(end - from),
				   text.p + from, (int)(text.n - close - 1), text.p + close + 1);
		if (!open_from(a, view_of(one), depth + 1, out))
			return false;
		if (end == close)
			return true;
	}
}

bool braces_open(struct arena *a, struct view text, struct braces *out)
{
	return open_from(a, text, 0, out);
}

void braces_release(struct braces *b)
{
	vec_release(&b->names);
}
