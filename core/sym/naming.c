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
#include "sym/kallsyms.h"
#include "sym/objfile.h"
#include "sym/perfmap.h"
#include "sym/remote.h"
#include "sym/symbolizer_int.h"

#define MAX_KALLSYMS_BYTES (256 << 20)

struct item {
	u32 id, owner;
	enum space space;
	u64 at, cost; /* cost: what orders owners */
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

/* What one file or process may cost: a share of SYM_CPU_NS.  Chromium with all its symbols is read
 * within some 0.2 s, and has 60 MB of them. */
#define OWNER_CPU_NS (SYM_CPU_NS / 2)
#define OWNER_BYTES  (1ULL << 30)
#define OWNER_READS  (1U << 20)

static struct meter owner_meter(const struct naming *how)
{
	struct meter m = {
		.up = how->meter,
		.max_cpu_ns = OWNER_CPU_NS,
		.max_bytes = OWNER_BYTES,
		.max_reads = OWNER_READS,
	};

	meter_begin(&m);
	return m;
}

/* What became of a file or process whose names were looked for. */
enum outcome {
	OUTCOME_DONE,	/* what has no name gets none */
	OUTCOME_LATER,	/* no time was left for it */
	OUTCOME_COSTLY, /* it alone took more than it may */
};

/* `ret` is -E2BIG when the helper said so. */
static enum outcome outcome_of(const struct wants *w, int ret)
{
	const struct meter *owner = w->meter;

