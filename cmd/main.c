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
 *	core/render  reports to bytes: text, folded, json, pprof, svg
 *	core/syntax  the user's words to trees: probe specs and expressions
 *	core/type    C types from BTF; what names mean at a site; typed trees
 *	core/expr    expressions checked, formatted, evaluated
 *	core/gen     typed trees to BPF instructions
 *	core/site    a probe spec to concrete places on this host
 *	core/attach  programs to sites, on and off
 *	core/run     one run: child, filter, event loop, perf events, programs
 *	core/stack   the store of stacks, and runs that count stacks
 *	core/wait    time off CPU, from hook to row
 *	core/probe   programs at sites: grouped, compiled, loaded, attached, counted
 *	core/event   one event after another: values, messages, order
 *	core/agg     counts, histograms and tables by key
 *	bpf/         what runs in the kernel; bpf/abi has what both sides agree on
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/command.h"
#include "host/feature.h"

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

static int run_command(const struct command *c, int argc, char **argv, int *status, struct err *err)
{
	void *conf = mem_alloc(1, c->conf_size);
	struct opt_rest rest = { 0 };
	enum opt_ask ask;
	int ret;

	if (c->defaults)
		c->defaults(conf);
	ret = opt_parse(c->opts, conf, argc, argv, &rest, &ask, err);
	if (ask == OPT_ASK_HELP)
		help_of(c, stdout);
	if (ask == OPT_ASK_VERSION)
		version_print(stdout);
	if (!ret && !ask && c->check)
		ret = c->check(conf, &rest, err);
	if (ret == -ERR_USAGE && !err->hint[0])
		err_hint(err, "bperf %s --help lists the options", c->name);
	/* Under lockdown, the kernel shows programs zeros, or calls them wrongly: check before the
	 * run. */
	if (!ret && !ask)
		ret = feature_require(c->needs & FEATURE_BIT(LOCKDOWN), err)
			      ?: c->run(conf, argc, argv, status, err);
	/* doctor's explanation is better than the error of a failed load. */
	if (ret == -ERR_KERNEL)
		ret = feature_require(c->needs, err) ?: ret;
	if (c->release)
		c->release(conf);
	opt_rest_release(&rest);
	free(conf);
	return ret;
}

static int unknown_command(const char *name, struct err *err)
{
	const char *nearest = command_nearest(name);

	if (name[0] == '-') {
		err_set(err, ERR_USAGE, "unknown option '%s'", name);
		return err_hint(err, "a command comes first: bperf --help lists them");
	}
	err_set(err, ERR_UNKNOWN, "unknown command '%s'", name);
	if (nearest)
		return err_hint(err, "did you mean '%s'?", nearest);
	return err_hint(err, "bperf --help lists the commands");
}

static void list_commands(void)
{
	for (size_t i = 0; i < n_commands; i++)
		if (!commands[i]->is_helper)
			puts(commands[i]->name);
}

/* The first word is an option: it applies to bperf as a whole. */
static int run_option(const char *word, struct err *err)
{
	if (!strcmp(word, "--help") || !strcmp(word, "-h"))
		help_overview(stdout);
	else if (!strcmp(word, "--version") || !strcmp(word, "-V"))
		version_print(stdout);
	else if (!strcmp(word, "--list"))
		list_commands();
	else
		return unknown_command(word, err);
	return 0;
}

/* The name of a link selects the command: "bperf-profile" or "profile". */
static const struct command *command_of_link(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;
	const char *name = slash ? slash + 1 : path;

	if (!name)
		return NULL;
	return command_find(strncmp(name, "bperf-", 6) ? name : name + 6);
}

/* `bperf __complete ...`; if called through a link, the command's name is inserted. */
static void run_complete(const struct command *link, int argc, char **argv)
{
	VEC(char *) words = { 0 };

	if (link)
		vec_push(&words, (char *)(uintptr_t)link->name);
	for (int i = 2; i < argc; i++)
		vec_push(&words, argv[i]);
	if (words.n)
		complete_words(words.items, words.n, stdout);
	vec_release(&words);
}

/* `bperf __options COMMAND`: prints the option rows, for tests that compare them with man pages and
 * README. */
static int run_options(const char *name, struct err *err)
{
	const struct command *c = name ? command_find(name) : NULL;
	const char *why;

	if (!c)
		return unknown_command(name ? name : "", err);
	why = opt_check(c->opts);
	if (why)
		return err_set(err, ERR_FAIL, "%s: %s", c->name, why);
	opt_list(c->opts, stdout);
	return 0;
}

static int dispatch(int argc, char **argv, int *status, struct err *err)
{
	const struct command *link = command_of_link(argv[0]);
	const struct command *c = link;

	if (argc > 1 && !strcmp(argv[1], "__complete")) {
		run_complete(link, argc, argv);
		return 0;
	}
	if (!c) {
		if (argc < 2) {
			help_overview(stderr);
			*status = ERR_USAGE;
			return 0;
		}
		if (!strcmp(argv[1], "__options"))
			return run_options(argv[2], err);
		if (argv[1][0] == '-')
			return run_option(argv[1], err);
		c = command_find(argv[1]);
		if (!c)
			return unknown_command(argv[1], err);
		argc--;
		argv++;
	}
	argv[0] = (char *)(uintptr_t)c->name;
	return run_command(c, argc, argv, status, err);
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
