// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"

void lines_init(struct lines *l, int fd, u64 max_bytes)
{
	*l = (struct lines){
		.fd = fd,
		.buf = mem_alloc(1, LINES_MAX_BYTES),
		.left = max_bytes,
	};
}

void lines_init_text(struct lines *l, struct view text)
{
	/* The cast is safe: the buffer is written to only when there is a descriptor. */
	*l = (struct lines){ .fd = -1, .buf = (char *)text.p, .end = text.n };
}

void lines_release(struct lines *l)
{
	if (l->fd >= 0)
		free(l->buf);
	*l = (struct lines){ .fd = -1 };
}

/* Read more bytes after the unread ones.  false: end of file, an error, or the limit was
 * reached. */
static bool fill(struct lines *l)
{
	size_t room;
	ssize_t n;

	if (l->fd < 0)
		return false;
	if (l->start) {
		memmove(l->buf, l->buf + l->start, l->end - l->start);
		l->end -= l->start;
		l->start = 0;
	}
	room = LINES_MAX_BYTES - l->end;
	if (room > l->left)
		room = (size_t)l->left;
	if (!room)
		return false;
	do
		n = read(l->fd, l->buf + l->end, room);
	while (n < 0 && errno == EINTR);
	if (n <= 0)
		return false;
	l->end += (size_t)n;
	l->left -= (u64)n;
	return true;
}

/* Discard everything up to and including the next newline. */
static void skip_tail(struct lines *l)
{
	for (;;) {
		char *nl = memchr(l->buf + l->start, '\n', l->end - l->start);

		if (nl) {
			l->start = (size_t)(nl + 1 - l->buf);
			return;
		}
		l->start = l->end;
		if (!fill(l))
			return;
	}
}

bool lines_next(struct lines *l, struct view *line)
{
	size_t seen = 0;

	if (l->is_cut)
		skip_tail(l);
	l->is_cut = false;
	for (;;) {
		char *from = l->buf + l->start;
		size_t n = l->end - l->start;
		char *nl = n > seen ? memchr(from + seen, '\n', n - seen) : NULL;

		if (nl) {
			*line = (struct view){ from, (size_t)(nl - from) };
			l->start += line->n + 1;
			return true;
		}
		seen = n;
		if (fill(l))
			continue;
		if (!n)
			return false;
		*line = (struct view){ l->buf + l->start, n };
		l->start = l->end;
		/* The next call drops the tail: this line's text is still in the buffer. */
		l->is_cut = n == LINES_MAX_BYTES;
		return true;
	}
}
