// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sym/processes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/lines.h"
#include "base/num.h"
#include "base/procfile.h"

#define MAX_MAPS_BYTES	 (64 << 20)
/* An address in no mapping is often garbage from a broken stack.  As long as reading the maps again
 * (milliseconds for big processes) does not help, it is done less and less often. */
#define READ_STEP_NS	 (50 * NS_PER_MS)
#define READ_STEP_MAX_NS (5 * NS_PER_SEC)
/* Reading maps again never uses more than a fiftieth of the time: 65,000 mappings take 0.1 s. */
#define READ_SHARE	 50

/* ---- the table of lives ---- */

static struct life **bucket_of(struct processes *p, u32 tgid)
{
	return &p->buckets[hash_u64(tgid) % LIFE_BUCKETS];
}

struct life *processes_find(const struct processes *p, u32 tgid)
{
	struct life *l = p->buckets[hash_u64(tgid) % LIFE_BUCKETS];

	while (l && l->tgid != tgid)
		l = l->next;
	return l;
}

u32 processes_serial(struct processes *p, struct life *l)
{
	if (!l->serial) {
		vec_push(&p->by_serial, l);
		l->serial = (u32)p->by_serial.n;
	}
	return l->serial;
}

struct life *processes_by_serial(const struct processes *p, u32 serial)
{
	return serial && serial <= p->by_serial.n ? p->by_serial.items[serial - 1] : NULL;
}

/* The newest life of an id is first in its bucket, so that it is the one found. */
static struct life *life_begin(struct processes *p, u32 tgid, struct regions *regions)
{
	struct life **bucket = bucket_of(p, tgid), *l = mem_alloc(1, sizeof(*l));

	l->tgid = tgid;
	l->now = regions;
	l->version = ++p->n_changes;
	l->next = *bucket;
	*bucket = l;
	return l;
}

static void life_free(struct processes *p, struct life *l)
{
	if (l->serial)
		p->by_serial.items[l->serial - 1] = NULL;
	regions_drop(l->now);
	regions_drop(l->before);
	free(l);
}

void processes_init(struct processes *p, const char *proc_root, struct files *files)
{
	struct stat st;

	*p = (struct processes){ .proc_root = proc_root, .files = files };
	if (!stat("/proc/self/ns/mnt", &st))
		p->own_ns = st.st_ino;
	files->own_ns = p->own_ns;
}

void processes_release(struct processes *p)
{
	for (size_t i = 0; i < LIFE_BUCKETS; i++) {
		while (p->buckets[i]) {
			struct life *l = p->buckets[i];

			p->buckets[i] = l->next;
			life_free(p, l);
		}
	}
	vec_release(&p->by_serial);
}

/* ---- facts from /proc ---- */

static void path_of(const struct processes *p, u32 tgid, const char *name, char *out, size_t size)
{
	snprintf(out, size, "%s/%u/%s", p->proc_root, tgid, name);
}

/* Facts about a life from /proc/PID/stat. */
struct proc_stat {
	u64 start_ticks; /* since boot */
	bool is_over;	 /* a zombie without other running threads */
};

/* Returns false if the process is gone. */
static bool stat_read(const struct processes *p, u32 tgid, struct proc_stat *out)
{
	_cleanup_(str_release) struct str text = { 0 };
	struct view state, threads, start;
	char path[256];
	u64 n_threads;

	path_of(p, tgid, "stat", path, sizeof(path));
	if (file_read(path, PROC_STAT_BYTES, &text) ||
	    !proc_stat_field(str_view(&text), STAT_STATE, &state) ||
	    !proc_stat_field(str_view(&text), STAT_THREADS, &threads) ||
	    !proc_stat_field(str_view(&text), STAT_START, &start) ||
	    !num_parse_dec(threads, &n_threads) || !num_parse_dec(start, &out->start_ticks))
		return false;
	out->is_over = (*state.p == 'Z' || *state.p == 'X') && n_threads <= 1;
	return out->start_ticks;
}

/* "NStgid: 4711 12 1": the last number is the id that the process itself sees. */
static u32 ns_tgid_read(const struct processes *p, u32 tgid)
{
	_cleanup_(str_release) struct str text = { 0 };
	struct view ids, number;
	char path[256];
	u64 value = 0;

	path_of(p, tgid, "status", path, sizeof(path));
	if (file_read(path, PROC_STATUS_BYTES, &text) ||
	    !proc_status_field(str_view(&text), "NStgid", &ids))
		return 0;
	while (view_split(&ids, '\t', &number))
		if (!num_parse_dec(number, &value))
			return 0;
	return (u32)value;
}

