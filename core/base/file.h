/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/str.h"
#include "base/types.h"

/* Add a file's bytes to `out`, at most `max` of them (more is -E2BIG); works for /proc files,
 * whose size says 0.  Returns 0 or -errno. */
int file_read(const char *path, size_t max, struct str *out);
int file_read_fd(int fd, size_t max, struct str *out);

/* 0 or -errno; unlike access(2), which leaves them out for who is not root, with the capabilities
 * that opening it would have. */
int file_is_missing(const char *path);

#endif
