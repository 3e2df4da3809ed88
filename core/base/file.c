// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"

int file_read_fd(int fd, size_t max, struct str *out)
{
	size_t start = out->n;

	for (;;) {
		ssize_t n = read(fd, str_reserve(out, 16384), 16384);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		out->n += (size_t)n;
		out->p[out->n] = '\0';
		if (!n)
			return 0;
		if (out->n - start > max)
			return -E2BIG;
	}
}

int file_read(const char *path, size_t max, struct str *out)
{
	_cleanup_(close_p) int fd = open(path, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -errno : file_read_fd(fd, max, out);
}

int file_is_missing(const char *path)
{
	struct stat st;

	return stat(path, &st) ? -errno : 0;
}
