// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sym/mapped.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/lines.h"
#include "base/str.h"
#include "sym/maps.h"
#include "sym/regular_file.h"

/* A file that changed this recently probably belongs to a build or a test, and may soon be
 * deleted. */
#define YOUNG_SEC 600

#define MAX_MAPS_BYTES (64 << 20)

static u64 mtime_ns(const struct stat *st)
{
	return (u64)st->st_mtim.tv_sec * NS_PER_SEC + (u64)st->st_mtim.tv_nsec;
}

/* Uses the inode's change time: unpacking an archive sets the modification time to anything. */
static bool is_young(const struct stat *st)
{
	return st->st_ctim.tv_sec + YOUNG_SEC > time(NULL);
}

/* ---- the table ---- */

/* The first row whose prefix matches decides. */
static const struct {
	const char *prefix;
	enum mapped_kind kind;
} kinds[] = {
	{ "/memfd:", MAPPED_MEMFD }, { "/dev/zero", MAPPED_ANON },
	{ "//anon", MAPPED_ANON },   { "/anon_hugepage", MAPPED_ANON },
	{ "/SYSV", MAPPED_ANON },    { "anon_inode:", MAPPED_ANON },
	{ "[vdso]", MAPPED_VDSO },   { "[anon", MAPPED_ANON },
	{ "[heap]", MAPPED_ANON },   { "[stack", MAPPED_ANON },
	{ "[", MAPPED_SPECIAL },     { "//", MAPPED_SPECIAL },
	{ "/", MAPPED_FILE },
};

static enum mapped_kind kind_of(const char *path)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strncmp(path, kinds[i].prefix, strlen(kinds[i].prefix)))
			return kinds[i].kind;
	return MAPPED_ANON;
}

static u64 file_hash(const struct mapped *m)
{
	u64 h = hash_mix((u64)m->maj << 32 | m->min, m->ino);

	return hash_mix(h, (u64)(uintptr_t)m->path);
}

static bool is_same_file(const struct mapped *a, const struct mapped *b)
{
	return a->path == b->path && a->ino == b->ino && a->maj == b->maj && a->min == b->min;
}

/* Find the row of `m`.  Among several rows with the same inode, the one with the same modification
 * time is taken, or the newest if `m` has none. */
static bool find_like(const struct files *f, const struct mapped *m, u32 *found)
{
	bool has_found = false;
	size_t at = 0;
	u32 id;

	while (index_next(&f->index, file_hash(m), &at, &id)) {
		const struct mapped *have = &f->list.items[id];

		if (!is_same_file(have, m))
			continue;
		if (m->mtime_ns && have->mtime_ns && m->mtime_ns != have->mtime_ns)
			continue;
		if (!has_found || id > *found)
			*found = id;
		has_found = true;
	}
	return has_found;
}

static u32 find_or_add(struct files *f, const struct mapped *m)
{
	u32 id = (u32)f->list.n;

	if (find_like(f, m, &id))
		return id;
	vec_push(&f->list, *m);
	index_add(&f->index, file_hash(m), id);
	return id;
}

u32 files_add(struct files *f, u32 maj, u32 min, u64 ino, struct view path)
{
	struct mapped m = { .maj = maj, .min = min, .ino = ino, .fd = -1 };
	struct str text = { 0 };

	map_path_add(&text, path, &m.is_deleted);
	m.path = intern(f->strings, str_text(&text));
	m.kind = kind_of(m.path);
	str_release(&text);
	return find_or_add(f, &m);
}

/* ---- opening the file ---- */

/* overlayfs and btrfs report one device in maps and another to stat: for devices without a disk
 * (major 0) the device proves nothing, and the inode at the same path has to be enough. */
static bool is_same_device(const struct mapped *m, dev_t dev)
{
	if (!m->maj || !major(dev))
		return true;
	return m->maj == major(dev) && m->min == minor(dev);
}

/* Is this the file that the mapping names? */
static bool is_the_one(const struct mapped *m, const struct stat *st)
{
	return S_ISREG(st->st_mode) && st->st_ino == m->ino && is_same_device(m, st->st_dev) &&
	       (!m->mtime_ns || m->mtime_ns == mtime_ns(st));
}

static int open_checked(const struct mapped *m, int dir_fd, const char *path, u32 flags,
			struct stat *st)
{
	int fd = regular_open(dir_fd, path, flags, st);

	if (fd < 0)
		return fd;
	if (is_the_one(m, st))
		return fd;
	close(fd);
	return -ESTALE;
}

