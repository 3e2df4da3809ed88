// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Reads the parts that several records of bperf/1 have (render/jsonrecord.c writes them): the run,
 * the ledger, probes, tasks and frames. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/num.h"
#include "saved/jsonfields.h"

/* ---- the run ---- */

static const struct {
	const char *name;
	enum unit unit;
	u64 divisor;
} units[] = {
	{ "samples", UNIT_SAMPLES, 1 }, { "events", UNIT_EVENTS, 1 },
	{ "values", UNIT_VALUES, 1 },	{ "us", UNIT_NS, NS_PER_US },
	{ "ms", UNIT_NS, NS_PER_MS },	{ "s", UNIT_NS, NS_PER_SEC },
	{ "ns", UNIT_NS, 1 },		{ "threads", UNIT_THREADS, 1 },
};

static void take_unit(struct reading *r, const json_t *meta)
{
	const json_t *value = field_object(r, meta, "value");
	const char *unit = value ? field_text(r, value, "unit") : NULL;

	r->run.value_name = value ? field_text(r, value, "name") : NULL;
	for (size_t i = 0; unit && i < ARRAY_SIZE(units); i++)
		if (!strcmp(units[i].name, unit)) {
			r->run.unit = units[i].unit;
			r->divisor = units[i].divisor;
			return;
		}
	if (!r->err->code)
		reading_fail(r, "the values' unit '%s' is unknown", unit ? unit : "");
}

/* A number with a fixed number of digits. */
static bool take_digits(const char **at, size_t n, char end, u64 *out)
{
	const struct view digits = { *at, n };

	if (strnlen(*at, n + 1) <= n || !num_parse_dec(digits, out) || (*at)[n] != end)
		return false;
	*at += n + 1;
	return true;
}

/* "2026-07-01T12:00:00.123456789Z" in nanoseconds since 1970. */
static bool parse_time(const char *text, u64 *ns)
{
	u64 year, month, day, hour, minute, second, rest;
	struct tm tm;
	time_t at;

	if (!take_digits(&text, 4, '-', &year) || !take_digits(&text, 2, '-', &month) ||
	    !take_digits(&text, 2, 'T', &day) || !take_digits(&text, 2, ':', &hour) ||
	    !take_digits(&text, 2, ':', &minute) || !take_digits(&text, 2, '.', &second) ||
	    !take_digits(&text, 9, 'Z', &rest))
		return false;
	tm = (struct tm){ .tm_year = (int)year - 1900,
			  .tm_mon = (int)month - 1,
			  .tm_mday = (int)day,
			  .tm_hour = (int)hour,
			  .tm_min = (int)minute,
			  .tm_sec = (int)second };
	at = timegm(&tm);
	/* 500 years from 1970 on fit into 64 bits of nanoseconds. */
	if (at < 0 || year > 2400)
		return false;
	*ns = (u64)at * NS_PER_SEC + rest;
	return true;
}

static void take_clock(struct reading *r, const json_t *meta)
{
	const json_t *clock = field_object(r, meta, "clock");
	const char *realtime = clock ? field_text(r, clock, "realtime") : NULL;
	const char *monotonic = clock ? field_text(r, clock, "monotonic_ns") : NULL;

	if (realtime && !parse_time(realtime, &r->run.realtime_ns) && !r->err->code)
		reading_fail(r, "'realtime' is not a time");
	if (monotonic && !num_parse_dec(view_of(monotonic), &r->run.monotonic_ns) && !r->err->code)
		reading_fail(r, "'monotonic_ns' is not a number");
}

static void take_host(struct reading *r, const json_t *meta)
{
	const json_t *host = field_object(r, meta, "host");

	if (!host)
		return;
	r->run.host = field_text(r, host, "name");
	r->run.kernel = field_text(r, host, "kernel");
	r->run.arch = field_text(r, host, "arch");
	r->run.boot_id = field_text(r, host, "boot_id");
	r->run.cpus_online = (u32)field_u64(r, host, "cpus_online", 0);
}

