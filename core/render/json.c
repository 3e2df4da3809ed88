// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * JSON Lines, schema bperf/1: meta, then stack, function or state records with an interval record
 * after each report and warn records in between, then end.  A stream without end is incomplete.
 * Quantities are numbers, identities are strings, and types never depend on values.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/utf8.h"
#include "model/timeline.h"
#include "render/counts.h"
#include "render/diff.h"
#include "render/dist.h"
#include "render/events.h"
#include "render/framelabel.h"
#include "render/jsonrecord.h"
#include "render/ratio.h"
#include "render/renderer.h"
#include "render/stackpath.h"
#include "render/tasktable.h"
#include "render/threads.h"
#include "render/units.h"

#define SCHEMA "bperf/1.0"

/* ---- meta ---- */

static void add_host(struct jsonw *w, const struct run_info *run)
{
	json_open(w, "host", '{');
	json_text(w, "name", run->host);
	json_text(w, "kernel", run->kernel);
	json_text(w, "arch", run->arch);
	json_u64(w, "cpus_online", run->cpus_online);
	json_text(w, "boot_id", run->boot_id);
	json_close(w, '}');
}

/* The time of day; null: a file that does not contain it. */
static void add_realtime(struct jsonw *w, const struct run_info *run)
{
	time_t at = (time_t)(run->realtime_ns / NS_PER_SEC);
	struct str text = { 0 };
	char date[32] = "";
	struct tm tm;

	if (gmtime_r(&at, &tm))
		strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &tm);
	str_addf(&text, "%s.%09lluZ", date, run->realtime_ns % NS_PER_SEC);
	json_text(w, "realtime", run->realtime_ns ? str_text(&text) : NULL);
	str_release(&text);
}

/* Both clocks as strings: nanoseconds since 1970 exceed the precision of a double. */
static void add_clock(struct jsonw *w, const struct run_info *run)
{
	struct str text = { 0 };

	json_open(w, "clock", '{');
	add_realtime(w, run);
	str_addf(&text, "%llu", run->monotonic_ns);
	json_view(w, "monotonic_ns", str_view(&text));
	json_close(w, '}');
	str_release(&text);
}

static void add_or_null(struct jsonw *w, const char *key, u64 v)
{
	if (v)
		json_u64(w, key, v);
	else
		json_none(w, key);
}

static void add_plan(struct jsonw *w, const struct run_info *run)
{
	json_open(w, "plan", '{');
	if (run->interval_ns)
		json_seconds(w, "interval_s", run->interval_ns, 9);
	else
		json_none(w, "interval_s");
	add_or_null(w, "count", run->count);
	add_or_null(w, "freq_hz", run->freq_hz);
	add_or_null(w, "period", run->period);
	json_text(w, "event", run->event);
	json_raw(w, "filter", view_of(run->filter ? run->filter : "{}"));
	json_close(w, '}');
}

/* Add the event that is divided by the one of the plan. */
static void add_second(struct jsonw *w, const struct run_info *run)
{
	if (!run->second_event)
		return;
	json_open(w, "second", '{');
	json_text(w, "event", run->second_event);
	add_or_null(w, "freq_hz", run->second_freq_hz);
	add_or_null(w, "period", run->second_period);
	json_close(w, '}');
}

/* Add how the report is drawn, if that is not the default. */
static void add_drawing(struct jsonw *w, const struct run_info *run, const struct render_opts *opts)
{
	if (run->title)
		json_text(w, "title", run->title);
	if (run->shape != SHAPE_STACK)
		json_text(w, "shape", shape_names[run->shape]);
	if (run->opens_whole)
		json_bool(w, "lists_whole_window", true);
	if (run->colors_off_cpu)
		json_text(w, "color_by", "off-cpu");
	if (opts->heat)
		json_bool(w, "heat", true);
}

