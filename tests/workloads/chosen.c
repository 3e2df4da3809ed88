// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * chosen N [SECONDS]: N calls of each of some functions whose implementation the loader chooses
 * (ifunc), then a sleep.  Prints where the implementations are, as addresses of their file.
 */
#include <dlfcn.h>
#include <wchar.h>

#include "waits.h"

/* Through variables, so that the compiler makes calls of them. */
static size_t (*volatile span)(const char *, const char *) = strcspn;
static wchar_t *(*volatile fill)(wchar_t *, wchar_t, size_t) = wmemset;
static char *(*volatile find)(const char *, const char *) = strstr;

static void tell(const char *name, void *at)
{
	Dl_info info;

	if (dladdr(at, &info))
		printf("%s 0x%zx\n", name, (size_t)at - (size_t)info.dli_fbase);
}

int main(int argc, char **argv)
{
	u64 n = arg_u64(argc, argv, 1, 1000), ns = arg_ns(argc, argv, 2, 0);
	wchar_t wide[8];

	if (n > 1000000)
		return 64;
	for (u64 i = 0; i < n; i++) {
		span("nothing of it", "xyz");
		fill(wide, L'x', 8);
		find("nothing of it", "of");
	}
	tell("strcspn", (void *)span);
	tell("wmemset", (void *)fill);
	tell("strstr", (void *)find);
	say_pid();
	if (ns)
		sleep_ns(ns);
	return 0;
}
