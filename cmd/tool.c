// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A recipe as a command: its options beside those that all commands share, its help, and the
 * command of trace, argdist or funccount that it becomes.
 */
#include <ctype.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "cmd/tool_site.h"
#include "cmd/toolbox.h"
#include "opt/output.h"
#include "probe/run.h"
#include "run/perf.h"

/* ---- the table of options ------------------------------------------------------------------ */

/* The words given for an option: none, one, or, if it may be repeated, several. */
struct slot {
	VEC(const char *) texts;
};

struct tool {
	const struct tool_file *file;
	struct recipe recipe;
	const struct command *command; /* trace, argdist or funccount */
	VEC(struct opt) opts;	       /* row i's slot is slots[i] */
	struct slot *slots;
	size_t slot_of[RECIPE_OPTIONS_MAX]; /* by option of the recipe */
	size_t passed;			    /* from this row on they are the command's own */
	size_t show, n_slots;
	struct arena texts;
};

static int take(void *field, const char *text, struct err *err)
{
	struct slot *slot = field;

	(void)err;
	vec_push(&slot->texts, text ? text : "");
	return 0;
}

static size_t add_row(struct tool *t, struct opt row)
{
	row.offset = t->opts.n * sizeof(struct slot);
	if (row.kind != OPT_KIND_HEADING) {
		row.kind = OPT_KIND_CALL;
		row.parse = take;
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
		if (o->name && !strcmp(o->name, name))
			return true;
	return false;
}

/* The row of this name in a table, those that it includes, too. */
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

static void add_own(struct tool *t)
{
	const struct recipe_option *o;

	vec_for_each(o, &t->recipe.options) {
		struct opt row = {
			.letter = o->letter,
			.name = o->name,
			.arg = o->arg,
			.choices = o->choices,
			.complete = complete_of(o),
			.help = o->standard
					? arena_printf(&t->texts, "%s (%s)", o->help, o->standard)
					: o->help,
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

static int add_letters(struct tool *t, struct err *err)
{
	const struct recipe_letter *l;

	vec_for_each(l, &t->recipe.letters) {
		const struct opt *found = find_row(t->command->opts, l->name);
		struct opt row;

		if (!found)
			return recipe_error(&t->recipe, l->at, err, "%s has no option --%s",
					    t->command->name, l->name);
		if (has_letter(t, l->letter) || has_name(t, l->name))
			return recipe_error(&t->recipe, l->at, err, "two rows claim this option");
		row = *found;
		row.letter = l->letter;
		row.is_repeatable = true;
		add_row(t, row);
	}
	return 0;
}

/* The options that all commands share, but for those that the recipe has claimed. */
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

/* The command's own options that suit any recipe of it. */
static void add_common(struct tool *t)
{
	static const char *const names[] = { "max-events",   "duration",   "max-overhead",
					     "interval",     "keys",	   "in-place",
					     "kernel-stack", "user-stack", "timestamp" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const struct opt *found = find_row(t->command->opts, names[i]);
		struct opt row;

		if (!found || has_name(t, names[i]))
			continue;
		row = *found;
		row.letter = 0;
		add_row(t, row);
	}
}

static int make_table(struct tool *t, struct err *err)
{
	static const struct opt heading = OPT_HEADING("Options");
	static const struct opt show = { .kind = OPT_KIND_FLAG,
					 .name = "show",
					 .help = "print the recipe and the command it becomes" };
	struct opt end = OPT_END;
	int ret;

	add_row(t, heading);
	add_own(t);
	ret = add_letters(t, err);
	if (ret)
		return ret;
	add_common(t);
	t->show = add_row(t, show);
	add_shared(t, target_opts);
	add_shared(t, proberun_opts);
	add_shared(t, output_opts);
	end.offset = t->opts.n * sizeof(struct slot);
	vec_push(&t->opts, end);
	make_slots(t);
	return 0;
}

static void release(struct tool *t)
{
	for (size_t i = 0; i < t->n_slots; i++)
		vec_release(&t->slots[i].texts);
	free(t->slots);
	vec_release(&t->opts);
	recipe_release(&t->recipe);
	arena_release(&t->texts);
}

static int open_tool(struct tool *t, const struct tool_file *file, struct err *err)
{
	int ret = recipe_read(file->name, file->file, file->text, &t->recipe, err);

	t->file = file;
	if (ret)
		return ret;
	t->command = command_find(recipe_runs[t->recipe.run]);
	return make_table(t, err);
}

/* ---- what describes it ---------------------------------------------------------------------- */

static const char *usage_of(struct tool *t)
{
	_cleanup_(str_release) struct str s = { 0 };
	const struct recipe_option *o;

	str_adds(&s, "[options]");
	vec_for_each(o, &t->recipe.options)
		if (o->is_positional)
			str_addf(&s, o->is_optional ? " [%s]" : " %s", o->arg);
	if (t->recipe.run != RECIPE_TRACE)
		str_adds(&s, " [interval [count]]");
	str_adds(&s, " [-- program]");
	return arena_view(&t->texts, str_view(&s));
}

/* "Shows ..."; positional arguments are explained below. */
static const char *about_of(struct tool *t)
{
	_cleanup_(str_release) struct str s = { 0 };
	const struct recipe_option *o;

	str_addf(&s, "%c%s.", toupper((unsigned char)t->recipe.purpose[0]), t->recipe.purpose + 1);
	if (t->recipe.about)
		str_addf(&s, "  %s", t->recipe.about);
	vec_for_each(o, &t->recipe.options)
		if (o->is_positional)
			str_addf(&s, "\n%s: %s%s%s%s.", o->arg, o->help, o->standard ? " (" : "",
				 o->standard ? o->standard : "", o->standard ? ")" : "");
	return arena_view(&t->texts, str_view(&s));
}

static struct command command_of(struct tool *t)
{
	struct command c = {
		.name = t->recipe.name,
		.summary = t->recipe.purpose,
		.usage = usage_of(t),
		.about = about_of(t),
		.overhead = t->recipe.overhead,
		.opts = t->opts.items,
	};

	for (u32 i = 0; i < t->recipe.n_examples; i++)
		c.examples[i] = (struct example){
			arena_printf(&t->texts, "%s%s%s", t->recipe.name,
				     t->recipe.examples[i].args[0] ? " " : "",
				     t->recipe.examples[i].args),
			t->recipe.examples[i].what,
		};
	return c;
}

/* ---- words ---------------------------------------------------------------------------------- */

static bool is_number(const char *word)
{
	return isdigit((unsigned char)word[0]);
}

/* A number may be the interval where an optional argument could be something else. */
static bool suits(const struct tool *t, const struct recipe_option *o, const char *word)
{
	bool is_text = o->type == RECIPE_TEXT || o->type == RECIPE_PART ||
		       o->type == RECIPE_BELOW || o->type == RECIPE_WORD ||
		       o->type == RECIPE_CHOICE || o->type == RECIPE_DISK;

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
	return err_hint(err, "bperf %s %s", t->recipe.name, usage_of(t));
}

static int take_values(struct tool *t, char ***values, struct err *err)
{
	char **v = mem_alloc(t->recipe.options.n + 1, sizeof(*v));
	int ret = 0;

	*values = v;
	for (size_t i = 0; i < t->recipe.options.n && !ret; i++) {
		const struct slot *slot = &t->slots[t->slot_of[i]];

		if (slot->texts.n)
			ret = recipe_value(&t->recipe.options.items[i],
					   slot->texts.items[slot->texts.n - 1], &v[i], err);
	}
	return ret;
}

static void add_word(struct recipe_words *w, const char *word)
{
	vec_push(&w->words, mem_strdup(word));
}

/* Options of the command itself go there as they were given. */
static void pass_options(const struct tool *t, struct recipe_words *w)
{
	for (size_t i = t->passed; i < t->opts.n; i++) {
		const struct opt *o = &t->opts.items[i];
		const struct slot *slot = &t->slots[i];

		for (size_t n = 0; n < slot->texts.n && i != t->show; n++) {
			vec_push(&w->words, mem_printf("--%s", o->name));
			if (o->arg)
				add_word(w, slot->texts.items[n]);
		}
	}
}

static bool was_given(const struct tool *t, const char *name)
{
	for (size_t i = 0; i < t->opts.n; i++)
		if (t->opts.items[i].name && !strcmp(t->opts.items[i].name, name))
			return t->slots[i].texts.n;
	return false;
}

static void pass_words(const struct tool *t, const struct opt_rest *rest, size_t n_taken,
		       struct recipe_words *w)
{
	for (size_t i = n_taken; i < rest->n_args; i++)
		add_word(w, rest->args[i]);
	if (t->recipe.interval && n_taken == rest->n_args && !was_given(t, "interval"))
		add_word(w, t->recipe.interval);
	if (!rest->program)
		return;
	add_word(w, "--");
	for (char **word = rest->program; *word; word++)
		add_word(w, *word);
}

static int make_words(struct tool *t, const struct opt_rest *rest, struct recipe_words *w,
		      struct err *err)
{
	const struct recipe_host host = { .has_site = tool_has_site };
	char **values = NULL;
	size_t n_taken = 0;
	int ret = take_words(t, rest, &n_taken, err) ?: take_values(t, &values, err) ?:
		  recipe_build(&t->recipe, values, &host, w, err);

	for (size_t i = 0; values && i < t->recipe.options.n; i++)
		free(values[i]);
	free(values);
	tool_site_end();
	if (ret)
		return ret;
	pass_options(t, w);
	pass_words(t, rest, n_taken, w);
	return 0;
}

/* ---- what it does ---------------------------------------------------------------------------- */

/* As the shell takes it. */
static void put_quoted(const char *word, FILE *f)
{
	if (*word && !word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
					"0123456789_-./:=,%+@")]) {
		fputs(word, f);
		return;
	}
	fputc('\'', f);
	for (; *word; word++)
		if (*word == '\'')
			fputs("'\\''", f);
		else
			fputc(*word, f);
	fputc('\'', f);
}

static void show(const struct tool *t, const struct recipe_words *w)
{
	fputs(t->file->text, stdout);
	fputs("\n# bperf", stdout);
	for (size_t i = 0; i < w->words.n; i++) {
		fputc(' ', stdout);
		put_quoted(w->words.items[i], stdout);
	}
	fputc('\n', stdout);
}

static int run_words(const struct tool *t, struct recipe_words *w, int *status, struct err *err)
{
	int ret;

	vec_push(&w->words, NULL);
	w->words.n--;
	ret = command_run(t->command, (int)w->words.n, w->words.items, status, err);
	if (ret) {
		recipe_point(&t->recipe, w, err);
		recipe_say_absent(w, err);
	}
	return ret;
}

int tool_run(const struct tool_file *file, int argc, char **argv, int *status, struct err *err)
{
	_cleanup_(release) struct tool t = { 0 };
	_cleanup_(recipe_words_release) struct recipe_words words = { 0 };
	_cleanup_(opt_rest_release) struct opt_rest rest = { 0 };
	enum opt_ask ask = OPT_ASK_NOTHING;
	struct command c;
	int ret = open_tool(&t, file, err)
			  ?: opt_parse(t.opts.items, t.slots, argc, argv, &rest, &ask, err);

	if (ask == OPT_ASK_HELP) {
		c = command_of(&t);
		help_of(&c, stdout);
	}
	if (ask == OPT_ASK_VERSION)
		version_print(stdout);
	if (ret && t.slots && !err->hint[0])
		err_hint(err, "bperf %s --help lists the options", t.recipe.name);
	if (ret || ask)
		return ret;
	ret = make_words(&t, &rest, &words, err);
	if (ret)
		return ret;
	if (t.slots[t.show].texts.n) {
		show(&t, &words);
		return 0;
	}
	return run_words(&t, &words, status, err);
}

int tool_options(const struct tool_file *file, struct err *err)
{
	_cleanup_(release) struct tool t = { 0 };
	int ret = open_tool(&t, file, err);
	const char *why = ret ? NULL : opt_check(t.opts.items);

	if (why)
		return err_set(err, ERR_FAIL, "%s: %s", file->name, why);
	if (!ret)
		opt_list(t.opts.items, stdout);
	return ret;
}

void tool_complete(const struct tool_file *file, char *const *words, size_t n_words, FILE *f)
{
	static const struct opt_sources src = { .root = "", .events = perf_spec_names };
	_cleanup_(release) struct tool t = { 0 };
	struct err ignored = { 0 };

	if (!open_tool(&t, file, &ignored))
		opt_complete(t.opts.items, &src, words, n_words, f);
}

/* ---- the manual ------------------------------------------------------------------------------ */

static void roff_text(struct str *out, const char *text)
{
	for (; *text; text++)
		if (*text == '\\')
			str_adds(out, "\\e");
		else if (*text == '-')
			str_adds(out, "\\-");
		else if (*text == '\n')
			str_adds(out, "\n.PP\n");
		else
			str_addc(out, *text);
	str_addc(out, '\n');
}

static void page_options(const struct tool *t, struct str *out)
{
	const struct opt *o;

	str_adds(out, ".SH OPTIONS\n");
	vec_for_each(o, &t->opts) {
		if (o->kind == OPT_KIND_END)
			continue;
		if (o->kind == OPT_KIND_HEADING) {
			str_adds(out, ".SS ");
			roff_text(out, o->help);
			continue;
		}
		str_adds(out, ".TP\n.B ");
		if (o->letter)
			str_addf(out, "\\-%c, ", o->letter);
		str_adds(out, "\\-\\-");
		for (const char *c = o->name; *c; c++)
			str_addf(out, *c == '-' ? "\\-" : "%c", *c);
		str_addf(out, "%s%s\n", o->arg ? " " : "", o->arg ? o->arg : "");
		roff_text(out, o->help);
	}
}

static void page_examples(const struct command *c, struct str *out)
{
	str_adds(out, ".SH EXAMPLES\n");
	for (size_t i = 0; i < ARRAY_SIZE(c->examples) && c->examples[i].args; i++) {
		str_adds(out, ".TP\n.B bperf ");
		roff_text(out, c->examples[i].args);
		roff_text(out, c->examples[i].what);
	}
}

int tool_page(const struct tool_file *file, struct str *out, struct err *err)
{
	_cleanup_(release) struct tool t = { 0 };
	struct command c;
	int ret = open_tool(&t, file, err);

	if (ret)
		return ret;
	c = command_of(&t);
	str_addf(out, ".TH BPERF\\-%s 8 2026-11-24 bperf \"System Administration\"\n.SH NAME\n",
		 c.name);
	str_addf(out, "%s \\- ", c.name);
	roff_text(out, c.summary);
	str_addf(out, ".SH SYNOPSIS\n.B bperf %s\n", c.name);
	roff_text(out, c.usage);
	str_adds(out, ".SH DESCRIPTION\n");
	roff_text(out, c.about);
	str_addf(out,
		 ".PP\nIt is a recipe of\n.BR bperf\\-%s (8):\n.B bperf %s \\-\\-show\n"
		 "prints it, and\n.BR bperf\\-recipes (7)\nhas its language.\n",
		 t.command->name, c.name);
	page_options(&t, out);
	page_examples(&c, out);
	if (c.overhead) {
		str_adds(out, ".SH OVERHEAD\n");
		roff_text(out, c.overhead);
	}
	str_addf(out, ".SH SEE ALSO\n.BR bperf\\-%s (8),\n.BR bperf\\-recipes (7)\n",
		 t.command->name);
	return 0;
}
