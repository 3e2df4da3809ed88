// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "host/cgroup_members.h"

#include <errno.h>
#include <fts.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/num.h"

/* PID_MAX_LIMIT numbers of 7 digits. */
#define MAX_PROCS_BYTES (4194304 * 8)
/* A larger hierarchy is a mistake or an attack. */
#define MAX_CGROUPS	65536

static bool read_members(const char *path, void (*take)(void *ctx, u32 tgid), void *ctx)
{
	_cleanup_(free_p) char *file = mem_printf("%s/cgroup.procs", path);
	_cleanup_(str_release) struct str text = { 0 };
	struct view rest, line;
	u64 tgid;
	int ret = file_read(file, MAX_PROCS_BYTES, &text);

	if (ret == -ENOENT || ret == -ENODEV) /* removed in between */
		return true;
	rest = str_view(&text);
	while (view_split(&rest, '\n', &line))
		/* 0: a process outside our PID namespace. */
		if (num_parse_dec(line, &tgid) && tgid)
			take(ctx, (u32)tgid);
	return !ret;
}

bool cgroup_each_member(const char *path, void (*take)(void *ctx, u32 tgid), void *ctx)
{
	char *roots[] = { (char *)(uintptr_t)path, NULL };
	FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, NULL);
	const FTSENT *at;
	u32 n = 0;
	bool is_all = tree;

	while (tree && is_all && (at = fts_read(tree)))
		if (at->fts_info == FTS_D)
			is_all = ++n <= MAX_CGROUPS && read_members(at->fts_path, take, ctx);
	if (tree)
		fts_close(tree);
	return is_all;
}
