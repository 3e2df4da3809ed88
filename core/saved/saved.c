// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Reads file after file into one struct: chooses the reader, checks that files fit together, and
 * adds their ends. */
#include "saved/saved.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "saved/saved_int.h"

const char *const saved_format_names[SAVED_N_FORMATS + 1] = {
	[SAVED_ANY] = "any",	 [SAVED_JSON] = "json", [SAVED_FOLDED] = "folded",
	[SAVED_PPROF] = "pprof", [SAVED_PERF] = "perf",
};

static int (*const readers[SAVED_N_FORMATS])(struct reading *r) = {
	[SAVED_JSON] = saved_read_json,
	[SAVED_FOLDED] = saved_read_folded,
	[SAVED_PPROF] = saved_read_pprof,
	[SAVED_PERF] = saved_read_perf,
};

void saved_init(struct saved *s)
{
	const struct stack_task nobody = { .pid = -1, .tid = -1, .cpu = -1 };

	*s = (struct saved){ .tables = mem_alloc(1, sizeof(*s->tables)) };
	vec_push(&s->tables->nodes, (struct stack_node){ 0 });
	vec_push(&s->tables->chains, (struct waker_chain){ 0 });
	saved_task(s, nobody);
}

void saved_release(struct saved *s)
{
	struct saved_tables *t = s->tables;
	struct report *r;

	vec_for_each(r, &s->reports)
		report_release(r);
	vec_release(&s->reports);
	vec_release(&s->events);
	vec_release(&s->files);
	vec_release(&s->warnings);
	intern_release(&s->strings);
	if (t) {
		vec_release(&t->frames);
		vec_release(&t->nodes);
		vec_release(&t->tasks);
		vec_release(&t->chains);
		vec_release(&t->links);
		vec_release(&t->argv);
		arena_release(&t->arena);
		index_release(&t->by_frame);
		index_release(&t->by_node);
		index_release(&t->by_task);
		index_release(&t->by_chain);
		index_release(&t->by_row);
	}
	free(t);
	*s = (struct saved){ 0 };
}

/* ---- what fits together ---- */

static const struct {
	enum report_kind kind;
	const char *plural;
} kinds[] = {
	{ REPORT_STACKS, "stacks" },   { REPORT_PATHS, "stacks with the paths of waits" },
	{ REPORT_FUNCS, "functions" }, { REPORT_STATES, "states" },
	{ REPORT_COUNTS, "counts" },   { REPORT_DISTS, "distributions" },
	{ REPORT_EVENTS, "events" },   { REPORT_THREADS, "threads" },
};

static const char *kind_name(u32 kind)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (kinds[i].kind & kind)
			return kinds[i].plural;
	return "nothing";
}

/* Describe the values of a run: "samples of cpu-clock at 49 Hz", "offcpu in nanoseconds". */
static void describe(struct str *out, const struct run_info *run, enum saved_format format)
{
	if (format == SAVED_FOLDED) {
		str_adds(out, "numbers without a unit");
		return;
	}
	str_adds(out, run->value_name ? run->value_name : "values");
	if (run->unit == UNIT_NS)
		str_adds(out, " in nanoseconds");
	if (run->event)
		str_addf(out, " of %s", run->event);
	if (run->period)
		str_addf(out, ", one in %llu", run->period);
	else if (run->freq_hz)
		str_addf(out, " at %llu Hz", run->freq_hz);
	if (run->second_event)
		str_addf(out, ", with %s", run->second_event);
	if (run->second_period)
		str_addf(out, ", one in %llu", run->second_period);
	else if (run->second_freq_hz)
		str_addf(out, " at %llu Hz", run->second_freq_hz);
	if (run->shape == SHAPE_WAKEUP)
		str_adds(out, ", by waker");
	if (run->shape == SHAPE_CHAIN)
		str_adds(out, ", with wakers");
}

static bool is_same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool is_same_unit(const struct run_info *a, const struct run_info *b)
{
	return a->unit == b->unit && a->shape == b->shape && a->freq_hz == b->freq_hz &&
	       a->period == b->period && is_same_text(a->value_name, b->value_name) &&
	       is_same_text(a->event, b->event) && is_same_text(a->second_event, b->second_event) &&
	       a->second_freq_hz == b->second_freq_hz && a->second_period == b->second_period;
}

