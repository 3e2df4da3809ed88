// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The states of processes: a row for each, its time divided by state as numbers and as a bar.
 * Sorted by what hurts, as the text is (model/report.h); those that never had work are not shown
 * until asked for.
 */
#include <stdlib.h>

#include "live/live_int.h"
#include "render/textwriter.h"
#include "render/units.h"

#define CELL	     7
#define NAME	     22
#define CELLS_MIN    3
#define WIDE	     100 /* columns: room for more about the process */
#define ROWS_FOR_SUM 4

/* The columns of the screen: states that belong to one answer for a person share one. */
struct column_of_states {
	const char *name;
	u32 states; /* bits of enum state_column */
};

#define BIT(state) (1u << (state))

static const struct column_of_states columns[] = {
	{ "running", BIT(STATE_USER) | BIT(STATE_SYSTEM) },
	{ "ready", BIT(STATE_PREEMPTED) | BIT(STATE_WAITING) | BIT(STATE_THROTTLED) },
	{ "disk", BIT(STATE_DISK) | BIT(STATE_FAULT) },
	{ "lock", BIT(STATE_LOCK) | BIT(STATE_CONDITION) | BIT(STATE_FUTEX) },
	{ "net", BIT(STATE_NETWORK) },
	{ "pipe", BIT(STATE_PIPE) },
	{ "sleep", BIT(STATE_SLEEP) | BIT(STATE_POLL) },
	{ "other", BIT(STATE_CHILD) | BIT(STATE_OTHER) | BIT(STATE_UNSEEN) },
};

static bool state_fits(const struct live *l, const struct live_source *s)
{
	(void)l;
	return s->kind == REPORT_STATES;
}

/* Work for less than a thousandth of its time is a timer that ticks. */
static bool is_idle(const struct state_row *row)
{
	return state_work_ns(row) < row->wall_ns / 1000;
}

static const struct state_row *state_at(const struct live *l, size_t row)
{
	return &l->shown.report.states.items[l->order.items[row]];
}

/* The selected process stays selected when its row moves; the first row stays the first. */
static void select_task(struct live *l, u32 task)
{
	for (size_t i = 0; i < l->order.n; i++)
		if (state_at(l, i)->task == task)
			list_select(&l->list, i);
}

static void state_prepare(struct live *l)
{
	const struct report *r = &l->shown.report;
	u32 *order = report_states(r);

	l->order.n = 0;
	for (size_t i = 0; i < r->states.n; i++)
		if (l->has_idle || !is_idle(&r->states.items[order[i]]))
			vec_push(&l->order, order[i]);
	free(order);
	list_resize(&l->list, l->order.n);
	if (l->list.at)
		select_task(l, l->selected_task);
}

static void state_name(const struct live *l, size_t row, bool is_long, struct str *out)
{
	const struct state_row *s = state_at(l, row);

	text_add_task(out, &l->shown.report.tasks[s->task]);
	if (s->n_threads > 1 && (is_long || l->area.columns >= WIDE))
		str_addf(out, ", %u threads", s->n_threads);
}

static u64 sum_of(const struct state_row *row, u32 states)
{
	u64 sum = 0;

	for (int i = 0; i < STATE_N_COLUMNS; i++)
		if (states & BIT(i))
			sum += row->ns[i];
	return sum;
}

static u32 n_cells(struct area area)
{
	u32 n = area.columns > NAME ? (area.columns - NAME) / CELL : 0;

	n = n < CELLS_MIN ? CELLS_MIN : n;
	return n < ARRAY_SIZE(columns) ? n : (u32)ARRAY_SIZE(columns);
}

/* A row may stand for several threads: 150 % running means one and a half CPUs. */
static void add_cells(const struct live *l, const struct state_row *row, u32 n, struct str *out)
{
	const struct report *r = &l->shown.report;

	for (u32 i = 0; i < n; i++) {
		u64 ns = sum_of(row, columns[i].states);

		if (ns)
			str_addf(out, "%*.1f", CELL, units_percent(ns, r->end_ns - r->start_ns));
		else
			str_addf(out, "%*s", CELL, "-");
	}
}

