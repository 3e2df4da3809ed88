// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Adds up reports: their values, their losses, and the time that they cover. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "saved/saved_int.h"

/* ---- the ledger ---- */

/* Hostile files can claim losses of any size: their sum stops at the largest number that a reader
 * of JSON accepts, and never becomes LOST_UNKNOWN. */
static void add_countable(u64 *sum, u64 v)
{
	if (*sum == LOST_UNKNOWN || v == LOST_UNKNOWN)
		*sum = LOST_UNKNOWN;
	else
		*sum = v > INT64_MAX - *sum ? INT64_MAX : *sum + v;
}

static void add_losses(struct ledger *sum, const struct ledger *l)
{
	for (int i = 0; i < LOST_N_REASONS; i++)
		add_countable(&sum->lost[i], l->lost[i]);
	sum->stacks.complete += l->stacks.complete;
	sum->stacks.truncated += l->stacks.truncated;
	sum->stacks.user += l->stacks.user;
	for (int i = 0; i < TRUNCATION_N_REASONS; i++)
		sum->stacks.user_truncated[i] += l->stacks.user_truncated[i];
	sum->keys_cut += l->keys_cut;
}

static void add_costly_files(struct ledger *sum, const struct ledger *l)
{
	int n = 0;

	while (n < LEDGER_COSTLY_FILES && sum->symbols.costly_files[n])
		n++;
	for (int i = 0; n < LEDGER_COSTLY_FILES && i < LEDGER_COSTLY_FILES; i++)
		if (l->symbols.costly_files[i])
			sum->symbols.costly_files[n++] = l->symbols.costly_files[i];
}

static void add_symbols(struct ledger *sum, const struct ledger *l)
{
	sum->symbols.frames += l->symbols.frames;
	sum->symbols.symbolized += l->symbols.symbolized;
	sum->symbols.stripped += l->symbols.stripped;
	sum->symbols.jit_no_map += l->symbols.jit_no_map;
	sum->symbols.exited += l->symbols.exited;
	sum->symbols.too_costly += l->symbols.too_costly;
	sum->symbols.no_unwind_info += l->symbols.no_unwind_info;
	add_costly_files(sum, l);
}

static void add_cost(struct ledger *sum, const struct ledger *l)
{
	sum->cost.user_ms += l->cost.user_ms;
	if (l->cost.rss_kb > sum->cost.rss_kb)
		sum->cost.rss_kb = l->cost.rss_kb;
	if (l->cost.map_kb > sum->cost.map_kb)
		sum->cost.map_kb = l->cost.map_kb;
	add_countable(&sum->cost.bpf_runs, l->cost.bpf_runs);
	add_countable(&sum->cost.bpf_ns, l->cost.bpf_ns);
}

/* ---- which reports, and when ---- */

/* A window since 1970, or since the start of a run whose start is not known. */
struct window {
	u64 start, end;
};

static int span_cmp(const void *a, const void *b)
{
	const struct window *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->end > y->end) - (x->end < y->end);
}

/* A report that starts at 0 includes those before it (run/engine.h). */
static u32 first_that_counts(const struct saved *s, const struct saved_file *f)
{
	u32 first = f->first;

	for (u32 i = f->first; i < f->first + f->n; i++)
		if (!s->reports.items[i].is_snapshot && !s->reports.items[i].start_ns &&
		    s->reports.items[i].end_ns)
			first = i;
	return first;
}

/* Does report i count, which is the first that counts or comes after it?  Snapshots count only at
 * the end of a file. */
static bool counts(const struct saved *s, const struct saved_file *f, u32 i)
{
	bool is_last = i == f->first + f->n - 1;

	return !s->reports.items[i].is_snapshot || is_last;
}

/* The time that at least one of the windows covers. */
static u64 covered(struct window *spans, size_t n)
{
	u64 sum = 0, end = 0;

	qsort(spans, n, sizeof(*spans), span_cmp);
	for (size_t i = 0; i < n; i++) {
		u64 start = spans[i].start > end ? spans[i].start : end;

		if (spans[i].end > start) {
			sum += spans[i].end - start;
			end = spans[i].end;
		}
	}
	return sum;
}

/* The length of the reports that count.  Files without a time of day are taken to follow one
 * another. */
