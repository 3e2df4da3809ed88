// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Reads bperf's own JSON Lines (schema bperf/1, bperf-output(5)), record by record.  Unknown types
 * and fields are skipped, as the schema requires of readers; a stream without an end is read as far
 * as possible.
 */
#include <ctype.h>
#include <string.h>

#include "base/log.h"
#include "model/timeline.h"
#include "saved/jsonfields.h"

#define WARNINGS_MAX	  1000 /* most that are kept */
#define DIGITS_WRAPPED	  19   /* 2^63 has as many */
/* The tree of a parsed value needs up to 50 times the space of its text: records of more values
 * than any of ours has would need more than --max-memory. */
#define RECORD_VALUES_MAX (1u << 20)

struct json_records {
	struct reading *r;
	struct report report; /* the one whose rows are being read */
	bool has_rows;
	bool has_meta, has_end;
	bool is_cut;  /* the last line had no end: it is ignored */
	u64 n_folded; /* counted without their stack, for lack of room */
	size_t other; /* index of the row that has them, + 1; 0: there is none in this report */
};

/* ---- values ---- */

static u64 scaled(struct reading *r, u64 value, u64 divisor)
{
	u64 ns;

	if (!__builtin_mul_overflow(value, divisor, &ns))
		return ns;
	if (!r->err->code)
		reading_too_much(r);
	return 0;
}

/* A value in the run's unit: times are in `exact` as well if the unit of the file has rounded
 * them. */
static u64 take_value(struct reading *r, const json_t *o, const char *key, const char *exact)
{
	if (json_object_get(o, exact))
		return field_u64(r, o, exact, 0);
	return scaled(r, field_u64(r, o, key, 0), r->divisor);
}

static void add_value(struct reading *r, u64 *sum, u64 value)
{
	if (__builtin_add_overflow(*sum, value, sum) && !r->err->code)
		reading_too_much(r);
}

/* ---- wakers ---- */

static enum waker_kind take_waker_kind(struct reading *r, const json_t *o)
{
	const char *name = field_text(r, o, "kind");

	for (u32 i = 0; name && i < WAKER_N_KINDS; i++)
		if (!strcmp(waker_kind_names[i], name))
			return (enum waker_kind)i;
	if (!r->err->code)
		reading_fail(r, "the kind of waker '%s' is unknown", name ? name : "");
	return WAKER_THREAD;
}

static struct waker_link take_link(struct json_records *rs, const json_t *o, bool *is_full)
{
	struct reading *r = rs->r;
	struct waker_link link = {
		.kind = take_waker_kind(r, o),
		.name = field_text(r, o, "name"),
		.kernel = json_take_frames(r, o, "kernel", is_full),
		.user = json_take_frames(r, o, "user", is_full),
	};

	if (link.kind == WAKER_THREAD)
		link.task = saved_task(r->s, json_take_task(r, o));
	if (json_object_get(o, "us")) {
		rs->report.kind = REPORT_PATHS;
		link.value = json_object_get(o, "ns")
				     ? field_u64(r, o, "ns", 0)
				     : scaled(r, field_u64(r, o, "us", 0), NS_PER_US);
	}
	return link;
}

/* `last`: the farthest waker; NULL: there is none. */
static enum chain_end take_end(struct reading *r, const json_t *o, const struct waker_link *last)
{
	const char *name = field_text(r, o, "chain_end");

	if (!name)
		return CHAIN_END_NONE;
	for (u32 i = 0; i < CHAIN_N_ENDS; i++)
		if (chain_end_names[i] && !strcmp(chain_end_names[i], name))
			return (enum chain_end)i;
	if (last && !strcmp(waker_kind_names[last->kind], name))
		return CHAIN_END_IRQ;
	if (!r->err->code)
		reading_fail(r, "the end of a chain '%s' is unknown", name);
	return CHAIN_END_NONE;
}

