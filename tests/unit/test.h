/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Unit tests: one file per core file, one TEST per claim, each in a process of its own.  Output
 * is what tests/run.sh counts: "ok - name", "not ok - name", "skip - name: reason".
 *
 *	TEST(hist_puts_zero_in_its_own_bucket)
 *	{
 *		CHECK(hist_bucket(0) == 0);
 *	}
 */
#ifndef TEST_H
#define TEST_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct test {
	const char *file, *name;
	void (*fn)(void);
	struct test *next;
};

/* The options of a file's tests.  take() returns true if the arguments are options; else the first
 * one is part of the names of the tests that run. */
struct test_options {
	const char *file;
	bool (*take)(int argc, char **argv);
	struct test_options *next;
};

void test_add(struct test *t);
void test_add_options(struct test_options *o);

extern const char *test_name; /* the one that runs in this process */

#define TEST(id)                                                                    \
	static void id(void);                                                       \
	__attribute__((constructor)) static void register_##id(void)                \
	{                                                                           \
		static struct test t = { .file = __FILE__, .name = #id, .fn = id }; \
		test_add(&t);                                                       \
	}                                                                           \
	static void id(void)

/* In a file, or in a header for files: __BASE_FILE__ is the file. */
#define TEST_OPTIONS(fn)                                                                \
	__attribute__((constructor)) static void register_options(void)                 \
	{                                                                               \
		static struct test_options o = { .file = __BASE_FILE__, .take = (fn) }; \
		test_add_options(&o);                                                   \
	}

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

#endif
