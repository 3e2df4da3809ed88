// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The table of a recipe's options: its own, those of the command to which it assigns letters, and
 * those that all commands share. */
#include "recipe/tool.h"

#include <string.h>

#include "base/cleanup.h"
#include "recipe/recipe_int.h"

static int parse_field(void *field, const char *text, struct err *err)
{
	struct tool_slot *slot = field;

	(void)err;
	vec_push(&slot->texts, text ? text : "");
	return 0;
}

static size_t add_row(struct tool *t, struct opt row)
{
	row.offset = t->opts.n * sizeof(struct tool_slot);
	if (row.kind != OPT_KIND_HEADING && row.kind != OPT_KIND_LETTER) {
		row.kind = OPT_KIND_CALL;
		row.parse = parse_field;
		row.conflicts = NULL;
	}
	vec_push(&t->opts, row);
	return t->opts.n - 1;
}

static bool has_letter(const struct tool *t, char letter)
{
	const struct opt *o;

	if (letter == 'h' || letter == 'V')
		return true;
	vec_for_each(o, &t->opts)
		if (letter && o->letter == letter)
			return true;
	return false;
}

static bool has_name(const struct tool *t, const char *name)
{
	const struct opt *o;

	vec_for_each(o, &t->opts)
		if ((o->name && !strcmp(o->name, name)) ||
		    (o->second_name && !strcmp(o->second_name, name)))
			return true;
	return false;
}

/* The row of this name in a table or in the tables that it includes. */
static const struct opt *find_row(const struct opt *table, const char *name)
{
	const struct opt *found = NULL;

	for (const struct opt *o = table; o->kind != OPT_KIND_END && !found; o++)
		if (o->kind == OPT_KIND_INCLUDE)
			found = find_row(o->include, name);
		else if (o->kind != OPT_KIND_LETTER && o->name && !strcmp(o->name, name))
			found = o;
	return found;
}

static const char *const completions[] = { "pid", "tid", "uid", "comm", "cpu", NULL };

static enum opt_complete complete_of(const struct recipe_option *o)
{
	static const enum opt_complete kinds[] = { COMPLETE_PID, COMPLETE_TID, COMPLETE_USER,
						   COMPLETE_COMM, COMPLETE_CPU };

	if (o->type == RECIPE_CHOICE)
		return COMPLETE_CHOICE;
	for (size_t i = 0; o->arg && completions[i]; i++)
		if (!strcmp(o->name, completions[i]))
			return kinds[i];
	return COMPLETE_NONE;
}

/* "sort the rows by this column: hits, misses (hits)" */
static const char *help_of(struct tool *t, const struct recipe_option *o)
{
	_cleanup_(str_release) struct str help = { 0 };
	bool names_all = true;

	str_adds(&help, o->help);
	for (size_t i = 0; o->choices && o->choices[i]; i++)
		names_all &= !!strstr(o->help, o->choices[i]);
	for (size_t i = 0; !names_all && o->choices[i]; i++)
		str_addf(&help, "%s%s", i ? ", " : ": ", o->choices[i]);
	if (o->standard)
		str_addf(&help, " (%s)", o->standard);
	return arena_view(&t->texts, str_view(&help));
}

static void add_own(struct tool *t)
{
	const struct recipe_option *o;

	vec_for_each(o, &t->recipe.options) {
		struct opt row = {
			.letter = o->letter,
			.name = o->name,
			.second_name = o->second_name,
			.arg = o->arg,
			.choices = o->choices,
			.is_repeatable = o->type == RECIPE_FLAGS,
			.complete = complete_of(o),
			.help = help_of(t, o),
		};

		if (!o->is_positional)
			t->slot_of[o - t->recipe.options.items] = add_row(t, row);
	}
	t->passed = t->opts.n;
}

static void make_slots(struct tool *t)
{
	size_t n = t->opts.n;

	for (size_t i = 0; i < t->recipe.options.n; i++)
		if (t->recipe.options.items[i].is_positional)
			t->slot_of[i] = n++;
	t->slots = mem_alloc(n, sizeof(*t->slots));
	t->n_slots = n;
}

