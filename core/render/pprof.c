// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Writes profile.proto, gzipped, which pprof, Pyroscope, Parca and Grafana read.  The fields are in
 * saved/pproffields.h.
 *
 * Parca rejects a profile unless ids are 1, 2, 3, ... in order, so every table numbers its rows
 * consecutively.  A mapping starts at 0 and has no end: addresses are those of the file, and
 * readers treat such a mapping as "already adjusted".
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/index.h"
#include "base/utf8.h"
#include "render/framelabel.h"
#include "render/gzip.h"
#include "render/protow.h"
#include "render/renderer.h"
#include "render/stackpath.h"
#include "render/summary.h"
#include "render/units.h"
#include "saved/pproffields.h"

#define NO_FRAME UINT32_MAX

struct mapping {
	u64 file, build_id; /* string ids */
	bool is_kernel;
	bool has_functions; /* every location has a name, so that readers need not symbolize */
	u64 id;
};

struct function {
	u64 name, system_name; /* string ids */
};

struct location {
	u32 frame;   /* in the report; NO_FRAME: the name of a waker, or a separator */
	u32 mapping; /* index + 1; 0: none */
	u64 function;
};

struct value_type {
	const char *type, *unit;
};

struct profile {
	const struct report *report;
	struct sink *sink;
	struct gzip gzip;
	struct str out; /* the part of the message that is not compressed yet */
	struct str tmp; /* a nested message or a text */
	struct intern texts;
	struct index by_text, by_mapping, by_function, by_name;
	VEC(const char *) strings;
	VEC(struct mapping) mappings;
	VEC(struct function) functions;
	VEC(struct location) locations;
	u32 *location_of; /* location ids by look; 0: none yet */
	struct steps steps;
	VEC(u64) ids;
	/* The events for which samples stand, after the other values; their types are NULL if they
	 * are not shown. */
	struct value_type first, second;
};

#define PACK_BYTES 65536

/* If the message so far has at_least bytes, compress it and pass it on. */
static void pack(struct profile *p, size_t at_least)
{
	if (p->out.n < at_least)
		return;
	gzip_add(&p->gzip, str_view(&p->out));
	str_clear(&p->out);
	sink_spill(p->sink);
}

/* Add p->tmp as a field of the profile. */
static void add_message(struct profile *p, u32 field)
{
	proto_bytes(&p->out, field, str_view(&p->tmp));
	pack(p, PACK_BYTES);
}

/* ---- strings ---- */

static u64 string_id(struct profile *p, const char *text)
{
	const char *const *have = p->strings.items;
	u64 hash = hash_bytes(text, strlen(text));
	size_t at = 0;
	u32 id;

	while (have && index_next(&p->by_text, hash, &at, &id))
		if (!strcmp(have[id], text))
			return id;
	id = (u32)p->strings.n;
	vec_push(&p->strings, intern(&p->texts, text));
	index_add(&p->by_text, hash, id);
	return id;
}

/* proto3 strings must be UTF-8, otherwise Go's decoder rejects the whole profile. */
static u64 clean_id(struct profile *p, const char *text)
{
	struct str clean = { 0 };
	u64 id;

	utf8_add_clean(&clean, view_of(text));
	id = string_id(p, str_text(&clean));
	str_release(&clean);
	return id;
}

/* ---- tables ---- */

static u64 add_function(struct profile *p, struct function fn)
{
	u64 hash = hash_mix(fn.name, fn.system_name);
	size_t at = 0;
	u32 id;

	while (index_next(&p->by_function, hash, &at, &id))
		if (p->functions.items[id].name == fn.name &&
		    p->functions.items[id].system_name == fn.system_name)
			return id + 1;
	id = (u32)p->functions.n;
	vec_push(&p->functions, fn);
	index_add(&p->by_function, hash, id);
	return id + 1;
}

static u64 function_id(struct profile *p, const struct frame *f)
{
	struct str label = { 0 };
	struct function fn;

	label_add(&label, f, true);
	fn.name = clean_id(p, str_text(&label));
	fn.system_name = f->linkage ? clean_id(p, f->linkage) : fn.name;
	str_release(&label);
	return add_function(p, fn);
}

