// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "render/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/memlimit.h"
#include "base/stop.h"

#define SPILL_BYTES   65536 /* default capacity of a pipe */
/* Nothing should be added while this many bytes, or this part of the memory limit if that is less,
 * wait for the reader. */
#define FULL_BYTES    (8 << 20)
#define FULL_SHARE    8
/* A report need not wait for the reader until this many bytes, or this part of the limit if that is
 * more, are waiting. */
#define WAITING_BYTES (8 << 20)
#define WAITING_SHARE 4
/* A pipe that poll(2) reports as writable accepts this many bytes without blocking: pipe(7). */
#define CHUNK_BYTES   4096
/* Interval of checks for a signal, in ms. */
#define LOOK_MS	      50
/* Time within which an active reader accepts data.  It matters above all for a terminal, whose
 * lines must not mix with those on stderr. */
#define READER_MS     20
#define SAID_NS	      NS_PER_SEC

/* Value of `error` after giving up on a reader. */
#define GAVE_UP ECANCELED

#define INHERITED_FDS 256

static bool is_regular(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && S_ISREG(st.st_mode);
}

int sink_open_stdout(struct sink *s, struct err *err)
{
	int flags = fcntl(STDOUT_FILENO, F_GETFL);

	*s = (struct sink){ .fd = STDOUT_FILENO, .is_regular = is_regular(STDOUT_FILENO) };
	/* main() opens a read-only file on stdout if the caller has closed it. */
	if (flags >= 0 && (flags & O_ACCMODE) != O_RDONLY)
		return 0;
	return err_errno(err, flags < 0 ? errno : EBADF, "cannot write to standard output");
}

/* The path of the directory that contains the file. */
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

/* Is the file already open, as standard output or as /dev/fd/63 from a shell's `>(...)`?  Then the
 * caller chose it.  `but`: the descriptor that we got by opening it; -1: none. */
static bool is_inherited(const struct stat *st, int but)
{
	struct stat other;

	for (int fd = 0; fd < INHERITED_FDS; fd++)
		if (fd != but && !fstat(fd, &other) && other.st_dev == st->st_dev &&
		    other.st_ino == st->st_ino)
			return true;
	return false;
}

/* May we write to a file that already exists?  Another user's file can be a trap, such as a FIFO
 * without a reader. */
static bool is_trusted(const char *path, bool is_shared, int fd, const struct stat *st,
		       struct err *err)
{
	if (S_ISREG(st->st_mode)) {
		if (!is_shared || (st->st_uid == geteuid() && st->st_nlink == 1))
			return true;
		err_errno(err, EACCES, "cannot write to '%s'", path);
		return false;
	}
	if (!st->st_uid || st->st_uid == geteuid() || is_inherited(st, fd))
		return true;
	err_set(err, ERR_PERM, "'%s' is a %s of another user (uid %u), and is not written to", path,
		S_ISFIFO(st->st_mode) ? "FIFO" : "device or socket", st->st_uid);
	err_hint(err, "name a file that is not there yet");
	return false;
}

/* O_CREAT is kept because the kernel's own check (fs.protected_regular) depends on it.  With
 * O_NONBLOCK, opening a FIFO without a reader fails with ENXIO. */
static int try_existing(const char *path, bool is_shared)
{
	int flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

	return open(path, is_shared ? flags | O_NOFOLLOW : flags, 0666);
}

static int no_reader(const char *path, struct err *err)
{
	return err_set(err, ERR_FAIL,
		       "cannot write to '%s': no process reads this FIFO, and a signal arrived",
		       path);
}

/* Returns the descriptor, or -code. */
static int open_existing(const char *path, bool is_shared, struct err *err)
{
	struct stat st;
	int fd;

	while ((fd = try_existing(path, is_shared)) < 0) {
		if (errno != ENXIO || stat(path, &st) || !S_ISFIFO(st.st_mode))
			return err_errno(err, errno, "cannot write to '%s'", path);
		if (!is_trusted(path, is_shared, -1, &st, err))
			return -err->code;
		if (stop_is_asked())
			return no_reader(path, err);
		poll(NULL, 0, LOOK_MS);
	}
	if (!fstat(fd, &st) && is_trusted(path, is_shared, fd, &st, err))
		return fd;
	close(fd);
	return err->code ? -err->code : err_errno(err, errno, "cannot write to '%s'", path);
}

int sink_open_file(struct sink *s, const char *path, struct err *err)
{
	*s = (struct sink){ .is_created = true };
	s->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (s->fd < 0 && errno == EEXIST) {
		s->is_created = false;
		s->fd = open_existing(path, is_shared_folder(path), err);
	} else if (s->fd < 0) {
		err_errno(err, errno, "cannot write to '%s'", path);
	}
	if (s->fd < 0)
		return -err->code;
	s->path = mem_strdup(path);
	s->is_regular = is_regular(s->fd);
	return 0;
}

