// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sym/symtext.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/thread.h"

#define MAX_BYTES (256 << 20)
/* Buffer of the thread, which must not allocate: enough for a distribution's kernel with all its
 * modules (12 MB).  Pages that are not written to take no memory. */
#define ROOM	  (16 << 20)
#define READ	  (64 << 10)

static void *read_text(void *ctx)
{
	struct symtext *t = ctx;
	size_t left = ROOM;

	while (left) {
		ssize_t n = read(t->fd, t->text.p + t->text.n, left < READ ? left : READ);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			t->error = errno;
		t->is_whole = !n;
		if (n <= 0)
			break;
		t->text.n += (size_t)n;
		left -= (size_t)n;
	}
	return NULL;
}

static int open_text(struct symtext *t, const char *proc_root)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/kallsyms", proc_root);
	t->fd = open(path, O_RDONLY | O_CLOEXEC);
	return t->fd < 0 ? -errno : 0;
}

void symtext_begin(struct symtext *t, const char *proc_root)
{
	*t = (struct symtext){ 0 };
	if (open_text(t, proc_root))
		return;
	str_reserve(&t->text, ROOM);
	t->is_begun = !thread_start(&t->thread, read_text, t);
	if (!t->is_begun)
		close_p(&t->fd);
}

static void join(struct symtext *t)
{
	pthread_join(t->thread, NULL);
	t->is_begun = false;
	t->text.p[t->text.n] = '\0';
}

int symtext_end(struct symtext *t, const char *proc_root)
{
	int ret = 0;

	if (t->is_begun)
		join(t);
	else
		ret = open_text(t, proc_root);
	if (!ret)
		ret = -t->error;
	if (!ret && !t->is_whole)
		ret = file_read_fd(t->fd, MAX_BYTES, &t->text);
	close_p(&t->fd);
	return ret;
}

void symtext_release(struct symtext *t)
{
	if (t->is_begun) {
		join(t);
		close_p(&t->fd);
	}
	str_release(&t->text);
}
