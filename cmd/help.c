// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* `bperf help [TOPIC]`, --help, and the text that `bperf` prints without arguments. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cmd/command.h"
#include "cmd/embed.h"
#include "cmd/toolbox.h"
#include "opt/roff.h"

#define WIDTH_DEFAULT 80
#define WIDTH_MAX     100

static void put_commands(bool helpers, FILE *f)
{
	for (size_t i = 0; i < n_commands; i++)
		if (commands[i]->is_helper == helpers)
			fprintf(f, "  %-12s %s\n", commands[i]->name, commands[i]->summary);
}

static void put_first_examples(const struct command *c, size_t n, FILE *f)
{
	for (size_t i = 0; i < n && c->examples[i].args; i++)
		fprintf(f, "  bperf %-30s %s\n", c->examples[i].args, c->examples[i].what);
}

static void put_example(const struct example *e, FILE *f)
{
	fprintf(f, "  bperf %s\n      ", e->args);
	opt_wrap(e->what, 6, f);
}

void help_overview(FILE *f)
{
	const struct command *first = commands[0];

	fputs("Usage: bperf COMMAND [options] [interval [count]] [-- program args...]\n\n"
	      "Shows where time goes, and what functions are called with: measured in the\n"
	      "running kernel, by one file without dependencies.\n\nCommands:\n",
	      f);
	put_commands(false, f);
	fputs("\nAbout bperf itself:\n", f);
	put_commands(true, f);
	fprintf(f,
		"  --list (commands and tools), --version (-V), --help (-h)\n\n"
		"There are also %zu tools, such as opensnoop, biolatency, tcplife: bperf --list.\n"
		"  --tools DIR: a folder of your own, as NAME.bperf (bperf help recipes)\n\n"
		"Examples:\n",
		toolbox_size());
	put_first_examples(first, 3, f);
	fputs("\n`bperf COMMAND --help` lists options; `bperf help COMMAND` is the manual.\n", f);
}

void help_of(const struct command *c, FILE *f)
{
	fprintf(f, "Usage: bperf %s %s\n\n", c->name, c->usage);
	opt_wrap(c->about, 0, f);
	fputc('\n', f);
	opt_help(c->opts, f);
	if (c->examples[0].args)
		fputs("\nExamples:\n", f);
	for (size_t i = 0; i < ARRAY_SIZE(c->examples) && c->examples[i].args; i++)
		put_example(&c->examples[i], f);
	if (!c->overhead)
		return;
	fputs("\nOverhead: ", f);
	opt_wrap(c->overhead, 10, f);
}

struct help_conf {
	const char *topic;
};

static int help_check(void *p, const struct opt_rest *rest, struct err *err)
{
	struct help_conf *conf = p;

	if (rest->n_args > 1 || rest->program)
		return err_set(err, ERR_USAGE, "help: one topic at a time");
	conf->topic = rest->n_args ? rest->args[0] : "bperf";
	return 0;
}

/* "profile" is profile.8; "output" and "bperf-output" are bperf-output.5. */
static const struct embedded *find_page(const char *topic)
{
	const struct embedded *page = NULL;
	char name[64];

	if (strlen(topic) > 40)
		return NULL;
	if (!strncmp(topic, "bperf-", 6))
		topic += 6;
	for (int section = 1; section <= 8 && !page; section++) {
		snprintf(name, sizeof(name), "%s.%d", topic, section);
		page = embed_find(name);
		snprintf(name, sizeof(name), "bperf-%s.%d", topic, section);
		page = page ? page : embed_find(name);
	}
	return page;
}

static u32 terminal_width(void)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_col)
		return WIDTH_DEFAULT;
	return size.ws_col < WIDTH_MAX ? size.ws_col : WIDTH_MAX;
}

static bool is_in_path(const char *program)
{
	const char *path = getenv("PATH");
	struct view rest = view_of(path ? path : ""), dir;

	while (view_split(&rest, ':', &dir)) {
		_cleanup_(free_p) char *file = mem_printf("%.*s/%s", (int)dir.n, dir.p, program);

		if (!access(file, X_OK))
			return true;
	}
	return false;
}

static const char *choose_pager(void)
{
	const char *pager = getenv("MANPAGER");

	if (!pager)
		pager = getenv("PAGER");
	if (pager)
		return *pager && strcmp(pager, "cat") != 0 ? pager : NULL;
	if (is_in_path("less"))
		return "less";
	return is_in_path("more") ? "more" : NULL;
}

/* Returns false if there is no pager, or the shell did not find it. */
static bool show_in_pager(const struct str *text)
{
	const char *pager = choose_pager();
	FILE *f;

	if (!pager)
		return false;
	setenv("LESS", "FRX", 0);
	signal(SIGPIPE, SIG_IGN);
	f = popen(pager, "w");
	if (!f)
		return false;
	fwrite(str_text(text), 1, text->n, f);
	return pclose(f) >> 8 != 127;
}

static int tool_source(const char *name, struct str *out, struct err *err)
{
	struct tool_file file;
	int ret = toolbox_find(name, toolbox_own_dir(), &file, err);

	if (!ret && file.name)
		ret = toolbox_page(&file, out, err);
	tool_file_release(&file);
	return ret;
}

static int help_run(void *p, int argc, char **argv, int *status, struct err *err)
{
	const struct help_conf *conf = p;
	const struct embedded *page = find_page(conf->topic);
	bool on_terminal = isatty(STDOUT_FILENO);
	const char *term = getenv("TERM");
	struct str source = { 0 }, text = { 0 };
	const char *nearest;
	int ret = 0;

	(void)argc, (void)argv, (void)status;
	if (page)
		embed_text(page, &source);
	else
		ret = tool_source(conf->topic, &source, err);
	if (!ret && !source.n) {
		nearest = toolbox_nearest(conf->topic, command_nearest(conf->topic));
		err_set(err, ERR_USAGE, "help: there is no page about '%s'", conf->topic);
		if (nearest && strcmp(nearest, conf->topic) != 0)
			return err_hint(err, "did you mean '%s'?", nearest);
		return err_hint(err, "bperf help shows the first page, which lists the others");
	}
	if (ret)
		return ret;
	roff_render(str_view(&source), on_terminal ? terminal_width() : WIDTH_DEFAULT,
		    on_terminal && term && strcmp(term, "dumb") != 0, &text);
	if (!on_terminal || !show_in_pager(&text))
		fwrite(str_text(&text), 1, text.n, stdout);
	str_release(&source);
	str_release(&text);
	return 0;
}

static void help_complete(const char *word, FILE *f)
{
	for (size_t i = 0; i < n_commands; i++)
		if (find_page(commands[i]->name))
			complete_offer(word, commands[i]->name, commands[i]->summary, f);
	complete_offer(word, "output", "the output formats", f);
	complete_offer(word, "probes", "the language of trace", f);
	complete_offer(word, "recipes", "tools as text files", f);
	for (size_t i = 0; i < toolbox_size(); i++)
		complete_offer(word, toolbox_name(i), "a tool", f);
}

static const struct opt help_opts[] = { OPT_END };

const struct command help_command = {
	.name = "help",
	.is_helper = true,
	.summary = "the manual of a command or tool, or of output, probes, recipes",
	.usage = "[COMMAND|TOOL|output|probes|recipes]",
	.about = "Shows a manual page, which is built into this file: on a terminal in a pager, "
		 "otherwise as plain text.",
	.examples = { { "help profile", "the manual of profile" },
		      { "help output", "the output formats, field by field" } },
	.opts = help_opts,
	.conf_size = sizeof(struct help_conf),
	.check = help_check,
	.run = help_run,
	.complete = help_complete,
};
