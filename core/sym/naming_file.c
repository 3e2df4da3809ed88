// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Names from the files that processes have mapped, and from their debug files.  Files that may hang
 * any process that touches them are left to the helper process (sym/remote.h).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "sym/naming_int.h"
#include "sym/objfile.h"
#include "sym/remote.h"
#include "sym/vdso.h"

/* The root in which the file's path and its debug files are looked up; -1: ours. */
static int root_open(const struct symbolizer *s, const struct mapped *m)
{
	char path[256];

	if (!m->is_foreign || !m->tgid)
		return -1;
	snprintf(path, sizeof(path), "%s/%u/root", s->opts.proc_root, m->tgid);
	return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

static int name_by_fd(struct symbolizer *s, u32 id, struct objfile *o, struct wants *w)
{
	_cleanup_(close_p) int fd = files_open(&s->files, id);
	struct stat st;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st))
		return -errno;
	o->src = (struct elf_src){ .fd = fd, .size = (u64)st.st_size, .meter = w->meter };
	return objfile_name(o, w);
}

/* The remote mount that holds a debug directory, in our namespace or in the file's, or NULL. */
static struct remote_mount *remote_dir(struct symbolizer *s, const struct mapped *m,
				       const char *dir)
{
	struct remote_mount *r = mounts_remote(&s->files.mounts, s->procs.own_ns, 0, 0, 0, dir);

	if (!r && m->is_foreign && m->tgid)
		r = mounts_remote(&s->files.mounts, m->ns, m->tgid, 0, 0, dir);
	return r;
}

/* The remote mount at the file's folder or at its .debug folder, or NULL: any user can mount
 * there. */
static struct remote_mount *remote_beside(struct symbolizer *s, const struct mapped *m)
{
	const char *slash = strrchr(m->path, '/');
	_cleanup_(free_p) char *dir =
		mem_printf("%.*s/.debug", slash ? (int)(slash - m->path) : 0, m->path);

	return remote_dir(s, m, dir);
}

/* The mount to blame if the helper hangs: the file's own or a debug directory's. */
static struct remote_mount *remote_mount_of(struct symbolizer *s, const struct mapped *m,
					    const struct objfile *o)
{
	struct remote_mount *r = NULL;

	if (m->is_remote)
		return files_mount(&s->files, m);
	for (const char *const *dir = o->debug_dirs; *dir && !r; dir++)
		r = remote_dir(s, m, *dir);
	return r ?: remote_beside(s, m);
}

void mount_hung(struct remote_mount *mount)
{
	mount->is_hung = true;
	log_warn("mount-hung", "%s does not answer: names from it are missing", mount->point);
}

/* Each hung file costs a second, and without a known mount the next one cannot be avoided. */
#define MAX_HUNG 3

static int name_remote(struct symbolizer *s, u32 id, struct objfile *o, struct wants *w)
{
	const struct mapped *m = &s->files.list.items[id];
	struct remote_mount *mount = remote_mount_of(s, m, o);
	int ret;

	if (mount ? mount->is_hung : s->n_hung >= MAX_HUNG)
		return -ETIMEDOUT;
	ret = remote_name(&s->files, id, o, w);
	if (ret == -ETIMEDOUT && mount)
		mount_hung(mount);
	else if (ret == -ETIMEDOUT && !s->n_hung++)
		log_warn("mount-hung", "%s does not answer: its names are missing", m->path);
	return ret;
}

#define MAX_DEBUG_DIRS 16

/* Select the debug directories that this process may touch, or those that only the helper may. */
static size_t debug_dirs_pick(struct symbolizer *s, const struct mapped *m, bool remote,
			      const char **out)
{
	size_t n = 0;

	for (const char *const *dir = s->opts.debug_dirs; *dir && n < MAX_DEBUG_DIRS; dir++)
		if (!!remote_dir(s, m, *dir) == remote)
			out[n++] = *dir;
	out[n] = NULL;
	return n;
}

static int name_from_file(struct symbolizer *s, u32 id, struct objfile *o, struct wants *w)
{
	const struct mapped *m = &s->files.list.items[id];

	if (m->kind == MAPPED_VDSO)
		return vdso_src(&o->src) ? objfile_name(o, w) : -ENOENT;
	if (m->kind != MAPPED_FILE)
		return -ENOENT;
	if (m->is_remote) {
		o->debug_dirs = s->opts.debug_dirs;
		return name_remote(s, id, o, w);
	}
	return name_by_fd(s, id, o, w);
}