static void take_plan(struct reading *r, const json_t *meta)
{
	const json_t *plan = field_object(r, meta, "plan"), *filter;
	char *text;

	if (!plan)
		return;
	r->run.interval_ns = field_seconds(r, plan, "interval_s");
	r->run.count = field_u64(r, plan, "count", 0);
	r->run.freq_hz = field_u64(r, plan, "freq_hz", 0);
	r->run.period = field_u64(r, plan, "period", 0);
	r->run.event = field_text(r, plan, "event");
	filter = field_object(r, plan, "filter");
	text = filter ? json_dumps(filter, JSON_COMPACT) : NULL;
	if (text)
		r->run.filter = intern(&r->s->strings, text);
	free(text);
}

static void take_second(struct reading *r, const json_t *meta)
{
	const json_t *second = field_object(r, meta, "second");

	if (!second)
		return;
	r->run.second_event = field_text(r, second, "event");
	r->run.second_freq_hz = field_u64(r, second, "freq_hz", 0);
	r->run.second_period = field_u64(r, second, "period", 0);
	if ((!r->run.second_event || !r->run.event || r->run.unit != UNIT_SAMPLES) && !r->err->code)
		reading_fail(r, "the run has a second event without samples of a first one");
}

static void take_color(struct reading *r, const json_t *meta)
{
	const char *name = field_text(r, meta, "color_by");

	r->run.colors_off_cpu = name && !strcmp(name, "off-cpu");
	if (name && !r->run.colors_off_cpu && !r->err->code)
		reading_fail(r, "colors by '%s' are unknown", name);
}

static void take_shape(struct reading *r, const json_t *meta)
{
	const char *name = field_text(r, meta, "shape");

	for (u32 i = 0; name && i < SHAPE_N; i++)
		if (!strcmp(shape_names[i], name)) {
			r->run.shape = (enum shape)i;
			return;
		}
	if (name && !r->err->code)
		reading_fail(r, "the shape '%s' is unknown", name);
}

/* The command line of the saved run, which the caller may replace by its own; borrowed from the
 * tables. */
static void take_argv(struct reading *r, const json_t *meta)
{
	const json_t *argv = field_array(r, meta, "argv");
	struct saved_tables *t = r->s->tables;

	if (t->argv.n)
		return; /* keep that of the first file */
	for (size_t i = 0; argv && i < json_array_size(argv); i++) {
		const char *arg = json_string_value(json_array_get(argv, i));

		vec_push(&t->argv, (char *)intern(&r->s->strings, arg ? arg : ""));
	}
	r->run.argv = t->argv.items;
	r->run.argc = (int)t->argv.n;
}

void json_take_meta(struct reading *r, const json_t *o)
{
	const char *tool = field_text(r, o, "tool");

	r->run.command = field_text(r, o, "cmd");
	r->run.title = field_text(r, o, "title");
	r->run.version = tool && !strncmp(tool, "bperf ", 6) ? tool + 6 : tool;
	r->run.opens_whole = field_bool(r, o, "lists_whole_window");
	take_unit(r, o);
	take_shape(r, o);
	take_host(r, o);
	take_clock(r, o);
	take_plan(r, o);
	take_second(r, o);
	take_color(r, o);
	take_argv(r, o);
	r->s->is_heat |= !r->s->files.n && field_bool(r, o, "heat");
	r->file.realtime_ns = r->run.realtime_ns;
}

/* ---- the ledger ---- */

static void take_lost(struct reading *r, const json_t *o, struct ledger *l)
{
	for (int i = 0; i < LOST_N_REASONS; i++) {
		const json_t *v = json_object_get(o, lost_names[i]);

		l->lost[i] =
			v && json_is_null(v) ? LOST_UNKNOWN : field_u64(r, o, lost_names[i], 0);
	}
}

static void take_symbols(struct reading *r, const json_t *o, struct ledger *l)
{
	const json_t *files = field_array(r, o, "too_costly_files");

	l->symbols.frames = field_u64(r, o, "frames", 0);
	l->symbols.symbolized = field_u64(r, o, "symbolized", 0);
	l->symbols.stripped = field_u64(r, o, "stripped", 0);
	l->symbols.jit_no_map = field_u64(r, o, "jit_no_map", 0);
	l->symbols.exited = field_u64(r, o, "exited", 0);
	l->symbols.too_costly = field_u64(r, o, "too_costly", 0);
	l->symbols.no_unwind_info = field_u64(r, o, "no_unwind_info", 0);
	for (size_t i = 0; files && i < LEDGER_COSTLY_FILES && i < json_array_size(files); i++) {
		const char *file = json_string_value(json_array_get(files, i));

		l->symbols.costly_files[i] = intern(&r->s->strings, file ? file : "");
	}
}

