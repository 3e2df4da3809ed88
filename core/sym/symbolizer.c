// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sym/symbolizer.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/memlimit.h"
#include "sym/jit_hints.h"
#include "sym/symbolizer_int.h"

/* Files that may vanish must be symbolized within a second, so this is done when they have been
 * open for this long. */
#define HOLD_NS	       (700 * NS_PER_MS)
#define JIT_AGAIN_NS   NS_PER_SEC
/* If too many files are open and none can be closed, the attempt is not repeated for each new
 * location in them. */
#define MAKE_ROOM_NS   (50 * NS_PER_MS)
/* Samples of a process arrive at most this long after its exit event. */
#define FORGET_NS      (10 * NS_PER_SEC)
#define FORGET_FULL_NS NS_PER_SEC /* if memory is full */
#define MAX_KSYMBOLS   4096

static const char *const usual_debug_dirs[] = { "/usr/lib/debug", NULL };

int symbolizer_new(struct symbolizer **out, const struct symbolizer_opts *opts, struct err *err)
{
	struct symbolizer *s = mem_alloc(1, sizeof(*s));

	(void)err; /* nothing is read before it is needed, so nothing can fail here */
	s->opts = *opts;
	if (!s->opts.proc_root)
		s->opts.proc_root = "/proc";
	if (!s->opts.debug_dirs)
		s->opts.debug_dirs = usual_debug_dirs;
	s->files.proc_root = s->files.mounts.proc_root = s->opts.proc_root;
	s->files.strings = &s->strings;
	processes_init(&s->procs, s->opts.proc_root, &s->files);
	*out = s;
	return 0;
}

void symbolizer_free(struct symbolizer *s)
{
	if (!s)
		return;
	processes_release(&s->procs);
	files_release(&s->files);
	locs_release(&s->locs);
	vec_release(&s->ksymbols);
	kfunctions_release(&s->kfunctions);
	intern_release(&s->strings);
	str_release(&s->kallsyms);
	free(s);
}

/* ---- events ---- */

/* If memory is full, events of unknown processes are dropped.  Their mappings are read from /proc
 * when one of their addresses is seen. */
static bool is_left_out(const struct symbolizer *s, u32 tgid)
{
	return mem_is_over() && !processes_find(&s->procs, tgid);
}

void symbolizer_on_mmap(struct symbolizer *s, const struct sym_mmap *m)
{
	struct region r = { .start = m->start, .off = m->pgoff };

	if (__builtin_add_overflow(m->start, m->len, &r.end) || is_left_out(s, m->tgid))
		return;
	r.file = files_add(&s->files, m->maj, m->min, m->ino,
			   map_path_at(view_of(m->path ? m->path : ""), m->start));
	processes_mmap(&s->procs, m->tgid, &r);
}

void symbolizer_on_fork(struct symbolizer *s, u32 child_tgid, u32 parent_tgid)
{
	if (!is_left_out(s, child_tgid))
		processes_fork(&s->procs, child_tgid, parent_tgid);
}

void symbolizer_on_exec(struct symbolizer *s, u32 tgid)
{
	if (!is_left_out(s, tgid))
		processes_exec(&s->procs, tgid);
}

void symbolizer_on_exit(struct symbolizer *s, u32 tgid)
{
	processes_exit(&s->procs, tgid, now_ns());
}

void symbolizer_on_ksymbol(struct symbolizer *s, u64 addr, u32 len, const char *name)
{
	struct ksymbol k = { .addr = addr, .len = len };
	const struct ksymbol *have;

	if (!len || s->ksymbols.n >= MAX_KSYMBOLS)
		return;
	k.name = intern(&s->strings, name);
	vec_for_each(have, &s->ksymbols)
		if (have->addr == addr && have->len == len && have->name == k.name)
			return;
	vec_push(&s->ksymbols, k);
}

bool symbolizer_is_code_replaced(struct symbolizer *s)
{
	bool is_replaced = s->procs.is_code_replaced;

	s->procs.is_code_replaced = false;
	return is_replaced;
}

/* ---- locating ---- */

static const char *module_of(const struct mapped *m)
{
	return m->kind == MAPPED_ANON ? "[jit]" : m->path;
}

static void frame_of_file(struct frame *f, const struct mapped *m, const struct loc *l, u64 addr,
			  bool keep)
{
	f->kind = m->kind == MAPPED_VDSO ? FRAME_VDSO : FRAME_USER;
	f->module = module_of(m);
	f->build_id = m->build_id;
	f->addr = keep ? addr : 0;
	f->off = loc_at(l);
}