/* Kernel modules are in brackets, as in perf, because they are not paths. */
static u64 kernel_file(struct profile *p, const struct frame *f)
{
	struct str name = { 0 };
	u64 id;

	if (f->kind == FRAME_KERNEL || !f->module)
		return string_id(p, KERNEL_MAPPING);
	str_addf(&name, f->module[0] == '[' ? "%s" : "[%s]", f->module);
	id = clean_id(p, str_text(&name));
	str_release(&name);
	return id;
}

static struct mapping mapping_of(struct profile *p, const struct frame *f)
{
	struct mapping m = { .is_kernel = frame_is_kernel(f->kind), .has_functions = true };

	m.file = m.is_kernel ? kernel_file(p, f) : f->module ? clean_id(p, f->module) : 0;
	m.build_id = f->build_id ? clean_id(p, f->build_id) : 0;
	return m;
}

/* Index of the frame's mapping + 1; 0: none. */
static u32 mapping_at(struct profile *p, const struct frame *f)
{
	struct mapping m = mapping_of(p, f);
	u64 hash = hash_mix(m.file, m.build_id);
	size_t at = 0;
	u32 i;

	if (!m.file || f->kind == FRAME_NOTE)
		return 0;
	while (index_next(&p->by_mapping, hash, &at, &i))
		if (p->mappings.items[i].file == m.file &&
		    p->mappings.items[i].build_id == m.build_id)
			return i + 1;
	i = (u32)p->mappings.n;
	vec_push(&p->mappings, m);
	index_add(&p->by_mapping, hash, i);
	return i + 1;
}

static u64 location_id(struct profile *p, const u32 *looks, u32 frame)
{
	const struct frame *f = &p->report->frames[frame];
	u32 *id = &p->location_of[looks[frame]];
	struct location l = { .frame = frame };

	if (*id)
		return *id;
	l.mapping = mapping_at(p, f);
	/* A location without a line can still be symbolized by a reader that has the file; but a
	 * location with neither name nor file would be useless. */
	if (f->name || !l.mapping)
		l.function = function_id(p, f);
	else
		p->mappings.items[l.mapping - 1].has_functions = false;
	vec_push(&p->locations, l);
	*id = (u32)p->locations.n;
	return *id;
}

/* The location of a step that is not a frame; there is one for each name. */
static u64 name_location_id(struct profile *p, const struct step *step)
{
	struct location l = { .frame = NO_FRAME };
	struct str text = { 0 };
	u64 name, hash;
	size_t at = 0;
	u32 id;

	step_add_name(&text, p->report, step);
	name = clean_id(p, text.n ? str_text(&text) : "[unknown]");
	str_release(&text);
	l.function = add_function(p, (struct function){ name, name });
	hash = hash_mix(l.function, 0);
	while (index_next(&p->by_name, hash, &at, &id))
		if (p->locations.items[id].function == l.function)
			return id + 1;
	id = (u32)p->locations.n;
	vec_push(&p->locations, l);
	index_add(&p->by_name, hash, id);
	return id + 1;
}

/* ---- values of samples ---- */

/* One or two values for each sample, of which readers show the last one by default. */
struct pprof_types {
	struct value_type types[2];
	u32 n;
	struct value_type period_type;
	u64 period;
	u64 per_sample; /* second value = samples * per_sample; 0: the row's value */
};

static bool is_one_of(const char *text, const char *const *list)
{
	for (; *list; list++)
		if (!strcmp(text, *list))
			return true;
	return false;
}

static bool is_clock(const char *event)
{
	return !event || units_is_clock(event);
}

/* True if the event measures CPU time when it is sampled at a fixed rate. */
static bool is_cpu_time(const char *event)
{
	static const char *const names[] = { "cycles", "cpu-cycles", NULL };

	return is_clock(event) || is_one_of(event, names);
}

static struct pprof_types count_samples(const struct run_info *run)
{
	const struct value_type cpu = { "cpu", "nanoseconds" };
	struct value_type event = { run->event, "count" };

