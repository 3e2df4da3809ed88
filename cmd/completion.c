// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * `bperf completion SHELL` prints the file that a shell loads; `bperf __complete WORD...` answers
 * that file's queries on each TAB.
 */
#include <string.h>

#include "cmd/command.h"
#include "cmd/embed.h"
#include "cmd/toolbox.h"
#include "run/perf.h"

static const struct {
	const char *shell, *file, *where;
} shells[] = {
	{ "bash", "bperf.bash", "eval \"$(bperf completion bash)\"" },
	{ "zsh", "_bperf", "source <(bperf completion zsh)" },
	{ "fish", "bperf.fish", "bperf completion fish | source" },
};

struct completion_conf {
	const char *file;
};

static int completion_check(void *p, const struct opt_rest *rest, struct err *err)
{
	struct completion_conf *conf = p;
	const char *shell = rest->n_args == 1 ? rest->args[0] : "";

	for (size_t i = 0; i < ARRAY_SIZE(shells); i++)
		if (!strcmp(shells[i].shell, shell))
			conf->file = shells[i].file;
	if (conf->file && !rest->program)
		return 0;
	if (*shell)
		err_set(err, ERR_USAGE, "completion: no file for the shell '%s'", shell);
	else
		err_set(err, ERR_USAGE, "completion: the name of one shell is needed");
	return err_hint(err, "bperf completion bash, zsh or fish");
}

static int completion_run(void *p, int argc, char **argv, int *status, struct err *err)
{
	const struct completion_conf *conf = p;
	const struct embedded *e = embed_find(conf->file);
	struct str text = { 0 };

	(void)argc, (void)argv, (void)status;
	if (!e)
		return err_set(err, ERR_FAIL, "completion: built without %s", conf->file);
	embed_text(e, &text);
	fwrite(str_text(&text), 1, text.n, stdout);
	str_release(&text);
	return 0;
}

static void completion_complete(const char *word, FILE *f)
{
	for (size_t i = 0; i < ARRAY_SIZE(shells); i++)
		complete_offer(word, shells[i].shell, shells[i].where, f);
}

static const struct opt completion_opts[] = { OPT_END };

const struct command completion_command = {
	.name = "completion",
	.is_helper = true,
	.summary = "completion for bash, zsh or fish",
	.usage = "bash|zsh|fish",
	.about =
		"Prints a file that makes the shell complete commands, options, processes, users, "
		"cgroups, formats and probes.  Source it in the shell's start file, or save it where the "
		"shell looks for such files.",
	.examples = { { "completion bash > ~/.local/share/bash-completion/completions/bperf",
			"loaded by bash when it is needed" },
		      { "completion fish | source", "for this fish session only" } },
	.opts = completion_opts,
	.conf_size = sizeof(struct completion_conf),
	.check = completion_check,
	.run = completion_run,
	.complete = completion_complete,
};

void complete_offer(const char *word, const char *candidate, const char *text, FILE *f)
{
	if (!strncmp(candidate, word, strlen(word)))
		fprintf(f, "%s\t%s\n", candidate, text);
}

struct offering {
	const char *word;
	FILE *f;
};

static void offer_own(void *ctx, const char *name)
{
	const struct offering *o = ctx;

	complete_offer(o->word, name, "a tool of your own", o->f);
}

static void offer_first(const char *word, FILE *f)
{
	struct offering own = { word, f };

	for (size_t i = 0; i < n_commands; i++)
		complete_offer(word, commands[i]->name, commands[i]->summary, f);
	for (size_t i = 0; i < toolbox_size(); i++)
		complete_offer(word, toolbox_name(i), "a tool", f);
	tool_file_names(toolbox_own_dir(), offer_own, &own);
	if (word[0] != '-')
		return;
	complete_offer(word, "--help", "the commands, one line each", f);
	complete_offer(word, "--list", "commands and tools", f);
	complete_offer(word, "--tools", "a folder of your own recipes", f);
	complete_offer(word, "--version", "the version and the licences", f);
}

void complete_words(char *const *words, size_t n_words, FILE *f)
{
	const struct command *c = command_find(words[0]);
	const struct opt_sources src = { .root = "",
					 .events = perf_spec_names,
					 .words = c ? c->complete : NULL };
	const char *last = words[n_words - 1];

	if (n_words == 1) {
		offer_first(last, f);
		return;
	}
	if (!c)
		return;
	opt_complete(c->opts, &src, words + 1, n_words - 1, f);
}