static enum outcome file_apply(struct symbolizer *s, const struct naming *how, u32 id,
			       const struct objfile *o, const struct wants *w, enum outcome out)
{
	struct mapped *m = &s->files.list.items[id];
	const struct sym_query *want;

	if (o->build_id[0])
		m->build_id = intern(&s->strings, o->build_id);
	vec_for_each(want, &w->list) {
		struct frame *f = &s->locs.frames.items[want->id];

		f->vaddr = want->at == UINT64_MAX ? 0 : want->at;
		f->build_id = m->build_id;
	}
	return wants_apply(s, how, w, out);
}

/* Look up the remaining names again, with the debug directories that may hang. */
static void name_by_remote_dirs(struct symbolizer *s, const struct naming *how, u32 id,
				const struct objfile *first, const struct wants *named)
{
	_cleanup_(wants_release) struct wants w = { 0 };
	const char *dirs[MAX_DEBUG_DIRS + 1];
	struct objfile o = *first;
	const struct sym_query *want;

	if (!wants_left(named) ||
	    (!debug_dirs_pick(s, &s->files.list.items[id], true, dirs) && !o.skip_beside))
		return;
	o.skip_beside = !o.skip_beside;
	vec_for_each(want, &named->list)
		if (!want->is_named)
			wants_add(&w, want->id, loc_at(&s->locs.list.items[want->id]));
	wants_sort(&w);
	w.meter = named->meter;
	w.is_data = named->is_data;
	o.debug_dirs = dirs;
	if (!name_remote(s, id, &o, &w))
		file_apply(s, how, id, &o, &w, OUTCOME_DONE);
}

/* If only the helper may open the file, a run in progress does not wait for it. */
static bool must_wait(struct symbolizer *s, const struct naming *how, const struct mapped *m,
		      const struct wants *w)
{
	const char *dirs[MAX_DEBUG_DIRS + 1];

	return how->is_hasty && m->kind == MAPPED_FILE && wants_left(w) &&
	       (debug_dirs_pick(s, m, true, dirs) || remote_beside(s, m));
}

static void file_end(struct symbolizer *s, u32 id, const struct naming *how, enum outcome out,
		     const struct meter *meter)
{
	struct mapped *m = &s->files.list.items[id];

	if (out == OUTCOME_LATER) {
		m->is_waiting = true;
		m->is_slow |= how->is_first;
		return;
	}
	if (out == OUTCOME_COSTLY && !m->is_said)
		say_costly(s, m->path,
			   meter->is_refused ? "its debug file is too large to read for names"
					     : "too much to read for names");
	m->is_said |= out == OUTCOME_COSTLY;
	m->is_costly = out == OUTCOME_COSTLY && !meter->is_refused;
	files_close(&s->files, id);
}

static enum outcome name_in_file(struct symbolizer *s, const struct naming *how, u32 id,
				 struct wants *w)
{
	const struct mapped *m = &s->files.list.items[id];
	_cleanup_(close_p) int root = root_open(s, m);
	const char *dirs[MAX_DEBUG_DIRS + 1] = { NULL };
	struct objfile o = { .path = m->path, .root_fd = root, .debug_dirs = dirs };
	enum outcome out;
	int ret;

	if (m->kind == MAPPED_FILE) {
		debug_dirs_pick(s, m, false, dirs);
		o.skip_beside = !m->is_remote && remote_beside(s, m);
	}
	ret = name_from_file(s, id, &o, w);
	out = !ret && must_wait(s, how, m, w) ? OUTCOME_LATER : outcome_of(w, ret);
	if (ret)
		return wants_apply(s, how, w, out);
	out = file_apply(s, how, id, &o, w, out);
	if (out == OUTCOME_DONE && m->kind == MAPPED_FILE && !m->is_remote)
		name_by_remote_dirs(s, how, id, &o, w);
	return out;
}

void name_file(struct symbolizer *s, const struct naming *how, const struct item *items, size_t n)
{
	_cleanup_(wants_release) struct wants w = { 0 };
	struct meter meter = owner_meter(how);
	enum outcome out = OUTCOME_COSTLY;

	w.meter = &meter;
	w.is_data = items->space != LOC_FILE;
	wants_from(s, items, n, &w);
	if (s->files.list.items[items->owner].is_costly)
		wants_apply(s, how, &w, out);
	else
		out = name_in_file(s, how, items->owner, &w);
	file_end(s, items->owner, how, out, &meter);
}