/* Is the process in another mount namespace, or in another root in ours (chroot)?  Only links are
 * read: touching the root itself could hang on a dead server. */
static void namespace_look(const struct processes *p, struct life *l)
{
	char path[256], link[256];
	ssize_t n;
	u64 ns;

	path_of(p, l->tgid, "ns/mnt", path, sizeof(path));
	n = readlink(path, link, sizeof(link));
	if (n > 6 && !memcmp(link, "mnt:[", 5) &&
	    num_parse_dec((struct view){ link + 5, (size_t)n - 6 }, &ns))
		l->ns = ns;
	path_of(p, l->tgid, "root", path, sizeof(path));
	n = readlink(path, link, sizeof(link));
	l->is_foreign = (l->ns && l->ns != p->own_ns) || (n > 0 && (n != 1 || link[0] != '/'));
}

bool processes_is_alive(const struct processes *p, const struct life *l)
{
	struct proc_stat now;

	return stat_read(p, l->tgid, &now) && !now.is_over && now.start_ticks == l->start_ticks;
}

void processes_look(const struct processes *p, struct life *l)
{
	char path[256];
	struct proc_stat now;
	struct stat st;

	if (l->is_looked || l->has_exited || !stat_read(p, l->tgid, &now))
		return; /* a process that is gone keeps the facts inherited from its parent */
	l->is_looked = true;
	l->start_ticks = now.start_ticks;
	snprintf(path, sizeof(path), "%s/%u", p->proc_root, l->tgid);
	if (!stat(path, &st))
		l->uid = st.st_uid;
	l->ns_tgid = ns_tgid_read(p, l->tgid);
	namespace_look(p, l);
}

/* The exit may have been that of the first thread only: ask again later. */
static bool is_to_be_forgotten(const struct processes *p, struct life *l, u64 ended_before_ns)
{
	struct proc_stat now;

	if (!l->has_exited || l->exited_ns >= ended_before_ns)
		return false;
	if (!l->was_sampled || !l->is_looked || !stat_read(p, l->tgid, &now) || now.is_over ||
	    now.start_ticks != l->start_ticks)
		return true;
	l->exited_ns = now_ns();
	return false;
}

void processes_forget(struct processes *p, u64 ended_before_ns,
		      bool (*is_needed)(void *ctx, const struct life *life), void *ctx)
{
	for (size_t i = 0; i < LIFE_BUCKETS; i++) {
		struct life **at = &p->buckets[i];

		while (*at) {
			struct life *l = *at;

			if (is_to_be_forgotten(p, l, ended_before_ns) && !is_needed(ctx, l)) {
				*at = l->next;
				life_free(p, l);
			} else {
				at = &l->next;
			}
		}
	}
}

/* ---- mappings ---- */

static struct regions *maps_read(struct processes *p, struct lines *text)
{
	struct regions *r = regions_new();
	struct map_line m;
	struct view line;

	while (lines_next(text, &line)) {
		struct region add;

		if (!map_line_parse(line, &m) || !m.is_exec)
			continue;
		add = (struct region){ .start = m.start, .end = m.end, .off = m.off };
		add.file = files_add(p->files, m.maj, m.min, m.ino, map_path_at(m.path, m.start));
		regions_add(r, &add);
	}
	return r;
}

/* NULL if the file is empty or missing, as for zombies. */
static struct regions *maps_file_read(struct processes *p, const char *path)
{
	_cleanup_(close_p) int fd = open(path, O_RDONLY | O_CLOEXEC);
	_cleanup_(lines_release) struct lines text = { .fd = -1 };
	struct regions *r;

	if (fd < 0)
		return NULL;
	lines_init(&text, fd, MAX_MAPS_BYTES);
	r = maps_read(p, &text);
	if (r->list.n)
		return r;
	regions_drop(r);
	return NULL;
}

#define MAX_THREADS_ASKED 16

struct asking {
	struct processes *p;
	u32 tgid, n;
	struct regions *r;
};

static bool ask_thread(void *ctx, u32 tid)
{
	struct asking *a = ctx;
	char path[256];

	if (tid != a->tgid) {
		snprintf(path, sizeof(path), "%s/%u/task/%u/maps", a->p->proc_root, a->tgid, tid);
		a->r = maps_file_read(a->p, path);
	}
	return !a->r && ++a->n < MAX_THREADS_ASKED;
}

