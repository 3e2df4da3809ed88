/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/str.h"
#include "base/types.h"

/* Append a file to `out`.  More than `max` bytes is -E2BIG.  Works for /proc files, whose st_size
 * is 0.  Returns 0 or -errno. */
int file_read(const char *path, size_t max, struct str *out);
int file_read_fd(int fd, size_t max, struct str *out);

/* 0 if the file exists, else -errno.  Checked with the capabilities that opening the file would
 * use; access(2) ignores those of a user other than root. */
int file_is_missing(const char *path);

#endif