static u32 take_chain(struct json_records *rs, const json_t *o, bool *is_full)
{
	struct reading *r = rs->r;
	const json_t *wakers = field_array(r, o, "wakers");
	size_t n = wakers ? json_array_size(wakers) : 0;
	struct waker_link links[CHAIN_MAX_LINKS];
	enum chain_end end;

	if (!wakers)
		return 0;
	if (n > CHAIN_MAX_LINKS && !r->err->code)
		reading_fail(r, "more than %d wakers", CHAIN_MAX_LINKS);
	for (size_t i = 0; i < n && !r->err->code; i++) {
		const json_t *waker = json_array_get(wakers, i);

		if (json_is_object(waker))
			links[i] = take_link(rs, waker, is_full);
		else
			reading_fail(r, "a waker is not an object");
	}
	if (r->err->code)
		return 0;
	end = take_end(r, o, n ? &links[n - 1] : NULL);
	if (!n && end == CHAIN_END_UNKNOWN)
		return 0;
	return saved_chain(r->s, links, (u32)n, end);
}

/* ---- rows ---- */

/* A report has rows of one kind; the rows of --path are stacks. */
static void set_kind(struct json_records *rs, enum report_kind kind)
{
	if (rs->r->file.has_events && !rs->r->err->code)
		reading_fail(rs->r, "records of reports stand among events");
	if (!rs->has_rows && rs->report.kind != REPORT_PATHS)
		rs->report.kind = kind;
	else if (!(rs->report.kind & (kind | (kind == REPORT_STACKS ? REPORT_PATHS : 0))) &&
		 !rs->r->err->code)
		reading_fail(rs->r, "records of different kinds in one report");
	rs->has_rows = true;
}

/* There is no room for the stack: all such stacks share one row. */
static void add_other(struct json_records *rs, const struct stack_row *row)
{
	struct report *report = &rs->report;
	struct stack_row *other;

	report->ledger.lost[LOST_stack_full] += row->count + row->n_open;
	rs->n_folded += row->count + row->n_open;
	if (!rs->other) {
		vec_push(&report->stacks,
			 (struct stack_row){ .user = saved_note(rs->r->s, NOTE_OTHER) });
		rs->other = report->stacks.n;
	}
	other = &report->stacks.items[rs->other - 1];
	other->value += row->value;
	other->count += row->count;
	other->n_open += row->n_open;
}

/* The samples of a row by bins of time: [[bin, samples], ...]. */
static void take_bins(struct json_records *rs, const json_t *o)
{
	const struct stack_row *row = &rs->report.stacks.items[rs->report.stacks.n - 1];
	const json_t *bins = field_array(rs->r, o, "bins");
	u64 sum = 0;

	for (size_t i = 0; bins && i < json_array_size(bins) && !rs->r->err->code; i++) {
		const json_t *bin = json_array_get(bins, i);
		json_int_t number = json_integer_value(json_array_get(bin, 0));
		json_int_t n = json_integer_value(json_array_get(bin, 1));

		if (number < 0 || number > UINT32_MAX || n < 1 || (u64)n > row->value - sum) {
			reading_fail(rs->r,
				     "a bin of time is not a number with samples of its row");
			return;
		}
		sum += (u64)n;
		vec_push(&rs->report.samples,
			 (struct timed_sample){ .time_ns = (u64)number * TIMELINE_BIN_NS,
						.n = (u64)n,
						.row = (u32)rs->report.stacks.n - 1 });
		rs->r->s->has_bins = true;
	}
}

/* ---- ratios ---- */

static struct event_sum take_event_sum(struct json_records *rs, const json_t *o, const char *key)
{
	const json_t *sum = field_object(rs->r, o, key);

	if (!sum)
		return (struct event_sum){ 0 };
	return (struct event_sum){ .n = field_u64(rs->r, sum, "count", 0),
				   .events = field_u64(rs->r, sum, "events", 0),
				   .squares = field_double(rs->r, sum, "squares") };
}

static struct ratio take_ratio(struct json_records *rs, const json_t *o, const char *key)
{
	const json_t *ratio = field_object(rs->r, o, key);
	struct ratio out = { 0 };

	if (!ratio || !rs->r->run.second_event)
		return out;
	out.first = take_event_sum(rs, ratio, "first");
	out.second = take_event_sum(rs, ratio, "second");
	return out;
}

