// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "site/mapfile_int.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/sysmacros.h>

#include "base/cleanup.h"
#include "sym/regular_file.h"

void mapfile_name(const char *proc, u32 tgid, const struct map_line *m, char *out, size_t size)
{
	snprintf(out, size, "%.24s/%u/map_files/%llx-%llx", proc, tgid, m->start, m->end);
}

int mapfile_open(const char *proc, u32 tgid, const struct map_line *m, struct stat *st)
{
	char name[96];

	mapfile_name(proc, tgid, m, name, sizeof(name));
	return regular_open(AT_FDCWD, name, 0, st);
}

/* Some file systems show a different device in mappings than to stat(). */
bool mapfile_is(const char *proc, u32 tgid, const struct map_line *m, u64 dev, u64 ino)
{
	_cleanup_(close_p) int fd = -1;
	struct stat st;

	if (m->ino != ino)
		return false;
	if (makedev(m->maj, m->min) == dev)
		return true;
	fd = mapfile_open(proc, tgid, m, &st);
	return fd >= 0 && st.st_dev == dev && st.st_ino == ino;
}