static u64 length_of(const struct saved *s)
{
	struct window *spans = mem_alloc(s->reports.n + s->files.n + 1, sizeof(*spans));
	const struct saved_file *f;
	size_t n = 0;
	u64 sum = 0;

	vec_for_each(f, &s->files) {
		size_t before = n;

		for (u32 i = first_that_counts(s, f); i < f->first + f->n; i++)
			if (counts(s, f, i))
				spans[n++] = (struct window){
					f->realtime_ns + s->reports.items[i].start_ns,
					f->realtime_ns + s->reports.items[i].end_ns
				};
		if (f->has_events)
			spans[n++] = (struct window){ f->realtime_ns,
						      f->realtime_ns + f->end.elapsed_ns };
		if (f->realtime_ns)
			continue;
		sum += covered(spans + before, n - before);
		n = before;
	}
	sum += n ? covered(spans, n) : 0;
	free(spans);
	return sum;
}

/* ---- rows ---- */

/* The ratios of self and total. */
static void add_func_ratios(struct report *out, u32 at, const struct report *r, u32 from)
{
	for (u32 i = 0; r->func_ratios.n && i < 2; i++)
		ratio_add(&out->func_ratios.items[at + i], &r->func_ratios.items[from + i]);
}

/* Functions of several reports are added up if they look the same. */
static void add_funcs(struct report *out, const struct report *r, u32 *have, const u32 *looks)
{
	const struct func_row *row;

	if (!looks) /* none of the reports has functions */
		return;
	vec_for_each(row, &r->funcs) {
		u32 *at = &have[looks[row->frame]];

		if (*at) {
			out->funcs.items[*at - 1].self += row->self;
			out->funcs.items[*at - 1].total += row->total;
			add_func_ratios(out, out->funcs.items[*at - 1].ratio, r, row->ratio);
			continue;
		}
		vec_push(&out->funcs, *row);
		*at = (u32)out->funcs.n;
		out->funcs.items[*at - 1].ratio = (u32)out->func_ratios.n;
		for (u32 i = 0; r->func_ratios.n && i < 2; i++)
			vec_push(&out->func_ratios, r->func_ratios.items[row->ratio + i]);
	}
}

static void add_states(struct report *out, const struct report *r, u32 *have)
{
	const struct state_row *row;

	vec_for_each(row, &r->states) {
		u32 *at = &have[row->task];
		struct state_row *sum;

		if (!*at) {
			vec_push(&out->states, *row);
			*at = (u32)out->states.n;
			continue;
		}
		sum = &out->states.items[*at - 1];
		sum->wall_ns += row->wall_ns;
		if (row->n_threads > sum->n_threads)
			sum->n_threads = row->n_threads;
		for (int i = 0; i < STATE_N_COLUMNS; i++)
			sum->ns[i] += row->ns[i];
	}
}

/* Strings are interned: equal texts have equal addresses. */
static bool is_same_count(const struct count_row *a, const struct count_row *b, u32 n_keys)
{
	if (a->name != b->name || a->probe != b->probe || a->label != b->label ||
	    a->mod != b->mod || !a->key != !b->key || !key_marks_equal(a->marks, b->marks))
		return false;
	return !a->key || !b->key || !n_keys || !memcmp(a->key, b->key, n_keys * sizeof(*a->key));
}

static u64 count_hash(const struct count_row *row, u32 n_keys)
{
	u64 h = hash_mix((uintptr_t)row->name, (uintptr_t)row->probe);

	for (u32 i = 0; row->key && i < n_keys; i++)
		h = hash_mix(h, (uintptr_t)row->key[i]);
	return hash_mix(h, (uintptr_t)row->mod);
}

static void add_count(struct report *out, struct index *have, const struct count_row *row)
{
	u32 n_keys = out->count_view.n_keys, id;
	u64 hash = count_hash(row, n_keys);
	size_t at = 0;

	while (index_next(have, hash, &at, &id)) {
		struct count_row *sum = &out->counts.items[id];

		if (!is_same_count(sum, row, n_keys))
			continue;
		sum->value += row->value;
		sum->errors += row->errors;
		sum->time_ns += row->time_ns;
		return;
	}
	index_add(have, hash, (u32)out->counts.n);
	vec_push(&out->counts, *row);
}

static void add_counts(struct report *out, struct index *have, const struct report *r)
{
	const struct count_row *row;

	out->count_view.has_errors |= r->count_view.has_errors;
	out->count_view.has_times |= r->count_view.has_times;
	vec_for_each(row, &r->counts)
		add_count(out, have, row);
}

/* A file does not contain how columns are computed from counts, and rows with different keys are
 * not comparable. */