static void take_stack_counts(struct reading *r, const json_t *o, struct ledger *l)
{
	const json_t *user = field_object(r, o, "user");
	const json_t *cut = user ? field_object(r, user, "cut") : NULL;

	l->stacks.complete = field_u64(r, o, "complete", 0);
	l->stacks.truncated = field_u64(r, o, "truncated", 0);
	l->stacks.user = user ? field_u64(r, user, "value", 0) : 0;
	for (int i = 0; cut && i < TRUNCATION_N_REASONS; i++)
		l->stacks.user_truncated[i] = field_u64(r, cut, truncation_names[i], 0);
}

static void take_cost(struct reading *r, const json_t *o, struct ledger *l)
{
	l->cost.user_ms = field_u64(r, o, "user_ms", 0);
	l->cost.rss_kb = field_u64(r, o, "rss_kb", 0);
	l->cost.map_kb = field_u64(r, o, "map_kb", 0);
	l->cost.bpf_runs = field_u64(r, o, "bpf_runs", LOST_UNKNOWN);
	l->cost.bpf_ns = field_u64(r, o, "bpf_ns", LOST_UNKNOWN);
}

void json_take_ledger(struct reading *r, const json_t *o, struct ledger *l)
{
	static const struct {
		const char *key;
		void (*take)(struct reading *r, const json_t *o, struct ledger *l);
	} parts[] = {
		{ "lost", take_lost },
		{ "symbols", take_symbols },
		{ "stacks", take_stack_counts },
		{ "cost", take_cost },
	};

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		const json_t *part = field_object(r, o, parts[i].key);

		if (part)
			parts[i].take(r, part, l);
	}
	l->keys_cut = field_u64(r, o, "keys_cut", 0);
}

/* ---- probes ---- */

static struct event_probe take_probe(struct reading *r, const json_t *o)
{
	struct event_probe p = { .name = json_is_object(o) ? field_text(r, o, "probe") : NULL };

	if (!p.name) {
		if (!r->err->code)
			reading_fail(r, "an entry of 'probes' has no name");
		return p;
	}
	p.hits = field_number(r, o, "hits", false);
	p.shown = field_number(r, o, "shown", false);
	p.ring_full = field_number(r, o, "ring_full", false);
	p.busy = field_number(r, o, "busy", false);
	p.absent = field_number(r, o, "absent", false);
	p.no_start = field_number(r, o, "no_start", false);
	p.unreturned = field_number(r, o, "unreturned", false);
	p.map_full = field_number(r, o, "map_full", false);
	p.span_full = field_number(r, o, "span_full", false);
	p.too_deep = field_number(r, o, "too_deep", false);
	p.late = field_number(r, o, "late", false);
	p.missed = json_is_null(json_object_get(o, "missed")) ? LOST_UNKNOWN
							      : field_number(r, o, "missed", false);
	p.is_span = field_bool(r, o, "span");
	return p;
}

void json_take_probes(struct reading *r, const json_t *o, struct run_end *end)
{
	const json_t *list = field_array(r, o, "probes");
	size_t n = list ? json_array_size(list) : 0;
	struct event_probe *probes = saved_alloc(r->s, n, sizeof(*probes));

	for (size_t i = 0; i < n; i++)
		probes[i] = take_probe(r, json_array_get(list, i));
	end->probes = probes;
	end->n_probes = n;
}

/* ---- tasks ---- */

/* The original bytes, where they are not UTF-8. */
const char *json_take_comm(struct reading *r, const json_t *o)
{
	const char *comm = field_text(r, o, "comm");
	struct str bytes = { 0 };

	if (field_bytes(r, o, "comm_hex", &bytes))
		comm = intern(&r->s->strings, str_text(&bytes));
	str_release(&bytes);
	return comm;
}

