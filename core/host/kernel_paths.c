// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Paths of the files with facts about the kernel. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "host/kernel_facts.h"
#include "host/tracefs.h"

const char *kernel_path(struct kernel *k, const char *root, const char *fmt, ...)
{
	char tail[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(tail, sizeof(tail), fmt, ap);
	va_end(ap);
	return arena_printf(&k->arena, "%s/%s", root, tail);
}

const char *kernel_tracefs(const struct kernel *k, struct err *err)
{
	const char *path = k->paths.tracefs ? k->paths.tracefs : tracefs_path();
	const struct tracefs_trouble *t = path ? NULL : tracefs_trouble(errno);

	if (path)
		return path;
	err_set(err, t->errnum == ENODEV ? ERR_KERNEL : ERR_PERM, "tracefs: %s", t->why);
	if (t->next)
		err_hint(err, "%s", t->next);
	return NULL;
}
