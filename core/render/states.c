// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The text of `offcpu --states`: a table of tasks by states. */
#include <string.h>

#include "base/utf8.h"
#include "render/textwriter.h"
#include "render/units.h"

/* Columns of the screen; a state's heading or value may need more than CELL. */
#define CELL	  9
#define WALL	  8
#define NAME	  24 /* with two blanks before it: a PID and a number of threads */
#define WIDTH	  80 /* without a terminal */
#define CELLS_MIN 3

/* The further states of a row: 10 columns, and lines that follow start below the first one. */
#define ALSO "    also: "

struct state_table {
	struct render *out;
	const struct report *report;
	u32 width;
	u32 wall_width, widths[STATE_N_COLUMNS];
	bool is_shown[STATE_N_COLUMNS]; /* in a column; rows name the others that they have */
	u64 divisor; /* divisor of the times: shows seconds with three decimals unless a unit was
			requested */
};

static const char legend[] = "%s and percent of wall time, sorted by the time running, runnable,\n"
			     "or waiting for disks and page faults, largest last\n";

/* ---- columns ---- */

static u32 larger(u32 a, u32 b)
{
	return a > b ? a : b;
}

static bool is_estimate(int state)
{
	return state == STATE_USER || state == STATE_SYSTEM;
}

static void add_time(const struct state_table *t, u32 width, u64 value)
{
	struct str *buf = &t->out->sink->buf;

	if (t->out->opts->unit)
		str_addf(buf, "%*llu", (int)width, value);
	else
		str_addf(buf, "%*llu.%03llu", (int)width - 4, value / 1000, value % 1000);
}

/* The columns of a time, with two blanks before it. */
static u32 time_width(const struct state_table *t, u64 ns)
{
	u64 value = (ns + t->divisor / 2) / t->divisor;
	u32 n = t->out->opts->unit ? 2 : 6;

	for (value /= t->out->opts->unit ? 1 : 1000; value >= 10; value /= 10)
		n++;
	return n + 1;
}

static void find_widths(struct state_table *t, const struct state_rows *rows, size_t n_rows)
{
	t->wall_width = WALL;
	for (int k = 0; k < STATE_N_COLUMNS; k++) {
		u32 head = (u32)strlen(state_names[k]) + is_estimate(k) + 1;

		t->widths[k] = larger(CELL, head);
	}
	for (size_t i = 0; i < n_rows; i++) {
		const struct state_row *row = &rows->v.items[i];

		t->wall_width = larger(t->wall_width, time_width(t, row->wall_ns) - 1);
		for (int k = 0; k < STATE_N_COLUMNS; k++)
			t->widths[k] = larger(t->widths[k], time_width(t, row->ns[k]));
	}
}

/* The weight of an idle task's states; for a task that always has work, it is 1 more. */
#define IDLE_WEIGHT 0.01

/* Running and runnable come first: every task has them, and they sort the rows. */
#define RUNNABLE_WEIGHT 1e9

/* Show the states in which busy tasks spend most time, as many as fit on the line. */
static void choose_columns(struct state_table *t, const struct state_rows *rows, size_t n_rows)
{
	double scores[STATE_N_COLUMNS] = { 0 };
	u32 used = t->wall_width + NAME;

	for (size_t i = 0; i < n_rows; i++) {
		const struct state_row *row = &rows->v.items[i];
		double weight = IDLE_WEIGHT;

		if (row->wall_ns)
			weight += (double)state_work_ns(row) / (double)row->wall_ns;
		for (int k = 0; k < STATE_N_COLUMNS; k++)
			scores[k] += (double)row->ns[k] * weight *
				     (k <= STATE_WAITING ? RUNNABLE_WEIGHT : 1);
	}
	for (u32 n = 0; n < STATE_N_COLUMNS; n++) {
		int most = 0;

		for (int k = 1; k < STATE_N_COLUMNS; k++)
			if (scores[k] > scores[most])
				most = k;
		used += t->widths[most];
		if (scores[most] <= 0 || (used > t->width && n >= CELLS_MIN))
			return;
		t->is_shown[most] = true;
		scores[most] = 0;
	}
}

static void add_head(const struct state_table *t)
{
	struct str *buf = &t->out->sink->buf;
	bool has_estimate = false;

	for (int k = 0; k < STATE_N_COLUMNS; k++)
		has_estimate |= t->is_shown[k] && is_estimate(k);
	str_addf(buf, legend, t->out->opts->unit ? t->out->opts->unit : "seconds");
	if (has_estimate)
		str_adds(buf, "* estimated from the kernel's ticks\n");
	str_addf(buf, "\n%*s", (int)t->wall_width, "wall");
	for (int k = 0; k < STATE_N_COLUMNS; k++)
		if (t->is_shown[k])
			str_addf(buf, "%*s%s", (int)t->widths[k] - is_estimate(k), state_names[k],
				 is_estimate(k) ? "*" : "");
	str_addc(buf, '\n');
}

