// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The entry point: selects the command, parses its options, sets the exit status.  Knows no command
 * by name.
 *
 *	cmd/         one file per command; commands.def lists them; help, install, completion
 *	core/base    memory, text, errors, numbers; libc only
 *	core/opt     argv to a conf struct by tables; help and completion from the same rows
 *	core/model   what a report is
 *	core/host    facts about this machine: kernel types and functions, features, cgroups
 *	core/sym     addresses to frames: ELF, kallsyms, JIT maps
 *	core/unwind  call frame information to tables that find callers
 *	core/saved   saved files to reports: JSON, folded, pprof, perf script
 *	core/render  reports to bytes: text, folded, json, pprof, svg
 *	core/live    a full screen that shows runs while they go on
 *	core/replay  saved reports once more: changed, written, compared
 *	core/syntax  the user's words to trees: probe specs and expressions
 *	core/type    C types from BTF; what names mean at a site; typed trees
 *	core/expr    expressions checked, formatted, evaluated
 *	core/gen     typed trees to BPF instructions
 *	core/site    a probe spec to sites on this host
 *	core/attach  programs to sites, on and off
 *	core/run     one run: the engine, child, filter, event loop, rings, perf events, programs
 *	core/stack   the store of stacks, and runs that count stacks
 *	core/wait    time off CPU, from hook to row
 *	core/dump    threads as they are now, and what they wait for
 *	core/probe   programs at sites: grouped, compiled, loaded, attached, counted
 *	core/event   one event after another: values, messages, order
 *	core/agg     counts, histograms and tables by key
 *	core/recipe  tools as text files
 *	core/translate  command lines of other tools, for hints
 *	bpf/         code that runs in the kernel; bpf/abi defines the data that both sides share
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cmd/command.h"
#include "cmd/toolbox.h"
#include "translate/translate.h"

/*
 * If the caller has closed stdout, a file that we open must not become stdout.  Opened in the wrong
 * mode on purpose, so that writing to stdout fails with EBADF, as it should.
 */
static void occupy_standard_fds(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
		    open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
			_exit(ERR_FAIL);
}

/* The result was written to stdout: an error there is ours, but a reader that has exited is not an
 * error. */
static int flush_result(struct err *err)
{
	errno = 0;
	if (!fflush(stdout) && !ferror(stdout))
		return 0;
	if (errno == EPIPE)
		return 0;
	if (!errno)
		return err_set(err, ERR_FAIL, "cannot write to standard output");
	err_errno(err, errno, "cannot write to standard output");
	return -ERR_FAIL;
}

static bool is_command(const char *name)
{
	return command_find(name) != NULL;
}

static int unknown_command(char *const *words, struct err *err)
{
	const char *name = words[0];
	const char *nearest = toolbox_nearest(name, command_nearest(name));
	_cleanup_(str_release) struct str here = { 0 };

	if (!strcmp(name, "-"))
		return err_set(
			err, ERR_USAGE,
			"'-': a recipe must be a regular file, and is not read from standard "
			"input");
	translate_line(words, is_command, &here);
	if (name[0] == '-' && here.n) {
		err_set(err, ERR_USAGE, "unknown option '%s'", name);
		return err_hint(err, "bperf has it as: %s", str_text(&here));
	}
	if (name[0] == '-') {
		err_set(err, ERR_USAGE, "unknown option '%s'", name);
		return err_hint(err, "the command must come first; bperf --help lists them");
	}
	err_set(err, ERR_UNKNOWN, "unknown command '%s'", name);
	if (here.n)
		return err_hint(err, "bperf has it as: %s", str_text(&here));
	if (!strcmp(name, "version"))
		return err_hint(err, "bperf --version prints it");
	if (nearest)
		return err_hint(err, "did you mean '%s'?", nearest);
	return err_hint(err, "bperf --help lists the commands");
}

static void list_commands(const char *dir)
{
	for (size_t i = 0; i < n_commands; i++)
		if (!commands[i]->is_helper || commands[i]->is_screen)
			puts(commands[i]->name);
	toolbox_list(dir, stdout);
}

/* The first word is an option: it applies to bperf as a whole. */
static int run_option(char *const *words, const char *tools_dir, struct err *err)
{
	const char *word = words[0];

	if (!strcmp(word, "--help") || !strcmp(word, "-h"))
		help_overview(stdout);
	else if (!strcmp(word, "--version") || !strcmp(word, "-V"))
		version_print(stdout);
	else if (!strcmp(word, "--list"))
		list_commands(tools_dir);
	else
		return unknown_command(words, err);
	return 0;
}

/* The name of a link selects the command: "bperf-profile" or "profile". */
static const char *name_of_link(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;
	const char *name = slash ? slash + 1 : path;

	if (!name)
		return "";
	return strncmp(name, "bperf-", 6) ? name : name + 6;
}

/* The words of a command line: the command or tool to run, and the way it was called. */
struct invocation {
	const struct command *command; /* NULL: none */
	struct tool_file tool;	       /* name NULL: none */
	const char *tools_dir;	       /* --tools, or the variable; NULL: none */
	int argc;
	char **argv; /* argv[0] is the name */
};

static void release_call(struct invocation *c)
{
	tool_file_release(&c->tool);
}

