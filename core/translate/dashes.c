// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A program that was given without its two dashes, as for perf and strace: the answer is the whole
 * command line that runs it. */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/shell.h"
#include "translate/translate.h"

static bool is_executable(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK);
}

/* A word with a colon is a site, and one that begins with a digit an interval, unless it is a path.
 */
static bool is_program(const char *word)
{
	const char *path = getenv("PATH");
	struct view rest = view_of(path ? path : "/usr/bin:/bin"), folder;
	bool found = false;

	if (strchr(word, '/'))
		return is_executable(word);
	if (!word[0] || strchr("0123456789.", word[0]) || strchr(word, ':'))
		return false;
	while (!found && view_split(&rest, ':', &folder)) {
		_cleanup_(free_p) char *file = mem_printf("%.*s/%s", (int)folder.n, folder.p, word);

		found = folder.n && is_executable(file);
	}
	return found;
}

/* The first word that is a program; NULL: none is.  With -ERR_NOTARGET, a word was taken for a site
 * and not found: then only this word counts. */
static char *const *find_program(const struct opt_rest *rest, int argc, char **argv, int ret,
				 const struct err *err)
{
	for (size_t i = 0; i < rest->n_args; i++) {
		if (ret == -ERR_NOTARGET && strcmp(err->text, rest->args[i]) != 0)
			continue;
		if (!is_program(rest->args[i]))
			continue;
		for (int k = 1; k < argc; k++)
			if (argv[k] == rest->args[i])
				return &argv[k];
	}
	return NULL;
}

/* The index of "-c 'PROGRAM ARGUMENT...'", as bcc's memleak takes it, if it is an unknown option
 * here; 0: there is none. */
static int command_option(int argc, char **argv, const struct err *err)
{
	for (int k = 1; k + 1 < argc; k++) {
		_cleanup_(free_p) char *unknown = mem_printf("unknown option '%s'", argv[k]);
		_cleanup_(free_p) char *program =
			mem_printf("%.*s", (int)strcspn(argv[k + 1], " "), argv[k + 1]);

		if ((!strcmp(argv[k], "-c") || !strcmp(argv[k], "--command")) &&
		    !strcmp(err->what, unknown) && is_program(program))
			return k;
	}
	return 0;
}

/* The hint: the same words, with the option's argument after two dashes. */
static void explain_command(const char *command, int argc, char **argv, int option, struct err *err)
{
	_cleanup_(str_release) struct str line = { 0 };

	str_addf(&line, "bperf %s", command);
	for (int k = 1; k < argc; k++) {
		if (k == option || k == option + 1)
			continue;
		str_addc(&line, ' ');
		shell_add_word(&line, argv[k]);
	}
	err->hint[0] = '\0';
	err_hint(err, "put the program to run after two dashes: %s -- %s", str_text(&line),
		 argv[option + 1]);
}

void translate_program(const char *command, const char *probe, const struct opt_rest *rest,
		       int argc, char **argv, int ret, struct err *err)
{
	_cleanup_(str_release) struct str line = { 0 };
	char *const *program = NULL;
	int option;

	if (!rest->program && (ret == -ERR_USAGE || ret == -ERR_NOTARGET))
		program = find_program(rest, argc, argv, ret, err);
	option = program || rest->program ? 0 : command_option(argc, argv, err);
	if (option)
		explain_command(command, argc, argv, option, err);
	if (!program)
		return;
	str_addf(&line, "bperf %s", command);
	if (probe && *program == rest->args[0])
		str_adds(&line, probe);
	for (char *const *word = &argv[1]; word < program; word++) {
		str_addc(&line, ' ');
		shell_add_word(&line, *word);
	}
	str_adds(&line, " --");
	shell_add_words(&line, program);
	err->hint[0] = '\0'; /* a similar name is not meant */
	err_hint(err, "put the program to run after two dashes: %s", str_text(&line));
}
