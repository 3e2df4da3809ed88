// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* "did you mean": smallest edit distance; swapping two adjacent letters is one edit. */
#include "base/suggest.h"

#include <string.h>

#define MAX_WORD 64

static u32 min3(u32 a, u32 b, u32 c)
{
	u32 m = a < b ? a : b;

	return m < c ? m : c;
}

/* The Damerau-Levenshtein distance in three rows of its table: this row and the two before it. */
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

void nearest_offer(struct nearest *n, const char *name)
{
	size_t n_word = strlen(n->word), n_name = name ? strlen(name) : 0;
	/* Allow one typo in three letters. */
	u32 limit = (u32)(n_name < n_word ? n_word : n_name) / 3;
	bool is_longer;
	u32 d;

	if (!n_word || n_word > MAX_WORD || !n_name || n_name > MAX_WORD)
		return;
	/* The distance is at least the difference in length: skip most names here. */
	if (n_name > n_word + limit + 1 && strncmp(name, n->word, n_word) != 0)
		return;
	is_longer = n_word > 1 && !strncmp(name, n->word, n_word);
	if (is_longer)
		d = n_name != n_word;
	else
		d = distance(n->word, n_word, name, n_name);
	if (d > (limit ? limit : 1) || d >= n_name)
		return;
	/* Among completions of a truncated word, prefer the shortest. */
	if (!n->best || d < n->distance ||
	    (d == n->distance && is_longer && n_name < strlen(n->best))) {
		n->best = name;
		n->distance = d;
	}
}

const char *nearest_of(const char *word, const char *const *names, size_t n)
{
	struct nearest near = { .word = word };

	for (size_t i = 0; i < n; i++)
		nearest_offer(&near, names[i]);
	return near.best;
}
