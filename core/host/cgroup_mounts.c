// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "host/cgroup_mounts.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"

#define MAX_MOUNTINFO (64 << 20)

void cgroup_mounts_release(struct cgroup_mounts *m)
{
	struct cgroup_mount *item;

	vec_for_each(item, &m->v)
		free(item->path);
	vec_release(&m->v);
}

/* A line of mountinfo: ID PARENT DEV ROOT POINT OPTS ... - TYPE SOURCE SUPER_OPTS */
static void add_line(struct cgroup_mounts *out, struct view line)
{
	struct view f[5] = { 0 }, type, source, super, rest = line;
	struct cgroup_mount m = { 0 };

	for (u32 i = 0; i < 5; i++)
		if (!view_split(&rest, ' ', &f[i]))
			return;
	while (view_split(&rest, ' ', &type) && !view_eq(type, "-"))
		;
	if (!view_split(&rest, ' ', &type) || !view_split(&rest, ' ', &source) ||
	    !view_split(&rest, ' ', &super))
		return;
	m.is_v2 = view_eq(type, "cgroup2");
	if (!m.is_v2 && !view_eq(type, "cgroup"))
		return;
	m.path = mem_strndup(f[4].p, f[4].n);
	snprintf(m.options, sizeof(m.options), "%.*s", (int)super.n, super.p);
	vec_push(&out->v, m);
}

void cgroup_mounts_add(struct cgroup_mounts *m, struct lines *text)
{
	struct view line;

	while (lines_next(text, &line))
		add_line(m, line);
}

void cgroup_mounts_read(struct cgroup_mounts *m)
{
	_cleanup_(close_p) int fd = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
	_cleanup_(lines_release) struct lines text = { .fd = -1 };

	if (fd < 0)
		return;
	/* Read it line by line: the overlays of a thousand containers make it megabytes long. */
	lines_init(&text, fd, MAX_MOUNTINFO);
	cgroup_mounts_add(m, &text);
}

const struct cgroup_mount *cgroup_mount_of(const struct cgroup_mounts *m, const char *path)
{
	const struct cgroup_mount *best = NULL, *item;

	vec_for_each(item, &m->v) {
		size_t n = strlen(item->path);

		if (strncmp(path, item->path, n) || (path[n] && path[n] != '/'))
			continue;
		if (!best || n > strlen(best->path))
			best = item;
	}
	return best;
}

void cgroup_controller_of(const struct cgroup_mount *m, char *out, size_t size)
{
	struct view rest = view_of(m->options), word;

	out[0] = '\0';
	while (!m->is_v2 && view_split(&rest, ',', &word)) {
		if (view_eq(word, "rw") || view_eq(word, "ro") || memchr(word.p, '=', word.n))
			continue;
		snprintf(out, size, "%.*s", (int)word.n, word.p);
		return;
	}
}
