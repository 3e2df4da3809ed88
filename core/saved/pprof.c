// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Reads profile.proto of google/pprof, as Go, Rust, Java, gperftools and bperf write it.  Samples
 * refer to tables that may come after them, so the whole message is kept while it is read; all
 * parts are views of it.
 *
 * A sample has a value for each type.  The default type is read, or the requested one.  If samples
 * are counted, too, they are the values, because the time is then the product of two numbers that
 * the report contains.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memlimit.h"
#include "saved/pproffields.h"
#include "saved/protor.h"
#include "saved/saved_int.h"

#define MESSAGE_MAX (1ULL << 30) /* bytes, where no limit is set */
#define TYPES_MAX   32

struct pprof_type {
	u64 name, unit; /* strings */
};

struct mapping {
	u64 id, file, build_id;
};

struct function {
	u64 id, name, system_name;
};

struct location {
	u64 id, mapping, address;
	struct view message; /* contains its lines */
	u32 first, n;	     /* frames, leaf first; n = 0: not made yet */
};

struct profile {
	struct reading *r;
	struct str bytes; /* the message */
	VEC(struct view) strings;
	VEC(struct view) samples;
	VEC(struct mapping) mappings;
	VEC(struct function) functions;
	VEC(struct location) locations;
	struct index by_mapping, by_function, by_location;
	VEC(u32) frames; /* all locations' */
	VEC(u32) stack;	 /* the current sample's */
	struct pprof_type types[TYPES_MAX], period_type;
	u32 n_types;
	u64 default_type, period, time_ns, duration_ns;
	u32 value_at, count_at; /* index of the type; count: TYPES_MAX if there is none */
	u64 scale;		/* the value's unit in nanoseconds */
	struct report report;
};

static int bad(struct profile *p, const char *what)
{
	return err_set(p->r->err, ERR_FAIL, "%s: %s: cut off, or not a profile of pprof",
		       p->r->in.name, what);
}

/* Call take() for every field of a message. */
static int each_field(struct profile *p, struct view message, const char *what, void *out,
		      int (*take)(struct profile *p, const struct proto_field *f, void *out))
{
	struct proto_field f;
	enum proto_next next;
	int ret = 0;

	while (!ret && (next = proto_next(&message, &f)) != PROTO_END)
		ret = next == PROTO_BAD ? bad(p, what) : take(p, &f, out);
	return ret;
}

/* Fields of a message that are numbers, by field number; 0: the end. */
struct slot {
	u32 number;
	u64 *value;
};

static int take_slot(struct profile *p, const struct proto_field *f, void *out)
{
	struct slot *slots = out;

	for (; slots->number; slots++) {
		if (slots->number != f->number)
			continue;
		if (f->is_bytes)
			return bad(p, "it has a text in place of a number");
		*slots->value = f->value;
	}
	return 0;
}

/* ---- strings ---- */

static struct view string_at(const struct profile *p, u64 id)
{
	return id < p->strings.n ? p->strings.items[id] : (struct view){ "", 0 };
}

static const char *interned(struct profile *p, u64 id)
{
	struct view v = string_at(p, id);

	return v.n ? intern_n(&p->r->s->strings, v.p, v.n) : NULL;
}

/* ---- tables ---- */

static int take_type(struct profile *p, struct view message, struct pprof_type *type)
{
	struct slot slots[] = { { TYPE_TYPE, &type->name }, { TYPE_UNIT, &type->unit }, { 0 } };

	return each_field(p, message, "a type of values", slots, take_slot);
}

/* The row with an id; NULL: there is none. */
#define FIND(p, table, index, wanted)                                                    \
	({                                                                               \
		size_t at_ = 0;                                                          \
		u32 id_;                                                                 \
		__typeof__((p)->table.items) found_ = NULL;                              \
                                                                                         \
		while (!found_ && index_next(&(p)->index, hash_u64(wanted), &at_, &id_)) \
			if ((p)->table.items[id_].id == (wanted))                        \
				found_ = &(p)->table.items[id_];                         \
		found_;                                                                  \
	})

