// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* From a recipe and the user's options to the words of trace, argdist or funccount. */
#include <ctype.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/shell.h"
#include "base/str.h"
#include "recipe/recipe_int.h"
#include "recipe/tool.h"

static bool is_number(const char *word)
{
	return isdigit((unsigned char)word[0]);
}

/* Can the word be this option's argument?  If the argument is optional and can be any text, a
 * number is not it, but the interval. */
static bool suits(const struct tool *t, const struct recipe_option *o, const char *word)
{
	bool is_text = o->type == RECIPE_TEXT || o->type == RECIPE_PART ||
		       o->type == RECIPE_BELOW || o->type == RECIPE_WORD ||
		       o->type == RECIPE_CHOICE || o->type == RECIPE_DISK || o->type == RECIPE_TTY;

	return !o->is_optional || !is_text || t->recipe.run == RECIPE_TRACE || !is_number(word);
}

/* Positional words: the recipe's arguments, then the interval and the count. */
static int take_words(struct tool *t, const struct opt_rest *rest, size_t *n_taken, struct err *err)
{
	size_t n = 0, most = t->recipe.run == RECIPE_TRACE ? 0 : 2;

	for (size_t i = 0; i < t->recipe.options.n; i++) {
		const struct recipe_option *o = &t->recipe.options.items[i];

		if (!o->is_positional)
			continue;
		if (n < rest->n_args && suits(t, o, rest->args[n]))
			vec_push(&t->slots[t->slot_of[i]].texts, rest->args[n++]);
		else if (!o->is_optional)
			return err_set(err, ERR_USAGE, "%s: %s is missing: %s", t->recipe.name,
				       o->arg, o->help);
	}
	*n_taken = n;
	if (rest->n_args - n <= most)
		return 0;
	err_set(err, ERR_USAGE, "%s: '%s' is one word too many", t->recipe.name,
		rest->args[n + most]);
	return err_hint(err, "bperf %s %s", t->file->command, tool_usage(t));
}

/* The text given for an option of the recipe; NULL: none. */
static const char *typed_for(const struct tool *t, size_t option)
{
	const struct tool_slot *slot = &t->slots[t->slot_of[option]];

	return slot->texts.n ? slot->texts.items[slot->texts.n - 1] : NULL;
}

/* "O_WRONLY|O_RDWR" of -f O_WRONLY -f O_RDWR */
static char *all_flags(const struct tool_slot *slot)
{
	struct str all = { 0 };

	for (size_t i = 0; i < slot->texts.n; i++)
		str_addf(&all, "%s%s", i ? "|" : "", slot->texts.items[i]);
	return all.p;
}

static int take_values(struct tool *t, char ***values, struct err *err)
{
	char **v = mem_alloc(t->recipe.options.n + 1, sizeof(*v));
	int ret = 0;

	*values = v;
	for (size_t i = 0; i < t->recipe.options.n && !ret; i++) {
		const char *typed = typed_for(t, i);

		const struct recipe_option *o = &t->recipe.options.items[i];
		_cleanup_(free_p) char *flags = typed && o->type == RECIPE_FLAGS
							? all_flags(&t->slots[t->slot_of[i]])
							: NULL;

		if (typed)
			ret = recipe_value(o, flags ?: typed, &v[i], err);
	}
	return ret;
}

static void add_word(struct recipe_words *w, const char *word)
{
	vec_push(&w->words, mem_strdup(word));
}

/* Options of the command itself are passed to it as they were given. */
static void pass_options(const struct tool *t, struct recipe_words *w)
{
	for (size_t i = t->passed; i < t->opts.n; i++) {
		const struct opt *o = &t->opts.items[i];
		const struct tool_slot *slot = &t->slots[i];

		for (size_t n = 0; n < slot->texts.n && i != t->show; n++) {
			vec_push(&w->words, mem_printf("--%s", o->name));
			if (o->arg)
				add_word(w, slot->texts.items[n]);
		}
	}
}

/* The last argument that was given to the option; NULL: it was not given. */
static const char *last_given(const struct tool *t, const char *name)
{
	for (size_t i = 0; i < t->opts.n; i++) {
		const struct tool_slot *slot = &t->slots[i];

		if (t->opts.items[i].name && !strcmp(t->opts.items[i].name, name))
			return slot->texts.n ? slot->texts.items[slot->texts.n - 1] : NULL;
	}
	return NULL;
}

/* The interval, if none was given: that of the recipe, or the whole run.  argdist itself reports
 * each second if it has a duration, as bcc's does, but their tools report once. */
static const char *own_interval(const struct tool *t)
{
	const char *duration = last_given(t, "duration");

	if (t->recipe.interval || !duration || t->recipe.run != RECIPE_ARGDIST ||
	    last_given(t, "live"))
		return t->recipe.interval;
	return duration;
}

static void pass_words(const struct tool *t, const struct opt_rest *rest, size_t n_taken,
		       struct recipe_words *w)
{
	const char *interval = own_interval(t);

	for (size_t i = n_taken; i < rest->n_args; i++)
		add_word(w, rest->args[i]);
	if (interval && n_taken == rest->n_args && !last_given(t, "interval") &&
	    !strcmp(w->words.items[0], t->run))
		add_word(w, interval);
	if (!rest->program)
		return;
	add_word(w, "--");
	for (char **word = rest->program; *word; word++)
		add_word(w, *word);
}

int tool_words(struct tool *t, const struct opt_rest *rest, const struct recipe_host *host,
	       struct recipe_words *out, struct err *err)
{
	char **values = NULL;
	size_t n_taken = 0;
	int ret = take_words(t, rest, &n_taken, err) ?: take_values(t, &values, err) ?:
		  recipe_build(&t->recipe, values, host, out, err);

	for (size_t i = 0; values && i < t->recipe.options.n; i++)
		free(values[i]);
	free(values);
	if (ret)
		return ret;
	pass_options(t, out);
	pass_words(t, rest, n_taken, out);
	return 0;
}

void tool_point(const struct tool *t, const struct recipe_words *w, struct err *err)
{
	const char *typed[RECIPE_OPTIONS_MAX];

	for (size_t i = 0; i < t->recipe.options.n; i++)
		typed[i] = typed_for(t, i);
	recipe_point(&t->recipe, w, typed, err);
}

/* ---- --show -------------------------------------------------------------------------------- */

bool tool_is_shown(const struct tool *t)
{
	return t->slots[t->show].texts.n;
}

/* The first required argument that is missing, or NULL. */
static const struct recipe_option *missing_argument(const struct tool *t,
						    const struct opt_rest *rest)
{
	size_t n = rest->n_args;
	const struct recipe_option *o;

	vec_for_each(o, &t->recipe.options)
		if (o->is_positional && !o->is_optional && !n--)
			return o;
	return NULL;
}

bool tool_show_alone(const struct tool *t, const struct opt_rest *rest, FILE *f)
{
	const struct recipe_option *o = missing_argument(t, rest);

	if (!o)
		return false;
	fprintf(f, "%s\n# with %s (%s) --show also prints the command that it becomes\n",
		t->file->text, o->arg, o->help);
	return true;
}

void tool_show(const struct tool *t, const struct recipe_words *w, FILE *f)
{
	struct str line = { 0 };

	for (size_t i = 0; i < w->words.n; i++) {
		str_addc(&line, ' ');
		shell_add_word(&line, w->words.items[i]);
	}
	fprintf(f, "%s\n# bperf%s\n", t->file->text, str_text(&line));
	str_release(&line);
}
