// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sym/regular_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"

static int open_path(int dir_fd, const char *path, u32 flags, u64 how_flags)
{
	struct open_how how = { .flags = how_flags | O_CLOEXEC };
	long fd;

	if (flags & REGULAR_NO_LINK)
		how.flags |= O_NOFOLLOW;
	if (!(flags & (REGULAR_IN_ROOT | REGULAR_NO_LINKS))) {
		int plain = openat(dir_fd, path, (int)how.flags);

		return plain < 0 ? -errno : plain;
	}
	how.resolve = RESOLVE_NO_MAGICLINKS;
	if (flags & REGULAR_IN_ROOT)
		how.resolve |= RESOLVE_IN_ROOT;
	if (flags & REGULAR_NO_LINKS)
		how.resolve |= RESOLVE_NO_SYMLINKS;
	fd = syscall(SYS_openat2, dir_fd, path, &how, sizeof(how));
	return fd < 0 ? -errno : (int)fd;
}

int regular_open(int dir_fd, const char *path, u32 flags, struct stat *st)
{
	_cleanup_(close_p) int at = open_path(dir_fd, path, flags, O_PATH);
	char link[32];
	int fd;

	if (at < 0)
		return at;
	if (fstat(at, st))
		return -errno;
	if (!S_ISREG(st->st_mode))
		return -EINVAL;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", at);
	fd = open(link, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	return fd < 0 ? -errno : fd;
}

int regular_stat(const char *path, u32 flags, struct stat *st)
{
	_cleanup_(close_p) int at = open_path(AT_FDCWD, path, flags, O_PATH);

	if (at < 0)
		return at;
	return fstat(at, st) ? -errno : 0;
}

DIR *folder_open(int dir_fd, const char *path, u32 flags)
{
	int fd = open_path(dir_fd, path, flags, O_RDONLY | O_DIRECTORY);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (!dir)
		close_p(&fd);
	return dir;
}