/* If several rows have the same id, only the first is kept: an index with many entries of one hash
 * is slow. */
#define ADD(p, table, index, row)                                              \
	do {                                                                   \
		if (FIND(p, table, index, (row).id))                           \
			break;                                                 \
		index_add(&(p)->index, hash_u64((row).id), (u32)(p)->table.n); \
		vec_push(&(p)->table, row);                                    \
	} while (0)

static int take_mapping(struct profile *p, struct view message)
{
	struct mapping m = { 0 };
	struct slot slots[] = { { MAPPING_ID, &m.id },
				{ MAPPING_FILE, &m.file },
				{ MAPPING_BUILD_ID, &m.build_id },
				{ 0 } };
	int ret = each_field(p, message, "a mapping", slots, take_slot);

	ADD(p, mappings, by_mapping, m);
	return ret;
}

static int take_function(struct profile *p, struct view message)
{
	struct function f = { 0 };
	struct slot slots[] = { { FUNCTION_ID, &f.id },
				{ FUNCTION_NAME, &f.name },
				{ FUNCTION_SYSTEM_NAME, &f.system_name },
				{ 0 } };
	int ret = each_field(p, message, "a function", slots, take_slot);

	ADD(p, functions, by_function, f);
	return ret;
}

/* The lines are messages, which are read when the frames are made. */
static int take_location_field(struct profile *p, const struct proto_field *f, void *out)
{
	struct location *l = out;
	struct slot slots[] = { { LOCATION_ID, &l->id },
				{ LOCATION_MAPPING, &l->mapping },
				{ LOCATION_ADDRESS, &l->address },
				{ 0 } };

	return f->number == LOCATION_LINE ? 0 : take_slot(p, f, slots);
}

static int take_location(struct profile *p, struct view message)
{
	struct location l = { .message = message };
	int ret = each_field(p, message, "a location", &l, take_location_field);

	ADD(p, locations, by_location, l);
	return ret;
}

/* ---- the message ---- */

static int take_table(struct profile *p, const struct proto_field *f)
{
	switch (f->number) {
	case PROFILE_SAMPLE_TYPE:
		if (p->n_types == TYPES_MAX)
			return bad(p, "it has too many types of values");
		return take_type(p, f->bytes, &p->types[p->n_types++]);
	case PROFILE_SAMPLE:
		vec_push(&p->samples, f->bytes);
		return 0;
	case PROFILE_MAPPING:
		return take_mapping(p, f->bytes);
	case PROFILE_LOCATION:
		return take_location(p, f->bytes);
	case PROFILE_FUNCTION:
		return take_function(p, f->bytes);
	case PROFILE_STRING:
		vec_push(&p->strings, f->bytes);
		return 0;
	case PROFILE_PERIOD_TYPE:
		return take_type(p, f->bytes, &p->period_type);
	default:
		return 0;
	}
}

static int take_field(struct profile *p, const struct proto_field *f, void *out)
{
	struct slot slots[] = { { PROFILE_TIME_NS, &p->time_ns },
				{ PROFILE_DURATION_NS, &p->duration_ns },
				{ PROFILE_PERIOD, &p->period },
				{ PROFILE_DEFAULT_TYPE, &p->default_type },
				{ 0 } };

	(void)out;
	if (f->is_bytes)
		return take_table(p, f);
	return take_slot(p, f, slots);
}

/* ---- which value ---- */

static bool is_type(const struct profile *p, const struct pprof_type *t, const char *name,
		    const char *unit)
{
	return (!name || view_eq(string_at(p, t->name), name)) &&
	       (!unit || view_eq(string_at(p, t->unit), unit));
}

static u32 find_type(const struct profile *p, const char *name, const char *unit)
{
	u32 i = 0;

	while (i < p->n_types && !is_type(p, &p->types[i], name, unit))
		i++;
	return i < p->n_types ? i : TYPES_MAX;
}

