// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Names for locations, one source at a time: pending locations are sorted by owner, and each source
 * is read once for all of its locations.  This file contains the order of the sources, the budget
 * of each process, and the kernel's own names.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/index.h"
#include "sym/kallsyms.h"
#include "sym/naming_int.h"

#define MAX_KALLSYMS_BYTES (256 << 20)

/* The items of one owner, which are adjacent. */
struct group {
	size_t at, n;
};

/*
 * A process's share of SYM_CPU_NS until all other processes have had their turn: many costly files
 * of one process must not delay the others.  Afterwards it may use the rest.
 */
#define PROCESS_CPU_NS (SYM_CPU_NS / 8)
#define PROCESS_BYTES  (256ULL << 20)
#define PROCESS_READS  (1U << 18)

/* Text of names that stays in memory. */
#define PROCESS_KEPT (16 << 20)
#define ALL_KEPT     (64 << 20)

/* A process's share of the budget. */
struct share {
	u32 tgid; /* 0: the process that maps the file is not known */
	struct meter work, names;
};

struct batch {
	VEC(struct item) list;
	VEC(struct share *) shares; /* one allocation each, because meters point to them */
	struct index by_tgid;
	VEC(struct group) again; /* groups of processes that had used up their share */
};

/* ---- kernel ---- */

