// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/procfile.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"

bool proc_stat_field(struct view text, u32 number, struct view *out)
{
	/* The end of the name, which may contain anything. */
	const char *end = text.n ? memrchr(text.p, ')', text.n) : NULL;
	struct view rest;

	if (!end || number < STAT_STATE || (size_t)(text.p + text.n - end) < 2 || end[1] != ' ')
		return false;
	rest = (struct view){ end + 2, (size_t)(text.p + text.n - end) - 2 };
	for (u32 i = STAT_STATE; i <= number; i++)
		if (!view_split(&rest, ' ', out))
			return false;
	return out->n > 0;
}

bool proc_status_field(struct view text, const char *name, struct view *out)
{
	size_t n = strlen(name);
	struct view line;

	while (view_split(&text, '\n', &line)) {
		if (!view_starts(line, name) || line.n < n + 2 || line.p[n] != ':')
			continue;
		*out = (struct view){ line.p + n + 2, line.n - n - 2 };
		return true;
	}
	return false;
}

static void each_number(const char *path, bool (*take)(void *ctx, u32 number), void *ctx)
{
	const struct dirent *entry;
	DIR *dir = opendir(path);
	u64 number;

	while (dir && (entry = readdir(dir)))
		if (num_parse_dec(view_of(entry->d_name), &number) && !take(ctx, (u32)number))
			break;
	if (dir)
		closedir(dir);
}

void proc_each_process(const char *root, bool (*take)(void *ctx, u32 tgid), void *ctx)
{
	each_number(root, take, ctx);
}

void proc_each_thread(const char *root, u32 tgid, bool (*take)(void *ctx, u32 tid), void *ctx)
{
	char *path = mem_printf("%s/%u/task", root, tgid);

	each_number(path, take, ctx);
	free(path);
}