static const struct {
	const char *name;
	u64 ns;
} time_units[] = {
	{ "nanoseconds", 1 },
	{ "microseconds", NS_PER_US },
	{ "milliseconds", NS_PER_MS },
	{ "seconds", NS_PER_SEC },
};

/* Set the rate of samples, or their period in events. */
static void set_period(struct profile *p)
{
	struct run_info *run = &p->r->run;

	if (!p->period)
		return;
	if (is_type(p, &p->period_type, "cpu", "nanoseconds")) {
		run->freq_hz =
			p->period <= NS_PER_SEC ? (NS_PER_SEC + p->period / 2) / p->period : 0;
	} else if (!is_type(p, &p->period_type, "samples", NULL)) {
		run->event = interned(p, p->period_type.name);
		run->period = p->period;
	}
}

static int choose_asked(struct profile *p)
{
	const char *name = p->r->opts->value;
	struct str list = { 0 };

	p->value_at = find_type(p, name, NULL);
	if (p->value_at != TYPES_MAX)
		return 0;
	for (u32 i = 0; i < p->n_types; i++) {
		struct view v = string_at(p, p->types[i].name);

		str_addf(&list, "%s%.*s", i ? ", " : "", (int)v.n, v.p);
	}
	err_set(p->r->err, ERR_FAIL, "%s has no values of type '%s'", p->r->in.name, name);
	err_hint(p->r->err, "it has: %s", str_text(&list));
	str_release(&list);
	return -ERR_FAIL;
}

/* Choose the default type, which is the last one if none is named; but choose samples if they are
 * counted. */
static void choose_default(struct profile *p)
{
	u32 samples = find_type(p, "samples", "count");
	const char *name = interned(p, p->default_type);

	p->value_at = name ? find_type(p, name, NULL) : TYPES_MAX;
	if (p->value_at == TYPES_MAX)
		p->value_at = p->n_types - 1;
	if (samples != TYPES_MAX)
		p->value_at = samples;
}

static int choose_value(struct profile *p)
{
	struct run_info *run = &p->r->run;
	const struct pprof_type *t;
	int ret;

	if (!p->n_types)
		return bad(p, "it has no types of values");
	ret = p->r->opts->value ? choose_asked(p) : 0;
	if (ret)
		return ret;
	if (!p->r->opts->value)
		choose_default(p);
	t = &p->types[p->value_at];
	p->count_at = find_type(p, NULL, "count");
	p->scale = 1;
	run->command = "profile";
	run->value_name = interned(p, t->name) ?: "values";
	if (is_type(p, t, "samples", "count")) {
		run->unit = UNIT_SAMPLES;
		run->title = "CPU profile";
		set_period(p);
		return 0;
	}
	run->unit = is_type(p, t, "events", "count") ? UNIT_EVENTS : UNIT_VALUES;
	for (size_t i = 0; i < ARRAY_SIZE(time_units); i++)
		if (is_type(p, t, NULL, time_units[i].name)) {
			run->unit = UNIT_NS;
			p->scale = time_units[i].ns;
		}
	return 0;
}

/* ---- frames ---- */

static u32 add_frame(struct profile *p, const struct location *l, const struct function *fn)
{
	struct saved *s = p->r->s;
	const struct mapping *m = FIND(p, mappings, by_mapping, l->mapping);
	struct view name = fn ? string_at(p, fn->name) : (struct view){ "", 0 };
	struct frame f = { .vaddr = l->address };

	saved_set_module(s, &f, m ? string_at(p, m->file) : (struct view){ "", 0 });
	f.build_id = m ? interned(p, m->build_id) : NULL;
	if (fn && name.n && !(view_eq(name, "[unknown]") && !f.module))
		f.name = interned(p, fn->name);
	if (fn && f.name && fn->system_name != fn->name)
		f.linkage = interned(p, fn->system_name);
	if (!f.name && f.module)
		f.off = l->address;
	else if (!f.name)
		f.kind = FRAME_UNKNOWN;
	else if (!f.module && (name.p[0] == '[' || view_eq(name, "-") || view_eq(name, "--")))
		f.kind = FRAME_NOTE;
	return saved_frame(s, &f);
}