	if (run->period && is_clock(run->event))
		event = cpu;
	if (run->period)
		return (struct pprof_types){
			{ { "samples", "count" }, event }, 2, event, run->period, run->period
		};
	if (run->freq_hz && is_cpu_time(run->event))
		return (struct pprof_types){ { { "samples", "count" }, cpu },
					     2,
					     cpu,
					     NS_PER_SEC / run->freq_hz,
					     NS_PER_SEC / run->freq_hz };
	return (struct pprof_types){ { { "samples", "count" } }, 1, { "samples", "count" }, 1, 0 };
}

static struct pprof_types what_is_counted(const struct run_info *run)
{
	const struct value_type time = { run->value_name, "nanoseconds" };
	const struct value_type sum = { run->value_name, "count" };

	if (run->unit == UNIT_SAMPLES)
		return count_samples(run);
	if (run->unit == UNIT_EVENTS)
		return (struct pprof_types){
			{ { "events", "count" } }, 1, { "events", "count" }, 1, 0
		};
	if (run->unit == UNIT_THREADS)
		return (struct pprof_types){
			{ { "threads", "count" } }, 1, { "threads", "count" }, 1, 0
		};
	if (run->unit == UNIT_VALUES)
		return (struct pprof_types){ { { "events", "count" }, sum }, 2, sum, 1, 0 };
	return (struct pprof_types){ { { "events", "count" }, time }, 2, time, 1, 0 };
}

static struct value_type events_of(const char *event)
{
	return (struct value_type){ event, is_clock(event) ? "nanoseconds" : "count" };
}

/* If there is a second event, also count the events for which samples of both stand.  With a fixed
 * period, the value next to the samples is the number of first events. */
static void choose_events(struct profile *p)
{
	const struct run_info *run = p->report->run;

	if (!report_has_ratios(p->report))
		return;
	if (!run->period)
		p->first = events_of(run->event);
	p->second = events_of(run->second_event);
}

static void add_type(struct profile *p, u32 field, const struct value_type *type)
{
	str_clear(&p->tmp);
	proto_u64(&p->tmp, TYPE_TYPE, clean_id(p, type->type));
	proto_u64(&p->tmp, TYPE_UNIT, string_id(p, type->unit));
	proto_bytes(&p->out, field, str_view(&p->tmp));
}

static void add_types(struct profile *p, const struct pprof_types *c)
{
	for (u32 i = 0; i < c->n; i++)
		add_type(p, PROFILE_SAMPLE_TYPE, &c->types[i]);
	if (p->first.type)
		add_type(p, PROFILE_SAMPLE_TYPE, &p->first);
	if (p->second.type)
		add_type(p, PROFILE_SAMPLE_TYPE, &p->second);
	add_type(p, PROFILE_PERIOD_TYPE, &c->period_type);
	proto_u64(&p->out, PROFILE_PERIOD, c->period);
	proto_u64(&p->out, PROFILE_DEFAULT_TYPE, clean_id(p, c->types[c->n - 1].type));
}

/* ---- samples ---- */

static void add_label(struct profile *p, const char *key, u64 text, u64 number)
{
	struct str label = { 0 };

	proto_u64(&label, LABEL_KEY, string_id(p, key));
	proto_u64(&label, LABEL_STR, text);
	proto_u64(&label, LABEL_NUM, number);
	proto_bytes(&p->tmp, SAMPLE_LABEL, str_view(&label));
	str_release(&label);
}

static void add_text_label(struct profile *p, const char *key, const char *text)
{
	if (text)
		add_label(p, key, clean_id(p, text), 0);
}

static void add_number_label(struct profile *p, const char *key, s64 number)
{
	if (number >= 0)
		add_label(p, key, 0, (u64)number);
}

static void add_task_labels(struct profile *p, const struct stack_task *task)
{
	add_text_label(p, "comm", task->comm);
	add_number_label(p, "pid", task->pid);
	add_number_label(p, "tid", task->tid);
	add_number_label(p, "cpu", task->cpu);
	add_text_label(p, "cgroup", task->cgroup);
}

/* Labels of the nearest waker. */
static void add_waker_labels(struct profile *p, const struct stack_row *row)
{
	const struct report *r = p->report;
	const struct waker_chain *chain = report_chain(r, row->chain);
	const struct waker_link *link;
	struct str name = { 0 };

	if (r->run->shape == SHAPE_STACK || !chain->n)
		return;
	link = report_link(r, chain, 0);
	if (link->kind == WAKER_THREAD) {
		add_text_label(p, "waker", r->tasks[link->task].comm);
		add_number_label(p, "waker_pid", r->tasks[link->task].pid);
		add_number_label(p, "waker_tid", r->tasks[link->task].tid);
		return;
	}
	waker_add_name(&name, link->kind, link->name);
	add_text_label(p, "waker", str_text(&name));
	str_release(&name);
}