static u32 locate_in_life(struct symbolizer *s, struct life *life, enum location_space space,
			  u64 addr, bool is_return)
{
	struct loc key = {
		.at = addr,
		.owner = processes_serial(&s->procs, life),
		.space = space,
		.is_return = is_return,
		.is_pending = space == LOC_LIFE,
		.is_gone = space == LOC_NOWHERE && !life->now->list.n,
	};
	bool is_new;
	u32 id = locs_get(&s->locs, &key, &is_new);
	struct frame *f = &s->locs.frames.items[id];

	if (!is_new)
		return id;
	if (space == LOC_LIFE)
		processes_look(&s->procs, life); /* to know the owner of its perf map */
	f->kind = space == LOC_LIFE ? FRAME_JIT : FRAME_UNKNOWN;
	f->module = space == LOC_LIFE ? "[jit]" : NULL;
	f->addr = addr;
	f->vaddr = f->off = loc_at(&key);
	return id;
}

/* Code in the vdso is located by its distance from the start: the file offset in mapping events
 * differs between kernels. */
static u64 file_offset(const struct mapped *m, const struct region *r, u64 addr)
{
	return addr - r->start + (m->kind == MAPPED_VDSO ? 0 : r->off);
}

static struct mapping_source sighting_of(const struct life *life, const struct region *r)
{
	return (struct mapping_source){ .tgid = life->tgid,
					.start = r->start,
					.end = r->end,
					.ns = life->ns,
					.is_foreign = life->is_foreign,
					.has_exited = life->has_exited };
}

void symbolizer_hold(struct symbolizer *s, const struct life *life, const struct region *r)
{
	struct mapping_source where = sighting_of(life, r);
	u32 file = r->file;
	u64 now = now_ns();

	files_touch(&s->files, file, &where);
	if (files_hold(&s->files, file, now) || now < s->make_room_ns)
		return;
	s->make_room_ns = now + MAKE_ROOM_NS;
	symbolizer_settle(s, now + HOLD_NS); /* too many files are open: all are due */
	files_hold(&s->files, file, now);
}

static u32 locate_in_file(struct symbolizer *s, const struct life *life, struct region *r, u64 addr,
			  bool is_return)
{
	const struct mapped *m = &s->files.list.items[r->file];
	struct loc key = {
		.at = file_offset(m, r, addr),
		.addr = s->opts.keep_addresses ? addr : 0,
		.owner = r->file,
		.space = LOC_FILE,
		.is_return = is_return,
		.is_pending = true,
	};
	bool is_new;
	u32 id = locs_get(&s->locs, &key, &is_new);

	if (!is_new)
		return id;
	frame_of_file(&s->locs.frames.items[id], m, &key, addr, s->opts.keep_addresses);
	symbolizer_hold(s, life, r);
	return id;
}

void symbolizer_sight(struct symbolizer *s, const struct life *life, struct region *r)
{
	struct mapping_source where = sighting_of(life, r);

	r->file = files_sight(&s->files, r->file, &where);
	r->is_sighted = true;
}

u32 symbolizer_user(struct symbolizer *s, u32 tgid, u64 addr, bool is_return)
{
	struct life *life;
	struct region *r = processes_locate(&s->procs, tgid, addr - (is_return && addr), &life);

	life->was_sampled = true;
	/* A caller that is not in code is an artifact of unwinding without frame pointers, and is
	 * different each time.  All such callers in a process share one location, because otherwise
	 * they would fill the memory within a day. */
	if (!r && is_return && !s->opts.keep_addresses)
		addr = 0;
	if (!r)
		return locate_in_life(s, life, LOC_NOWHERE, addr, is_return);
	if (!r->is_sighted)
		symbolizer_sight(s, life, r);
	if (s->files.list.items[r->file].kind == MAPPED_ANON)
		return locate_in_life(s, life, LOC_LIFE, addr, is_return);
	return locate_in_file(s, life, r, addr, is_return);
}

u32 symbolizer_kernel(struct symbolizer *s, u64 addr, bool is_return)
{
	struct loc key = {
		.at = addr, .space = LOC_KERNEL, .is_return = is_return, .is_pending = true
	};
	bool is_new;
	u32 id = locs_get(&s->locs, &key, &is_new);

	if (is_new)
		s->locs.frames.items[id] = (struct frame){
			.module = "[kernel]",
			.addr = addr,
			.vaddr = loc_at(&key),
			.off = loc_at(&key),
			.kind = FRAME_KERNEL,
		};
	return id;
}