static int take_line(struct profile *p, const struct proto_field *f, void *out)
{
	const struct location *l = out;
	u64 function = 0;
	struct slot slots[] = { { LINE_FUNCTION, &function }, { 0 } };
	int ret;

	if (f->number != LOCATION_LINE || !f->is_bytes)
		return 0;
	ret = each_field(p, f->bytes, "a line", slots, take_slot);
	if (!ret && function)
		vec_push(&p->frames, add_frame(p, l, FIND(p, functions, by_function, function)));
	return ret;
}

/* Make the frames of a location: the function, after those that are inlined there. */
static int make_frames(struct profile *p, struct location *l)
{
	int ret;

	if (l->n)
		return 0;
	l->first = (u32)p->frames.n;
	ret = each_field(p, l->message, "a location", l, take_line);
	if (p->frames.n == l->first)
		vec_push(&p->frames, add_frame(p, l, NULL));
	l->n = (u32)p->frames.n - l->first;
	return ret;
}

/* ---- samples ---- */

struct sample {
	struct stack_row row;
	struct stack_task task;
	u64 values[TYPES_MAX];
	u32 n_values;
};

static int add_location(struct profile *p, u64 id)
{
	struct location *l = FIND(p, locations, by_location, id);
	int ret;

	if (!l)
		return bad(p, "a sample has a location that is not there");
	ret = make_frames(p, l);
	if (p->stack.n > 4 * STACK_MAX_DEPTH)
		return ret; /* far more than is kept; the root's end is removed */
	for (u32 i = 0; i < l->n; i++)
		vec_push(&p->stack, p->frames.items[l->first + i]);
	return ret;
}

static int add_value(struct profile *p, struct sample *s, u64 value)
{
	if (s->n_values == TYPES_MAX)
		return bad(p, "a sample has too many values");
	s->values[s->n_values++] = value;
	return 0;
}

/* Numbers are in separate fields or packed. */
static int take_numbers(struct profile *p, const struct proto_field *f, struct sample *s)
{
	struct view packed = f->bytes;
	enum proto_next next;
	u64 v = f->value;
	int ret = 0;

	if (!f->is_bytes)
		return f->number == SAMPLE_LOCATION ? add_location(p, v) : add_value(p, s, v);
	while (!ret && (next = proto_next_packed(&packed, &v)) != PROTO_END) {
		if (next == PROTO_BAD)
			return bad(p, "a sample");
		ret = f->number == SAMPLE_LOCATION ? add_location(p, v) : add_value(p, s, v);
	}
	return ret;
}

static int take_label(struct profile *p, struct view message, struct stack_task *task)
{
	u64 key = 0, text = 0, number = 0;
	struct slot slots[] = {
		{ LABEL_KEY, &key }, { LABEL_STR, &text }, { LABEL_NUM, &number }, { 0 }
	};
	struct view name;
	int ret = each_field(p, message, "a label", slots, take_slot);

	if (ret)
		return ret;
	name = string_at(p, key);
	if (view_eq(name, "comm"))
		task->comm = interned(p, text);
	else if (view_eq(name, "cgroup"))
		task->cgroup = interned(p, text);
	if (number > INT32_MAX)
		return 0;
	if (view_eq(name, "pid"))
		task->pid = (s64)number;
	else if (view_eq(name, "tid"))
		task->tid = (s64)number;
	else if (view_eq(name, "cpu"))
		task->cpu = (s64)number;
	return 0;
}

static int take_sample_field(struct profile *p, const struct proto_field *f, void *out)
{
	struct sample *s = out;

	if (f->number == SAMPLE_LABEL && f->is_bytes)
		return take_label(p, f->bytes, &s->task);
	if (f->number == SAMPLE_LOCATION || f->number == SAMPLE_VALUE)
		return take_numbers(p, f, s);
	return 0;
}

