// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* "did you mean": the smallest edit distance, with two neighbours swapped as one edit. */
#include <string.h>

#include "opt/opt.h"

#define MAX_WORD 64

static u32 min3(u32 a, u32 b, u32 c)
{
	u32 m = a < b ? a : b;

	return m < c ? m : c;
}

/* Three rows of the usual table: two before, one before, this one. */
static u32 distance(const char *a, size_t n_a, const char *b, size_t n_b)
{
	u32 rows[3][MAX_WORD + 1];
	u32 *old = rows[0], *prev = rows[1], *cur = rows[2];

	for (u32 j = 0; j <= n_b; j++)
		prev[j] = j;
	for (u32 i = 1; i <= n_a; i++) {
		u32 *spare = old;

		cur[0] = i;
		for (u32 j = 1; j <= n_b; j++) {
			u32 cost = a[i - 1] != b[j - 1];

			cur[j] = min3(prev[j] + 1, cur[j - 1] + 1, prev[j - 1] + cost);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				cur[j] = min3(cur[j], old[j - 2] + 1, cur[j]);
		}
		old = prev;
		prev = cur;
		cur = spare;
	}
	return prev[n_b];
}

const char *opt_nearest(const char *word, const char *const *names, size_t n)
{
	size_t n_word = strlen(word);
	const char *best = NULL;
	u32 best_distance = 0;

	if (!n_word || n_word > MAX_WORD)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		size_t n_name = names[i] ? strlen(names[i]) : 0;
		/* One slip in three letters; a word cut short is the likeliest of all. */
		u32 limit = (u32)(n_name < n_word ? n_word : n_name) / 3;
		u32 d;

		if (!n_name || n_name > MAX_WORD)
			continue;
		if (n_word > 1 && !strncmp(names[i], word, n_word))
			d = n_name != n_word;
		else
			d = distance(word, n_word, names[i], n_name);
		if (d <= (limit ? limit : 1) && d < n_name && (!best || d < best_distance)) {
			best = names[i];
			best_distance = d;
		}
	}
	return best;
}