static int proc_open(const struct symbolizer *s, const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", s->opts.proc_root, name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

static void kernel_frame(struct symbolizer *s, const struct sym_query *want)
{
	struct frame *f = &s->locs.frames.items[want->id];
	const char *module = str_text(&want->module);

	if (!*module)
		return;
	f->kind = strcmp(module, "bpf") ? FRAME_MODULE : FRAME_BPF;
	f->module = f->kind == FRAME_BPF ? "[bpf]" : intern(&s->strings, module);
}

/* Symbols reported by KSYMBOL events have exact bounds: they are tried first. */
static void name_from_ksymbols(struct symbolizer *s, struct wants *w)
{
	const struct ksymbol *k;

	wants_clear(w);
	vec_for_each(k, &s->ksymbols) {
		struct sym_entry o = { .start = k->addr, .size = k->len, .name = view_of(k->name) };

		wants_cover(w, &o);
	}
	for (size_t i = 0; i < w->list.n; i++) {
		struct sym_query *want = &w->list.items[i];

		if (!want->best.is_set)
			continue;
		want_name(want, &want->best, str_view(&want->best.name));
		str_adds(&want->module, "bpf");
	}
	wants_clear(w);
}

/* Most names, without the text of kallsyms. */
static void name_by_asking(struct symbolizer *s, struct wants *w)
{
	struct sym_query *want;
	struct ksym found;

	vec_for_each(want, &w->list) {
		if (want->is_named || !meter_step(w->meter, 64) ||
		    !ksym_at(s->opts.kernel, want->at, &found))
			continue;
		want_name(want,
			  &(struct sym_match){ .start = found.start,
					       .size = found.end - found.start },
			  found.name);
		str_clear(&want->module);
		str_add(&want->module, found.module.p, found.module.n);
		s->has_kernel_names = true;
	}
}

/* The kernel's symbols are still usable after this time: its own symbols do not change, and new BPF
 * programs are known by their events. */
#define KALLSYMS_NS NS_PER_SEC

void symbolizer_give_kallsyms(struct symbolizer *s, struct str *text)
{
	str_release(&s->kallsyms);
	s->kallsyms = *text;
	s->kallsyms_ns = now_ns();
	*text = (struct str){ 0 };
}

bool naming_has_kallsyms(struct symbolizer *s, u64 now)
{
	if (s->kallsyms_ns + KALLSYMS_NS < now)
		str_release(&s->kallsyms);
	return s->kallsyms.n;
}

static struct modules *loaded_modules(const struct symbolizer *s)
{
	_cleanup_(close_p) int fd = proc_open(s, "modules");
	_cleanup_(lines_release) struct lines text = { .fd = -1 };

	if (fd < 0)
		return modules_read(NULL);
	lines_init(&text, fd, MAX_KALLSYMS_BYTES);
	return modules_read(&text);
}

static void name_from_text(struct symbolizer *s, struct wants *w, const struct modules *modules)
{
	_cleanup_(close_p) int fd = -1;
	_cleanup_(lines_release) struct lines text = { .fd = -1 };

	if (naming_has_kallsyms(s, now_ns())) {
		lines_init_text(&text, str_view(&s->kallsyms));
	} else {
		fd = proc_open(s, "kallsyms");
		if (fd < 0) {
			s->has_read_kallsyms = true;
			return;
		}
		lines_init(&text, fd, MAX_KALLSYMS_BYTES);
	}
	s->has_kernel_names |= kallsyms_name(w, &text, modules, &s->kfunctions);
	s->has_read_kallsyms |= !w->meter->over;
}

static void name_from_kallsyms(struct symbolizer *s, struct wants *w)
{
	struct modules *modules = loaded_modules(s);

	kfunctions_begin(&s->kfunctions, modules_hash(modules));
	kallsyms_name_known(w, modules, &s->kfunctions);
	if (wants_left(w))
		name_from_text(s, w, modules);
	modules_free(modules);
}

static void name_kernel(struct symbolizer *s, const struct naming *how, const struct item *items,
			size_t n)
{
	_cleanup_(wants_release) struct wants w = { 0 };
	/* The kernel's text is trusted: there is no limit on its cost, except that a stop or a
	 * deadline ends it. */
	struct meter meter = { .stop = how->meter->stop, .deadline_ns = how->meter->deadline_ns };
	struct naming trusted = *how;
	const struct sym_query *want;

	meter_begin(&meter);
	w.meter = &meter;
	wants_from(s, items, n, &w);
	name_from_ksymbols(s, &w);
	if (s->opts.kernel)
		name_by_asking(s, &w);
	if (wants_left(&w))
		name_from_kallsyms(s, &w);
	vec_for_each(want, &w.list)
		kernel_frame(s, want);
	trusted.names = NULL;
	wants_apply(s, &trusted, &w, meter.over ? OUTCOME_LATER : OUTCOME_DONE);
}

/* ---- batches ---- */

/* Cheap and certain sources are read first: the kernel, then files by size.  A file that uses up
 * all of the time then does not take it from smaller ones. */
static u64 cost_of(const struct symbolizer *s, const struct loc *l)
{
	if (l->space == LOC_KERNEL)
		return 0;
	return loc_is_in_file(l) ? s->files.list.items[l->owner].size + 1 : UINT64_MAX;
}

static bool is_in_file(const struct item *i)
{
	return loc_is_in_file(&(struct loc){ .space = i->space });
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
	if (is_in_file(items))
		name_file(s, how, items, n);
	else if (items->space == LOC_LIFE)
		name_life(s, how, items, n);
	else if (items->space == LOC_KERNEL)
		name_kernel(s, how, items, n);
}

/* There was not enough time for these items: their files stay open until the next call. */
static void leave_waiting(struct symbolizer *s, const struct item *items, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (is_in_file(&items[i]))
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

/* ---- shares of processes ---- */

static u32 process_of(const struct symbolizer *s, const struct item *i)
{
	const struct life *l;

	if (is_in_file(i))
		return s->files.list.items[i->owner].tgid;
	l = i->space == LOC_LIFE ? processes_by_serial(&s->procs, i->owner) : NULL;
	return l ? l->tgid : 0;
}

static struct share *share_of(struct batch *b, const struct naming *how, u32 tgid)
{
	struct share *s;
	size_t at = 0;
	u32 id;

	while (index_next(&b->by_tgid, hash_mix(tgid, 0), &at, &id))
		if (b->shares.items[id]->tgid == tgid)
			return b->shares.items[id];
	s = mem_alloc(1, sizeof(*s));
	*s = (struct share){
		.tgid = tgid,
		.work = { .up = how->meter,
			  .max_cpu_ns = PROCESS_CPU_NS,
			  .max_bytes = PROCESS_BYTES,
			  .max_reads = PROCESS_READS },
		.names = { .up = how->names, .max_kept = PROCESS_KEPT },
	};
	index_add(&b->by_tgid, hash_mix(tgid, 0), (u32)b->shares.n);
	vec_push(&b->shares, s);
	return s;
}

/* In the first round, each process uses its share; in the second, it may use all that is left. */
static void name_fairly(struct symbolizer *s, const struct naming *how, struct batch *b,
			struct group g, bool is_second)
{
	const struct item *items = b->list.items + g.at;
	struct share *share = share_of(b, how, process_of(s, items));
	struct naming each = *how;

	each.is_first = !g.at;
	each.names = &share->names;
	if (is_second || items->space == LOC_KERNEL) {
		name_group(s, &each, items, g.n);
		/* The kernel's cost has no limit, and is not charged to the budget of processes. */
		if (items->space == LOC_KERNEL)
			meter_begin(how->meter);
		return;
	}
	each.meter = &share->work;
	meter_begin(&share->work);
	if (!meter_is_over(&share->work))
		name_group(s, &each, items, g.n);
	if (meter_is_over(&share->work))
		vec_push(&b->again, g);
}

static void batch_release(struct batch *b)
{
	struct share **share;

	vec_for_each(share, &b->shares)
		free(*share);
	vec_release(&b->shares);
	index_release(&b->by_tgid);
	vec_release(&b->again);
	vec_release(&b->list);
}

void naming_run(struct symbolizer *s, const struct naming *how)
{
	size_t room = s->strings.bytes < ALL_KEPT ? ALL_KEPT - s->strings.bytes : 1;
	struct meter names = { .max_kept = room, .stop = how->meter->stop };
	struct naming each = *how;
	struct batch batch = { 0 };
	struct group g = { 0 };
	size_t again = 0;

	meter_begin(how->meter);
	each.names = &names;
	batch_collect(s, how, &batch);
	for (; g.at < batch.list.n && !meter_is_over(how->meter); g.at += g.n) {
		g.n = group_length(&batch, g.at);
		name_fairly(s, &each, &batch, g, false);
	}
	for (; again < batch.again.n && !meter_is_over(how->meter); again++)
		name_fairly(s, &each, &batch, batch.again.items[again], true);
	for (; again < batch.again.n; again++)
		leave_waiting(s, batch.list.items + batch.again.items[again].at,
			      batch.again.items[again].n);
	if (g.at < batch.list.n)
		leave_waiting(s, batch.list.items + g.at, batch.list.n - g.at);
	batch_release(&batch);
	pending_compact(s);
}
