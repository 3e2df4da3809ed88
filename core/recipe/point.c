// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Errors of the command that a recipe became, as errors about what a person wrote. */
#include "base/cleanup.h"
#include "base/file.h"
#include "base/str.h"
#include "recipe/recipe_int.h"

/* A module that the kernel was built with has no folder if it has no parameters, but its functions
 * are there. */
static const char *missing_module(const struct recipe_words *w)
{
	for (size_t i = 0; i < w->modules.n; i++) {
		_cleanup_(free_p) char *path = mem_printf("/sys/module/%s", w->modules.items[i]);

		if (file_is_missing(path))
			return w->modules.items[i];
	}
	return NULL;
}

void recipe_say_absent(const struct recipe_words *w, struct err *err)
{
	const char *module = err->code == ERR_NOTARGET ? missing_module(w) : NULL;
	_cleanup_(str_release) struct str absent = { 0 };
	const struct recipe_site *site;

	if (module) {
		err_clear(err);
		err_set(err, ERR_NOTARGET, "the kernel has not loaded the module %s", module);
		err_hint(err, "modprobe %s", module);
		return;
	}
	if (err->code != ERR_NOTARGET && err->code != ERR_KERNEL)
		return;
	vec_for_each(site, &w->sites)
		if (!site->is_there)
			str_addf(&absent, "%s%s", absent.n ? ", " : "", site->name);
	if (absent.n)
		err_hint(err, "the recipe looked for others before: %s", str_text(&absent));
}

struct pointing {
	const struct recipe *r;
	const struct recipe_words *w;
	const char *const *typed;
	struct err *err;
};

static const char *typed_for(const struct pointing *p, const struct recipe_piece *piece)
{
	return piece->option ? p->typed[piece->option - p->r->options.items] : NULL;
}

/* The last piece of the word that begins at or before `at`; else its first one.  Between the pieces
 * are commas and quotes that the recipe does not have. */
static const struct recipe_piece *piece_at(const struct recipe_words *w, u32 word, u32 at)
{
	const struct recipe_piece *piece, *found = NULL;

	vec_for_each(piece, &w->pieces)
		if (piece->word == word && (!found || piece->at <= at))
			found = piece;
	return found;
}

/* The part of the recipe from which the byte `at` was made. */
static struct text_range origin(const struct recipe_piece *piece, u32 at)
{
	u32 in = at > piece->at ? at - piece->at : 0;

	if (piece->option)
		return piece->from;
	if (in >= piece->n)
		return (struct text_range){ span_end(piece->from), 0 };
	return (struct text_range){ piece->from.at + in, 1 };
}

static bool is_one_line(const struct recipe *r, struct text_range at)
{
	return !memchr(r->text.p + at.at, '\n', at.n);
}

/* The first value in [at, end) that the person gave. */
static const struct recipe_piece *given_in(const struct pointing *p, u32 word, u32 at, u32 end)
{
	const struct recipe_piece *piece;

	vec_for_each(piece, &p->w->pieces)
		if (piece->word == word && piece->at < end && at < piece->at + piece->n &&
		    typed_for(p, piece))
			return piece;
	return NULL;
}

/* Set *err again, with its code and hint. */
static void replace(struct pointing *p, struct err *moved)
{
	moved->code = p->err->code;
	memcpy(moved->hint, p->err->hint, sizeof(moved->hint));
	*p->err = *moved;
}

/* "--max-args 65", with the caret under the value, or a part of it that was copied unchanged. */
static void point_option(struct pointing *p, const struct recipe_piece *piece, u32 at, u32 end)
{
	const char *typed = typed_for(p, piece), *made = p->w->words.items[piece->word] + piece->at;
	_cleanup_(str_release) struct str line = { 0 };
	u32 n = (u32)strlen(typed), start, from = 0, to = n;
	struct err moved = { 0 };
	char title[RECIPE_TITLE];

	recipe_title(piece->option, title);
	if (!piece->option->is_positional)
		str_addf(&line, "%s ", title);
	start = (u32)line.n;
	str_adds(&line, typed);
	if (n == piece->n && !memcmp(typed, made, n)) {
		from = at > piece->at ? at - piece->at : 0;
		to = end < piece->at + n ? end - piece->at : n;
	}
	err_set(&moved, p->err->code, "%s: %s", title, p->err->what);
	err_caret(&moved, str_text(&line), start + from, to - from);
	replace(p, &moved);
}

static bool is_given_before(const struct pointing *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p->w->pieces.items[i].option == p->w->pieces.items[n].option)
			return true;
	return false;
}

/* The person sees only what was typed: name the values that are part of this word. */
static void say_given(const struct pointing *p, u32 word)
{
	char title[RECIPE_TITLE];

	for (size_t i = 0; i < p->w->pieces.n; i++) {
		const struct recipe_piece *piece = &p->w->pieces.items[i];

		if (piece->word != word || !typed_for(p, piece) || is_given_before(p, i))
			continue;
		recipe_title(piece->option, title);
		err_hint(p->err, "with %s %s", title, typed_for(p, piece));
	}
}

static void point_line(struct pointing *p, u32 word, u32 at, u32 end)
{
	const struct recipe_piece *piece = piece_at(p->w, word, at);
	struct text_range first = origin(piece, at), last = first, all;
	struct err moved = { 0 };

	if (end > at + 1)
		last = origin(piece_at(p->w, word, end - 1), end - 1);
	all = span_end(last) > first.at ? span_to(first, last) : first;
	recipe_error(p->r, is_one_line(p->r, all) ? all : first, &moved, "%s", p->err->what);
	replace(p, &moved);
	say_given(p, word);
}

/* "--size 0" became "-Z 0", and the error is about -Z. */
static void name_option(struct pointing *p)
{
	const struct recipe_piece *piece;
	char title[RECIPE_TITLE];

	vec_for_each(piece, &p->w->pieces) {
		const char *before = piece->word ? p->w->words.items[piece->word - 1] : "";
		size_t n = strlen(before);
		struct err moved = { 0 };

		if (piece->at || before[0] != '-' || !typed_for(p, piece) ||
		    strncmp(p->err->what, before, n) != 0 || p->err->what[n] != ':')
			continue;
		recipe_title(piece->option, title);
		err_set(&moved, p->err->code, "%s%s", title, p->err->what + n);
		replace(p, &moved);
		return;
	}
}

void recipe_point(const struct recipe *r, const struct recipe_words *w, const char *const *typed,
		  struct err *err)
{
	struct pointing p = { .r = r, .w = w, .typed = typed, .err = err };

	if (!err->text[0])
		name_option(&p);
	for (u32 i = 0; err->text[0] && i < w->words.n; i++) {
		const char *in = strstr(w->words.items[i], err->text);
		const struct recipe_piece *given;
		u32 at, end;

		if (!in || !piece_at(w, i, 0))
			continue;
		at = (u32)(in - w->words.items[i]) + err->caret;
		end = at + err->width;
		given = given_in(&p, i, at, end);
		if (given)
			point_option(&p, given, at, end);
		else
			point_line(&p, i, at, end);
		return;
	}
}
