// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Recipes: any file is read, or refused with a position in it; a recipe that was read becomes a
 * command, or is refused with a position, with any options.
 *
 * seeds: tests/fixtures/recipe/seed-*
 */
#include "recipe/recipe.h"
#include "fuzz.h"

static bool has_site(void *ctx, const char *site)
{
	(void)ctx;
	return strlen(site) & 1;
}

static void build(const struct recipe *r, bool give)
{
	static const struct recipe_host host = { .has_site = has_site };
	char **values = mem_alloc(r->options.n + 1, sizeof(*values));
	struct recipe_words words = { 0 };
	struct err err = { 0 };
	int ret = 0;

	for (size_t i = 0; give && i < r->options.n; i++) {
		struct err ignored = { 0 };

		recipe_value(&r->options.items[i], "7", &values[i], &ignored);
	}
	ret = recipe_build(r, values, &host, &words, &err);
	must(!ret == !err.code);
	must(ret || words.words.n > 1);
	for (size_t i = 0; !ret && i < words.pieces.n; i++) {
		const struct recipe_piece *p = &words.pieces.items[i];

		must(p->word < words.words.n);
		must(p->at + p->n <= strlen(words.words.items[p->word]));
		must(span_end(p->from) <= strlen(r->text.p));
		must(p->option || p->n == p->from.n);
		must(p->option ||
		     !memcmp(words.words.items[p->word] + p->at, r->text.p + p->from.at, p->n));
	}
	recipe_words_release(&words);
	for (size_t i = 0; i < r->options.n; i++)
		free(values[i]);
	free(values);
}

int fuzz_input(const u8 *data, size_t size)
{
	char *text = mem_strndup((const char *)data, size);
	struct err err = { 0 };
	struct recipe r;
	int ret = recipe_read("fuzzed", "fuzzed.bperf", text, &r, &err);

	must(!ret == !err.code);
	must(!ret || (err.what[0] && err.caret <= strlen(err.text)));
	if (!ret) {
		build(&r, false);
		build(&r, true);
	}
	recipe_release(&r);
	free(text);
	return 0;
}