/* Truncate the file before the first bytes are written. */
static void empty_file(struct sink *s)
{
	if (s->path && s->is_regular && (ftruncate(s->fd, 0) < 0 || lseek(s->fd, 0, SEEK_SET) < 0))
		s->error = errno;
	s->has_written = true;
}

void sink_restart(struct sink *s)
{
	/* Bytes in a pipe cannot be taken back. */
	if (s->is_regular)
		str_clear(&s->buf);
	empty_file(s);
}

/* true if a write of CHUNK_BYTES will not block.  This includes writes that will fail, so that the
 * error is found. */
static bool has_room(const struct sink *s, int wait_ms)
{
	struct pollfd p = { .fd = s->fd, .events = POLLOUT };

	return s->is_regular || poll(&p, 1, wait_ms) > 0;
}

/* Write as long as there is room.  true: everything was written, or a write failed. */
static bool push(struct sink *s, int wait_ms)
{
	size_t at = 0;

	if (s->buf.n && !s->has_written)
		empty_file(s);
	while (at < s->buf.n && !s->error && has_room(s, wait_ms)) {
		size_t left = s->buf.n - at;
		ssize_t n = write(s->fd, s->buf.p + at,
				  s->is_regular || left < CHUNK_BYTES ? left : CHUNK_BYTES);

		if (n >= 0)
			at += (size_t)n;
		else if (errno != EINTR && errno != EAGAIN)
			s->error = errno;
	}
	if (s->error)
		at = s->buf.n;
	str_drop(&s->buf, at);
	s->n_waiting = s->buf.n;
	return !s->buf.n;
}

static const char *name_of(const struct sink *s)
{
	return s->path ? s->path : "standard output";
}

static void say_wait(struct sink *s)
{
	if (!s->is_wait_said && stop_is_asked())
		log_note("No process reads %s: waiting.  The next Ctrl-C discards the rest of the "
			 "output.",
			 name_of(s));
	s->is_wait_said |= stop_is_asked();
}

/* Wait until at most `n` bytes are left. */
static void wait_for_reader(struct sink *s, size_t n)
{
	u64 since = now_ns();
	size_t before = s->buf.n;

	while (!push(s, LOOK_MS) && s->buf.n > n) {
		if (s->buf.n < before) {
			since = now_ns();
			before = s->buf.n;
		} else if (stop_gives_up(since)) {
			s->error = GAVE_UP;
		} else if (now_ns() - since >= SAID_NS) {
			say_wait(s);
		}
	}
}

static size_t waiting_max(void)
{
	u64 share = mem_limit() / WAITING_SHARE;

	return share > WAITING_BYTES ? share : WAITING_BYTES;
}

void sink_flush(struct sink *s)
{
	if (!push(s, s->n_waiting ? 0 : READER_MS) && s->buf.n > waiting_max())
		wait_for_reader(s, waiting_max());
}

bool sink_is_full(const struct sink *s)
{
	u64 share = mem_limit() / FULL_SHARE;

	return s->n_waiting > (share && share < FULL_BYTES ? share : FULL_BYTES);
}

void sink_wait(struct sink *s, int ms)
{
	push(s, ms);
}

void sink_finish(struct sink *s)
{
	wait_for_reader(s, 0);
}

void sink_spill(struct sink *s)
{
	if (s->fd >= 0 && s->buf.n - s->n_waiting >= SPILL_BYTES)
		sink_flush(s);
}

int sink_explain(const struct sink *s, struct err *err)
{
	const char *quote = s->path ? "'" : "";

	if (s->error != GAVE_UP)
		return err_errno(err, s->error, "cannot write to %s%s%s", quote, name_of(s), quote);
	return err_set(err, ERR_FAIL,
		       "gave up writing to %s%s%s: a signal arrived, and no process reads it",
		       quote, name_of(s), quote);
}

bool sink_is_broken(const struct sink *s)
{
	return s->error == EPIPE;
}

int sink_close(struct sink *s, struct err *err)
{
	int ret = 0;

	sink_finish(s);
	if (s->path && s->is_created && !s->has_written && s->is_regular)
		unlink(s->path);
	/* NFS and quotas report errors at close. */
	if (s->path && close(s->fd) < 0 && !s->error)
		s->error = errno;
	if (s->error && !sink_is_broken(s))
		ret = sink_explain(s, err);
	free(s->path);
	str_release(&s->buf);
	*s = (struct sink){ .fd = -1 };
	return ret;
}
