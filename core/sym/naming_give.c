// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Assigns the names that a source has found to frames, and limits the cost of doing so.
 */
#include <errno.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "sym/demangle.h"
#include "sym/naming_int.h"

/* The budget of one file or process: a share of SYM_CPU_NS.  Chromium's full symbols have 60 MB,
 * and are read within about 0.2 s. */
#define OWNER_CPU_NS (SYM_CPU_NS / 2)
#define OWNER_BYTES  (1ULL << 30)
#define OWNER_READS  (1U << 20)
/* Text of names that stays in memory: 80,000 names of 100 bytes. */
#define OWNER_KEPT   (8 << 20)

static const char *shown_name(struct symbolizer *s, const char *raw)
{
	_cleanup_(str_release) struct str text = { 0 };

	demangle(raw, s->opts.names, &text);
	return intern(&s->strings, str_text(&text));
}

/* Assigns names to the frames of one owner. */
struct giver {
	struct symbolizer *s;
	struct meter meter;
	const char *raw, *shown; /* the last name: neighbours are often in the same function */
};

/* Demangling takes some 5 us for a name of 50 bytes.  Hostile names of 4,096 bytes take 10 ms, and
 * the meter reads the clock after each of them. */
#define STEPS_PER_NAME 256
#define STEPS_PER_BYTE 16

/* Demangle a name other than the last one.  Returns false if no more names may be kept. */
static bool name_take(struct giver *g, struct view name)
{
	size_t before = g->s->strings.bytes;

	if (!meter_step(&g->meter, STEPS_PER_NAME + STEPS_PER_BYTE * name.n))
		return false;
	g->raw = intern_n(&g->s->strings, name.p, name.n);
	g->shown = shown_name(g->s, g->raw);
	meter_keep(&g->meter, g->s->strings.bytes - before);
	return true;
}

static bool frame_take(struct giver *g, struct frame *f, const struct sym_query *want)
{
	struct view name = str_view(&want->found);

	if (!(g->raw && view_eq(name, g->raw)) && !name_take(g, name))
		return false;
	f->name = g->shown;
	f->linkage = f->name == g->raw ? NULL : g->raw;
	f->off = want->at - want->start;
	return true;
}

struct meter owner_meter(const struct naming *how)
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

/* `ret` is -E2BIG if the helper reported that. */
enum outcome outcome_of(const struct wants *w, int ret)
{
	const struct meter *owner = w->meter;

	if (owner->over)
		return owner->up->over ? OUTCOME_LATER : OUTCOME_COSTLY;
	if (ret == -E2BIG || (owner->is_refused && wants_left(w)))
		return OUTCOME_COSTLY;
	return OUTCOME_DONE;
}

static struct meter names_meter(const struct naming *how)
{
	struct meter m = {
		.up = how->names,
		.max_cpu_ns = how->is_hasty ? SYM_SETTLE_NS : OWNER_CPU_NS,
		.max_kept = how->names ? OWNER_KEPT : 0,
	};

	meter_begin(&m);
	return m;
}

static void loc_end(struct loc *l, bool is_named, enum outcome out)
{
	if (is_named || out != OUTCOME_LATER)
		l->is_pending = false;
	if (!is_named && out == OUTCOME_COSTLY)
		l->is_costly = true;
}

void note_futex(struct symbolizer *s, u32 id, bool is_named)
{
	const struct loc *l = &s->locs.list.items[id];
	const char *file = frame_base(s->files.list.items[l->owner].path);
	_cleanup_(str_release) struct str text = { 0 };
	struct frame *f = &s->locs.frames.items[id];

	if (is_named)
		str_addf(&text, "[futex %s+0x%llx in %s]", f->name, f->off, file);
	else
		str_addf(&text, "[futex 0x%llx in %s]", l->at, file);
	f->name = intern(&s->strings, str_text(&text));
	f->linkage = NULL;
	f->off = 0;
}

enum outcome wants_apply(struct symbolizer *s, const struct naming *how, const struct wants *w,
			 enum outcome out)
{
	struct giver g = { .s = s, .meter = names_meter(how) };
	enum outcome all = out;
	const struct sym_query *want;

	vec_for_each(want, &w->list) {
		bool is_given =
			want->is_named && frame_take(&g, &s->locs.frames.items[want->id], want);

		if (want->is_named && !is_given)
			all = how->is_hasty || (how->names && how->names->over == METER_STOPPED)
				      ? OUTCOME_LATER
				      : OUTCOME_COSTLY;
		loc_end(&s->locs.list.items[want->id], is_given, want->is_named ? all : out);
		if (s->locs.list.items[want->id].space == LOC_FUTEX)
			note_futex(s, want->id, is_given);
	}
	return all;
}

void wants_from(const struct symbolizer *s, const struct item *items, size_t n, struct wants *w)
{
	for (size_t i = 0; i < n; i++)
		if (s->locs.list.items[items[i].id].is_pending)
			wants_add(w, items[i].id, loc_at(&s->locs.list.items[items[i].id]));
	wants_sort(w);
}

/* A hostile host can have any number of such files. */
void say_costly(struct symbolizer *s, const char *whose, const char *why)
{
	if (s->n_costly_said < SYM_COSTLY_FILES)
		log_warn("names-costly", "%s: %s", whose, why);
	else if (s->n_costly_said == SYM_COSTLY_FILES)
		log_warn("names-costly", "more files are too much to read for names");
	s->n_costly_said++;
}