/* Leaf first, without the task at the root, which becomes a label. */
static void find_locations(struct profile *p, const u32 *looks, const struct stack_row *row)
{
	const struct step *steps;

	steps_make(&p->steps, p->report, row, false);
	steps = p->steps.list.items;
	p->ids.n = 0;
	for (size_t i = p->steps.list.n; i-- > 0;) {
		if (steps[i].what == STEP_FRAME)
			vec_push(&p->ids, location_id(p, looks, steps[i].frame));
		else if (steps[i].what != STEP_TASK || (i && steps[i - 1].what != STEP_WHOLE))
			vec_push(&p->ids, name_location_id(p, &steps[i]));
	}
}

static void add_sample(struct profile *p, const struct merged *m, const struct pprof_types *c,
		       const struct stack_row *row)
{
	u64 values[4] = { row->count, row->value };
	u32 n = c->n;

	if (p->report->run->unit == UNIT_SAMPLES) {
		values[0] = row->value;
		values[1] = row->value * c->per_sample;
	}
	if (p->first.type)
		values[n++] = merged_ratio(m, row)->first.events;
	if (p->second.type)
		values[n++] = merged_ratio(m, row)->second.events;
	find_locations(p, m->looks, row);
	str_clear(&p->tmp);
	proto_packed(&p->tmp, SAMPLE_LOCATION, p->ids.items, p->ids.n);
	proto_packed(&p->tmp, SAMPLE_VALUE, values, n);
	add_task_labels(p, report_task(p->report, row));
	add_waker_labels(p, row);
	add_message(p, PROFILE_SAMPLE);
}

static u64 add_samples(struct profile *p, const struct pprof_types *c)
{
	struct merged m;
	size_t n;

	report_merge(p->report, BY_ADDRESS, &m);
	p->location_of = mem_alloc(p->report->n_frames + 1, sizeof(*p->location_of));
	for (size_t i = 0; i < m.rows.n; i++)
		add_sample(p, &m, c, &m.rows.items[i]);
	n = m.rows.n;
	merged_release(&m);
	return n;
}

/* ---- writing the tables ---- */

static void add_mapping(struct profile *p, const struct mapping *m)
{
	str_clear(&p->tmp);
	proto_u64(&p->tmp, MAPPING_ID, m->id);
	proto_u64(&p->tmp, MAPPING_FILE, m->file);
	proto_u64(&p->tmp, MAPPING_BUILD_ID, m->build_id);
	proto_u64(&p->tmp, MAPPING_HAS_FUNCTIONS, m->has_functions);
	add_message(p, PROFILE_MAPPING);
}

/* Kernel mappings come last, because by convention the first mapping is the main program. */
static void add_mappings(struct profile *p)
{
	struct mapping *m;
	u64 id = 0;

	for (int is_kernel = 0; is_kernel < 2; is_kernel++) {
		vec_for_each(m, &p->mappings) {
			if (m->is_kernel != is_kernel)
				continue;
			m->id = ++id;
			add_mapping(p, m);
		}
	}
}

static u64 address_of(const struct frame *f)
{
	return f->vaddr ? f->vaddr : f->addr;
}

static void add_location(struct profile *p, u64 id, const struct location *l)
{
	struct str line = { 0 };

	str_clear(&p->tmp);
	proto_u64(&p->tmp, LOCATION_ID, id);
	proto_u64(&p->tmp, LOCATION_MAPPING, l->mapping ? p->mappings.items[l->mapping - 1].id : 0);
	if (l->frame != NO_FRAME)
		proto_u64(&p->tmp, LOCATION_ADDRESS, address_of(&p->report->frames[l->frame]));
	if (l->function) {
		proto_u64(&line, LINE_FUNCTION, l->function);
		proto_bytes(&p->tmp, LOCATION_LINE, str_view(&line));
	}
	add_message(p, PROFILE_LOCATION);
	str_release(&line);
}

