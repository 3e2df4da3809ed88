// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Addresses of data.  A file is mapped as one piece, so the mapping of its code, which is known
 * even for processes that have ended, tells where its data is.  A variable is located by its file
 * and its address there, so that processes share it wherever the file is mapped.
 */
#include <stdio.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "sym/elf.h"
#include "sym/naming_int.h"

/* The code of a file is near its data: this many mappings on either side are searched. */
#define NEAR 4

/* A file's data at an address. */
struct datum {
	const struct life *life;
	struct region *region; /* that has the file's code */
	u64 at;
};

static const struct mapped *file_of(const struct symbolizer *s, const struct region *r)
{
	return &s->files.list.items[r->file];
}

static void read_extent(int fd, struct extent *out)
{
	struct elf_src src = { .fd = fd };
	_cleanup_(elf_release) struct elf e = { 0 };
	const struct elf_segment *seg;
	struct stat st;

	if (fstat(fd, &st))
		return;
	src.size = (u64)st.st_size;
	if (elf_init(&e, &src))
		return;
	vec_for_each(seg, &e.loads) {
		u64 end = seg->vaddr + seg->mem_size;

		if (!out->end || seg->vaddr < out->start)
			out->start = seg->vaddr;
		if (end > out->end)
			out->end = end;
		if (!seg->is_exec || out->code_end)
			continue;
		out->code = seg->off;
		out->code_end = seg->off + seg->file_size;
		out->skew = seg->off - seg->vaddr;
	}
}

static const struct extent *extent_of(struct symbolizer *s, u32 file)
{
	struct mapped *m = &s->files.list.items[file];

	if (!m->extent.is_known) {
		_cleanup_(close_p) int fd = m->is_remote ? -1 : files_open(&s->files, file);

		m->extent = (struct extent){ .is_known = true };
		if (fd >= 0)
			read_extent(fd, &m->extent);
	}
	return &m->extent;
}

/* Is the address in the file whose code is mapped at `r`? */
static bool is_in_file(struct symbolizer *s, const struct life *life, struct region *r, u64 addr,
		       u64 *at)
{
	const struct extent *e;

	if (file_of(s, r)->kind != MAPPED_FILE && file_of(s, r)->kind != MAPPED_MEMFD)
		return false;
	if (!r->is_sighted)
		symbolizer_sight(s, life, r);
	if (file_of(s, r)->kind != MAPPED_FILE)
		return false;
	e = extent_of(s, r->file);
	/* A mapping begins at a page's start, a segment anywhere in the page. */
	if (r->off >= e->code_end || r->off + (r->end - r->start) <= e->code)
		return false;
	*at = addr - r->start + r->off - e->skew;
	return *at >= e->start && *at < e->end;
}

/* Find the file that holds the data at an address.  false: none does. */
static bool find_datum(struct symbolizer *s, u32 tgid, u64 addr, struct datum *d)
{
	struct life *life = processes_get(&s->procs, tgid);
	struct region *list = life->now->list.items;
	size_t n = life->now->list.n, above = regions_above(life->now, addr);
	size_t from = above > NEAR ? above - NEAR : 0;

	life->was_sampled = true;
	for (size_t i = from; i < n && i < above + NEAR; i++) {
		*d = (struct datum){ .life = life, .region = &list[i] };
		if (is_in_file(s, life, &list[i], addr, &d->at))
			return true;
	}
	return false;
}

static u32 locate(struct symbolizer *s, const struct datum *d, enum location_space space,
		  bool *is_new)
{
	struct loc key = {
		.at = d->at, .owner = d->region->file, .space = space, .is_pending = true
	};
	u32 id = locs_get(&s->locs, &key, is_new);

	if (*is_new)
		symbolizer_hold(s, d->life, d->region);
	return id;
}

bool symbolizer_data(struct symbolizer *s, u32 tgid, u64 addr, u32 *loc)
{
	struct datum d;
	bool is_new;

	if (!find_datum(s, tgid, addr, &d))
		return false;
	*loc = locate(s, &d, LOC_DATA, &is_new);
	if (is_new)
		s->locs.frames.items[*loc] = (struct frame){ .module = file_of(s, d.region)->path,
							     .off = d.at,
							     .kind = FRAME_USER };
	return true;
}

u32 symbolizer_address(struct symbolizer *s, u32 tgid, u64 addr)
{
	const struct life *life = processes_find(&s->procs, tgid);
	bool is_code = life && regions_find(life->now, addr);
	u32 loc;

	return !is_code && symbolizer_data(s, tgid, addr, &loc)
		       ? loc
		       : symbolizer_user(s, tgid, addr, false);
}

u32 symbolizer_futex(struct symbolizer *s, u32 tgid, u64 addr)
{
	char text[64];
	struct datum d;
	bool is_new;
	u32 id;

	if (!find_datum(s, tgid, addr, &d)) {
		snprintf(text, sizeof(text), "[futex 0x%llx]", addr);
		return symbolizer_note(s, text);
	}
	id = locate(s, &d, LOC_FUTEX, &is_new);
	if (is_new) {
		s->locs.frames.items[id].kind = FRAME_NOTE;
		note_futex(s, id, false);
	}
	return id;
}