static void json_begin(struct render *out)
{
	const struct run_info *run = out->run;
	struct jsonw w = json_record_begin(out, "meta");
	struct str tool = { 0 };

	str_addf(&tool, "bperf %s", run->version);
	json_text(&w, "schema", SCHEMA);
	json_view(&w, "tool", str_view(&tool));
	json_text(&w, "cmd", run->command);
	json_open(&w, "argv", '[');
	for (int i = 0; i < run->argc; i++)
		json_text(&w, NULL, run->argv[i]);
	json_close(&w, ']');
	add_host(&w, run);
	add_clock(&w, run);
	add_plan(&w, run);
	add_second(&w, run);
	json_open(&w, "value", '{');
	json_text(&w, "name", run->value_name);
	json_text(&w, "unit", units_of(run, out->opts).name);
	json_close(&w, '}');
	json_text(&w, "frames", "leaf-first");
	add_drawing(&w, run, out->opts);
	json_record_end(out, &w);
	str_release(&tool);
}

/* ---- values ---- */

/* Times are rounded to the unit; if that loses digits, `exact` contains the nanoseconds. */
static void add_value(struct jsonw *w, const char *key, const char *exact, u64 value, u64 rounded,
		      u64 divisor)
{
	json_u64(w, key, rounded);
	if (rounded * divisor != value)
		json_u64(w, exact, value);
}

static void add_rounded(struct jsonw *w, const char *key, const char *exact, u64 value, u64 divisor)
{
	add_value(w, key, exact, value, (value + divisor / 2) / divisor, divisor);
}

/* ---- stack ---- */

/* The root frame, if it is not the one that the task implies. */
static void add_root(struct jsonw *w, const struct stack_task *task)
{
	struct str implied = { 0 };
	bool has_one = task_add_root(&implied, task);

	if (has_one != (task->root != NULL) ||
	    (has_one && strcmp(str_text(&implied), task->root) != 0))
		json_text(w, "root", task->root);
	str_release(&implied);
}

static void add_task(struct jsonw *w, const struct stack_task *task)
{
	if (task->comm)
		json_record_comm(w, task->comm);
	if (task->pid >= 0)
		json_s64(w, "pid", task->pid);
	if (task->tid >= 0)
		json_s64(w, "tid", task->tid);
	if (task->cpu >= 0)
		json_s64(w, "cpu", task->cpu);
	if (task->cgroup)
		json_text(w, "cgroup", task->cgroup);
	add_root(w, task);
}

/* ---- wakers ---- */

struct stacks {
	const struct report *report;
	struct texts texts;
	struct merged merged;
	struct timeline timeline;
	const struct timeline_bin *bin; /* the next one to write */
	u64 divisor;
};

/* Add the frames of a stack, leaf first. */
static void add_path(struct jsonw *w, const char *key, struct stacks *s, u32 node)
{
	json_open(w, key, '[');
	for (; node; node = s->report->nodes[node].parent)
		json_raw(w, NULL, texts_get(&s->texts, s->report->nodes[node].frame));
	json_close(w, ']');
}

/* `before`: the part of the row's value that passed while the wait depended on the links before
 * this one.  The running sum is rounded, not the parts, so that their sum cannot exceed the row's
 * value. */
static void add_us(struct jsonw *w, const struct stacks *s, const struct waker_link *link,
		   u64 *before)
{
	u64 sum;

	if (!s->merged.link_values)
		return;
	sum = *before + s->merged.link_values[link - s->report->links];
	add_value(w, "us", "ns", sum - *before, sum / NS_PER_US - *before / NS_PER_US, NS_PER_US);
	*before = sum;
}

