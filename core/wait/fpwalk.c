// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "wait/fpwalk.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>

/* Most sleeping threads have all their frames within this distance: one system call reads them. */
#define WINDOW_BYTES 8192
#define PIECE_BYTES  4096 /* smallest page size: a piece is mapped or not, as a whole */

/* A chain that needs more windows than this is not a real stack. */
#define MAX_WINDOWS 32

struct window {
	u64 start;
	size_t n;
	u8 bytes[WINDOW_BYTES];
};

/* Fill the window from `at` up to the first unmapped page.  Returns 0 or -errno. */
static int window_move(struct window *w, u32 tid, u64 at)
{
	struct iovec local = { w->bytes, WINDOW_BYTES };
	struct iovec pieces[WINDOW_BYTES / PIECE_BYTES + 1];
	size_t n = 0, left = WINDOW_BYTES;
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
	done = process_vm_readv((pid_t)tid, &local, 1, pieces, n, 0);
	if (done < 0)
		return -errno;
	w->n = (size_t)done;
	return 0;
}

static bool window_has(const struct window *w, u64 at, size_t bytes)
{
	return at >= w->start && at - w->start < w->n && w->n - (at - w->start) >= bytes;
}

static u64 window_word(const struct window *w, u64 at, u32 word_bytes)
{
	u64 word = 0;

	memcpy(&word, w->bytes + (at - w->start), word_bytes);
	return word;
}

/* arm64 return addresses may be signed, in bits that addresses do not use.  Addresses have 48 bits
 * unless the program asked for more; then the pc, which is not signed, shows it. */
static u64 address_of(u64 ret, u64 pc)
{
#if defined(__aarch64__)
	return ret & ((1ULL << (pc >> 48 ? 52 : 48)) - 1);
#else
	(void)pc;
	return ret;
#endif
}

int fpwalk(const struct fpwalk *start, u64 *out, u32 max)
{
	const u32 word = start->word_bytes == 4 ? 4 : 8;
	struct window w = { 0 };
	u32 n = 0, n_windows = 0;
	u64 fp = start->fp, next;

	out[n++] = start->pc;
	if (fp < start->sp)
		return (int)n;
	while (n < max && fp && fp % word == 0 && fp <= UINT64_MAX - WINDOW_BYTES) {
		if (!window_has(&w, fp, 2 * word)) {
			int ret = n_windows++ < MAX_WINDOWS ? window_move(&w, start->tid, fp)
							    : -EFAULT;

			if (ret == -EPERM || ret == -ESRCH)
				return ret;
			if (ret || !window_has(&w, fp, 2 * word))
				break;
		}
		out[n++] = address_of(window_word(&w, fp + word, word), start->pc);
		next = window_word(&w, fp, word);
		if (next <= fp)
			break;
		fp = next;
	}
	return (int)n;
}