/* Returns the index of the row's ratio in the report. */
static u64 take_row_ratio(struct json_records *rs, const json_t *o)
{
	struct report *report = &rs->report;
	struct ratio ratio = take_ratio(rs, o, "ratio");

	add_value(rs->r, &report->ratio.first.events, ratio.first.events);
	add_value(rs->r, &report->ratio.second.events, ratio.second.events);
	report->ratio.first.n += ratio.first.n;
	report->ratio.second.n += ratio.second.n;
	report->ratio.first.squares += ratio.first.squares;
	report->ratio.second.squares += ratio.second.squares;
	vec_push(&report->ratios, ratio);
	return report->ratios.n - 1;
}

static void take_stack(struct json_records *rs, const json_t *o)
{
	struct reading *r = rs->r;
	bool is_full = false;
	struct stack_row row = {
		.is_whole = field_bool(r, o, "whole_window"),
		.value = take_value(r, o, "value", "ns"),
		.count = field_u64(r, o, "count", 0),
		.n_open = field_u64(r, o, "open", 0),
		.variance = field_double(r, o, "variance"),
	};

	set_kind(rs, REPORT_STACKS);
	if (r->run.second_event && !rs->report.ratios.n)
		vec_push(&rs->report.ratios, (struct ratio){ 0 });
	saved_look(r->s);
	row.kernel = json_take_frames(r, o, "kernel", &is_full);
	row.user = json_take_frames(r, o, "user", &is_full);
	row.chain = is_full ? 0 : take_chain(rs, o, &is_full);
	add_value(r, &rs->report.total, row.value);
	if (is_full) {
		add_other(rs, &row);
		return;
	}
	row.task = saved_task(r->s, json_take_task(r, o));
	if (r->run.second_event)
		row.ratio = take_row_ratio(rs, o);
	vec_push(&rs->report.stacks, row);
	take_bins(rs, o);
}

static void take_function(struct json_records *rs, const json_t *o)
{
	struct reading *r = rs->r;
	struct func_row row = {
		.self = take_value(r, o, "self", "self_ns"),
		.total = take_value(r, o, "total", "total_ns"),
	};

	set_kind(rs, REPORT_FUNCS);
	row.frame = json_take_frame(r, o);
	if (row.frame == SAVED_NONE)
		return;
	if (r->run.second_event) {
		row.ratio = (u32)rs->report.func_ratios.n;
		vec_push(&rs->report.func_ratios, take_ratio(rs, o, "self_ratio"));
		vec_push(&rs->report.func_ratios, take_ratio(rs, o, "total_ratio"));
	}
	vec_push(&rs->report.funcs, row);
}

/* The processes above a table of functions are rows without a stack. */
static void take_process(struct json_records *rs, const json_t *o)
{
	struct reading *r = rs->r;
	struct stack_row row = { .value = take_value(r, o, "value", "ns") };

	set_kind(rs, REPORT_FUNCS);
	row.task = saved_task(r->s, json_take_task(r, o));
	row.count = row.value;
	vec_push(&rs->report.stacks, row);
}

/* For rows that cannot be folded into one, as stacks can: if there is no room, that is an error. */
static void check_room(struct json_records *rs, const char *what)
{
	saved_look(rs->r->s);
	if (rs->r->s->tables->is_full && !rs->r->err->code)
		reading_fail(rs->r, "more %s than --max-memory has room for", what);
}

static void take_row(struct json_records *rs, const json_t *o, enum dist_kind kind)
{
	set_kind(rs, REPORT_DISTS);
	json_take_row(rs->r, o, kind, &rs->report);
	check_room(rs, "distributions");
}

/* A row of funccount, or of argdist -C. */
static void take_count(struct json_records *rs, const json_t *o)
{
	if (json_object_get(o, "dist") || rs->report.dists.n) {
		take_row(rs, o, DIST_COUNTS);
		return;
	}
	set_kind(rs, REPORT_COUNTS);
	json_take_count(rs->r, o, &rs->report);
	check_room(rs, "counts");
}

static void take_dist(struct json_records *rs, const json_t *o)
{
	set_kind(rs, REPORT_DISTS);
	json_take_dist(rs->r, o, &rs->report);
}