/* The current end of the mapping that begins at m->start; 0: it is gone. */
static u64 current_end(const struct files *f, const struct mapped *m)
{
	_cleanup_(lines_release) struct lines text = { .fd = -1 };
	_cleanup_(close_p) int fd = -1;
	struct map_line l;
	struct view line;
	char path[256];

	snprintf(path, sizeof(path), "%s/%u/maps", f->proc_root, m->tgid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	lines_init(&text, fd, MAX_MAPS_BYTES);
	while (lines_next(&text, &line))
		if (map_line_parse(line, &l) && l.start == m->start && l.ino == m->ino)
			return l.end;
	return 0;
}

/*
 * The end that we know may be too high: the kernel maps a program's file by one mmap with the
 * length of all its segments, which the event reports, and then unmaps everything after the first
 * segment (fs/binfmt_elf.c, elf_map).  If the first segment is the code, as on arm64, it is the
 * mapping that we look for.
 */
static int open_map_file(const struct files *f, const struct mapped *m, struct stat *st)
{
	u64 end = m->end;
	char path[256];
	int fd;

	for (;;) {
		snprintf(path, sizeof(path), "%s/%u/map_files/%llx-%llx", f->proc_root, m->tgid,
			 m->start, end);
		fd = open_checked(m, AT_FDCWD, path, 0, st);
		if (fd != -ENOENT || end != m->end)
			return fd;
		end = current_end(f, m);
		if (!end || end == m->end)
			return fd;
	}
}

static int open_in_root(const struct files *f, const struct mapped *m, struct stat *st)
{
	_cleanup_(close_p) int root = -1;
	char path[256];

	snprintf(path, sizeof(path), "%s/%u/root", f->proc_root, m->tgid);
	root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return root < 0 ? -errno : open_checked(m, root, m->path, REGULAR_IN_ROOT, st);
}

static int open_now(const struct files *f, const struct mapped *m, struct stat *st)
{
	int fd = -ENOENT;

	if (m->kind == MAPPED_FILE && !m->is_foreign && !m->is_deleted)
		fd = open_checked(m, AT_FDCWD, m->path, REGULAR_NO_LINKS, st);
	if (fd < 0 && m->tgid)
		fd = open_map_file(f, m, st);
	if (fd < 0 && m->tgid && m->is_foreign && !m->is_deleted)
		fd = open_in_root(f, m, st);
	return fd;
}

int files_open(struct files *f, u32 id)
{
	const struct mapped *m = &f->list.items[id];
	struct stat st;

	int fd;

	if (m->fd < 0)
		return open_now(f, m, &st);
	/* If the file was rewritten in place, its symbols do not belong to the code that ran. */
	if (fstat(m->fd, &st) || !is_the_one(m, &st))
		return -ESTALE;
	fd = fcntl(m->fd, F_DUPFD_CLOEXEC, 0);
	return fd < 0 ? -errno : fd;
}

static void hold(struct files *f, struct mapped *m, int fd, u64 now)
{
	m->fd = fd;
	m->opened_ns = now;
	f->n_held++;
}

bool files_hold(struct files *f, u32 id, u64 now)
{
	struct mapped *m = &f->list.items[id];
	struct stat st;
	int fd;

	if (m->fd >= 0 || !m->may_vanish || m->is_remote)
		return true;
	if (f->n_held >= FILES_MAX_HELD)
		return false;
	fd = open_now(f, m, &st);
	if (fd >= 0)
		hold(f, m, fd, now);
	return true;
}

void files_close(struct files *f, u32 id)
{
	struct mapped *m = &f->list.items[id];

	if (m->fd < 0)
		return;
	close(m->fd);
	m->fd = -1;
	m->is_waiting = false;
	f->n_held--;
}

struct remote_mount *files_mount(struct files *f, const struct mapped *m)
{
	/* If the namespace is not known, assume ours, as for most files. */
	bool is_own = !m->ns || m->ns == f->own_ns;

	/* The file cannot be reached any more, because no process that maps it is left. */
	if (!is_own && !m->tgid)
		return NULL;
	return mounts_remote(&f->mounts, is_own ? f->own_ns : m->ns, is_own ? 0 : m->tgid, m->maj,
			     m->min, m->path);
}

/* ---- first sight ---- */

void files_touch(struct files *f, u32 id, const struct mapping_source *where)
{
	struct mapped *m = &f->list.items[id];

	if (where->has_exited)
		return;
	m->tgid = where->tgid;
	m->start = where->start;
	m->end = where->end;
}

/* Examine a file in our namespace at its path, without opening it.  Paths from the kernel contain
 * no links: a link that is there now may lead to a server that never answers. */
static bool look_at_path(const struct mapped *m, struct stat *st)
{
	return m->kind == MAPPED_FILE && !m->is_foreign && !m->is_deleted &&
	       !regular_stat(m->path, REGULAR_NO_LINKS, st) && is_the_one(m, st);
}

static bool holds_elf(int fd)
{
	char magic[4];

	return pread(fd, magic, sizeof(magic), 0) == sizeof(magic) &&
	       !memcmp(magic, "\177ELF", sizeof(magic));
}

/* A memfd that holds a program is a file too, on a device that is not mounted anywhere. */
static bool is_device_known(struct files *f, const struct mapped *m)
{
	u64 ns = m->ns ? m->ns : f->own_ns;

	return !m->ino || !strncmp(m->path, "/memfd:", 7) ||
	       mounts_knows(&f->mounts, f->own_ns, ns, m->tgid, m->maj, m->min);
}

/* Examine the file, and fill in the results.  Returns a descriptor if the file had to be opened for
 * that, or -1. */
static int look(struct files *f, struct mapped *m)
{
	struct stat st = { 0 };
	int fd = -1;

	m->is_remote = m->kind == MAPPED_FILE && (files_mount(f, m) || !is_device_known(f, m));
	if (m->is_remote)
		return -1;
	if (!look_at_path(m, &st))
		fd = open_now(f, m, &st);
	if (is_the_one(m, &st)) {
		m->mtime_ns = mtime_ns(&st);
		m->size = (u64)st.st_size;
	}
	m->may_vanish = m->is_foreign || fd >= 0 || is_young(&st);
	/* A memfd holds a program if it begins like one, otherwise code of a JIT. */
	if (m->kind == MAPPED_MEMFD)
		m->kind = fd >= 0 && holds_elf(fd) ? MAPPED_FILE : MAPPED_ANON;
	return fd;
}

/* Copy the results of look() to the table's entry, which keeps its descriptor. */
static void merge_source(struct mapped *to, const struct mapped *seen)
{
	struct mapped old = *to;

	*to = *seen;
	to->fd = old.fd;
	to->opened_ns = old.opened_ns;
	to->build_id = old.build_id;
	to->is_costly = old.is_costly;
	to->is_said = old.is_said;
	to->is_waiting = old.is_waiting;
	to->is_slow = old.is_slow;
	if (!to->mtime_ns)
		to->mtime_ns = old.mtime_ns;
	if (!to->tgid)
		to->tgid = old.tgid;
}

u32 files_sight(struct files *f, u32 id, const struct mapping_source *where)
{
	struct mapped m = f->list.items[id];
	int fd;

	files_touch(f, id, where);
	if (m.kind != MAPPED_FILE && m.kind != MAPPED_MEMFD)
		return id;
	m.tgid = where->has_exited ? 0 : where->tgid;
	m.start = where->start;
	m.end = where->end;
	m.ns = where->ns;
	m.is_foreign = where->is_foreign;
	m.mtime_ns = 0; /* belongs to the file seen now, not to an earlier one with this inode */
	fd = look(f, &m);
	m.fd = -1;
	m.opened_ns = 0;
	m.build_id = NULL;
	m.is_costly = m.is_said = m.is_waiting = m.is_slow = false;
	m.extent = (struct extent){ 0 };
	id = find_or_add(f, &m);
	merge_source(&f->list.items[id], &m);
	if (fd >= 0 && f->list.items[id].fd < 0 && f->n_held < FILES_MAX_HELD)
		hold(f, &f->list.items[id], fd, now_ns());
	else
		close_p(&fd);
	return id;
}

u32 *files_keep(struct files *f, const bool *used)
{
	u32 *to = mem_alloc(f->list.n + 1, sizeof(*to)), n = 0;

	for (u32 i = 0; i < f->list.n; i++) {
		if (!used[i])
			continue;
		f->list.items[n] = f->list.items[i];
		to[i] = n++;
	}
	f->list.n = n;
	vec_fit(&f->list);
	return to;
}

void files_reindex(struct files *f)
{
	index_release(&f->index);
	for (u32 i = 0; i < f->list.n; i++)
		index_add(&f->index, file_hash(&f->list.items[i]), i);
}

void files_release(struct files *f)
{
	for (u32 i = 0; i < f->list.n; i++)
		files_close(f, i);
	vec_release(&f->list);
	index_release(&f->index);
	mounts_release(&f->mounts);
}