static void add_tables(struct profile *p)
{
	add_mappings(p);
	for (size_t i = 0; i < p->locations.n; i++)
		add_location(p, i + 1, &p->locations.items[i]);
	for (size_t i = 0; i < p->functions.n; i++) {
		str_clear(&p->tmp);
		proto_u64(&p->tmp, FUNCTION_ID, i + 1);
		proto_u64(&p->tmp, FUNCTION_NAME, p->functions.items[i].name);
		proto_u64(&p->tmp, FUNCTION_SYSTEM_NAME, p->functions.items[i].system_name);
		add_message(p, PROFILE_FUNCTION);
	}
	for (size_t i = 0; i < p->strings.n; i++) {
		proto_bytes(&p->out, PROFILE_STRING, view_of(p->strings.items[i]));
		pack(p, PACK_BYTES);
	}
}

/* ---- comments ---- */

static void add_comment(struct profile *p, struct str *text)
{
	u64 id = string_id(p, str_text(text));

	proto_packed(&p->out, PROFILE_COMMENT, &id, 1);
	str_clear(text);
}

static void add_counters(struct str *out, const struct ledger *l)
{
	for (int i = 0; i < LOST_N_REASONS; i++)
		if (l->lost[i] == LOST_UNKNOWN)
			str_addf(out, "%s%s=unknown", i ? " " : "", lost_names[i]);
		else
			str_addf(out, "%s%s=%llu", i ? " " : "", lost_names[i], l->lost[i]);
}

static void add_comments(struct profile *p)
{
	const struct ledger *l = &p->report->ledger;
	const struct run_info *run = p->report->run;
	struct str text = { 0 };

	about_command(&text, run);
	add_comment(p, &text);
	str_addf(&text, "bperf %s", run->version);
	str_adds(&text, run->host || run->kernel ? " on " : "");
	about_host(&text, run);
	add_comment(p, &text);
	about_losses(&text, l);
	add_comment(p, &text);
	add_counters(&text, l);
	add_comment(p, &text);
	str_addf(&text,
		 "symbols: frames=%llu symbolized=%llu stripped=%llu jit_no_map=%llu "
		 "exited=%llu too_costly=%llu no_unwind_info=%llu",
		 l->symbols.frames, l->symbols.symbolized, l->symbols.stripped,
		 l->symbols.jit_no_map, l->symbols.exited, l->symbols.too_costly,
		 l->symbols.no_unwind_info);
	add_comment(p, &text);
	str_release(&text);
}

static void profile_release(struct profile *p)
{
	str_release(&p->out);
	str_release(&p->tmp);
	intern_release(&p->texts);
	index_release(&p->by_text);
	index_release(&p->by_mapping);
	index_release(&p->by_function);
	index_release(&p->by_name);
	steps_release(&p->steps);
	vec_release(&p->strings);
	vec_release(&p->mappings);
	vec_release(&p->functions);
	vec_release(&p->locations);
	vec_release(&p->ids);
	free(p->location_of);
}

static void pprof_report(struct render *out, const struct report *r)
{
	struct profile p = { .report = r, .sink = out->sink };
	struct pprof_types c = what_is_counted(r->run);

	gzip_open(&p.gzip, &out->sink->buf);
	choose_events(&p);
	string_id(&p, ""); /* string 0 must be empty */
	add_types(&p, &c);
	out->n_rows = add_samples(&p, &c);
	out->n_records += out->n_rows;
	add_comments(&p);
	add_tables(&p);
	if (r->run->realtime_ns)
		proto_u64(&p.out, PROFILE_TIME_NS, r->run->realtime_ns + r->start_ns);
	proto_u64(&p.out, PROFILE_DURATION_NS, r->end_ns - r->start_ns);
	pack(&p, 0);
	gzip_close(&p.gzip);
	profile_release(&p);
}

static const char *const extensions[] = { ".pb.gz", ".pprof", NULL };

const struct renderer pprof_renderer = {
	.name = "pprof",
	.extensions = extensions,
	.kinds = REPORT_STACKS | REPORT_PATHS | REPORT_THREADS,
	.is_single = true,
	.is_binary = true,
	.report = pprof_report,
};