static void take_histogram(struct json_records *rs, const json_t *o)
{
	take_row(rs, o, DIST_HISTOGRAM);
}

static void take_statistics(struct json_records *rs, const json_t *o)
{
	take_row(rs, o, DIST_STATISTICS);
}

static void take_table(struct json_records *rs, const json_t *o)
{
	take_row(rs, o, DIST_TABLE);
}

static void take_columns(struct json_records *rs, const json_t *o)
{
	set_kind(rs, REPORT_COUNTS);
	json_take_columns(rs->r, o, &rs->report);
}

/* Events have no report around them. */
static bool begin_events(struct json_records *rs)
{
	if ((rs->has_rows || rs->r->file.n) && !rs->r->err->code)
		reading_fail(rs->r, "events stand among the records of a report");
	rs->r->file.has_events = true;
	return !rs->r->err->code;
}

static void take_events(struct json_records *rs, const json_t *o)
{
	if (begin_events(rs))
		json_take_events(rs->r, o);
}

static void take_event(struct json_records *rs, const json_t *o)
{
	if (!begin_events(rs))
		return;
	saved_look(rs->r->s);
	json_take_event(rs->r, o);
	if (!rs->r->s->tables->is_full || rs->r->err->code)
		return;
	reading_fail(rs->r, "more events than there is room for");
	err_hint(rs->r->err, "--max-memory SIZE makes room");
}

static void take_thread(struct json_records *rs, const json_t *o)
{
	set_kind(rs, REPORT_THREADS);
	saved_look(rs->r->s);
	json_take_thread(rs->r, o, &rs->report);
}

static void take_state(struct json_records *rs, const json_t *o)
{
	struct reading *r = rs->r;
	const json_t *states = field_object(r, o, "states");
	const json_t *exact = field_object(r, o, "states_ns");
	struct state_row row = {
		.n_threads = (u32)field_u64(r, o, "threads", 0),
		.wall_ns = take_value(r, o, "wall", "wall_ns"),
	};

	set_kind(rs, REPORT_STATES);
	row.task = saved_task(r->s, json_take_task(r, o));
	for (int i = 0; states && i < STATE_N_COLUMNS; i++)
		row.ns[i] = exact && json_object_get(exact, state_names[i])
				    ? field_u64(r, exact, state_names[i], 0)
				    : take_value(r, states, state_names[i], "");
	add_value(r, &rs->report.total, row.wall_ns);
	vec_push(&rs->report.states, row);
}

/* ---- the end of a report, and of all ---- */

static void take_open(struct json_records *rs, const json_t *o)
{
	struct reading *r = rs->r;
	const json_t *whole = field_object(r, o, "whole_window");

	rs->report.n_open = field_u64(r, o, "open", 0);
	rs->report.left_ns = take_value(r, o, "left_out", "left_out_ns");
	if (!whole)
		return;
	rs->report.whole.n = field_u64(r, whole, "open", 0);
	rs->report.whole.value = take_value(r, whole, "value", "ns");
	if (rs->report.whole.value > rs->report.total && !r->err->code)
		reading_fail(r, "the waits through the whole window exceed the total");
}

static void take_empty_kind(struct json_records *rs, const json_t *o)
{
	static const struct {
		const char *name;
		enum report_kind kind;
	} kinds[] = { { "counts", REPORT_COUNTS },
		      { "functions", REPORT_FUNCS },
		      { "states", REPORT_STATES },
		      { "paths", REPORT_PATHS },
		      { "threads", REPORT_THREADS } };
	const char *name = field_text(rs->r, o, "kind");

	for (size_t i = 0; name && i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(kinds[i].name, name))
			rs->report.kind = kinds[i].kind;
}

/* Each report has the distributions of the first, even those without a row. */
static void restart(struct json_records *rs, const struct report *next)
{
	report_release(&rs->report);
	rs->report = *next;
	if (next->dists.n)
		rs->report.kind = REPORT_DISTS;
	rs->has_rows = false;
	rs->other = 0;
}