/* All processes, the idle ones too: the host in one line. */
static void draw_sum(struct live *l, struct area area, u32 n)
{
	struct state_row sum = { 0 };
	const struct state_row *row;
	struct str text = { 0 };
	u32 cpus = l->shown.report.run->cpus_online;

	vec_for_each(row, &l->shown.report.states)
		for (int i = 0; i < STATE_N_COLUMNS; i++)
			sum.ns[i] += row->ns[i];
	add_cells(l, &sum, n, &text);
	str_adds(&text, "  all");
	if (cpus)
		str_addf(&text, ", %u CPU%s", cpus, cpus == 1 ? "" : "s");
	screen_put(l->screen, area.row + 1, 0, area.columns, str_view(&text),
		   (struct style){ .is_bold = true });
	str_release(&text);
}

static void state_draw(struct live *l, struct area area)
{
	struct str text = { 0 };
	u32 n = n_cells(area), above = area.rows > ROWS_FOR_SUM ? 2 : 1;

	for (u32 i = 0; i < n; i++)
		str_addf(&text, "%*s", CELL, columns[i].name);
	str_adds(&text, area.columns < WIDE ? "  process; % of a CPU"
			: l->has_idle	    ? "  process (% of one CPU's time)"
					    : "  process (% of one CPU's time; idle ones: i)");
	table_heading(l, area, &text);
	if (above == 2)
		draw_sum(l, area, n);
	list_fit(&l->list, area.rows > above ? area.rows - above : 0);
	l->list.row = area.row + above;
	for (u32 i = 0; i < l->list.rows && l->list.top + i < l->list.n; i++) {
		size_t row = l->list.top + i;

		str_clear(&text);
		add_cells(l, state_at(l, row), n, &text);
		str_adds(&text, "  ");
		state_name(l, row, false, &text);
		screen_put(l->screen, l->list.row + i, 0, area.columns, str_view(&text),
			   row_style(l, row));
	}
	str_release(&text);
}

/* The state that has the most time of those that are not in `said`. */
static int next_state(const struct state_row *row, u32 said)
{
	int best = -1;

	for (int i = 0; i < STATE_N_COLUMNS; i++)
		if (row->ns[i] && !(said & BIT(i)) && (best < 0 || row->ns[i] > row->ns[best]))
			best = i;
	return best;
}

/* The selected process's own states, of which the columns are sums: the longest first. */
static void state_describe(struct live *l, struct str *out)
{
	const struct report *r = &l->shown.report;
	const struct state_row *row;
	const char *separator = ": ";
	u32 said = 0;
	int i;

	if (l->list.at >= l->order.n)
		return;
	row = state_at(l, l->list.at);
	state_name(l, l->list.at, true, out);
	while ((i = next_state(row, said)) >= 0) {
		str_addf(out, "%s%s %.1f %%", separator, state_names[i],
			 units_percent(row->ns[i], r->end_ns - r->start_ns));
		separator = ", ";
		said |= BIT(i);
	}
}

static u32 state_pid(const struct live *l)
{
	s64 pid;

	if (l->list.at >= l->order.n)
		return 0;
	pid = l->shown.report.tasks[state_at(l, l->list.at)->task].pid;
	return pid > 0 ? (u32)pid : 0;
}

/* The source with stacks, if there is one beside this. */
static size_t source_of_stacks(const struct live *l)
{
	for (size_t i = 0; i < l->n_sources; i++)
		if (flame_view.fits(l, &l->sources[i]))
			return i;
	return l->n_sources;
}

static bool move(struct live *l, s32 key)
{
	bool is_used = table_key(l, key);

	if (is_used && l->list.at < l->order.n)
		l->selected_task = state_at(l, l->list.at)->task;
	return is_used;
}

static bool state_key(struct live *l, s32 key)
{
	size_t stacks = source_of_stacks(l);
	u32 pid = state_pid(l);

	if (key != KEY_RETURN || !pid || stacks == l->n_sources)
		return move(l, key);
	live_remember(l);
	/* A window has few samples of one process. */
	l->is_last = false;
	l->only_pid = pid;
	l->only_name = l->shown.report.tasks[state_at(l, l->list.at)->task].comm;
	l->at = stacks;
	live_use(l, &flame_view);
	return true;
}

static void long_name(const struct live *l, size_t row, struct str *out)
{
	state_name(l, row, true, out);
}

static void state_find(struct live *l, bool is_forward)
{
	table_find(l, is_forward, long_name);
}

const struct live_view state_view = {
	.name = "states",
	.fits = state_fits,
	.prepare = state_prepare,
	.draw = state_draw,
	.key = state_key,
	.describe = state_describe,
	.find = state_find,
	.pid = state_pid,
};