static int set_values(struct profile *p, struct sample *s)
{
	u64 value = p->value_at < s->n_values ? s->values[p->value_at] : 0;
	u64 count = p->count_at < s->n_values ? s->values[p->count_at] : 0;

	if (value > INT64_MAX || count > INT64_MAX) {
		err_set(p->r->err, ERR_FAIL,
			"%s: a value below 0: it is the difference of two profiles", p->r->in.name);
		return err_hint(p->r->err, "bperf diff takes the two that it was made of");
	}
	if (__builtin_mul_overflow(value, p->scale, &s->row.value))
		return bad(p, "a value of more than 64 bits");
	s->row.count = count;
	return 0;
}

/* Waits through the whole window have a frame at their root that bperf added. */
static void take_whole(struct profile *p, struct stack_row *row)
{
	const struct frame *root;

	if (!p->stack.n || p->r->run.unit != UNIT_NS ||
	    p->stack.items[p->stack.n - 1] == SAVED_NONE)
		return;
	root = &p->r->s->tables->frames.items[p->stack.items[p->stack.n - 1]];
	if (root->kind != FRAME_NOTE || strcmp(root->name, "[whole window]") != 0)
		return;
	row->is_whole = true;
	p->stack.n--;
}

static void set_task(struct profile *p, struct sample *s)
{
	struct str root = { 0 };

	if (task_add_root(&root, &s->task))
		s->task.root = intern(&p->r->s->strings, str_text(&root));
	str_release(&root);
	s->row.task = saved_task(p->r->s, s->task);
}

static int take_sample(struct profile *p, struct view message)
{
	struct sample s = { .task = { .pid = -1, .tid = -1, .cpu = -1 } };
	int ret;

	p->stack.n = 0;
	saved_look(p->r->s);
	ret = each_field(p, message, "a sample", &s, take_sample_field) ?: set_values(p, &s);
	if (ret)
		return ret;
	set_task(p, &s);
	take_whole(p, &s.row);
	if (!saved_stack(p->r->s, p->stack.items, p->stack.n, &s.row)) {
		s.row.kernel = 0;
		s.row.user = saved_note(p->r->s, NOTE_OTHER);
		p->report.ledger.lost[LOST_stack_full] += s.row.count;
	}
	return saved_count(p->r, &p->report, &s.row, NULL);
}

/* ---- all of it ---- */

static int read_profile(struct profile *p)
{
	struct reading *r = p->r;
	u64 max = mem_limit() ? mem_limit() / 2 : MESSAGE_MAX;
	int ret = input_all(&r->in, max, &p->bytes, r->err);

	ret = ret ?: each_field(p, str_view(&p->bytes), "the profile", NULL, take_field);
	ret = ret ?: choose_value(p);
	for (size_t i = 0; i < p->samples.n && !ret; i++)
		ret = take_sample(p, p->samples.items[i]);
	if (ret)
		return ret;
	r->run.realtime_ns = r->file.realtime_ns = p->time_ns <= INT64_MAX ? p->time_ns : 0;
	p->report.end_ns = p->duration_ns <= INT64_MAX ? p->duration_ns : 0;
	saved_add_report(r, &p->report);
	return 0;
}

int saved_read_pprof(struct reading *r)
{
	struct profile p = { .r = r, .report = { .kind = REPORT_STACKS } };
	int ret = read_profile(&p);

	report_release(&p.report);
	str_release(&p.bytes);
	vec_release(&p.strings);
	vec_release(&p.samples);
	vec_release(&p.mappings);
	vec_release(&p.functions);
	vec_release(&p.locations);
	vec_release(&p.frames);
	vec_release(&p.stack);
	index_release(&p.by_mapping);
	index_release(&p.by_function);
	index_release(&p.by_location);
	return ret;
}
