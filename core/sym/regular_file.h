/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Opens files whose paths come from others: regular files only, without side effects on anything
 * else. */
#ifndef SYM_REGULAR_FILE_H
#define SYM_REGULAR_FILE_H

#include <dirent.h>
#include <sys/stat.h>

#include "base/types.h"

enum regular_flags {
	REGULAR_IN_ROOT =
		1 << 0, /* dir_fd is a root: absolute paths and links are resolved in it */
	REGULAR_NO_LINK = 1 << 1,  /* the last component must not be a symbolic link */
	REGULAR_NO_LINKS = 1 << 2, /* no component may be a symbolic link */
};

/*
 * Open a file for reading if it is a regular one.  It is checked through O_PATH first, so that
 * FIFOs, devices and sockets are never opened. dir_fd may be AT_FDCWD.  Returns a descriptor or
 * -errno; *st describes the file.
 */
int regular_open(int dir_fd, const char *path, u32 flags, struct stat *st);

/* Like stat(), in our own root.  Returns 0 or -errno. */
int regular_stat(const char *path, u32 flags, struct stat *st);

/* Open a folder in the same way; links in a root are resolved in it.  Returns NULL if there is
 * none. */
DIR *folder_open(int dir_fd, const char *path, u32 flags);

#endif