/* The command would refuse the option too, but its error would not name the line. */
static int check_with(const struct tool *t, struct err *err)
{
	const struct text *text = &t->recipe.text;
	const struct recipe_line *line;

	vec_for_each(line, &t->recipe.lines) {
		struct text_range rest = line->rest, word = recipe_word(text, &rest);
		_cleanup_(free_p) char *name = NULL;

		if (line->word != BODY_WITH || !view_starts(span_view(text, word), "--"))
			continue;
		name = mem_strndup(text->p + word.at + 2, word.n - 2);
		name[strcspn(name, "=")] = '\0';
		if (*name && !find_row(t->table, name))
			return recipe_error(&t->recipe, word, err, "%s has no option --%s", t->run,
					    name);
	}
	return 0;
}

static int add_letters(struct tool *t, struct err *err)
{
	const struct recipe_letter *l;

	vec_for_each(l, &t->recipe.letters) {
		const struct opt *found = find_row(t->table, l->name);
		struct opt row = { .kind = OPT_KIND_LETTER, .letter = l->letter, .name = l->name };
		bool is_another = has_name(t, l->name);

		if (!found && !is_another)
			return recipe_error(&t->recipe, l->at, err, "%s has no option --%s", t->run,
					    l->name);
		if (has_letter(t, l->letter))
			return recipe_error(&t->recipe, l->at, err, "-%c has a meaning already",
					    l->letter);
		if (is_another && !l->letter)
			return recipe_error(&t->recipe, l->at, err, "--%s exists already", l->name);
		if (is_another) {
			add_row(t, row);
			continue;
		}
		row = *found;
		row.letter = l->letter;
		row.is_repeatable = true;
		add_row(t, row);
	}
	return 0;
}

/* The options that all commands share, except for those that the recipe has claimed. */
static void add_shared(struct tool *t, const struct opt *table)
{
	for (const struct opt *o = table; o->kind != OPT_KIND_END; o++) {
		struct opt row = *o;

		if (o->name && has_name(t, o->name))
			continue;
		if (o->name && !strcmp(o->name, "pid"))
			row.letter = 'p';
		if (has_letter(t, row.letter))
			row.letter = 0;
		row.is_repeatable = true;
		add_row(t, row);
	}
}

/* A tool's -d does not ask for a report each second, as argdist's does (toolwords.c). */
static void tell_duration(struct tool *t)
{
	struct opt *o;

	vec_for_each(o, &t->opts)
		if (o->name && !strcmp(o->name, "duration") && t->recipe.run == RECIPE_ARGDIST)
			o->help = "end after TIME, in seconds or with ms, s, m, h";
}

/* The command's own options that suit any recipe for it. */
static void add_common(struct tool *t)
{
	static const char *const names[] = { "max-events", "duration", "max-overhead", "interval",
					     "keys",	   "in-place", "kernel-stack", "user-stack",
					     "timestamp",  "live" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const struct opt *found = find_row(t->table, names[i]);
		struct opt row;

		if (!found || has_name(t, names[i]))
			continue;
		row = *found;
		row.letter = 0;
		add_row(t, row);
	}
}

static int make_table(struct tool *t, const struct tool_tables *tables, struct err *err)
{
	static const struct opt heading = OPT_HEADING("Options");
	static const struct opt show = { .kind = OPT_KIND_FLAG,
					 .name = "show",
					 .help = "print the recipe and the command it becomes" };
	struct opt end = OPT_END;
	int ret;

	add_row(t, heading);
	add_own(t);
	ret = check_with(t, err) ?: add_letters(t, err);
	if (ret)
		return ret;
	add_common(t);
	tell_duration(t);
	t->show = add_row(t, show);
	for (const struct opt *const *shared = tables->shared; *shared; shared++)
		add_shared(t, *shared);
	end.offset = t->opts.n * sizeof(struct tool_slot);
	vec_push(&t->opts, end);
	make_slots(t);
	return 0;
}

void tool_release(struct tool *t)
{
	for (size_t i = 0; i < t->n_slots; i++)
		vec_release(&t->slots[i].texts);
	free(t->slots);
	vec_release(&t->opts);
	recipe_release(&t->recipe);
	arena_release(&t->texts);
}

int tool_open(struct tool *t, const struct tool_file *file, const struct tool_tables *tables,
	      struct err *err)
{
	int ret = recipe_read(file->name, file->file, file->text, &t->recipe, err);

	t->file = file;
	if (ret)
		return ret;
	t->run = recipe_runs[t->recipe.run];
	t->table = tables->commands[t->recipe.run];
	return make_table(t, tables, err);
}
