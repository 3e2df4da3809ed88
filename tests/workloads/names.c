/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * names [SECONDS [list|change]]: processes with names that break readers: control bytes, quotes,
 * ';', '<', invalid UTF-8, an escape sequence, only blanks, an empty name.  "change": one process
 * that is called "before" for a third of its CPU time and "after" for the rest.  Prints each name
 * in hex, in the order of the table, and passes it to name_path() once.
 */
#include <sys/prctl.h>
#include <sys/wait.h>

#include "work.h"

static const char *const hostile[] = {
	"semi;colon",
	"<script>&amp;",
	"quo\"te'back\\",
	"new\nline\ttab",
	"\033[31mred\007",
	"\xff\xfe\x80"
	"bad",
	"\xc3",
	"caf\xc3\xa9 \xe2\x82",
	"trail 42",
	"   ",
	"]]>--><x/>",
	"%s%n%99999d",
	"-p",
	"kernel;[k]_[k]",
	"",
};
#define N_HOSTILE (sizeof(hostile) / sizeof(hostile[0]))

NOINLINE void name_work(u64 ns);
NOINLINE void name_work(u64 ns)
{
	burn_ns(ns);
	barrier();
}

/* For probes: a string that a program passes to a function. */
NOINLINE u64 name_path(const char *path);
NOINLINE u64 name_path(const char *path)
{
	barrier();
	return strlen(path);
}

static int change(u64 ns)
{
	prctl(PR_SET_NAME, "before");
	name_work(ns / 3);
	prctl(PR_SET_NAME, "after");
	name_work(ns - ns / 3);
	printf("cpu_ns %llu\n", (unsigned long long)cpu_ns());
	return 0;
}

int main(int argc, char **argv)
{
	u64 ns = arg_ns(argc, argv, 1, 1);

	say_pid();
	if (argc > 2 && !strcmp(argv[2], "change"))
		return change(ns);
	for (size_t i = 0; i < N_HOSTILE; i++) {
		printf("hex ");
		for (const char *s = hostile[i]; *s; s++)
			printf("%02x", (unsigned char)*s);
		printf("\n");
		fflush(stdout);
		if (!fork()) {
			prctl(PR_SET_NAME, hostile[i]);
			name_path(hostile[i]);
			name_work(ns / N_HOSTILE);
			_exit(0);
		}
	}
	while (wait(NULL) > 0)
		;
	return 0;
}