static int check_counts(const struct count_view *a, const struct count_view *b, struct err *err)
{
	if (a->n_columns || b->n_columns)
		return err_set(err, ERR_FAIL, "counts with columns of --col can't be added up");
	if (a->n_keys && b->n_keys &&
	    (a->n_keys != b->n_keys ||
	     memcmp(a->key_names, b->key_names, a->n_keys * sizeof(*a->key_names)) != 0))
		return err_set(err, ERR_FAIL, "counts by other keys (--by) can't be added up");
	return 0;
}

/* Reports without rows have no keys. */
static int check_all(const struct saved *s, struct count_view *view, struct err *err)
{
	const struct report *r;

	if (s->reports.n == 1) {
		*view = s->reports.items[0].count_view; /* nothing is added */
		return 0;
	}
	vec_for_each(r, &s->reports) {
		if (!view->n_keys)
			*view = r->count_view;
		if (check_counts(view, &r->count_view, err) ||
		    saved_check_dists(s->reports.items, r, err))
			return -err->code;
	}
	return 0;
}

struct adding {
	struct report *out;
	struct index stacks, counts, dists;
	u32 *looks, *funcs, *states;
};

static bool is_same_stack(const struct stack_row *a, const struct stack_row *b)
{
	return a->task == b->task && a->kernel == b->kernel && a->user == b->user &&
	       a->chain == b->chain && a->is_rooted == b->is_rooted && a->is_whole == b->is_whole;
}

/* A row that has a ratio has neither open intervals nor a variance. */
static void add_to_stack(struct report *out, struct stack_row *sum, const struct report *r,
			 const struct stack_row *row)
{
	sum->value += row->value;
	sum->count += row->count;
	if (r->ratios.n) {
		ratio_add(&out->ratios.items[sum->ratio], &r->ratios.items[row->ratio]);
		return;
	}
	sum->n_open += row->n_open;
	sum->variance += row->variance;
}

static void add_new_stack(struct report *out, const struct report *r, struct stack_row row)
{
	if (r->ratios.n) {
		vec_push(&out->ratios, r->ratios.items[row.ratio]);
		row.ratio = out->ratios.n - 1;
	}
	vec_push(&out->stacks, row);
}

/* Nodes, tasks and chains are kept once, so equal stacks have equal numbers. */
static void add_stack(struct report *out, struct index *have, const struct report *r,
		      const struct stack_row *row)
{
	u64 hash = hash_mix((u64)row->task << 32 | row->user,
			    (u64)row->kernel << 32 | (u64)row->chain << 1 | row->is_whole);
	size_t at = 0;
	u32 id;

	while (index_next(have, hash, &at, &id)) {
		struct stack_row *sum = &out->stacks.items[id];

		if (!is_same_stack(sum, row))
			continue;
		add_to_stack(out, sum, r, row);
		return;
	}
	index_add(have, hash, (u32)out->stacks.n);
	add_new_stack(out, r, *row);
}

static void add_report(struct adding *a, const struct report *r)
{
	struct report *out = a->out;
	const struct stack_row *row;

	vec_for_each(row, &r->stacks)
		add_stack(out, &a->stacks, r, row);
	ratio_add(&out->ratio, &r->ratio);
	add_funcs(out, r, a->funcs, a->looks);
	add_states(out, r, a->states);
	add_counts(out, &a->counts, r);
	saved_add_dists(out, &a->dists, r);
	out->whole.n += r->whole.n;
	out->whole.value += r->whole.value;
	out->left_ns += r->left_ns;
	out->total += r->total;
	add_losses(&out->ledger, &r->ledger);
}

static void add_file(struct adding *a, const struct saved *s, const struct saved_file *f)
{
	u64 n_open = 0;

	for (u32 i = first_that_counts(s, f); i < f->first + f->n; i++) {
		const struct report *r = &s->reports.items[i];

		if (!counts(s, f, i))
			continue;
		add_report(a, r);
		n_open = r->n_open;
	}
	/* A wait that is open at the end of an interval is counted again in the next. */
	a->out->n_open += n_open;
	/* The ledger of each interval includes the earlier ones. */
	if (f->n)
		add_symbols(&a->out->ledger, &s->reports.items[f->first + f->n - 1].ledger);
}

/* Call it when `out` has its tables (saved_point()) and its distributions. */
static void begin_adding(struct adding *a, struct report *out, bool has_functions)
{
	*a = (struct adding){ .out = out };
	if (report_has_ratios(out))
		vec_push(&out->ratios, (struct ratio){ 0 });
	if (has_functions)
		a->looks = report_looks(out, BY_LABEL);
	a->funcs = mem_alloc(out->n_frames + 1, sizeof(*a->funcs));
	a->states = mem_alloc(out->n_tasks + 1, sizeof(*a->states));
}