static void add_waker(struct jsonw *w, struct stacks *s, const struct waker_link *link, u64 *before)
{
	json_open(w, NULL, '{');
	json_text(w, "kind", waker_kind_names[link->kind]);
	if (link->kind == WAKER_THREAD)
		add_task(w, &s->report->tasks[link->task]);
	else if (link->kind == WAKER_IRQ || link->kind == WAKER_SOFTIRQ)
		json_text(w, "name", link->name);
	add_path(w, "kernel", s, link->kernel);
	if (link->kind == WAKER_THREAD)
		add_path(w, "user", s, link->user);
	add_us(w, s, link, before);
	json_close(w, '}');
}

/* NULL for an interrupt, because the kind of the last link shows it. */
static const char *end_name(const struct report *r, const struct waker_chain *chain)
{
	if (chain->end == CHAIN_END_IRQ && chain->n)
		return waker_kind_names[report_link(r, chain, chain->n - 1)->kind];
	return chain_end_names[chain->end];
}

static void add_wakers(struct jsonw *w, struct stacks *s, const struct stack_row *row)
{
	const struct waker_chain *chain = report_chain(s->report, row->chain);
	u64 before = 0;

	if (s->report->run->shape == SHAPE_STACK)
		return;
	json_open(w, "wakers", '[');
	for (u32 i = 0; i < chain->n; i++)
		add_waker(w, s, report_link(s->report, chain, i), &before);
	json_close(w, ']');
	json_text(w, "chain_end", end_name(s->report, chain));
}

/* ---- stacks ---- */

/* The samples over time of the next row: [bin, samples] each. */
static void add_bins(struct jsonw *w, struct stacks *s, size_t row)
{
	const struct timeline_bin *end;

	if (!s->timeline.bins.n)
		return;
	end = s->timeline.bins.items + s->timeline.bins.n;
	json_open(w, "bins", '[');
	for (; s->bin < end && s->bin->row == row; s->bin++) {
		json_open(w, NULL, '[');
		json_u64(w, NULL, s->bin->bin);
		json_u64(w, NULL, s->bin->n);
		json_close(w, ']');
	}
	json_close(w, ']');
}

static void add_stack(struct render *out, struct stacks *s, const struct stack_row *row, u64 value)
{
	const struct report *r = s->report;
	struct jsonw w = json_record_begin(out, "stack");

	json_u64(&w, "iv", r->interval);
	add_task(&w, report_task(r, row));
	add_value(&w, "value", "ns", row->value, value, s->divisor);
	if (row->variance > 0) {
		json_u64(&w, "stderr", units_error(row, s->divisor));
		json_double(&w, "variance", row->variance);
	}
	json_u64(&w, "count", row->count);
	if (r->run->unit == UNIT_NS)
		json_u64(&w, "open", row->n_open);
	if (row->is_whole)
		json_bool(&w, "whole_window", true);
	if (report_has_ratios(r))
		ratio_json(&w, "ratio", merged_ratio(&s->merged, row), &r->ratio);
	json_record_stack(&w, &s->texts, row);
	add_bins(&w, s, (size_t)(row - s->merged.rows.items));
	add_wakers(&w, s, row);
	json_record_end(out, &w);
}

static void add_stacks(struct render *out, const struct report *r)
{
	struct stacks s = { .report = r, .divisor = units_of(r->run, out->opts).divisor };
	u64 *values;

	report_merge(r, out->opts->addresses || out->opts->offsets ? BY_ADDRESS : BY_NAME,
		     &s.merged);
	texts_init(&s.texts, r, out->opts, json_record_frame);
	if (out->opts->timeline && r->samples.n)
		timeline_make(r, &s.merged, &s.timeline);
	s.bin = s.timeline.bins.items;
	values = units_round(s.merged.rows.items, s.merged.rows.n, s.divisor);
	for (size_t i = 0; i < s.merged.rows.n; i++)
		add_stack(out, &s, &s.merged.rows.items[i], values[i]);
	out->n_rows = s.merged.rows.n;
	out->n_records += s.merged.rows.n;
	free(values);
	timeline_release(&s.timeline);
	texts_release(&s.texts);
	merged_release(&s.merged);
}