	if (owner->over)
		return owner->up->over ? OUTCOME_LATER : OUTCOME_COSTLY;
	if (ret == -E2BIG || (owner->is_refused && wants_left(w)))
		return OUTCOME_COSTLY;
	return OUTCOME_DONE;
}

/* Give the names found to the frames; `out` says what becomes of those without. */
static void wants_apply(struct symbolizer *s, const struct wants *w, enum outcome out)
{
	const char *last_raw = NULL, *last_shown = NULL;
	const struct want *want;

	vec_for_each(want, &w->list) {
		struct frame *f = &s->locs.frames.items[want->id];

		if (want->is_named)
			frame_take(s, f, want, &last_raw, &last_shown);
		if (want->is_named || out != OUTCOME_LATER)
			s->locs.list.items[want->id].is_pending = false;
		if (!want->is_named && out == OUTCOME_COSTLY)
			s->locs.list.items[want->id].is_costly = true;
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
	o->src = (struct elf_src){ .fd = fd, .size = (u64)st.st_size, .meter = w->meter };
	return objfile_name(o, w);
}

/* The remote mount in which a debug directory lies, in our namespace or in the file's, or NULL. */
static struct remote_mount *remote_dir(struct symbolizer *s, const struct mapped *m,
				       const char *dir)
{
	struct remote_mount *r = mounts_remote(&s->files.mounts, s->procs.own_ns, 0, 0, 0, dir);

	if (!r && m->is_foreign && m->tgid)
		r = mounts_remote(&s->files.mounts, m->ns, m->tgid, 0, 0, dir);
	return r;
}

/* The remote mount at the file's folder or at the .debug in it, or NULL: anybody can mount there.
 */
static struct remote_mount *remote_beside(struct symbolizer *s, const struct mapped *m)
{
	const char *slash = strrchr(m->path, '/');
	_cleanup_(free_p) char *dir =
		mem_printf("%.*s/.debug", slash ? (int)(slash - m->path) : 0, m->path);

	return remote_dir(s, m, dir);
}

/* Who is to blame if the helper doesn't come back: the file's own mount or a debug directory's. */
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

/* The debug directories that may be touched by us, or those that only the helper may. */
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

static void file_apply(struct symbolizer *s, u32 id, const struct objfile *o, const struct wants *w,
		       enum outcome out)
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
	wants_apply(s, w, out);
}

/* What has no name yet, once more, with the debug directories that may hang. */
static void name_by_remote_dirs(struct symbolizer *s, u32 id, const struct objfile *first,
				const struct wants *named)
{
	_cleanup_(wants_release) struct wants w = { 0 };
	const char *dirs[MAX_DEBUG_DIRS + 1];
	struct objfile o = *first;
	const struct want *want;

	if (!wants_left(named) ||
	    (!debug_dirs_pick(s, &s->files.list.items[id], true, dirs) && !o.skip_beside))
		return;
	o.skip_beside = !o.skip_beside;
	vec_for_each(want, &named->list)
		if (!want->is_named)
			wants_add(&w, want->id, loc_at(&s->locs.list.items[want->id]));
	wants_sort(&w);
	w.meter = named->meter;
	o.debug_dirs = dirs;
	if (!name_remote(s, id, &o, &w))
		file_apply(s, id, &o, &w, OUTCOME_DONE);
}

/* Where only the helper may look, a run that goes on does not wait for it. */
static bool must_wait(struct symbolizer *s, const struct naming *how, const struct mapped *m,
		      const struct wants *w)
{
	const char *dirs[MAX_DEBUG_DIRS + 1];

	return how->is_hasty && m->kind == MAPPED_FILE && wants_left(w) &&
	       (debug_dirs_pick(s, m, true, dirs) || remote_beside(s, m));
}

/* A hostile host has any number of such files. */
static void say_costly(struct symbolizer *s, const char *whose, const char *why)
{
	if (s->n_costly_said < SYM_COSTLY_FILES)
		log_warn("names-costly", "%s: %s", whose, why);
	else if (s->n_costly_said == SYM_COSTLY_FILES)
		log_warn("names-costly", "more files are too much to read for names");
	s->n_costly_said++;
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
	if (ret) {
		wants_apply(s, w, out);
		return out;
	}
	file_apply(s, id, &o, w, out);
	if (out == OUTCOME_DONE && m->kind == MAPPED_FILE && !m->is_remote)
		name_by_remote_dirs(s, id, &o, w);
	return out;
}

static void name_file(struct symbolizer *s, const struct naming *how, const struct item *items,
		      size_t n)
{
	_cleanup_(wants_release) struct wants w = { 0 };
	struct meter meter = owner_meter(how);
	enum outcome out = OUTCOME_COSTLY;

	w.meter = &meter;
	wants_from(s, items, n, &w);
	if (s->files.list.items[items->owner].is_costly)
		wants_apply(s, &w, out);
	else
		out = name_in_file(s, how, items->owner, &w);
	file_end(s, items->owner, how, out, &meter);
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
static int map_read(struct symbolizer *s, const struct naming *how, struct life *l,
		    const char *path, struct wants *w)
{
	_cleanup_(close_p) int root = life_root(s, l);
	const struct perfmap_owner owner = { .uid = l->uid, .started_ns = started_ns(l) };
	struct remote_mount *mount = map_mount(s, l, path);
	int ret;

	if (l->is_foreign && root < 0)
		return -ENOENT;
	if (!mount)
		return perfmap_read(root, path, &owner, w);
	if (mount->is_hung || how->is_hasty)
		return -ETIMEDOUT;
	ret = remote_perfmap(root, path, &owner, w);
	if (ret == -ETIMEDOUT)
		mount_hung(mount);
	return ret;
}

static enum outcome name_from_map(struct symbolizer *s, const struct naming *how, struct life *l,
				  struct wants *w)
{
	char path[64];
	int ret;

	snprintf(path, sizeof(path), "/tmp/perf-%u.map", l->ns_tgid ? l->ns_tgid : l->tgid);
	ret = map_read(s, how, l, path, w);
	if (ret == -ESTALE && !l->has_warned)
		log_warn("perfmap-stale", "%s is older than process %u: not used", path, l->tgid);
	if (ret == -EPERM && !l->has_warned)
		log_warn("perfmap-owner", "%s belongs to another user than process %u: not used",
			 path, l->tgid);
	l->has_warned |= ret == -ESTALE || ret == -EPERM;
	l->has_map |= !ret;
	return outcome_of(w, ret);
}

static void life_end(struct symbolizer *s, struct life *l, u64 now, enum outcome out)
{
	char whose[32];

	if (out != OUTCOME_LATER)
		l->jit_read_ns = now;
	snprintf(whose, sizeof(whose), "process %u", l->tgid);
	if (out == OUTCOME_COSTLY && !l->is_costly)
		say_costly(s, whose, "its perf map is too much to read for names");
	l->is_costly |= out == OUTCOME_COSTLY;
}

static void name_life(struct symbolizer *s, const struct naming *how, const struct item *items,
		      size_t n)
{
	_cleanup_(wants_release) struct wants w = { 0 };
	struct meter meter = owner_meter(how);
	struct life *l = processes_by_serial(&s->procs, items->owner);
	struct life *parent = l ? processes_by_serial(&s->procs, l->parent) : NULL;
	enum outcome out = OUTCOME_DONE;

	w.meter = &meter;
	wants_from(s, items, n, &w);
	if (l)
		out = l->is_costly ? OUTCOME_COSTLY : name_from_map(s, how, l, &w);
	/* A child that was forked from a JIT runs code that only the parent's map lists. */
	if (parent && !parent->is_costly && wants_left(&w) && out == OUTCOME_DONE)
		out = name_from_map(s, how, parent, &w);
	if (l)
		life_end(s, l, how->now, out);
	/* The map of a living process grows: what has no name today may have one tomorrow. */
	if (out == OUTCOME_DONE && l && !l->has_exited)
		out = OUTCOME_LATER;
	wants_apply(s, &w, out);
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

static void name_kernel(struct symbolizer *s, const struct naming *how, const struct item *items,
			size_t n)
{
	_cleanup_(wants_release) struct wants w = { 0 };
	/* The kernel's own text is no stranger's: it takes what it takes, unless nobody waits. */
	struct meter meter = { .stop = how->meter->stop, .deadline_ns = how->meter->deadline_ns };
	const struct want *want;

	meter_begin(&meter);
	w.meter = &meter;
	wants_from(s, items, n, &w);
	name_from_ksymbols(s, &w);
	name_from_kallsyms(s, &w);
	s->has_read_kallsyms |= !meter.over;
	vec_for_each(want, &w.list)
		kernel_frame(s, want);
	wants_apply(s, &w, meter.over ? OUTCOME_LATER : OUTCOME_DONE);
}

/* ---- batches ---- */

/* What is cheap and sure goes first: the kernel, then files by size.  A file that takes all the
 * time that there is then takes it from none that is smaller. */
static u64 cost_of(const struct symbolizer *s, const struct loc *l)
{
	if (l->space == SPACE_KERNEL)
		return 0;
	return l->space == SPACE_FILE ? s->files.list.items[l->owner].size + 1 : UINT64_MAX;
}

static int compare_items(const void *x, const void *y)
{
	const struct item *a = x, *b = y;

	if (a->cost != b->cost)
		return (a->cost > b->cost) - (a->cost < b->cost);
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
							    .at = l->at,
							    .cost = cost_of(s, l) });
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

static void name_group(struct symbolizer *s, const struct naming *how, const struct item *items,
		       size_t n)
{
	if (items->space == SPACE_FILE)
		name_file(s, how, items, n);
	else if (items->space == SPACE_LIFE)
		name_life(s, how, items, n);
	else if (items->space == SPACE_KERNEL)
		name_kernel(s, how, items, n);
}

/* There was no time for these: their files stay open for the next time. */
static void leave_waiting(struct symbolizer *s, const struct item *items, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (items[i].space == SPACE_FILE)
			s->files.list.items[items[i].owner].is_waiting = true;
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
	struct naming each = *how;
	struct batch batch = { 0 };
	size_t at, n;

	meter_begin(how->meter);
	batch_collect(s, how, &batch);
	for (at = 0; at < batch.list.n && !meter_is_over(how->meter); at += n) {
		n = group_length(&batch, at);
		each.is_first = !at;
		name_group(s, &each, batch.list.items + at, n);
	}
	leave_waiting(s, batch.list.items + at, batch.list.n - at);
	vec_release(&batch.list);
	pending_compact(s);
}