u32 symbolizer_note(struct symbolizer *s, const char *text)
{
	const char *name = intern(&s->strings, text);
	struct loc key = { .at = (u64)(uintptr_t)name, .space = LOC_NOTE };
	bool is_new;
	u32 id = locs_get(&s->locs, &key, &is_new);

	if (is_new)
		s->locs.frames.items[id] = (struct frame){ .name = name, .kind = FRAME_NOTE };
	return id;
}

/* ---- naming ---- */

static bool is_due(const struct symbolizer *s, const struct loc *l, u64 now)
{
	const struct mapped *m;
	const struct life *life;

	if (loc_is_in_file(l)) {
		m = &s->files.list.items[l->owner];
		return m->fd >= 0 && !m->is_slow && now - m->opened_ns >= HOLD_NS &&
		       now > m->opened_ns;
	}
	if (l->space != LOC_LIFE)
		return false;
	life = processes_by_serial(&s->procs, l->owner);
	return !life || life->has_exited ||
	       (life->is_foreign && now - life->jit_read_ns >= JIT_AGAIN_NS);
}

/* Close files that are held open without pending locations. */
static void close_idle(struct symbolizer *s, u64 now)
{
	for (u32 i = 0; s->files.n_held && i < s->files.list.n; i++) {
		const struct mapped *m = &s->files.list.items[i];

		if (m->fd >= 0 && !m->is_waiting && now > m->opened_ns &&
		    now - m->opened_ns >= HOLD_NS)
			files_close(&s->files, i);
	}
}

static bool is_needed(void *ctx, const struct life *life)
{
	(void)ctx;
	return life->has_map; /* the map may contain its children's code */
}

void symbolizer_settle(struct symbolizer *s, u64 now)
{
	u64 keep_ns = mem_is_over() ? FORGET_FULL_NS : FORGET_NS;
	struct meter meter = { .deadline_ns = now_ns() + SYM_SETTLE_NS };
	struct naming how = { .is_due = is_due, .now = now, .meter = &meter, .is_hasty = true };

	naming_run(s, &how);
	naming_has_kallsyms(s, now);
	close_idle(s, now);
	processes_forget(&s->procs, now > keep_ns ? now - keep_ns : 0, is_needed, s);
}

bool symbolizer_resolve(struct symbolizer *s, const struct sym_budget *budget)
{
	const struct sym_budget usual = { 0 }, *b = budget ?: &usual;
	struct meter meter = {
		.deadline_ns = b->deadline_ns,
		.max_cpu_ns = b->cpu_ns ?: SYM_CPU_NS,
		.stop = b->stop,
	};
	struct naming how = { .now = now_ns(), .meter = &meter };

	naming_run(s, &how);
	return !meter.over;
}

const struct frame *symbolizer_frames(const struct symbolizer *s, size_t *n)
{
	*n = s->locs.frames.n;
	return s->locs.frames.items;
}

bool symbolizer_has_kernel_names(const struct symbolizer *s)
{
	return !s->has_read_kallsyms || s->has_kernel_names;
}

/* ---- statistics and hints ---- */

static void costly_files(const struct symbolizer *s, const char **out)
{
	const struct mapped *m;
	size_t n = 0;

	vec_for_each(m, &s->files.list)
		if (m->is_said && n < SYM_COSTLY_FILES)
			out[n++] = m->path;
}

void symbolizer_count(struct symbol_stats *out, const struct loc *l, bool is_named)
{
	bool is_left = l->is_costly || (l->is_pending && l->space != LOC_LIFE);

	bool is_note = l->space == LOC_NOTE || l->space == LOC_DATA || l->space == LOC_FUTEX;

	out->frames += !is_note;
	out->symbolized += !is_note && is_named;
	out->costly += is_left && !is_named;
	out->stripped += l->space == LOC_FILE && !is_named && !is_left;
	out->jit_no_map += l->space == LOC_LIFE && !is_named && !is_left;
	out->exited += l->is_gone;
}

void symbolizer_stats(const struct symbolizer *s, struct symbol_stats *out)
{
	*out = s->forgotten;
	for (size_t i = 0; i < s->locs.list.n; i++)
		symbolizer_count(out, &s->locs.list.items[i], s->locs.frames.items[i].name);
	costly_files(s, out->costly_files);
}

void symbolizer_hints(struct symbolizer *s, void (*say)(const char *code, const char *text))
{
	runtime_hints(s, say);
}

void symbolizer_request_maps(struct symbolizer *s, const struct sym_request *how,
			     void (*say)(const char *code, const char *text))
{
	runtime_request_maps(s, how, say);
}
