// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sym/mappings.h"

#include <errno.h>
#include <unistd.h>

#include "sym/symbolizer_int.h"
#include "sym/vdso.h"

static bool is_file(enum mapped_kind kind)
{
	return kind == MAPPED_FILE || kind == MAPPED_MEMFD || kind == MAPPED_VDSO;
}

static struct sym_mapping mapping_of(const struct symbolizer *s, const struct region *r)
{
	const struct mapped *m = &s->files.list.items[r->file];

	return (struct sym_mapping){
		.start = r->start,
		.end = r->end,
		.off = m->kind == MAPPED_VDSO ? 0 : r->off,
		.file = r->file,
		.is_file = is_file(m->kind),
		.is_seen = r->is_sighted,
	};
}

u64 symbolizer_mappings_version(const struct symbolizer *s, u32 tgid)
{
	const struct life *l = processes_find(&s->procs, tgid);

	return l && !l->has_exited ? l->version : 0;
}

void symbolizer_mappings(const struct symbolizer *s, u32 tgid, struct sym_mappings *out)
{
	const struct life *l = processes_find(&s->procs, tgid);
	const struct region *r;

	if (!l)
		return;
	vec_for_each(r, &l->now->list)
		vec_push(&out->list, mapping_of(s, r));
}

bool symbolizer_mapping_at(struct symbolizer *s, u32 tgid, u64 addr, struct sym_mapping *out)
{
	struct life *life;
	struct region *r = processes_locate(&s->procs, tgid, addr, &life);

	if (!r)
		return false;
	if (!r->is_sighted)
		symbolizer_sight(s, life, r);
	*out = mapping_of(s, r);
	return true;
}

struct sym_file_id symbolizer_file_id(const struct symbolizer *s, u32 file)
{
	const struct mapped *m = &s->files.list.items[file];

	if (m->kind == MAPPED_VDSO)
		return (struct sym_file_id){ .is_vdso = true };
	return (struct sym_file_id){ .dev = (u64)m->maj << 32 | m->min,
				     .ino = m->ino,
				     .mtime_ns = m->mtime_ns,
				     .size = m->size };
}

int symbolizer_file_open(struct symbolizer *s, u32 file, struct elf_src *src)
{
	const struct mapped *m = &s->files.list.items[file];
	int fd;

	if (m->kind == MAPPED_VDSO)
		return vdso_src(src) ? 0 : -ENOENT;
	if (m->is_remote)
		return -EAGAIN;
	fd = files_open(&s->files, file);
	if (fd < 0)
		return fd;
	*src = (struct elf_src){ .fd = fd, .size = m->size };
	return 0;
}