static void end_adding(struct adding *a)
{
	if (a->looks)
		report_sort_functions(a->out, a->looks);
	index_release(&a->stacks);
	index_release(&a->counts);
	index_release(&a->dists);
	free(a->looks);
	free(a->funcs);
	free(a->states);
}

int saved_total(const struct saved *s, struct report *out, struct err *err)
{
	const struct saved_file *f;
	struct adding a;
	u64 total = 0;

	*out = (struct report){ .run = &s->run,
				.kind = s->kinds & REPORT_EVENTS ? REPORT_EVENTS : REPORT_STACKS };
	if (!s->reports.n)
		return 0;
	if (s->kinds & REPORT_THREADS)
		return err_set(err, ERR_FAIL,
			       "threads at one moment can't be added up with others");
	for (size_t i = 0; i < s->reports.n; i++)
		if (__builtin_add_overflow(total, s->reports.items[i].total, &total))
			return err_set(err, ERR_FAIL,
				       "the sum of the files' values does not fit in 64 bits");
	*out = (struct report){
		.kind = s->reports.items[0].kind,
		.start_ns = s->reports.items[0].start_ns,
		.end_ns = s->reports.items[0].start_ns + length_of(s),
	};
	saved_point(s, out);
	if (check_all(s, &out->count_view, err))
		return -err->code;
	saved_repeat_dists(s->reports.items, out);
	begin_adding(&a, out, true);
	vec_for_each(f, &s->files)
		add_file(&a, s, f);
	end_adding(&a);
	return 0;
}

/* False if the report must replace `sum`, because it includes it or is of another kind. */
static bool is_addable(const struct report *sum, const struct report *r)
{
	struct err ignored = { 0 };

	return sum->end_ns && r->start_ns && sum->kind == r->kind &&
	       !check_counts(&sum->count_view, &r->count_view, &ignored) &&
	       !saved_check_dists(sum, r, &ignored);
}

/* Rows of both are added to an empty report, so that equal rows become one. */
bool saved_add(const struct saved *s, struct report *sum, const struct report *r)
{
	bool is_added = is_addable(sum, r);
	const struct count_view *view =
		is_added && sum->count_view.n_keys ? &sum->count_view : &r->count_view;
	struct report out = {
		.kind = r->kind,
		.interval = r->interval,
		.start_ns = is_added ? sum->start_ns : r->start_ns,
		.end_ns = r->end_ns,
		.n_open = r->n_open,
		.count_view = *view,
	};
	struct adding a;

	saved_point(s, &out);
	saved_repeat_dists(r, &out);
	begin_adding(&a, &out, r->kind == REPORT_FUNCS);
	if (is_added)
		add_report(&a, sum);
	add_report(&a, r);
	end_adding(&a);
	add_symbols(&out.ledger, &r->ledger);
	report_release(sum);
	*sum = out;
	return is_added;
}

/* Add the file's own ledger or, if it has none, those of its reports. */
static void add_end(struct run_end *end, const struct saved *s, const struct saved_file *f)
{
	add_cost(&end->ledger, &f->end.ledger);
	if (f->end.reason) {
		add_losses(&end->ledger, &f->end.ledger);
		add_symbols(&end->ledger, &f->end.ledger);
		return;
	}
	for (u32 i = first_that_counts(s, f); i < f->first + f->n; i++)
		if (counts(s, f, i))
			add_losses(&end->ledger, &s->reports.items[i].ledger);
	if (f->n)
		add_symbols(&end->ledger, &s->reports.items[f->first + f->n - 1].ledger);
}

struct run_end saved_end(const struct saved *s)
{
	struct run_end end = { .reason = "done", .elapsed_ns = length_of(s) };
	const struct saved_file *f;

	vec_for_each(f, &s->files) {
		end.intervals += f->n;
		add_end(&end, s, f);
		if (!f->is_whole)
			end.reason = "incomplete";
	}
	if (s->files.n != 1)
		return end;
	f = s->files.items;
	if (f->end.reason && f->is_whole)
		end.reason = f->end.reason;
	end.intervals = f->end.intervals ? f->end.intervals : end.intervals;
	end.probes = f->end.probes;
	end.n_probes = f->end.n_probes;
	end.elapsed_ns = f->end.elapsed_ns ? f->end.elapsed_ns : end.elapsed_ns;
	return end;
}
