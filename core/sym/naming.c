// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Locations to names, a file at a time: the pending ones are sorted by where they are, and each
 * source is read once for all that it may know.
 */
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "sym/demangle.h"
#include "sym/internal.h"
#include "sym/kallsyms.h"
#include "sym/objfile.h"
#include "sym/perfmap.h"
#include "sym/remote.h"

#define MAX_KALLSYMS_BYTES (256 << 20)

struct item {
	u32 id, owner;
	enum space space;
	u64 at;
};

struct batch {
	VEC(struct item) list;
};

/* ---- results ---- */

static const char *shown_name(struct symbolizer *s, const char *raw)
{
	_cleanup_(str_release) struct str text = { 0 };

	demangle(raw, s->opts.names, &text);
	return intern(&s->strings, str_text(&text));
}

/* Name one frame; `last` saves demangling for neighbours in the same function. */
static void frame_take(struct symbolizer *s, struct frame *f, const struct want *want,
		       const char **last_raw, const char **last_shown)
{
	const char *raw = intern_n(&s->strings, str_text(&want->found), want->found.n);

	if (raw != *last_raw) {
		*last_raw = raw;
		*last_shown = shown_name(s, raw);
	}
	f->name = *last_shown;
	f->linkage = f->name == raw ? NULL : raw;
	f->off = want->at - want->start;
}

/* Give the names found to the frames.  is_final: those without stay so. */
static void wants_apply(struct symbolizer *s, const struct wants *w, bool is_final)
{
	const char *last_raw = NULL, *last_shown = NULL;
	const struct want *want;

	vec_for_each(want, &w->list) {
		struct frame *f = &s->locs.frames.items[want->id];

		if (want->is_named)
			frame_take(s, f, want, &last_raw, &last_shown);
		if (want->is_named || is_final)
			s->locs.list.items[want->id].is_pending = false;
	}
}

static void wants_from(const struct symbolizer *s, const struct item *items, size_t n,
		       struct wants *w)
{
	for (size_t i = 0; i < n; i++)
		wants_add(w, items[i].id, loc_at(&s->locs.list.items[items[i].id]));
	wants_sort(w);
}

/* ---- files ---- */

/* Our own vdso is everybody's.  How long it is, its header says: the section table stands last. */
static bool vdso_src(struct elf_src *src)
{
	const ElfW(Ehdr) *head = (const void *)getauxval(AT_SYSINFO_EHDR); /* NOLINT */

	if (!head)
		return false;
	*src = (struct elf_src){ .fd = -1,
				 .mem = head,
				 .size = head->e_shoff + (u64)head->e_shnum * head->e_shentsize };
	return true;
}

/* The root in which the file's path and its debug files are; -1: ours. */
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
	o->src = (struct elf_src){ .fd = fd, .size = (u64)st.st_size };
	return objfile_name(o, w);
}

/* Who is to blame if the helper doesn't come back: the file's own mount or a debug directory's. */
static struct remote_mount *remote_mount_of(struct symbolizer *s, const struct mapped *m,
					    const struct objfile *o)
{
	struct remote_mount *r = NULL;

	if (m->is_remote)
		return files_mount(&s->files, m);
	for (const char *const *dir = o->debug_dirs; *dir && !r; dir++)
		r = mounts_remote(&s->files.mounts, s->procs.own_ns, 0, 0, 0, *dir);
	return r;
}

static void mount_hung(struct remote_mount *mount)
{
	mount->is_hung = true;
	log_warn("mount-hung", "%s does not answer: names from it are missing", mount->point);
}

static int name_remote(struct symbolizer *s, u32 id, struct objfile *o, struct wants *w)
{
	const struct mapped *m = &s->files.list.items[id];
	struct remote_mount *mount = remote_mount_of(s, m, o);
	int ret;

	if (mount && mount->is_hung)
		return -ETIMEDOUT;
	ret = remote_name(&s->files, id, o, w);
	if (ret == -ETIMEDOUT && mount)
		mount_hung(mount);
	return ret;
}

#define MAX_DEBUG_DIRS 16

static bool is_remote_dir(struct symbolizer *s, const struct mapped *m, const char *dir)
{
	return mounts_remote(&s->files.mounts, s->procs.own_ns, 0, 0, 0, dir) ||
	       (m->is_foreign && m->tgid &&
		mounts_remote(&s->files.mounts, m->ns, m->tgid, 0, 0, dir));
}