/* ---- rows ---- */

static void add_share(const struct state_table *t, u32 width, u64 ns, u64 wall_ns)
{
	str_addf(&t->out->sink->buf, "%*.1f %%", (int)width - 2, units_percent(ns, wall_ns));
}

static u32 columns_from(const struct state_table *t, size_t start)
{
	const struct str *buf = &t->out->sink->buf;

	return (u32)utf8_columns((struct view){ buf->p + start, buf->n - start });
}

/* The task's name, and in `more` the text that follows it: "(1200), 3 threads". */
static void make_name(const struct state_table *t, const struct state_row *row, struct str *name,
		      struct str *more)
{
	struct stack_task task = t->report->tasks[row->task];

	if (row->n_processes)
		task.pid = -1;
	utf8_add_clean(name, view_of(task.comm ? task.comm : task.root ? task.root : ""));
	task.comm = task.root = NULL;
	text_add_task(more, &task);
	if (row->n_processes)
		str_addf(more, ", %u processes", row->n_processes);
	else if (row->n_threads > 1 && task.tid < 0)
		str_addf(more, ", %u threads", row->n_threads);
}

/* Add the text in the columns that the line has left. */
static void add_in_rest(const struct state_table *t, size_t start, struct view text)
{
	u32 used = columns_from(t, start) + 2;
	struct str cut = { 0 };

	utf8_add_cut(&cut, text, t->width > used + NAME - 2 ? t->width - used : NAME - 2);
	str_adds(&t->out->sink->buf, "  ");
	text_add_colored(t->out, COLOR_TASK, str_view(&cut));
	str_release(&cut);
}

static void add_times(const struct state_table *t, const struct state_row *row, const u64 *values)
{
	add_time(t, t->wall_width, (row->wall_ns + t->divisor / 2) / t->divisor);
	for (int k = 0; k < STATE_N_COLUMNS; k++)
		if (t->is_shown[k])
			add_time(t, t->widths[k], values[k]);
}

static void add_shares(const struct state_table *t, const struct state_row *row)
{
	str_addf(&t->out->sink->buf, "%*s", (int)t->wall_width, "");
	for (int k = 0; k < STATE_N_COLUMNS; k++)
		if (t->is_shown[k])
			add_share(t, t->widths[k], row->ns[k], row->wall_ns);
}

/* "    also: lock 1.200 (24.0 %), child 0.300 (6.0 %)": states that have no column, in as many
 * lines as they need. */
static void add_also(const struct state_table *t, const struct state_row *row, const u64 *values)
{
	struct str *buf = &t->out->sink->buf, item = { 0 };
	size_t start = buf->n;

	for (int k = 0; k < STATE_N_COLUMNS; k++) {
		if (t->is_shown[k] || !values[k])
			continue;
		str_clear(&item);
		str_addf(&item, "%s ", state_names[k]);
		if (t->out->opts->unit)
			str_addf(&item, "%llu", values[k]);
		else
			str_addf(&item, "%llu.%03llu", values[k] / 1000, values[k] % 1000);
		str_addf(&item, " (%.1f %%)", units_percent(row->ns[k], row->wall_ns));
		if (buf->n == start) {
			str_adds(buf, ALSO);
		} else if (columns_from(t, start) + item.n + 3 > t->width) {
			str_adds(buf, ",\n");
			start = buf->n;
			str_addf(buf, "%*s", (int)strlen(ALSO), "");
		} else {
			str_adds(buf, ", ");
		}
		str_add(buf, item.p, item.n);
	}
	if (buf->n > start)
		str_addc(buf, '\n');
	str_release(&item);
}

/* A name that is too long for its line is continued on the next one. */
static void add_row(const struct state_table *t, const struct state_row *row)
{
	struct str *buf = &t->out->sink->buf, name = { 0 }, more = { 0 };
	u64 values[STATE_N_COLUMNS];
	size_t start = buf->n;
	bool is_folded;
	struct view second;

	memcpy(values, row->ns, sizeof(values));
	units_share(values, STATE_N_COLUMNS, t->divisor);
	make_name(t, row, &name, &more);
	add_times(t, row, values);
	second = str_view(&more);
	is_folded =
		columns_from(t, start) + 2 + utf8_columns(str_view(&name)) + utf8_columns(second) >
		t->width;
	if (!is_folded)
		str_add(&name, second.p, second.n);
	add_in_rest(t, start, str_view(&name));
	str_addc(buf, '\n');
	start = buf->n;
	add_shares(t, row);
	while (second.n && (*second.p == ' ' || *second.p == ',')) {
		second.p++;
		second.n--;
	}
	if (is_folded && second.n)
		add_in_rest(t, start, second);
	str_addc(buf, '\n');
	add_also(t, row, values);
	str_release(&name);
	str_release(&more);
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
	t.width = out->columns ? out->columns : WIDTH;
	find_widths(&t, &rows, shown);
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
