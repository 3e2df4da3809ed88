// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "wait/memwindow.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>

#define PIECE_BYTES 4096 /* the smallest page size: a piece is mapped completely or not at all */

/* A stack that needs more windows than this is not a real one. */
#define MAX_WINDOWS 32

/* Fill the window from `at` up to the first unmapped page.  Returns 0 or -errno. */
static int move(struct memwindow *w, u64 at)
{
	struct iovec local = { w->bytes, MEMWINDOW_BYTES };
	struct iovec pieces[MEMWINDOW_BYTES / PIECE_BYTES + 1];
	size_t n = 0, left = MEMWINDOW_BYTES;
	ssize_t done;

	w->start = at;
	w->n = 0;
	for (u64 from = at; left; n++) {
		size_t bytes = PIECE_BYTES - from % PIECE_BYTES;

		bytes = bytes < left ? bytes : left;
		pieces[n] = (struct iovec){ (void *)(uintptr_t)from, bytes };
		from += bytes;
		left -= bytes;
	}
	done = process_vm_readv((pid_t)w->tid, &local, 1, pieces, n, 0);
	if (done < 0)
		return -errno;
	w->n = (size_t)done;
	return 0;
}

static bool has(const struct memwindow *w, u64 at, size_t bytes)
{
	return at >= w->start && at - w->start < w->n && w->n - (at - w->start) >= bytes;
}

int memwindow_read(struct memwindow *w, u64 at, void *out, size_t bytes)
{
	int ret;

	if (!has(w, at, bytes)) {
		if (at > UINT64_MAX - MEMWINDOW_BYTES || w->n_moves++ >= MAX_WINDOWS)
			return -EFAULT;
		ret = move(w, at);
		if (ret)
			return ret;
		if (!has(w, at, bytes))
			return -EFAULT;
	}
	memcpy(out, w->bytes + (at - w->start), bytes);
	return 0;
}