/* If a process's first thread has exited and others run on, only their files show the mappings. */
static struct regions *maps_of_threads(struct processes *p, u32 tgid)
{
	struct asking a = { .p = p, .tgid = tgid };

	proc_each_thread(p->proc_root, tgid, ask_thread, &a);
	return a.r;
}

/* Does an address mean the same in both regions?  For anonymous memory and the vdso, events and
 * /proc report different offsets and even names. */
static bool is_same_code(const struct files *f, const struct region *a, const struct region *b)
{
	enum mapped_kind kind = f->list.items[a->file].kind;

	if (kind == MAPPED_ANON)
		return f->list.items[b->file].kind == MAPPED_ANON;
	return a->file == b->file &&
	       (kind == MAPPED_VDSO || a->start - a->off == b->start - b->off);
}

/* `r` replaces `old`: either located addresses stay valid, or they now mean something else. */
static void follow(struct processes *p, const struct region *old, struct region *r)
{
	if (!old->is_sighted)
		return;
	if (is_same_code(p->files, old, r))
		r->is_sighted = true;
	else
		p->is_code_replaced = true;
}

/* For a file of a stacked file system, /proc and events may report device and inode of different
 * layers.  The one that was located is kept, so that the next event is compared with it. */
static void keep_file(const struct files *f, const struct region *old, struct region *r)
{
	if (f->list.items[old->file].path == f->list.items[r->file].path)
		r->file = old->file;
}

#define MAX_GONE 1024

/*
 * Located regions survive a reading of /proc: stacks are sent once and will not be located again,
 * and a replacement of their code must still be noticed.  Regions that are no longer mapped stay
 * until their address range is mapped again: their samples may still arrive.
 */
static void keep_sighted(struct processes *p, const struct regions *had, struct regions *now)
{
	const struct region *old;
	struct region *over;
	size_t n, n_gone = 0;

	vec_for_each(old, &had->list) {
		if (!old->is_sighted)
			continue;
		over = regions_over(now, old->start, old->end, &n);
		for (size_t i = 0; i < n; i++) {
			keep_file(p->files, old, &over[i]);
			follow(p, old, &over[i]);
		}
		if (n)
			continue;
		if (n_gone++ < MAX_GONE)
			regions_add(now, old);
		else
			p->is_code_replaced = true;
	}
}

/* Replace the known mappings by those in /proc.  Returns false if there are none any more. */
static bool life_read(struct processes *p, struct life *l)
{
	struct regions *r;
	char path[256];

	path_of(p, l->tgid, "maps", path, sizeof(path));
	r = maps_file_read(p, path) ?: maps_of_threads(p, l->tgid);
	if (!r)
		return false;
	keep_sighted(p, l->now, r);
	regions_drop(l->now);
	l->now = r;
	l->version = ++p->n_changes;
	l->is_read = l->is_whole = true;
	return true;
}

/* Read the mappings again; the longer that takes, the later the next reading. */
static bool life_reread(struct processes *p, struct life *l)
{
	u64 began = now_ns(), later;
	bool is_read = life_read(p, l);

	later = now_ns() + READ_SHARE * (now_ns() - began);
	if (l->read_again_ns < later)
		l->read_again_ns = later;
	return is_read;
}

/* May /proc be read now?  Each reading delays the next one further. */
static bool may_read(struct life *l, u64 now)
{
	if (now < l->read_again_ns)
		return false;
	l->read_step_ns = l->read_step_ns ? l->read_step_ns * 2 : READ_STEP_NS;
	if (l->read_step_ns > READ_STEP_MAX_NS)
		l->read_step_ns = READ_STEP_MAX_NS;
	l->read_again_ns = now + l->read_step_ns;
	return true;
}

/* The id may have been reused without an event: begin that life.  Returns NULL if the process is
 * gone. */
static struct life *life_of_now(struct processes *p, struct life *l)
{
	struct proc_stat now;

	if (!stat_read(p, l->tgid, &now))
		return NULL;
	if (l->is_looked && l->start_ticks != now.start_ticks)
		return life_begin(p, l->tgid, regions_new());
	/* The exit event was received: a zombie still shows the same start time, and so does a
	 * process whose first thread only has exited. */
	return l->has_exited && now.is_over ? NULL : l;
}

static struct region *find_in_life(struct life *l, u64 addr)
{
	struct region *r = regions_find(l->now, addr);

	/* A sample of the program before exec may arrive after the exec event. */
	return r || !l->before ? r : regions_find(l->before, addr);
}

