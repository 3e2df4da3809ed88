// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * chosen N [SECONDS [FUNCTION]]: N calls of each of some functions whose implementation the loader
 * chooses (ifunc), or of one of them (strstr calls strchr), then a sleep.  Prints where the
 * implementations are, as addresses of their file.
 */
#include <dlfcn.h>
#include <string.h>
#include <wchar.h>

#include "waits.h"

/* Through variables, so that the compiler makes calls of them. */
static size_t (*volatile span)(const char *, const char *) = strcspn;
static wchar_t *(*volatile fill)(wchar_t *, wchar_t, size_t) = wmemset;
static char *(*volatile find)(const char *, const char *) = strstr;
static char *(*volatile first)(const char *, int) = strchr;
static char *(*volatile last)(const char *, int) = strrchr;
static void *(*volatile set)(void *, int, size_t) = memset;

static const char *only;

static bool is_called(const char *name)
{
	return !only || !strcmp(only, name);
}

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
	char bytes[256];

	only = argc > 3 ? argv[3] : NULL;
	if (n > 1000000)
		return 64;
	for (u64 i = 0; i < n; i++) {
		if (is_called("strcspn"))
			span("nothing of it", "xyz");
		if (is_called("wmemset"))
			fill(wide, L'x', 8);
		if (is_called("strstr"))
			find("nothing of it", "of");
		if (is_called("strchr"))
			first("nothing of it", 'o');
		if (is_called("strrchr"))
			last("nothing of it", 'o');
		if (is_called("memset"))
			set(bytes, 0, i % sizeof(bytes));
	}
	tell("strcspn", (void *)span);
	tell("wmemset", (void *)fill);
	tell("strstr", (void *)find);
	tell("strchr", (void *)first);
	tell("strrchr", (void *)last);
	tell("memset", (void *)set);
	say_pid();
	if (ns)
		sleep_ns(ns);
	return 0;
}