/* ---- states ---- */

static void add_exact_states(struct jsonw *w, const struct state_row *row, const u64 *rounded,
			     u64 divisor)
{
	bool is_exact = true;

	for (int i = 0; i < STATE_N_COLUMNS; i++)
		is_exact &= rounded[i] * divisor == row->ns[i];
	if (is_exact)
		return;
	json_open(w, "states_ns", '{');
	for (int i = 0; i < STATE_N_COLUMNS; i++)
		if (rounded[i] * divisor != row->ns[i])
			json_u64(w, state_names[i], row->ns[i]);
	json_close(w, '}');
}

static void add_state(struct render *out, const struct report *r, const struct state_row *row,
		      u64 divisor)
{
	struct jsonw w = json_record_begin(out, "state");
	u64 values[STATE_N_COLUMNS];

	memcpy(values, row->ns, sizeof(values));
	units_share(values, STATE_N_COLUMNS, divisor);
	json_u64(&w, "iv", r->interval);
	add_task(&w, &r->tasks[row->task]);
	json_u64(&w, "threads", row->n_threads);
	add_rounded(&w, "wall", "wall_ns", row->wall_ns, divisor);
	json_open(&w, "states", '{');
	for (int i = 0; i < STATE_N_COLUMNS; i++)
		json_u64(&w, state_names[i], values[i]);
	json_close(&w, '}');
	add_exact_states(&w, row, values, divisor);
	json_record_end(out, &w);
}

static void add_states(struct render *out, const struct report *r)
{
	u64 divisor = units_of(r->run, out->opts).divisor;
	u32 *order = report_states(r);

	for (size_t i = 0; i < r->states.n; i++)
		add_state(out, r, &r->states.items[order[i]], divisor);
	out->n_records += r->states.n;
	free(order);
}

/* ---- function ---- */

/* Add the processes of the stacks from which the functions were taken, if text has a table of
 * them. */
static void add_processes(struct render *out, const struct report *r)
{
	struct task_sum *sums;
	size_t n = tasks_sum(r, &sums);

	for (size_t i = 0; i < n; i++) {
		struct jsonw w = json_record_begin(out, "process");

		json_u64(&w, "iv", r->interval);
		add_task(&w, &r->tasks[sums[i].task]);
		json_u64(&w, "value", sums[i].value);
		json_record_end(out, &w);
	}
	out->n_records += n;
	free(sums);
}

static void add_funcs(struct render *out, const struct report *r)
{
	u64 divisor = units_of(r->run, out->opts).divisor;

	if (r->run->unit == UNIT_SAMPLES)
		add_processes(out, r);

	for (size_t i = 0; i < r->funcs.n; i++) {
		const struct func_row *row = &r->funcs.items[i];
		const struct frame *f = &r->frames[row->frame];
		struct jsonw w = json_record_begin(out, "function");
		struct str label = { 0 };

		label_add(&label, f, false);
		json_u64(&w, "iv", r->interval);
		json_view(&w, "func", str_view(&label));
		json_text(&w, "mod", json_module_name(f));
		json_text(&w, "kind",
			  frame_kind_names[f->kind]  ? frame_kind_names[f->kind]
			  : frame_is_kernel(f->kind) ? "kernel"
						     : "user");
		if (f->linkage)
			json_text(&w, "linkage", f->linkage);
		add_rounded(&w, "self", "self_ns", row->self, divisor);
		add_rounded(&w, "total", "total_ns", row->total, divisor);
		if (report_has_ratios(r)) {
			const struct ratio *ratios = &r->func_ratios.items[row->ratio];

			ratio_json(&w, "self_ratio", &ratios[0], &r->ratio);
			ratio_json(&w, "total_ratio", &ratios[1], &r->ratio);
		}
		json_record_end(out, &w);
		str_release(&label);
	}
	out->n_records += r->funcs.n;
}

/* ---- ledger ---- */