static void take_interval(struct json_records *rs, const json_t *o)
{
	struct reading *r = rs->r;
	struct report *report = &rs->report, next = { .kind = REPORT_STACKS };
	u64 n_folded = report->ledger.lost[LOST_stack_full];

	if (r->file.has_events && !r->err->code)
		reading_fail(r, "an interval stands among events");
	take_empty_kind(rs, o);
	report->interval = (u32)field_u64(r, o, "iv", 0);
	report->start_ns = field_seconds(r, o, "start");
	report->end_ns = field_seconds(r, o, "end");
	report->is_snapshot = field_bool(r, o, "snapshot");
	if (report->kind == REPORT_FUNCS)
		report->total = take_value(r, o, "total", "total_ns");
	if (report->kind == REPORT_FUNCS)
		report->ratio = take_ratio(rs, o, "ratio");
	report->count_view.is_wide = field_bool(r, o, "wide");
	take_open(rs, o);
	json_take_ledger(r, o, &report->ledger);
	report->ledger.lost[LOST_stack_full] += n_folded;
	if (report->end_ns < report->start_ns && !r->err->code)
		reading_fail(r, "the interval ends before it starts");
	if (r->err->code)
		return;
	report_relate_threads(report);
	saved_repeat_dists(report, &next);
	saved_add_report(r, report);
	restart(rs, &next);
	if (next.dists.n)
		check_room(rs, "distributions");
}

static void take_warn(struct json_records *rs, const json_t *o)
{
	struct saved *s = rs->r->s;
	struct saved_warning w = { .code = field_text(rs->r, o, "code"),
				   .message = field_text(rs->r, o, "msg"),
				   .report = (u32)s->reports.n,
				   .event = s->events.n };

	if (w.code && w.message && s->warnings.n < WARNINGS_MAX)
		vec_push(&s->warnings, w);
}

static void take_end_record(struct json_records *rs, const json_t *o)
{
	struct reading *r = rs->r;
	struct run_end *end = &r->file.end;

	end->reason = field_text(r, o, "reason");
	end->elapsed_ns = field_seconds(r, o, "elapsed");
	end->intervals = (u32)field_u64(r, o, "intervals", 0);
	json_take_ledger(r, o, &end->ledger);
	json_take_probes(r, o, end);
	rs->has_end = true;
}

static void take_meta(struct json_records *rs, const json_t *o)
{
	struct reading *r = rs->r;
	const char *schema = field_text(r, o, "schema");

	if (rs->has_meta && !r->err->code)
		reading_fail(r, "a second run begins here: split the file");
	if ((!schema || strncmp(schema, "bperf/1.", 8) != 0) && !r->err->code) {
		reading_fail(r, "the schema is '%s', and this bperf reads bperf/1",
			     schema ? schema : "");
		err_hint(r->err, "a newer bperf may read it");
	}
	json_take_meta(r, o);
	rs->has_meta = true;
}

/* ---- records ---- */

static const struct {
	const char *type;
	void (*take)(struct json_records *rs, const json_t *o);
} types[] = {
	{ "meta", take_meta },	      { "stack", take_stack },	     { "function", take_function },
	{ "process", take_process },  { "state", take_state },	     { "count", take_count },
	{ "columns", take_columns },  { "dist", take_dist },	     { "hist", take_histogram },
	{ "stats", take_statistics }, { "table", take_table },	     { "events", take_events },
	{ "event", take_event },      { "interval", take_interval }, { "warn", take_warn },
	{ "thread", take_thread },    { "end", take_end_record },
};

static int take_record(struct json_records *rs, const json_t *o)
{
	struct reading *r = rs->r;
	const char *type = json_string_value(json_object_get(o, "type"));

	if (!type)
		return reading_fail(r, "a record has no type: this is not bperf's JSON");
	if (!rs->has_meta && strcmp(type, "meta") != 0)
		return reading_fail(r, "the first record is '%s', not 'meta': the start is missing",
				    type);
	if (rs->has_end)
		return reading_fail(r, "a record follows the end");
	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (!strcmp(types[i].type, type)) {
			types[i].take(rs, o);
			break;
		}
	return r->err->code ? -r->err->code : 0;
}

