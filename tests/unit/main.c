// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Runs the tests of one file: the one with the name of the program.  A folder's tests are one
 * program, to which the Makefile links by the names of its files; if no file has the program's
 * name, the tests of all run.  An argument is a part of the names of tests: others do not run.
 */
#include "test.h"

#include <sys/time.h>

const char *test_name;

static struct test *tests, **tail = &tests;
static struct test_options *options;

/* Called by constructors, in the order of each file. */
void test_add(struct test *t)
{
	*tail = t;
	tail = &t->next;
}

void test_add_options(struct test_options *o)
{
	o->next = options;
	options = o;
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* "tests/unit/base/num.c" is num's. */
static bool is_of(const char *file, const char *name)
{
	size_t n = strlen(name);

	file = last_part(file);
	return !strncmp(file, name, n) && !strcmp(file + n, ".c");
}

static void run_here(const struct test *t)
{
	test_name = t->name;
	/* A test that hangs is ended, and has failed.  It may have to wait for a CPU. */
	setitimer(ITIMER_PROF, &(struct itimerval){ .it_value.tv_sec = 60 }, NULL);
	alarm(240);
	t->fn();
	fflush(stdout);
	exit(0);
}

/* true: it has not failed. */
static bool run(const struct test *t)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid)
		run_here(t);
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		status = -1;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		return true;
	if (WIFSIGNALED(status))
		printf("# ended by signal %d\n", WTERMSIG(status));
	printf("%s - %s\n", status ? "not ok" : "ok", t->name);
	return !status;
}

int main(int argc, char **argv)
{
	const char *file = argc ? last_part(argv[0]) : "", *words = argc > 1 ? argv[1] : "";
	bool has_file = false, has_failed = false;

	for (const struct test *t = tests; t; t = t->next)
		has_file |= is_of(t->file, file);
	for (const struct test_options *o = options; o; o = o->next)
		if ((!has_file || is_of(o->file, file)) && o->take(argc, argv))
			words = "";
	for (const struct test *t = tests; t; t = t->next)
		if ((!has_file || is_of(t->file, file)) && strstr(t->name, words))
			has_failed |= !run(t);
	return has_failed;
}