static void add_countable(struct jsonw *w, const char *key, u64 v)
{
	if (v == LOST_UNKNOWN)
		json_none(w, key);
	else
		json_u64(w, key, v);
}

static void add_lost(struct jsonw *w, const struct ledger *l)
{
	json_open(w, "lost", '{');
	for (int i = 0; i < LOST_N_REASONS; i++)
		add_countable(w, lost_names[i], l->lost[i]);
	json_close(w, '}');
}

static void add_symbols(struct jsonw *w, const struct ledger *l)
{
	json_open(w, "symbols", '{');
	json_u64(w, "frames", l->symbols.frames);
	json_u64(w, "symbolized", l->symbols.symbolized);
	json_u64(w, "stripped", l->symbols.stripped);
	json_u64(w, "jit_no_map", l->symbols.jit_no_map);
	json_u64(w, "exited", l->symbols.exited);
	json_u64(w, "too_costly", l->symbols.too_costly);
	json_open(w, "too_costly_files", '[');
	for (int i = 0; i < LEDGER_COSTLY_FILES && l->symbols.costly_files[i]; i++)
		json_text(w, NULL, l->symbols.costly_files[i]);
	json_close(w, ']');
	json_u64(w, "no_unwind_info", l->symbols.no_unwind_info);
	json_close(w, '}');
}

static void add_stack_counts(struct jsonw *w, const struct ledger *l)
{
	json_open(w, "stacks", '{');
	json_u64(w, "complete", l->stacks.complete);
	json_u64(w, "truncated", l->stacks.truncated);
	if (l->stacks.user) {
		json_open(w, "user", '{');
		json_u64(w, "value", l->stacks.user);
		json_share(w, "complete_share", ledger_complete_share(l));
		json_open(w, "cut", '{');
		for (int i = 0; i < TRUNCATION_N_REASONS; i++)
			json_u64(w, truncation_names[i], l->stacks.user_truncated[i]);
		json_close(w, '}');
		json_close(w, '}');
	}
	json_close(w, '}');
	if (l->keys_cut)
		json_u64(w, "keys_cut", l->keys_cut);
}

static void add_cost(struct jsonw *w, const struct ledger *l)
{
	json_open(w, "cost", '{');
	json_u64(w, "user_ms", l->cost.user_ms);
	json_u64(w, "rss_kb", l->cost.rss_kb);
	json_u64(w, "map_kb", l->cost.map_kb);
	add_countable(w, "bpf_runs", l->cost.bpf_runs);
	add_countable(w, "bpf_ns", l->cost.bpf_ns);
	json_close(w, '}');
}

static void add_rows(struct render *out, const struct report *r)
{
	switch (r->kind) {
	case REPORT_FUNCS:
		add_funcs(out, r);
		break;
	case REPORT_STATES:
		add_states(out, r);
		break;
	case REPORT_STACKS:
	case REPORT_PATHS:
		add_stacks(out, r);
		break;
	case REPORT_COUNTS:
		counts_json(out, r);
		break;
	case REPORT_DISTS:
	case REPORT_HEAT:
		dists_json(out, r);
		break;
	case REPORT_THREADS:
		threads_json(out, r);
		break;
	case REPORT_DIFF:   /* written by json_report */
	case REPORT_EVENTS: /* written one by one before */
		break;
	}
}

/* Add the number of waits that are not over, and the time of those that are reported separately or
 * were left out. */
static void add_open(struct jsonw *w, const struct report *r, u64 divisor)
{
	json_u64(w, "open", r->n_open);
	if (r->kind == REPORT_STATES)
		return;
	json_open(w, "whole_window", '{');
	json_u64(w, "open", r->whole.n);
	add_rounded(w, "value", "ns", r->whole.value, divisor);
	json_close(w, '}');
	if (r->left_ns)
		add_rounded(w, "left_out", "left_out_ns", r->left_ns, divisor);
}

