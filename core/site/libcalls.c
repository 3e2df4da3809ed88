// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "site/libcalls.h"

#include <string.h>

#define MAX_PARAMS 3

/* Names as in the manual pages malloc(3) and posix_memalign(3). */
static const struct {
	const char *func;
	struct site_param params[MAX_PARAMS];
} rows[] = {
	{ "malloc", { { "size_t", "size" } } },
	{ "calloc", { { "size_t", "n" }, { "size_t", "size" } } },
	{ "realloc", { { "void *", "p" }, { "size_t", "size" } } },
	{ "reallocarray", { { "void *", "p" }, { "size_t", "n" }, { "size_t", "size" } } },
	{ "aligned_alloc", { { "size_t", "alignment" }, { "size_t", "size" } } },
	{ "memalign", { { "size_t", "alignment" }, { "size_t", "size" } } },
	{ "valloc", { { "size_t", "size" } } },
	{ "free", { { "void *", "p" } } },
};

/* libc.so.6, libc-2.31.so; musl's is libc.musl-x86_64.so.1 or ld-musl-x86_64.so.1. */
static bool is_libc(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	return !strncmp(name, "libc.", 5) || !strncmp(name, "libc-", 5) ||
	       !strncmp(name, "ld-musl-", 8);
}

const struct site_param *libcall_params(const struct site *s, u32 *n)
{
	/* The shown name may include a version. */
	const char *name = s->symbol ? s->symbol : s->func;

	*n = 0;
	if (!s->file || s->offset || !is_libc(s->file->path))
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (strcmp(rows[i].func, name) != 0)
			continue;
		while (*n < MAX_PARAMS && rows[i].params[*n].name)
			++*n;
		return rows[i].params;
	}
	return NULL;
}
