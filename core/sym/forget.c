// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Forgets locations that are not shown any more, and the files and names that only they needed.
 * Everything that stays is renumbered, because the numbers are indices of arrays.
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "sym/symbolizer_int.h"

/* ---- files ---- */

static void mark_regions(const struct regions *r, bool *used)
{
	const struct region *region;

	if (r)
		vec_for_each(region, &r->list)
			used[region->file] = true;
}

static bool *used_files(const struct symbolizer *s, const bool *used_locs)
{
	bool *used = mem_alloc(s->files.list.n + 1, sizeof(*used));

	for (size_t i = 0; i < s->locs.list.n; i++)
		if (used_locs[i] && loc_is_in_file(&s->locs.list.items[i]))
			used[s->locs.list.items[i].owner] = true;
	for (size_t i = 0; i < s->files.list.n; i++)
		used[i] |= s->files.list.items[i].fd >= 0;
	for (size_t i = 0; i < LIFE_BUCKETS; i++)
		for (const struct life *l = s->procs.buckets[i]; l; l = l->next) {
			mark_regions(l->now, used);
			mark_regions(l->before, used);
		}
	return used;
}

/* Processes share regions: each is renumbered only once per epoch. */
static void move_regions(struct regions *r, const u32 *to, u32 epoch)
{
	struct region *region;

	if (!r || r->epoch == epoch)
		return;
	r->epoch = epoch;
	vec_for_each(region, &r->list)
		region->file = to[region->file];
}

static void move_all_regions(struct processes *p, const u32 *to)
{
	p->epoch++;
	for (size_t i = 0; i < LIFE_BUCKETS; i++)
		for (struct life *l = p->buckets[i]; l; l = l->next) {
			move_regions(l->now, to, p->epoch);
			move_regions(l->before, to, p->epoch);
		}
}

/* ---- lives ---- */

/* A serial stays as long as the process is known, or a location refers to it. */
static u32 *move_serials(struct symbolizer *s, const bool *used_locs)
{
	u32 *to = mem_alloc(s->procs.by_serial.n + 1, sizeof(*to)), n = 0;

	for (size_t i = 0; i < s->procs.by_serial.n; i++)
		to[i + 1] = s->procs.by_serial.items[i] != NULL;
	for (size_t i = 0; i < s->locs.list.n; i++) {
		const struct loc *l = &s->locs.list.items[i];

		if (used_locs[i] && (l->space == LOC_LIFE || l->space == LOC_NOWHERE))
			to[l->owner] = 1;
	}
	for (size_t i = 0; i < s->procs.by_serial.n; i++) {
		struct life *l = s->procs.by_serial.items[i];

		if (!to[i + 1])
			continue;
		s->procs.by_serial.items[n++] = l;
		to[i + 1] = n;
		if (l)
			l->serial = n;
	}
	s->procs.by_serial.n = n;
	for (size_t i = 0; i < LIFE_BUCKETS; i++)
		for (struct life *l = s->procs.buckets[i]; l; l = l->next)
			l->parent = to[l->parent];
	return to;
}

/* ---- locations ---- */

static u32 owner_after(const struct loc *l, const u32 *files, const u32 *serials)
{
	if (loc_is_in_file(l))
		return files[l->owner];
	return l->space == LOC_LIFE || l->space == LOC_NOWHERE ? serials[l->owner] : l->owner;
}

static void count_forgotten(struct symbolizer *s, const bool *used)
{
	for (size_t i = 0; i < s->locs.list.n; i++)
		if (!used[i])
			symbolizer_count(&s->forgotten, &s->locs.list.items[i],
					 s->locs.frames.items[i].name);
}

static u32 *move_locs(struct locs *l, const bool *used, const u32 *files, const u32 *serials)
{
	u32 *to = mem_alloc(l->list.n + 1, sizeof(*to)), n = 0;

	for (u32 i = 0; i < l->list.n; i++) {
		to[i] = SYM_FORGOTTEN;
		if (!used[i])
			continue;
		l->list.items[n] = l->list.items[i];
		l->list.items[n].owner = owner_after(&l->list.items[n], files, serials);
		l->frames.items[n] = l->frames.items[i];
		to[i] = n++;
	}
	l->list.n = l->frames.n = n;
	return to;
}

static void move_pending(struct locs *l, const u32 *to)
{
	size_t n = 0;

	for (size_t i = 0; i < l->pending.n; i++)
		if (to[l->pending.items[i]] != SYM_FORGOTTEN)
			l->pending.items[n++] = to[l->pending.items[i]];
	l->pending.n = n;
}

/* ---- strings ---- */

static void move_text(struct intern *to, const char **text)
{
	if (*text)
		*text = intern(to, *text);
}

static void move_frame_texts(struct intern *to, struct frame *f)
{
	move_text(to, &f->name);
	move_text(to, &f->linkage);
	move_text(to, &f->module);
	move_text(to, &f->build_id);
}

static void move_texts(struct symbolizer *s)
{
	struct intern strings = { 0 };
	struct ksymbol *k;
	struct mapped *m;

	for (size_t i = 0; i < s->locs.list.n; i++) {
		struct frame *f = &s->locs.frames.items[i];

		move_frame_texts(&strings, f);
		if (s->locs.list.items[i].space == LOC_NOTE)
			s->locs.list.items[i].at = (u64)(uintptr_t)f->name;
	}
	vec_for_each(m, &s->files.list) {
		move_text(&strings, &m->path);
		move_text(&strings, &m->build_id);
	}
	vec_for_each(k, &s->ksymbols)
		move_text(&strings, &k->name);
	intern_release(&s->strings);
	s->strings = strings;
}

/* ---- everything ---- */

u32 *symbolizer_forget(struct symbolizer *s, const bool *used)
{
	bool *has_file = used_files(s, used);
	u32 *files = files_keep(&s->files, has_file), *serials = move_serials(s, used);
	u32 *to;

	count_forgotten(s, used);
	to = move_locs(&s->locs, used, files, serials);
	processes_miss(&s->procs, now_ns());
	move_all_regions(&s->procs, files);
	move_pending(&s->locs, to);
	move_texts(s);
	files_reindex(&s->files);
	locs_reindex(&s->locs);
	vec_fit(&s->procs.by_serial);
	free(has_file);
	free(files);
	free(serials);
	return to;
}

/* A location with its frame. */
#define BYTES_PER_THING 160

size_t symbolizer_size(const struct symbolizer *s)
{
	return s->locs.list.n + s->files.list.n + s->procs.by_serial.n +
	       s->strings.bytes / BYTES_PER_THING;
}
