// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The text of `offcpu --states`: a table of tasks by states. */
#include <string.h>

#include "render/textwriter.h"
#include "render/units.h"

#define CELL	  10 /* columns */
#define NAME	  20 /* columns, with two blanks before it */
/* Without a terminal: as wide as most windows. */
#define WIDTH	  110
#define CELLS_MIN 3

struct state_table {
	struct render *out;
	const struct report *report;
	bool is_shown[STATE_N_COLUMNS];
	bool is_rest[STATE_N_COLUMNS]; /* summed in one column */
	bool has_rest;
	u64 divisor; /* divisor of the times: shows seconds with three decimals unless a unit was
			requested */
};

static const char legend[] =
	"%s and percent of wall time, sorted by the time running, runnable, or waiting for disks\n"
	"and page faults, largest last; * estimated from the kernel's ticks\n";

/* ---- columns ---- */

static u32 n_cells(const struct render *out)
{
	u32 width = out->columns ? out->columns : WIDTH, n;

	width -= width < NAME ? width : NAME;
	n = width / CELL;
	return n > CELLS_MIN ? n - 1 : CELLS_MIN; /* one has the wall time */
}

/* The weight of an idle task's states; for a task that always has work, it is 1 more. */
#define IDLE_WEIGHT 0.01

/* Show the states in which busy tasks spend most time, as many as fit on the line; the others share
 * a column. */
static void choose_columns(struct state_table *t, const struct state_rows *rows, size_t n_rows)
{
	double scores[STATE_N_COLUMNS] = { 0 };
	u32 room = n_cells(t->out), n_used = 0;

	for (size_t i = 0; i < n_rows; i++) {
		const struct state_row *row = &rows->v.items[i];
		double weight = IDLE_WEIGHT;

		if (row->wall_ns)
			weight += (double)state_work_ns(row) / (double)row->wall_ns;
		for (int k = 0; k < STATE_N_COLUMNS; k++)
			scores[k] += (double)row->ns[k] * weight;
	}
	for (int k = 0; k < STATE_N_COLUMNS; k++)
		n_used += scores[k] > 0;
	t->has_rest = n_used > room;
	for (u32 n = t->has_rest ? room - 1 : n_used; n; n--) {
		int most = 0;

		for (int k = 1; k < STATE_N_COLUMNS; k++)
			if (scores[k] > scores[most])
				most = k;
		t->is_shown[most] = true;
		scores[most] = 0;
	}
	for (int k = 0; k < STATE_N_COLUMNS; k++)
		t->is_rest[k] = scores[k] > 0;
}

static void add_rest_legend(const struct state_table *t)
{
	struct str *buf = &t->out->sink->buf;
	const char *sep = "rest: ";

	if (!t->has_rest)
		return;
	for (int k = 0; k < STATE_N_COLUMNS; k++)
		if (t->is_rest[k]) {
			str_addf(buf, "%s%s", sep, state_names[k]);
			sep = ", ";
		}
	str_adds(buf, " (JSON has each)\n");
}

static void add_head(const struct state_table *t)
{
	struct str *buf = &t->out->sink->buf;

	str_addf(buf, legend, t->out->opts->unit ? t->out->opts->unit : "seconds");
	add_rest_legend(t);
	str_addf(buf, "\n%*s", CELL, "wall");
	for (int k = 0; k < STATE_N_COLUMNS; k++) {
		bool is_estimate = k == STATE_USER || k == STATE_SYSTEM;

		if (t->is_shown[k])
			str_addf(buf, "%*s%s", CELL - is_estimate, state_names[k],
				 is_estimate ? "*" : "");
	}
	str_addf(buf, t->has_rest ? "%*s\n" : "\n", CELL, "rest");
}

/* ---- rows ---- */

static void add_time(const struct state_table *t, u64 value)
{
	struct str *buf = &t->out->sink->buf;

	if (t->out->opts->unit)
		str_addf(buf, "%*llu", CELL, value);
	else
		str_addf(buf, "%*llu.%03llu", CELL - 4, value / 1000, value % 1000);
}

static void add_share(const struct state_table *t, u64 ns, u64 wall_ns)
{
	str_addf(&t->out->sink->buf, "%*.1f %%", CELL - 2, units_percent(ns, wall_ns));
}

static void add_name(const struct state_table *t, const struct state_row *row, size_t used)
{
	struct stack_task task = t->report->tasks[row->task];
	struct str name = { 0 }, cut = { 0 };
	struct str *buf = &t->out->sink->buf;

	if (row->n_processes)
		task.pid = -1;
	text_add_task(&name, &task);
	if (row->n_processes)
		str_addf(&name, ", %u processes", row->n_processes);
	else if (row->n_threads > 1 && task.tid < 0)
		str_addf(&name, ", %u threads", row->n_threads);
	str_adds(buf, "  ");
	text_add_colored(t->out, COLOR_TASK, text_fit(t->out, str_view(&name), used + 2, &cut));
	str_addc(buf, '\n');
	str_release(&name);
	str_release(&cut);
}

static u64 sum_rest(const struct state_table *t, const u64 *values)
{
	u64 sum = 0;

	for (int k = 0; k < STATE_N_COLUMNS; k++)
		if (t->is_rest[k])
			sum += values[k];
	return sum;
}

static void add_row(const struct state_table *t, const struct state_row *row)
{
	struct str *buf = &t->out->sink->buf;
	u64 values[STATE_N_COLUMNS];
	size_t start = buf->n;

	memcpy(values, row->ns, sizeof(values));
	units_share(values, STATE_N_COLUMNS, t->divisor);
	add_time(t, (row->wall_ns + t->divisor / 2) / t->divisor);
	for (int k = 0; k < STATE_N_COLUMNS; k++)
		if (t->is_shown[k])
			add_time(t, values[k]);
	if (t->has_rest)
		add_time(t, sum_rest(t, values));
	add_name(t, row, buf->n - start);
	str_addf(buf, "%*s", CELL, "");
	for (int k = 0; k < STATE_N_COLUMNS; k++)
		if (t->is_shown[k])
			add_share(t, row->ns[k], row->wall_ns);
	if (t->has_rest)
		add_share(t, sum_rest(t, row->ns), row->wall_ns);
	str_addc(buf, '\n');
}

static u64 wall_of(const struct state_rows *rows, size_t from)
{
	u64 sum = 0;

	for (size_t i = from; i < rows->v.n; i++)
		sum += rows->v.items[i].wall_ns;
	return sum;
}

void text_add_states(struct render *out, const struct report *r)
{
	struct state_table t = { .out = out, .report = r, .divisor = NS_PER_MS };
	struct state_rows rows;
	size_t shown;

	report_states_folded(r, &rows);
	shown = text_n_shown(out, rows.v.n);
	if (out->opts->unit)
		t.divisor = units_of(r->run, out->opts).divisor;
	if (!rows.v.n) {
		str_adds(&out->sink->buf, "no thread was seen\n\n");
		vec_release(&rows.v);
		return;
	}
	choose_columns(&t, &rows, shown);
	text_add_rest(out, &(struct text_rest){ rows.v.n - shown, "row", wall_of(&rows, shown),
						wall_of(&rows, 0), "wall time" });
	add_head(&t);
	for (size_t i = shown; i-- > 0;) {
		add_row(&t, &rows.v.items[i]);
		sink_spill(out->sink);
	}
	str_addc(&out->sink->buf, '\n');
	out->n_records += shown;
	vec_release(&rows.v);
}
