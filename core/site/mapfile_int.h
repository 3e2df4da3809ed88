/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The file that is mapped by a process, found through the kernel's link in /proc/PID/map_files,
 * which always leads to the right file.  Private to core/site. */
#ifndef SITE_MAPFILE_INT_H
#define SITE_MAPFILE_INT_H

#include <sys/stat.h>

#include "sym/maps.h"

/* `proc` is where /proc is mounted. */
void mapfile_name(const char *proc, u32 tgid, const struct map_line *m, char *out, size_t size);

/* Returns a descriptor or -errno. */
int mapfile_open(const char *proc, u32 tgid, const struct map_line *m, struct stat *st);

bool mapfile_is(const char *proc, u32 tgid, const struct map_line *m, u64 dev, u64 ino);

#endif