/* The debug directories that may be touched by us, or those that only the helper may. */
static size_t debug_dirs_pick(struct symbolizer *s, const struct mapped *m, bool remote,
			      const char **out)
{
	size_t n = 0;

	for (const char *const *dir = s->opts.debug_dirs; *dir && n < MAX_DEBUG_DIRS; dir++)
		if (is_remote_dir(s, m, *dir) == remote)
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

static void file_apply(struct symbolizer *s, u32 id, const struct objfile *o, const struct wants *w)
{
	struct mapped *m = &s->files.list.items[id];
	const struct want *want;

	if (o->build_id[0])
		m->build_id = intern(&s->strings, o->build_id);
	vec_for_each(want, &w->list) {
		struct frame *f = &s->locs.frames.items[want->id];

		f->vaddr = want->at == UINT64_MAX ? 0 : want->at;
		f->build_id = m->build_id;
	}
	wants_apply(s, w, true);
}

/* What has no name yet, once more, with the debug directories that may hang. */
static void name_by_remote_dirs(struct symbolizer *s, u32 id, const struct objfile *first,
				const struct wants *named)
{
	_cleanup_(wants_release) struct wants w = { 0 };
	const char *dirs[MAX_DEBUG_DIRS + 1];
	struct objfile o = *first;
	const struct want *want;

	if (!wants_left(named) || !debug_dirs_pick(s, &s->files.list.items[id], true, dirs))
		return;
	vec_for_each(want, &named->list)
		if (!want->is_named)
			wants_add(&w, want->id, loc_at(&s->locs.list.items[want->id]));
	wants_sort(&w);
	o.debug_dirs = dirs;
	if (!name_remote(s, id, &o, &w))
		file_apply(s, id, &o, &w);
}

static void name_file(struct symbolizer *s, const struct item *items, size_t n)
{
	_cleanup_(wants_release) struct wants w = { 0 };
	const struct mapped *m = &s->files.list.items[items->owner];
	_cleanup_(close_p) int root = root_open(s, m);
	const char *dirs[MAX_DEBUG_DIRS + 1] = { NULL };
	struct objfile o = { .path = m->path, .root_fd = root, .debug_dirs = dirs };

	wants_from(s, items, n, &w);
	if (m->kind == MAPPED_FILE)
		debug_dirs_pick(s, m, false, dirs);
	if (name_from_file(s, items->owner, &o, &w)) {
		wants_apply(s, &w, true);
	} else {
		file_apply(s, items->owner, &o, &w);
		if (m->kind == MAPPED_FILE && !m->is_remote)
			name_by_remote_dirs(s, items->owner, &o, &w);
	}
	files_close(&s->files, items->owner);
}

/* ---- JIT code ---- */

static u64 started_ns(const struct life *l)
{
	u64 hz = (u64)sysconf(_SC_CLK_TCK);
	u64 boot = clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_BOOTTIME);

	return l->start_ticks ? boot + l->start_ticks * NS_PER_SEC / hz : 0;
}

