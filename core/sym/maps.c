// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sym/maps.h"

#include <stdlib.h>

#include "base/num.h"

/* The default of vm.max_map_count; further mappings of a process are ignored. */
#define MAX_REGIONS 65530

static bool cut_hex(struct view *rest, char sep, u64 *out)
{
	struct view piece;

	return view_split(rest, sep, &piece) && num_parse_hex(piece, out);
}

/* "55d0-55f0 r-xp 00002000 fe:00 247134       /usr/bin/cat" */
bool map_line_parse(struct view line, struct map_line *out)
{
	struct view perms, ino;
	u64 maj, min;

	*out = (struct map_line){ 0 };
	if (!cut_hex(&line, '-', &out->start) || !cut_hex(&line, ' ', &out->end) ||
	    !view_split(&line, ' ', &perms) || perms.n != 4 || !cut_hex(&line, ' ', &out->off) ||
	    !cut_hex(&line, ':', &maj) || !cut_hex(&line, ' ', &min) ||
	    !view_split(&line, ' ', &ino) || !num_parse_dec(ino, &out->ino))
		return false;
	if (out->start >= out->end || maj > UINT32_MAX || min > UINT32_MAX)
		return false;
	out->maj = (u32)maj;
	out->min = (u32)min;
	out->is_exec = perms.p[2] == 'x';
	while (line.n && *line.p == ' ')
		line = (struct view){ line.p + 1, line.n - 1 };
	out->path = line;
	return true;
}

void map_path_add(struct str *out, struct view path, bool *is_deleted)
{
	static const char mark[] = " (deleted)";
	const size_t n_mark = sizeof(mark) - 1;

	*is_deleted = path.n > n_mark && !memcmp(path.p + path.n - n_mark, mark, n_mark);
	if (*is_deleted)
		path.n -= n_mark;
	for (size_t i = 0; i < path.n; i++) {
		if (path.n - i >= 4 && !memcmp(path.p + i, "\\012", 4)) {
			str_addc(out, '\n');
			i += 3;
		} else {
			str_addc(out, path.p[i]);
		}
	}
}

struct view map_path_at(struct view path, u64 start)
{
	bool is_32 = sizeof(void *) == 8 && start <= UINT32_MAX && view_eq(path, "[vdso]");

	return is_32 ? view_of("[vdso32]") : path;
}

struct regions *regions_new(void)
{
	struct regions *r = mem_alloc(1, sizeof(*r));

	r->refs = 1;
	return r;
}

struct regions *regions_share(struct regions *r)
{
	r->refs++;
	return r;
}

void regions_drop(struct regions *r)
{
	if (!r || --r->refs)
		return;
	vec_release(&r->list);
	free(r);
}

void regions_own(struct regions **r)
{
	struct regions *shared = *r;

	if (shared->refs == 1)
		return;
	*r = regions_new();
	vec_reserve(&(*r)->list, shared->list.n + 1);
	for (size_t i = 0; i < shared->list.n; i++)
		(*r)->list.items[i] = shared->list.items[i];
	(*r)->list.n = shared->list.n;
	regions_drop(shared);
}

size_t regions_above(const struct regions *r, u64 addr)
{
	size_t lo = 0, hi = r->list.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (r->list.items[mid].end <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static void insert(struct regions *r, size_t at, const struct region *add)
{
	vec_reserve(&r->list, 1);
	memmove(r->list.items + at + 1, r->list.items + at,
		(r->list.n - at) * sizeof(*r->list.items));
	r->list.items[at] = *add;
	r->list.n++;
}

static void erase(struct regions *r, size_t from, size_t to)
{
	memmove(r->list.items + from, r->list.items + to,
		(r->list.n - to) * sizeof(*r->list.items));
	r->list.n -= to - from;
}

/* Remove [start, end) from the list.  Returns the index at which a region that begins at `start`
 * must be inserted. */
static size_t cut_out(struct regions *r, u64 start, u64 end)
{
	size_t at = regions_above(r, start), to;
	struct region *first = r->list.items + at;

	if (at < r->list.n && first->start < start) {
		struct region tail = *first;

		first->end = start;
		at++;
		if (tail.end > end) {
			tail.off += end - tail.start;
			tail.start = end;
			insert(r, at, &tail);
			return at;
		}
	}
	for (to = at; to < r->list.n && r->list.items[to].end <= end; to++)
		;
	erase(r, at, to);
	if (at < r->list.n && r->list.items[at].start < end) {
		r->list.items[at].off += end - r->list.items[at].start;
		r->list.items[at].start = end;
	}
	return at;
}

void regions_add(struct regions *r, const struct region *add)
{
	if (add->start >= add->end || r->list.n >= MAX_REGIONS)
		return;
	if (!r->list.n || r->list.items[r->list.n - 1].end <= add->start)
		vec_push(&r->list, *add);
	else
		insert(r, cut_out(r, add->start, add->end), add);
}

struct region *regions_find(struct regions *r, u64 addr)
{
	size_t at = regions_above(r, addr);

	return at < r->list.n && r->list.items[at].start <= addr ? r->list.items + at : NULL;
}

struct region *regions_over(struct regions *r, u64 start, u64 end, size_t *n)
{
	size_t at = regions_above(r, start), to = at;

	while (to < r->list.n && r->list.items[to].start < end)
		to++;
	*n = to - at;
	return *n ? r->list.items + at : NULL;
}
