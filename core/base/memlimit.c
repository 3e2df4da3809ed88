// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/memlimit.h"

#include <fcntl.h>
#include <unistd.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "base/cleanup.h"
#include "base/num.h"
#include "base/view.h"

/* Percent of the free part of the limit at which input is refused.  The rest is for writing the
 * report. */
#define DOOR_PERCENT 45
/* Percent of the limit that may be in use before anything is measured. */
#define BASE_PERCENT 75
#define ASK_EVERY    64

static u64 limit, door; /* in bytes; input is refused above the door */
static u32 n_asked;
static bool is_over;

void mem_limit_set(u64 bytes)
{
	limit = bytes;
	door = bytes / 100 * DOOR_PERCENT;
	n_asked = 0;
	is_over = false;
}

u64 mem_limit(void)
{
	return limit;
}

int mem_limit_begin(struct err *err)
{
	u64 base;

	if (!limit)
		return 0;
	mem_trim();
	base = mem_resident();
	if (base > limit / 100 * BASE_PERCENT) {
		err_set(err, ERR_USAGE,
			"--max-memory leaves no room: before anything is measured, bperf uses %llu "
			"of %llu MB",
			base >> 20, limit >> 20);
		return err_hint(err, "try --max-memory %lluM, twice what bperf uses now",
				(2 * base >> 20) + 1);
	}
	door = base + (limit - base) / 100 * DOOR_PERCENT;
	return 0;
}

u64 mem_resident(void)
{
	_cleanup_(close_p) int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	char text[128];
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text));
	struct view rest = { text, n > 0 ? (size_t)n : 0 }, word = { "", 0 };
	u64 pages = 0;

	/* "25611 2034 1891 ...": the second number is the resident pages. */
	view_split(&rest, ' ', &word);
	view_split(&rest, ' ', &word);
	return num_parse_dec(word, &pages) ? pages * (u64)sysconf(_SC_PAGESIZE) : 0;
}

bool mem_is_over(void)
{
	if (!limit)
		return false;
	if (n_asked++ % ASK_EVERY == 0)
		is_over = mem_resident() > door;
	return is_over;
}

void mem_trim(void)
{
#ifdef __GLIBC__
	malloc_trim(0);
#endif
	n_asked = 0;
}
