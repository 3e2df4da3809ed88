/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Opening files that others chose: regular ones only, without side effects on anything else. */
#ifndef SYM_REGULAR_FILE_H
#define SYM_REGULAR_FILE_H

#include <dirent.h>
#include <sys/stat.h>

#include "base/types.h"

enum regular_flags {
	REGULAR_IN_ROOT = 1 << 0,  /* dir_fd is a root: absolute paths and links end in it */
	REGULAR_NO_LINK = 1 << 1,  /* the last component is no symbolic link */
	REGULAR_NO_LINKS = 1 << 2, /* no component is one */
};

/*
 * Open a file for reading if it is a regular one.  It is looked at through O_PATH first, so that
 * a FIFO, a device or a socket is never opened.  dir_fd may be AT_FDCWD.  Returns a descriptor or
 * -errno; *st describes it.
 */
int regular_open(int dir_fd, const char *path, u32 flags, struct stat *st);

/* As stat(), by our own root.  0 or -errno. */
int regular_stat(const char *path, u32 flags, struct stat *st);

/* A folder, in the same way; links in a root end in it.  NULL: there is none. */
DIR *folder_open(int dir_fd, const char *path, u32 flags);

#endif
