/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A kernel that has this text as /proc/kallsyms, for tests. */
#ifndef KALLSYMS_H
#define KALLSYMS_H

#include "host/kernel.h"
#include "host/kfuncs.h"
#include "test.h"

/* To be closed by the caller. */
static inline struct kernel *kernel_with(const char *kallsyms)
{
	static char dir[32]; /* the kernel keeps the pointer */
	struct kernel_paths paths = { .proc = dir };
	char path[64];
	struct view out;
	struct kernel *k;
	FILE *f;

	strcpy(dir, "/tmp/bperf-unit-XXXXXX");
	CHECK(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/kallsyms", dir);
	f = fopen(path, "w");
	CHECK(f && fputs(kallsyms, f) >= 0 && !fclose(f));
	k = kernel_open(&paths);
	CHECK(!kfuncs_text(k, &out));
	unlink(path);
	rmdir(dir);
	return k;
}

#endif