static bool is_known(const struct invocation *c)
{
	return c->command || c->tool.name;
}

static int find_name(struct invocation *c, const char *name, struct err *err)
{
	c->command = command_find(name);
	return c->command ? toolbox_check(name, c->tools_dir, err)
			  : toolbox_find(name, c->tools_dir, &c->tool, err);
}

/* A name in Debian's package of bcc, or a file of bpftrace's, is that of the tool. */
static int find_call(struct invocation *c, const char *name, struct err *err)
{
	static const char *const ends[] = { "-bpfcc", ".bt" };
	int ret = find_name(c, name, err);

	for (size_t i = 0; i < ARRAY_SIZE(ends) && !ret && !is_known(c); i++) {
		struct view v = view_of(name);
		_cleanup_(free_p) char *tool = NULL;

		if (!view_ends(v, ends[i]))
			continue;
		tool = mem_strndup(v.p, v.n - strlen(ends[i]));
		ret = find_name(c, tool, err);
	}
	return ret;
}

/* `bperf __complete ...`; if called through a link, the command's name is inserted. */
static int run_complete(struct invocation *c, int argc, char **argv)
{
	VEC(char *) words = { 0 };
	struct err ignored = { 0 };

	if (is_known(c))
		vec_push(&words, (char *)(uintptr_t)(c->command ? c->command->name : c->tool.name));
	for (int i = 2; i < argc; i++)
		vec_push(&words, argv[i]);
	if (words.n > 1 && !is_known(c))
		find_call(c, words.items[0], &ignored);
	if (words.n > 1 && c->tool.name)
		toolbox_complete(&c->tool, words.items + 1, words.n - 1, stdout);
	else if (words.n)
		complete_words(words.items, words.n, stdout);
	vec_release(&words);
	return 0;
}

/* `bperf __options COMMAND`: prints the option rows, for tests that compare them with man pages and
 * README. */
static int run_options(struct invocation *c, const char *name, struct err *err)
{
	const char *why;
	int ret = find_call(c, name ? name : "", err);

	if (ret)
		return ret;
	if (c->tool.name)
		return toolbox_options(&c->tool, err);
	if (!c->command)
		return unknown_command((char *[]){ (char *)(uintptr_t)(name ? name : ""), NULL },
				       err);
	why = opt_check(c->command->opts);
	if (why)
		return err_set(err, ERR_FAIL, "%s: %s", c->command->name, why);
	opt_list(c->command->opts, stdout);
	return 0;
}

/* `bperf __tools`: their names, for completion and tests. */
static int run_tools(void)
{
	for (size_t i = 0; i < toolbox_size(); i++)
		puts(toolbox_name(i));
	return 0;
}

static int run_call(const struct invocation *c, int *status, struct err *err)
{
	c->argv[0] = (char *)(uintptr_t)(c->command ? c->command->name : c->tool.name);
	if (c->command)
		return command_run(c->command, c->argc, c->argv, status, err);
	return toolbox_run(&c->tool, c->argc, c->argv, status, err);
}

static int overview(int *status)
{
	help_overview(stderr);
	*status = ERR_USAGE;
	return 0;
}

/* "--tools DIR": where the user's own recipes are. */
static int take_tools_dir(struct invocation *c, struct err *err)
{
	if (c->argc < 2 || strcmp(c->argv[1], "--tools") != 0)
		return 0;
	if (c->argc < 4) {
		err_set(err, ERR_USAGE, "--tools: a folder and a tool are missing");
		return err_hint(err, "bperf --tools DIR TOOL [options]");
	}
	c->tools_dir = c->argv[2];
	c->argc -= 2;
	c->argv += 2;
	return 0;
}

static int dispatch(int argc, char **argv, int *status, struct err *err)
{
	const char *link = name_of_link(argv[0]);
	_cleanup_(release_call) struct invocation c = { .argc = argc, .argv = argv };
	int ret = 0;

	c.tools_dir = toolbox_own_dir();
	if (strcmp(link, "bperf") != 0 && !strchr(link, '.'))
		ret = find_call(&c, link, err);
	if (ret)
		return ret;
	if (argc > 1 && !strcmp(argv[1], "__complete"))
		return run_complete(&c, argc, argv);
	if (is_known(&c))
		return run_call(&c, status, err);
	if (argc < 2)
		return overview(status);
	if (!strcmp(argv[1], "__options"))
		return run_options(&c, argv[2], err);
	if (!strcmp(argv[1], "__tools"))
		return run_tools();
	ret = take_tools_dir(&c, err);
	if (ret)
		return ret;
	if (c.argv[1][0] == '-')
		return run_option(&c.argv[1], c.tools_dir, err);
	ret = find_call(&c, c.argv[1], err);
	if (ret)
		return ret;
	if (!is_known(&c))
		return toolbox_check_dir(c.tools_dir, err) ?: unknown_command(&c.argv[1], err);
	c.argc--;
	c.argv++;
	return run_call(&c, status, err);
}

int main(int argc, char **argv)
{
	static struct err err;
	int status = 0, ret;

	occupy_standard_fds();
	ret = dispatch(argc, argv, &status, &err);
	if (!ret)
		ret = flush_result(&err);
	if (!ret)
		return status;
	error_print(&err, stderr);
	return err.code;
}
