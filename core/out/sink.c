// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "out/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"

#define SPILL_BYTES 65536 /* a pipe's default capacity */

int sink_open_stdout(struct sink *s, struct err *err)
{
	int flags = fcntl(STDOUT_FILENO, F_GETFL);

	*s = (struct sink){ .fd = STDOUT_FILENO };
	/* main() puts something read-only where the caller has closed it. */
	if (flags >= 0 && (flags & O_ACCMODE) != O_RDONLY)
		return 0;
	return err_errno(err, flags < 0 ? errno : EBADF, "cannot write to standard output");
}

/* The folder that the file is in, as a path. */
static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return mem_strdup(".");
	return slash == path ? mem_strdup("/") : mem_strndup(path, (size_t)(slash - path));
}

static bool is_shared_folder(const char *path)
{
	_cleanup_(free_p) char *folder = folder_of(path);
	struct stat st;

	return !stat(folder, &st) && st.st_mode & S_ISVTX && st.st_mode & S_IWOTH;
}

/* What was there before: O_CREAT stays, for the kernel's own rule (fs.protected_regular) looks at
 * it. */
static int open_existing(const char *path, bool is_shared)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (is_shared ? O_NOFOLLOW : 0), 0666);
	struct stat st;

	if (fd < 0 || !is_shared || fstat(fd, &st) < 0)
		return fd;
	if (st.st_uid == geteuid() && st.st_nlink == 1)
		return fd;
	close(fd);
	errno = EACCES;
	return -1;
}

int sink_open_file(struct sink *s, const char *path, struct err *err)
{
	struct stat st;

	*s = (struct sink){ .is_created = true };
	s->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (s->fd < 0 && errno == EEXIST) {
		s->is_created = false;
		s->fd = open_existing(path, is_shared_folder(path));
	}
	if (s->fd < 0)
		return err_errno(err, errno, "cannot write to '%s'", path);
	s->path = mem_strdup(path);
	s->is_regular = !fstat(s->fd, &st) && S_ISREG(st.st_mode);
	return 0;
}

/* The first bytes to a file: what it held before is gone. */
static void empty_file(struct sink *s)
{
	if (s->path && s->is_regular && (ftruncate(s->fd, 0) < 0 || lseek(s->fd, 0, SEEK_SET) < 0))
		s->error = errno;
	s->has_written = true;
}

void sink_restart(struct sink *s)
{
	str_clear(&s->buf);
	empty_file(s);
}

/* Somebody made the pipe non-blocking: wait for room. */
static bool can_wait(const struct sink *s, int error)
{
	struct pollfd p = { .fd = s->fd, .events = POLLOUT };

	if (error == EINTR)
		return true;
	return (error == EAGAIN || error == EWOULDBLOCK) && (poll(&p, 1, -1) > 0 || errno == EINTR);
}

void sink_flush(struct sink *s)
{
	size_t at = 0;

	if (s->buf.n && !s->has_written)
		empty_file(s);
	while (at < s->buf.n && !s->error) {
		ssize_t n = write(s->fd, s->buf.p + at, s->buf.n - at);

		if (n >= 0)
			at += (size_t)n;
		else if (!can_wait(s, errno))
			s->error = errno;
	}
	str_clear(&s->buf);
}

void sink_spill(struct sink *s)
{
	if (s->buf.n >= SPILL_BYTES)
		sink_flush(s);
}

bool sink_is_broken(const struct sink *s)
{
	return s->error == EPIPE;
}

int sink_close(struct sink *s, struct err *err)
{
	int ret = 0;

	sink_flush(s);
	if (s->path && s->is_created && !s->has_written && s->is_regular)
		unlink(s->path);
	/* NFS and quotas tell at close. */
	if (s->path && close(s->fd) < 0 && !s->error)
		s->error = errno;
	if (s->error && !sink_is_broken(s))
		ret = err_errno(err, s->error, "cannot write to %s%s%s", s->path ? "'" : "",
				s->path ? s->path : "standard output", s->path ? "'" : "");
	free(s->path);
	str_release(&s->buf);
	*s = (struct sink){ .fd = -1 };
	return ret;
}
