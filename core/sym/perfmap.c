// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sym/perfmap.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/num.h"
#include "sym/regular_file.h"

/* A line costs this many steps of the meter, and one more for each BYTES_PER_STEP bytes. */
#define LINE_STEPS     16
#define BYTES_PER_STEP 16
#define MAX_BYTES      (256 << 20)
/* Start times are in clock ticks and the boot time in seconds: rounding may add up to this. */
#define START_SLACK_NS (2 * NS_PER_SEC)

static bool entry_parse(struct view line, struct sym_entry *out)
{
	struct view start, size;

	*out = (struct sym_entry){ 0 };
	if (!view_split(&line, ' ', &start) || !num_parse_hex(start, &out->start) ||
	    !view_split(&line, ' ', &size) || !num_parse_hex(size, &out->size))
		return false;
	if (line.n && line.p[line.n - 1] == '\r')
		line.n--;
	out->name = line;
	return line.n && out->size;
}

void perfmap_name(struct wants *w, struct lines *text)
{
	struct view line;
	struct sym_entry entry;
	struct sym_query *want;

	wants_clear(w);
	w->last_wins = true;
	while (lines_next(text, &line) &&
	       meter_step(w->meter, LINE_STEPS + line.n / BYTES_PER_STEP)) {
		if (entry_parse(line, &entry))
			wants_cover(w, &entry);
		if (!text->is_cut)
			continue;
		/* Runtimes do not write such lines, and the end of this one may be 256 MB away. */
		meter_refuse(w->meter);
		break;
	}
	w->last_wins = false;
	if (meter_is_over(w->meter))
		wants_clear(w);
	vec_for_each(want, &w->list)
		if (!want->is_named && want->best.is_set)
			want_name(want, &want->best, str_view(&want->best.name));
	wants_clear(w);
}

static int check(const struct stat *st, const struct perfmap_owner *owner)
{
	u64 mtime_ns = (u64)st->st_mtim.tv_sec * NS_PER_SEC + (u64)st->st_mtim.tv_nsec;

	if (st->st_uid && st->st_uid != owner->uid)
		return -EPERM;
	if (owner->started_ns && mtime_ns + START_SLACK_NS < owner->started_ns)
		return -ESTALE;
	return 0;
}

int perfmap_open(int root_fd, const char *path, const struct perfmap_owner *owner)
{
	struct stat st;
	u32 flags = REGULAR_NO_LINK | (root_fd >= 0 ? REGULAR_IN_ROOT : 0) |
		    (root_fd >= 0 && !owner->may_follow ? REGULAR_NO_LINKS : 0);
	int fd = regular_open(root_fd >= 0 ? root_fd : AT_FDCWD, path, flags, &st);
	int ret;

	if (fd < 0)
		return fd;
	ret = check(&st, owner);
	if (!ret)
		return fd;
	close(fd);
	return ret;
}

int perfmap_read(int root_fd, const char *path, const struct perfmap_owner *owner, struct wants *w)
{
	_cleanup_(close_p) int fd = perfmap_open(root_fd, path, owner);
	_cleanup_(lines_release) struct lines text = { .fd = -1 };

	if (fd < 0)
		return fd;
	lines_init(&text, fd, MAX_BYTES);
	perfmap_name(w, &text);
	return 0;
}
