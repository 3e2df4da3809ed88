// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Recipes as commands: core/recipe/tool.h with this folder's tables of options. */
#include "recipe/tool.h"

#include "base/cleanup.h"
#include "cmd/live.h"
#include "cmd/toolbox.h"
#include "opt/output.h"
#include "probe/run.h"
#include "recipe/toolsite.h"
#include "run/perf.h"
#include "site/complete.h"
#include "translate/translate.h"

static const struct opt *const shared[] = { target_opts, proberun_opts, output_opts, NULL };

static int open_tool(struct tool *t, const struct tool_file *file, struct err *err)
{
	struct tool_tables tables = { .shared = shared };

	for (u32 i = 0; i < RECIPE_N_RUNS; i++)
		tables.commands[i] = command_find(recipe_runs[i])->opts;
	return tool_open(t, file, &tables, err);
}

static struct command command_of(struct tool *t)
{
	struct command c = {
		.name = t->file->command,
		.summary = t->recipe.purpose,
		.usage = tool_usage(t),
		.about = tool_about(t),
		.overhead = t->recipe.overhead,
		.opts = t->opts.items,
	};

	for (u32 i = 0; i < t->recipe.n_examples; i++)
		c.examples[i] = (struct example){
			arena_printf(&t->texts, "%s%s%s", t->file->command,
				     t->recipe.examples[i].args[0] ? " " : "",
				     t->recipe.examples[i].args),
			t->recipe.examples[i].what,
		};
	return c;
}

static int run_words(const struct tool *t, struct recipe_words *w, int *status, struct err *err)
{
	struct command c = *command_find(w->words.items[0]);
	int ret;

	/* On the screen and in hints the person looks for this name, and not for that of the
	 * command whose options the tool has. */
	if (!strcmp(c.name, t->run))
		c.name = t->recipe.name;
	c.usage = NULL; /* its words are not the person's: toolbox_run() explains those */
	vec_push(&w->words, NULL);
	w->words.n--;
	ret = command_run(&c, (int)w->words.n, w->words.items, status, err);
	if (ret) {
		tool_point(t, w, err);
		recipe_say_absent(w, err);
	}
	return ret;
}

static void answer(struct tool *t, enum opt_ask ask)
{
	const struct command c = command_of(t);

	if (ask == OPT_ASK_HELP)
		help_of(&c, stdout);
	else
		version_print(stdout);
}

static int run_tool(struct tool *t, const struct opt_rest *rest, struct recipe_words *words,
		    int *status, struct err *err)
{
	static const struct recipe_host host = { .has_site = tool_has_site };
	int ret;

	if (tool_is_shown(t) && tool_show_alone(t, rest, stdout))
		return 0;
	ret = tool_words(t, rest, &host, words, err);
	tool_site_end();
	if (ret)
		return ret;
	if (!tool_is_shown(t))
		return run_words(t, words, status, err);
	tool_show(t, words, stdout);
	return 0;
}

int toolbox_run(const struct tool_file *file, int argc, char **argv, int *status, struct err *err)
{
	_cleanup_(tool_release) struct tool t = { 0 };
	_cleanup_(recipe_words_release) struct recipe_words words = { 0 };
	_cleanup_(opt_rest_release) struct opt_rest rest = { 0 };
	enum opt_ask ask = OPT_ASK_NOTHING;
	int ret = open_tool(&t, file, err)
			  ?: opt_parse(t.opts.items, t.slots, argc, argv, &rest, &ask, err);

	if (ret && t.slots)
		live_explain(command_find(t.run), argc, argv, err);
	if (ret && t.slots && !err->hint[0])
		err_hint(err, "bperf %s --help lists the options", file->command);
	if (ask)
		answer(&t, ask);
	if (!ret && !ask)
		ret = run_tool(&t, &rest, &words, status, err);
	if (ret && t.slots && strstr(tool_usage(&t), "-- program"))
		translate_program(t.recipe.name, NULL, &rest, argc, argv, ret, err);
	return ret;
}

int toolbox_options(const struct tool_file *file, struct err *err)
{
	_cleanup_(tool_release) struct tool t = { 0 };
	int ret = open_tool(&t, file, err);
	const char *why = ret ? NULL : opt_check(t.opts.items);

	if (why)
		return err_set(err, ERR_FAIL, "%s: %s", file->name, why);
	if (!ret)
		opt_list(t.opts.items, stdout);
	return ret;
}

void toolbox_complete(const struct tool_file *file, char *const *words, size_t n_words, FILE *f)
{
	struct opt_sources src = { .root = "", .events = perf_spec_names };
	_cleanup_(tool_release) struct tool t = { 0 };
	struct err ignored = { 0 };

	if (open_tool(&t, file, &ignored))
		return;
	/* stackcount PROBE, funclatency PATTERN */
	for (size_t i = 0; i < t.recipe.options.n; i++)
		if (t.recipe.options.items[i].is_positional &&
		    t.recipe.options.items[i].type == RECIPE_WORD)
			src.words = complete_probe;
	opt_complete(t.opts.items, &src, words, n_words, f);
}

int toolbox_page(const struct tool_file *file, struct str *out, struct err *err)
{
	_cleanup_(tool_release) struct tool t = { 0 };
	int ret = open_tool(&t, file, err);

	if (!ret)
		tool_page(&t, out);
	return ret;
}