static int life_root(const struct symbolizer *s, const struct life *l)
{
	char path[256];

	if (!l->is_foreign)
		return -1;
	snprintf(path, sizeof(path), "%s/%u/root", s->opts.proc_root, l->tgid);
	return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

static struct remote_mount *map_mount(struct symbolizer *s, const struct life *l, const char *path)
{
	bool is_own = !l->ns || l->ns == s->procs.own_ns;

	return mounts_remote(&s->files.mounts, is_own ? s->procs.own_ns : l->ns,
			     is_own ? 0 : l->tgid, 0, 0, path);
}

/* By us, or by the helper where the map lies on what may hang.  0 or -errno. */
static int map_read(struct symbolizer *s, struct life *l, const char *path, struct wants *w)
{
	_cleanup_(close_p) int root = life_root(s, l);
	const struct perfmap_owner owner = { .uid = l->uid, .started_ns = started_ns(l) };
	struct remote_mount *mount = map_mount(s, l, path);
	int ret;

	if (l->is_foreign && root < 0)
		return -ENOENT;
	if (!mount)
		return perfmap_read(root, path, &owner, w);
	if (mount->is_hung)
		return -ETIMEDOUT;
	ret = remote_perfmap(root, path, &owner, w);
	if (ret == -ETIMEDOUT)
		mount_hung(mount);
	return ret;
}

static void name_from_map(struct symbolizer *s, struct life *l, struct wants *w)
{
	char path[64];
	int ret;

	snprintf(path, sizeof(path), "/tmp/perf-%u.map", l->ns_tgid ? l->ns_tgid : l->tgid);
	ret = map_read(s, l, path, w);
	if (ret == -ESTALE && !l->has_warned)
		log_warn("perfmap-stale", "%s is older than process %u: not used", path, l->tgid);
	if (ret == -EPERM && !l->has_warned)
		log_warn("perfmap-owner", "%s belongs to another user than process %u: not used",
			 path, l->tgid);
	l->has_warned |= ret == -ESTALE || ret == -EPERM;
	l->has_map |= !ret;
}

static void name_life(struct symbolizer *s, const struct item *items, size_t n, u64 now)
{
	_cleanup_(wants_release) struct wants w = { 0 };
	struct life *l = processes_by_serial(&s->procs, items->owner);
	struct life *parent;

	wants_from(s, items, n, &w);
	if (l)
		name_from_map(s, l, &w);
	/* A child that was forked from a JIT runs code that only the parent's map lists. */
	parent = l ? processes_by_serial(&s->procs, l->parent) : NULL;
	if (parent && wants_left(&w))
		name_from_map(s, parent, &w);
	if (l)
		l->jit_read_ns = now;
	/* The map of a living process grows: what has no name today may have one tomorrow. */
	wants_apply(s, &w, !l || l->has_exited);
}

/* ---- kernel ---- */

static int proc_open(const struct symbolizer *s, const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", s->opts.proc_root, name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

static void kernel_frame(struct symbolizer *s, const struct want *want)
{
	struct frame *f = &s->locs.frames.items[want->id];
	const char *module = str_text(&want->module);

	if (!*module)
		return;
	f->kind = strcmp(module, "bpf") ? FRAME_MODULE : FRAME_BPF;
	f->module = f->kind == FRAME_BPF ? "[bpf]" : intern(&s->strings, module);
}

/* What was told of as it came and went has exact bounds: it goes first. */
static void name_from_ksymbols(struct symbolizer *s, struct wants *w)
{
	const struct ksymbol *k;

	wants_clear(w);
	vec_for_each(k, &s->ksymbols) {
		struct offer o = { .start = k->addr, .size = k->len, .name = view_of(k->name) };

		wants_cover(w, &o);
	}
	for (size_t i = 0; i < w->list.n; i++) {
		struct want *want = &w->list.items[i];

		if (!want->best.is_set)
			continue;
		want_name(want, &want->best, str_view(&want->best.name));
		str_adds(&want->module, "bpf");
	}
	wants_clear(w);
}

static void name_from_kallsyms(struct symbolizer *s, struct wants *w)
{
	_cleanup_(close_p) int names = proc_open(s, "kallsyms"), mods = proc_open(s, "modules");
	_cleanup_(lines_release) struct lines text = { .fd = -1 }, modules = { .fd = -1 };

	if (names < 0)
		return;
	lines_init(&text, names, MAX_KALLSYMS_BYTES);
	if (mods >= 0)
		lines_init(&modules, mods, MAX_KALLSYMS_BYTES);
	s->has_kernel_names = kallsyms_name(w, &text, mods >= 0 ? &modules : NULL);
}

static void name_kernel(struct symbolizer *s, const struct item *items, size_t n)
{
	_cleanup_(wants_release) struct wants w = { 0 };
	const struct want *want;

	wants_from(s, items, n, &w);
	name_from_ksymbols(s, &w);
	name_from_kallsyms(s, &w);
	s->has_read_kallsyms = true;
	vec_for_each(want, &w.list)
		kernel_frame(s, want);
	wants_apply(s, &w, true);
}

/* ---- batches ---- */

static int compare_items(const void *x, const void *y)
{
	const struct item *a = x, *b = y;

	if (a->space != b->space)
		return (a->space > b->space) - (a->space < b->space);
	if (a->owner != b->owner)
		return (a->owner > b->owner) - (a->owner < b->owner);
	return (a->at > b->at) - (a->at < b->at);
}

static void batch_collect(const struct symbolizer *s, const struct naming *how, struct batch *out)
{
	const u32 *id;

	vec_for_each(id, &s->locs.pending) {
		const struct loc *l = &s->locs.list.items[*id];

		if (!how->is_due || how->is_due(s, l, how->now))
			vec_push(&out->list, (struct item){ .id = *id,
							    .owner = l->owner,
							    .space = l->space,
							    .at = l->at });
	}
	if (out->list.n)
		qsort(out->list.items, out->list.n, sizeof(*out->list.items), compare_items);
}

static size_t group_length(const struct batch *b, size_t from)
{
	const struct item *first = &b->list.items[from];
	size_t to = from;

	while (to < b->list.n && b->list.items[to].space == first->space &&
	       b->list.items[to].owner == first->owner)
		to++;
	return to - from;
}

static void name_group(struct symbolizer *s, const struct item *items, size_t n, u64 now)
{
	if (items->space == SPACE_FILE)
		name_file(s, items, n);
	else if (items->space == SPACE_LIFE)
		name_life(s, items, n, now);
	else if (items->space == SPACE_KERNEL)
		name_kernel(s, items, n);
}

static void pending_compact(struct symbolizer *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->locs.pending.n; i++)
		if (s->locs.list.items[s->locs.pending.items[i]].is_pending)
			s->locs.pending.items[n++] = s->locs.pending.items[i];
	s->locs.pending.n = n;
}

void naming_run(struct symbolizer *s, const struct naming *how)
{
	struct batch batch = { 0 };
	size_t n;

	batch_collect(s, how, &batch);
	for (size_t at = 0; at < batch.list.n; at += n) {
		n = group_length(&batch, at);
		if (how->stop && *how->stop)
			break;
		name_group(s, batch.list.items + at, n, how->now);
	}
	vec_release(&batch.list);
	pending_compact(s);
}