/* Whole numbers of 2^63 and more, which jansson does not take, as objects: {"": "digits"}. */
static void wrap_numbers(struct view line, struct str *out)
{
	bool is_in_string = false;

	for (size_t i = 0; i < line.n;) {
		size_t n = 0;

		while (!is_in_string && i + n < line.n && isdigit((u8)line.p[i + n]))
			n++;
		if (n >= DIGITS_WRAPPED && (i + n == line.n || !strchr(".eE", line.p[i + n])) &&
		    (!i || !strchr("-.+eE", line.p[i - 1]))) {
			str_addf(out, "{\"\":\"%.*s\"}", (int)n, line.p + i);
			i += n;
			continue;
		}
		n = n ? n : is_in_string && line.p[i] == '\\' && i + 1 < line.n ? 2 : 1;
		is_in_string ^= line.p[i] == '"';
		str_add(out, line.p + i, n);
		i += n;
	}
}

/* Each value has one such byte before it; those in strings are counted too. */
static bool has_many_values(struct view line)
{
	size_t n = 0;

	for (size_t i = 0; i < line.n && line.n > RECORD_VALUES_MAX; i++)
		n += line.p[i] == ',' || line.p[i] == '{' || line.p[i] == '[';
	return n > RECORD_VALUES_MAX;
}

static json_t *parse(struct view line, json_error_t *why)
{
	/* Messages of events may have bytes that are 0. */
	size_t flags = JSON_REJECT_DUPLICATES |
		       (view_starts(line, "{\"type\":\"event\",") ? JSON_ALLOW_NUL : 0);
	json_t *o = json_loadb(line.p, line.n, flags, why);
	struct str wrapped = { 0 };

	if (o || json_error_code(why) != json_error_numeric_overflow)
		return o;
	wrap_numbers(line, &wrapped);
	o = json_loadb(wrapped.p, wrapped.n, flags, why);
	str_release(&wrapped);
	return o;
}

int json_records_take(struct json_records *rs, struct view line)
{
	struct reading *r = rs->r;
	json_error_t why;
	json_t *o;
	int ret;

	if (!line.n)
		return 0;
	if (has_many_values(line))
		return reading_fail(r, "a record of more than %u values", RECORD_VALUES_MAX);
	o = parse(line, &why);
	if (!o && r->in.is_cut && rs->has_meta) {
		rs->is_cut = true;
		return 0;
	}
	if (!o)
		return reading_fail(r, "not JSON: %s (byte %d)", why.text, why.position);
	ret = json_is_object(o) ? take_record(rs, o) : reading_fail(r, "not a record");
	json_decref(o);
	return ret;
}

struct json_records *json_records_begin(struct reading *r)
{
	struct json_records *rs = mem_alloc(1, sizeof(*rs));

	rs->r = r;
	restart(rs, &(struct report){ .kind = REPORT_STACKS });
	return rs;
}

bool json_records_have_meta(const struct json_records *rs)
{
	return rs->has_meta;
}

int json_records_end(struct json_records *rs, int ret)
{
	struct reading *r = rs->r;

	if (ret >= 0 && !rs->has_meta)
		ret = reading_fail(r, "there is no record 'meta': this is not a report of bperf");
	r->file.is_whole = rs->has_end;
	if (rs->has_end)
		r->file.end.ledger.lost[LOST_stack_full] += rs->n_folded;
	else
		ledger_set_unknown(&r->file.end.ledger);
	/* The end of this report is missing: its window and its losses are unknown. */
	if (ret >= 0 && rs->has_rows) {
		ledger_set_unknown(&rs->report.ledger);
		saved_add_report(r, &rs->report);
	}
	report_release(&rs->report);
	free(rs);
	return ret < 0 ? ret : 0;
}

int saved_read_json(struct reading *r)
{
	struct json_records *rs = json_records_begin(r);
	struct view line;
	int ret;

	while ((ret = input_line(&r->in, &line, r->err)) > 0) {
		ret = json_records_take(rs, line);
		if (ret || rs->is_cut)
			break;
	}
	return json_records_end(rs, ret);
}