struct stack_task json_take_task(struct reading *r, const json_t *o)
{
	struct stack_task task = {
		.comm = json_take_comm(r, o),
		.pid = field_id(r, o, "pid"),
		.tid = field_id(r, o, "tid"),
		.cpu = field_id(r, o, "cpu"),
		.cgroup = field_text(r, o, "cgroup"),
	};
	struct str root = { 0 };

	if (json_object_get(o, "root")) {
		task.root = field_text(r, o, "root");
		return task;
	}
	if (task_add_root(&root, &task))
		task.root = intern(&r->s->strings, str_text(&root));
	str_release(&root);
	return task;
}

/* ---- frames ---- */

/* true if label_add() makes this label for a frame without a name: the file with an offset, or the
 * placeholder for the file. */
static bool is_unnamed(struct frame *f, const char *label)
{
	struct str file = { 0 };
	const char *base;
	bool is;

	if (!f->module)
		return f->kind != FRAME_NOTE && !strcmp(label, "[unknown]");
	base = frame_base(f->module);
	str_addf(&file, base[0] == '[' ? "%s" : "[%s]", base);
	is = !strcmp(label, str_text(&file));
	str_clear(&file);
	str_addf(&file, "%s+0x", base);
	if (!is && !strncmp(label, str_text(&file), file.n))
		is = num_parse_hex(view_of(label + file.n), &f->off);
	str_release(&file);
	return is;
}

/* User code has no "kind" field, and neither has the kernel's own code, which its module
 * identifies: no path is relative. */
static enum frame_kind take_kind(struct reading *r, const json_t *o, const char *module)
{
	const char *name = field_text(r, o, "kind");

	for (u32 i = 0; name && i < FRAME_N_KINDS; i++)
		if (frame_kind_names[i] && !strcmp(frame_kind_names[i], name))
			return (enum frame_kind)i;
	if (!name)
		return module && !strcmp(module, "kernel") ? FRAME_KERNEL : FRAME_USER;
	if (!strcmp(name, "kernel"))
		return FRAME_KERNEL;
	if (strcmp(name, "user") != 0 && !r->err->code)
		reading_fail(r, "the kind of frame '%s' is unknown", name);
	return FRAME_USER;
}

u32 json_take_frame(struct reading *r, const json_t *o)
{
	const char *label = field_text(r, o, "func");
	struct frame f = {
		.module = field_text(r, o, "mod"),
		.build_id = field_text(r, o, "build_id"),
		.linkage = field_text(r, o, "linkage"),
		.addr = field_hex(r, o, "addr"),
		.vaddr = field_hex(r, o, "vaddr"),
	};

	if (!label && !r->err->code)
		reading_fail(r, "a frame has no 'func'");
	if (!label || r->err->code)
		return SAVED_NONE;
	f.kind = take_kind(r, o, f.module);
	if (f.kind == FRAME_KERNEL)
		f.module = intern(&r->s->strings, "[kernel]");
	if (!is_unnamed(&f, label))
		f.name = label;
	if (json_object_get(o, "off")) {
		f.off = field_number(r, o, "off", false);
		r->s->has_offsets = true;
	}
	if (f.addr && !json_object_get(o, "vaddr"))
		f.vaddr = f.addr;
	r->s->has_addresses |= f.addr != 0;
	return saved_frame(r->s, &f);
}

/* The array is leaf first, nodes are made from the root on. */
u32 json_take_frames(struct reading *r, const json_t *o, const char *key, bool *is_full)
{
	const json_t *frames = field_array(r, o, key);
	size_t n = frames ? json_array_size(frames) : 0;
	u32 node = 0;

	if (n > STACK_MAX_DEPTH && !r->err->code)
		reading_fail(r, "a stack of more than %d frames", STACK_MAX_DEPTH);
	/* Even the names of frames would need room. */
	*is_full |= n && r->s->tables->is_full;
	while (!*is_full && n-- > 0 && !r->err->code) {
		const json_t *frame = json_array_get(frames, n);

		if (!json_is_object(frame))
			reading_fail(r, "a frame in '%s' is not an object", key);
		else
			node = saved_child(r->s, node, json_take_frame(r, frame));
		if (!node) {
			*is_full = true;
			return 0;
		}
	}
	return node;
}