static struct region *read_again(struct processes *p, struct life **life, u64 addr)
{
	struct life *l;
	struct region *r;

	if (!may_read(*life, now_ns()))
		return NULL;
	l = life_of_now(p, *life);
	if (!l || !life_reread(p, l))
		return NULL;
	processes_look(p, l);
	*life = l;
	r = regions_find(l->now, addr);
	if (r)
		l->read_step_ns = l->read_again_ns = 0;
	return r;
}

struct region *processes_locate(struct processes *p, u32 tgid, u64 addr, struct life **life)
{
	struct life *l = processes_find(p, tgid);
	struct region *r;

	if (!l)
		l = life_begin(p, tgid, regions_new());
	*life = l;
	r = find_in_life(l, addr);
	if (!r)
		r = read_again(p, life, addr);
	if (r && !r->is_sighted)
		processes_look(p, *life);
	return r;
}

/* ---- events ---- */

void processes_mmap(struct processes *p, u32 tgid, const struct region *r)
{
	struct life *l = processes_find(p, tgid);
	const struct region *have, *over;
	struct region add = *r;
	size_t n;

	if (!l)
		l = life_begin(p, tgid, regions_new());
	/* An event older than our reading of /proc adds nothing. */
	have = regions_find(l->now, r->start);
	if (have && have->start == r->start && have->end == r->end && have->off == r->off &&
	    have->file == r->file)
		return;
	over = regions_over(l->now, r->start, r->end, &n);
	for (size_t i = 0; i < n; i++)
		follow(p, &over[i], &add);
	regions_own(&l->now);
	regions_add(l->now, &add);
	l->version = ++p->n_changes;
}

/* Did the fork event arrive too late, after the child was seen or has called exec? */
static bool is_known_child(const struct life *child)
{
	return child && !child->has_exited && (child->is_read || child->has_execed);
}

struct life *processes_get(struct processes *p, u32 tgid)
{
	struct life *l = processes_find(p, tgid);

	if (!l)
		l = life_begin(p, tgid, regions_new());
	if (!l->is_whole && !l->has_exited && may_read(l, now_ns()) && life_read(p, l))
		processes_look(p, l);
	return l;
}

void processes_fork(struct processes *p, u32 child_tgid, u32 parent_tgid)
{
	struct life *child = processes_find(p, child_tgid), *parent;

	if (child_tgid == parent_tgid || is_known_child(child))
		return;
	/* Its mappings are the only source for a child that exits before its samples arrive. */
	parent = processes_get(p, parent_tgid);
	child = life_begin(p, child_tgid, regions_share(parent->now));
	child->is_whole = parent->is_whole;
	child->version = parent->version;
	/* A later chroot or setns of the child is noticed at its first address, if it lives long
	 * enough. */
	child->ns = parent->ns;
	child->uid = parent->uid;
	child->is_foreign = parent->is_foreign;
	child->parent = processes_serial(p, parent);
}

void processes_exec(struct processes *p, u32 tgid)
{
	struct life *l = processes_find(p, tgid);
	struct proc_stat now;

	/* Events of different CPUs may swap an exec and the exit after it, but only within a short
	 * time. */
	if (!l || (l->has_exited && now_ns() - l->exited_ns > NS_PER_SEC))
		l = life_begin(p, tgid, regions_new());
	/* If a thread calls exec, the first thread exits but the process does not. */
	if (l->has_exited && stat_read(p, tgid, &now) && !now.is_over)
		l->has_exited = false;
	regions_drop(l->before);
	l->before = l->now;
	l->now = regions_new();
	l->version = ++p->n_changes;
	l->has_execed = l->is_whole = true;
	l->is_read = false;
	l->is_looked = false;
	l->parent = 0;
	l->read_again_ns = l->read_step_ns = 0;
}

void processes_exit(struct processes *p, u32 tgid, u64 now)
{
	struct life *l = processes_find(p, tgid);

	if (!l || l->has_exited)
		return;
	l->has_exited = true;
	l->exited_ns = now;
}

void processes_miss(struct processes *p, u64 now)
{
	char path[256];

	for (size_t i = 0; i < LIFE_BUCKETS; i++)
		for (struct life *l = p->buckets[i]; l; l = l->next) {
			if (l->has_exited)
				continue;
			snprintf(path, sizeof(path), "%s/%u", p->proc_root, l->tgid);
			if (!access(path, F_OK) || errno != ENOENT)
				continue;
			l->has_exited = true;
			l->exited_ns = now;
		}
}
