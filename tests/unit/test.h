/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Unit tests: one file per core file, one TEST per claim, each in a process of its own.  Output
 * is what tests/run.sh counts: "ok - name", "not ok - name", "skip - name: reason".
 *
 *	TEST(hist_puts_zero_in_its_own_bucket)
 *	{
 *		CHECK(hist_bucket(0) == 0);
 *	}
 *	TEST_MAIN()
 */
#ifndef TEST_H
#define TEST_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

struct test {
	const char *name;
	void (*fn)(void);
	struct test *next;
};

extern struct test *tests, **tests_tail;
extern const char *test_name; /* the one that runs in this process */

#define TEST(id)                                                     \
	static void id(void);                                        \
	__attribute__((constructor)) static void register_##id(void) \
	{                                                            \
		static struct test t = { .name = #id, .fn = id };    \
		*tests_tail = &t;                                    \
		tests_tail = &t.next;                                \
	}                                                            \
	static void id(void)

#define CHECK(cond)                                                         \
	do {                                                                \
		if (!(cond)) {                                              \
			printf("# %s:%d: %s\n", __FILE__, __LINE__, #cond); \
			fflush(stdout);                                     \
			exit(1);                                            \
		}                                                           \
	} while (0)

#define CHECK_STR(got, want)                                                         \
	do {                                                                         \
		const char *got_ = (got), *want_ = (want);                           \
		if (!got_ || strcmp(got_, want_)) {                                  \
			printf("# %s:%d: got '%s', want '%s'\n", __FILE__, __LINE__, \
			       got_ ? got_ : "(null)", want_);                       \
			fflush(stdout);                                              \
			exit(1);                                                     \
		}                                                                    \
	} while (0)

#define CHECK_U64(got, want)                                                                       \
	do {                                                                                       \
		unsigned long long got_ = (got), want_ = (want);                                   \
		if (got_ != want_) {                                                               \
			printf("# %s:%d: %s is %llu, want %llu\n", __FILE__, __LINE__, #got, got_, \
			       want_);                                                             \
			fflush(stdout);                                                            \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)

/* Say why and leave the test; counted as skipped. */
#define SKIP(reason)                                            \
	do {                                                    \
		printf("skip - %s: %s\n", test_name, (reason)); \
		fflush(stdout);                                 \
		exit(77);                                       \
	} while (0)

static inline int test_main(int argc, char **argv)
{
	int failed = 0;

	for (struct test *t = tests; t; t = t->next) {
		int status;
		pid_t pid;

		if (argc > 1 && !strstr(t->name, argv[1]))
			continue;
		fflush(stdout);
		pid = fork();
		if (!pid) {
			test_name = t->name;
			/* A test that hangs is ended, and has failed.  It may have to wait for a
			 * CPU. */
			setitimer(ITIMER_PROF, &(struct itimerval){ .it_value.tv_sec = 60 }, NULL);
			alarm(240);
			t->fn();
			fflush(stdout);
			exit(0);
		}
		if (pid < 0 || waitpid(pid, &status, 0) < 0)
			status = -1;
		if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
			continue;
		if (WIFSIGNALED(status))
			printf("# ended by signal %d\n", WTERMSIG(status));
		failed += status != 0;
		printf("%s - %s\n", status ? "not ok" : "ok", t->name);
	}
	return failed != 0;
}

/* Once in a program, which may have several files: the list of tests, or the list with a main. */
#define TEST_LIST()                                \
	struct test *tests, **tests_tail = &tests; \
	const char *test_name;

#define TEST_MAIN()                           \
	TEST_LIST()                           \
	int main(int argc, char **argv)       \
	{                                     \
		return test_main(argc, argv); \
	}

#endif