static int check_fit(struct reading *r)
{
	const struct saved *s = r->s;
	const struct saved_file *first = s->files.items;
	struct str a = { 0 }, b = { 0 };

	if ((first->format == SAVED_FOLDED) == (r->file.format == SAVED_FOLDED) &&
	    is_same_unit(&s->run, &r->run))
		return 0;
	describe(&a, &s->run, first->format);
	describe(&b, &r->run, r->file.format);
	err_set(r->err, ERR_FAIL, "%s has %s, and %s has %s: they can't be added up", first->name,
		str_text(&a), r->file.name, str_text(&b));
	str_release(&a);
	str_release(&b);
	return -ERR_FAIL;
}

static int add_kind(struct saved *s, const struct saved_file *f, enum report_kind kind,
		    struct err *err)
{
	if (s->kinds && !(s->kinds & kind))
		return err_set(err, ERR_FAIL,
			       "%s has %s, and the files before have %s: they can't be added up",
			       f->name, kind_name(kind), kind_name(s->kinds));
	s->kinds |= kind;
	return 0;
}

static int check_kinds(struct saved *s, const struct saved_file *f, struct err *err)
{
	int ret = f->has_events ? add_kind(s, f, REPORT_EVENTS, err) : 0;

	for (u32 i = f->first; i < f->first + f->n && !ret; i++)
		ret = add_kind(s, f, s->reports.items[i].kind, err);
	return ret;
}

/* ---- files ---- */

static int choose(struct reading *r)
{
	r->file.format = r->opts->format;
	if (r->file.format != SAVED_ANY)
		return 0;
	r->file.format = saved_sniff(r);
	return r->err->code ? -r->err->code : 0;
}

static void warn_of(const struct reading *r)
{
	if (!r->file.is_whole)
		log_warn("file-incomplete",
			 "%s ends too early: it is read as far as it goes, and the rest is missing",
			 r->in.name);
	if (r->s->tables->is_full) {
		r->s->is_folded = true;
		log_warn("memory-full", "no more memory (--max-memory): stacks of %s became %s",
			 r->in.name, NOTE_OTHER);
	}
}

static int read_open(struct reading *r)
{
	int ret = choose(r) ?: readers[r->file.format](r);

	if (ret)
		return ret;
	r->file.is_whole = r->file.is_whole && !r->in.is_broken;
	if (!r->s->files.n)
		r->s->run = r->run;
	else if (check_fit(r))
		return -r->err->code;
	vec_push(&r->s->files, r->file);
	warn_of(r);
	return check_kinds(r->s, &r->file, r->err);
}

static int read_file(struct saved *s, const char *path, const struct saved_opts *opts,
		     struct err *err)
{
	struct reading r = { .s = s, .opts = opts, .err = err, .divisor = 1 };
	int ret = input_open(&r.in, path, err);

	if (ret)
		return ret;
	r.file = (struct saved_file){ .name = intern(&s->strings, path),
				      .first = (u32)s->reports.n,
				      .is_whole = true };
	r.run = (struct run_info){ .command = "report",
				   .value_name = "samples",
				   .version = BPERF_VERSION };
	s->tables->label = opts->label_files ? intern(&s->strings, r.in.name) : NULL;
	ret = read_open(&r);
	input_close(&r.in);
	return ret;
}

void saved_point(const struct saved *s, struct report *r)
{
	const struct saved_tables *t = s->tables;

	r->run = &s->run;
	r->frames = t->frames.items;
	r->n_frames = t->frames.n;
	r->nodes = t->nodes.items;
	r->n_nodes = t->nodes.n;
	r->tasks = t->tasks.items;
	r->n_tasks = t->tasks.n;
	r->chains = t->chains.items;
	r->n_chains = t->chains.n;
	r->links = t->links.items;
	r->n_links = t->links.n;
}

/* The tables have moved while they grew. */
static void point_to_tables(struct saved *s)
{
	const struct saved_tables *t = s->tables;
	struct event_row *e;
	struct report *r;

	vec_for_each(e, &s->events)
		e->frames = t->frames.items;
	vec_for_each(r, &s->reports)
		saved_point(s, r);
	s->run.argv = t->argv.items;
	s->run.argc = (int)t->argv.n;
}

int saved_read(struct saved *s, char *const *paths, size_t n, const struct saved_opts *opts,
	       struct err *err)
{
	int ret = 0;

	for (size_t i = 0; i < n && !ret; i++)
		ret = read_file(s, paths[i], opts, err);
	/* These are needed only while files are read. */
	index_release(&s->tables->by_frame);
	index_release(&s->tables->by_node);
	index_release(&s->tables->by_task);
	index_release(&s->tables->by_chain);
	point_to_tables(s);
	return ret;
}