/* Add the kind of a report that has no records to show it. */
static void add_empty_kind(struct jsonw *w, const struct report *r)
{
	if (r->kind == REPORT_FUNCS)
		json_text(w, "kind", "functions");
	else if (r->kind == REPORT_STATES)
		json_text(w, "kind", "states");
	else if (r->kind == REPORT_PATHS)
		json_text(w, "kind", "paths");
	else if (r->kind == REPORT_COUNTS)
		json_text(w, "kind", "counts");
	else if (r->kind == REPORT_THREADS)
		json_text(w, "kind", "threads");
}

/* Add the part of the ledger that a picture or a page shows. */
static void add_stack_ledger(struct jsonw *w, const struct ledger *l)
{
	const struct ledger none = { 0 };

	if (memcmp(&l->symbols, &none.symbols, sizeof(none.symbols)) != 0)
		add_symbols(w, l);
	if (memcmp(&l->stacks, &none.stacks, sizeof(none.stacks)) != 0 || l->keys_cut)
		add_stack_counts(w, l);
}

static void json_report(struct render *out, const struct report *r)
{
	u64 before = out->n_records;
	struct jsonw w;

	if (r->kind == REPORT_DIFF) {
		diff_json(out, r->diff);
		return;
	}
	add_rows(out, r);
	w = json_record_begin(out, "interval");
	json_u64(&w, "iv", r->interval);
	json_seconds(&w, "start", r->start_ns, 9);
	json_seconds(&w, "end", r->end_ns, 9);
	if (r->is_snapshot)
		json_bool(&w, "snapshot", true);
	json_u64(&w, "records", out->n_records - before);
	if (out->n_records == before)
		add_empty_kind(&w, r);
	if (r->count_view.is_wide)
		json_bool(&w, "wide", true);
	if (r->run->unit == UNIT_NS)
		add_open(&w, r, units_of(r->run, out->opts).divisor);
	if (r->kind == REPORT_FUNCS)
		add_rounded(&w, "total", "total_ns", r->total, units_of(r->run, out->opts).divisor);
	if (report_has_ratios(r))
		ratio_json(&w, "ratio", &r->ratio, &r->ratio);
	add_lost(&w, &r->ledger);
	add_stack_ledger(&w, &r->ledger);
	json_record_end(out, &w);
}

static void json_warn(struct render *out, const char *code, const char *message)
{
	struct jsonw w = json_record_begin(out, "warn");

	json_text(&w, "code", code);
	json_text(&w, "msg", message);
	json_record_end(out, &w);
}

static void json_end(struct render *out, const struct run_end *end)
{
	struct jsonw w = json_record_begin(out, "end");

	json_text(&w, "reason", end->reason);
	json_seconds(&w, "elapsed", end->elapsed_ns, 9);
	json_u64(&w, "intervals", end->intervals);
	json_u64(&w, "records", out->n_records);
	json_bool(&w, "complete", ledger_is_clean(&end->ledger));
	add_lost(&w, &end->ledger);
	add_symbols(&w, &end->ledger);
	add_stack_counts(&w, &end->ledger);
	add_cost(&w, &end->ledger);
	if (end->n_probes)
		events_json_probes(&w, end->probes, end->n_probes);
	json_record_end(out, &w);
}

static const char *const extensions[] = { ".json", ".jsonl", ".ndjson", NULL };

const struct renderer json_renderer = {
	.name = "json",
	.extensions = extensions,
	.kinds = REPORT_STACKS | REPORT_FUNCS | REPORT_STATES | REPORT_PATHS | REPORT_EVENTS |
		 REPORT_COUNTS | REPORT_DISTS | REPORT_HEAT | REPORT_DIFF | REPORT_THREADS,
	.begin = json_begin,
	.begin_events = events_json_begin,
	.report = json_report,
	.event = events_json,
	.warn = json_warn,
	.end = json_end,
};
