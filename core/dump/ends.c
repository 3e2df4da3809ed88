// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "dump/ends.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/num.h"
#include "base/procfile.h"
#include "base/view.h"

#define LIMIT_NS (200 * NS_PER_MS)

struct search {
	struct ends *ends;
	u64 deadline_ns;
	u32 tgid; /* the process whose descriptors are read */
};

/* Parses "pipe:[4711]" or "socket:[4711]". */
static bool parse_link(const char *text, bool *is_pipe, u64 *inode)
{
	struct view rest = view_of(text), kind, number;

	if (!view_split(&rest, ':', &kind) || rest.n < 3 || rest.p[0] != '[')
		return false;
	number = (struct view){ rest.p + 1, rest.n - 2 };
	*is_pipe = view_eq(kind, "pipe");
	return (*is_pipe || view_eq(kind, "socket")) && num_parse_dec(number, inode);
}

/* The permissions of the link are those of the descriptor (fs/proc/fd.c). */
static bool can(int dir, const char *name, bool read)
{
	struct stat st;

	return !fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) &&
	       st.st_mode & (read ? S_IRUSR : S_IWUSR);
}

/* Several descriptors of a process count once: they follow each other. */
static void take(struct end *e, u32 tgid, u32 *last)
{
	if (*last == tgid || (tgid == e->tgid && e->found))
		return;
	*last = tgid;
	if (e->found && e->found != e->tgid)
		e->n_more++;
	else
		e->found = tgid;
}

static void look_at(struct search *s, int dir, const char *name, u32 *last)
{
	char text[64];
	ssize_t n = readlinkat(dir, name, text, sizeof(text) - 1);
	struct end *e;
	bool is_pipe;
	u64 inode;

	text[n > 0 ? n : 0] = '\0';
	if (!parse_link(text, &is_pipe, &inode))
		return;
	vec_for_each(e, &s->ends->v)
		if (e->inode == inode && e->is_pipe == is_pipe &&
		    (!is_pipe || can(dir, name, e->wants_reader)))
			take(e, s->tgid, &last[e - s->ends->v.items]);
}

static bool look_at_process(void *ctx, u32 tgid)
{
	struct search *s = ctx;
	const struct dirent *entry;
	u32 *last;
	char path[64];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%u/fd", tgid);
	dir = opendir(path);
	if (!dir)
		return true;
	s->tgid = tgid;
	last = mem_alloc(s->ends->v.n, sizeof(*last));
	while ((entry = readdir(dir)) && now_ns() < s->deadline_ns)
		look_at(s, dirfd(dir), entry->d_name, last);
	free(last);
	closedir(dir);
	return now_ns() < s->deadline_ns;
}

bool ends_find(struct ends *e)
{
	struct search s = { .ends = e, .deadline_ns = now_ns() + LIMIT_NS };
	struct end *end;

	if (!e->v.n)
		return true;
	proc_each_process("/proc", look_at_process, &s);
	if (now_ns() < s.deadline_ns)
		return true;
	vec_for_each(end, &e->v)
		if (end->found == end->tgid)
			end->found = 0; /* another process may have it, too */
	return false;
}
