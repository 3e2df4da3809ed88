// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * For a person: as bcc prints it, leaf at the top, and the hottest last, next to the prompt.
 *
 *	    do_sys_poll
 *	    __poll
 *	    main
 *	    -                nginx (1200)
 *	        245  12.3 %
 */
#include <stdlib.h>
#include <time.h>

#include "out/label.h"
#include "out/renderer.h"
#include "out/units.h"
#include "out/utf8.h"

#define INDENT	    4
#define NAME_MIN    12 /* columns: a narrower name says nothing, so the line may be too long */
#define RESET	    "\033[0m"
#define COLOR_TASK  "\033[1m"
#define COLOR_VALUE "\033[1;33m"
#define COLOR_FAINT "\033[2m"

static const char *const colors[FRAME_N_KINDS] = {
	[FRAME_KERNEL] = "\033[33m", [FRAME_MODULE] = "\033[33m", [FRAME_BPF] = "\033[35m",
	[FRAME_JIT] = "\033[32m",    [FRAME_NOTE] = "\033[2m",	  [FRAME_UNKNOWN] = "\033[2m",
};

/* The text in colour, when there is colour. */
static void add_colored(const struct render *out, const char *color, struct view text)
{
	struct str *buf = &out->sink->buf;
	bool has_color = out->has_color && color;

	if (has_color)
		str_adds(buf, color);
	str_add(buf, text.p, text.n);
	if (has_color)
		str_adds(buf, RESET);
}

static void add_indent(const struct render *out)
{
	static const char spaces[INDENT] = "    ";

	str_add(&out->sink->buf, spaces, INDENT);
}

/* ---- stacks ---- */

static void make_name(struct str *out, const struct frame *f, const struct render_opts *opts)
{
	struct str raw = { 0 };

	label_add(&raw, f, true);
	if (opts->addresses && f->name && f->kind != FRAME_NOTE)
		str_addf(&raw, "+0x%llx", f->off);
	utf8_add_clean(out, str_view(&raw));
	str_release(&raw);
}

/* A name in what the line has left; on no terminal, all of it. */
static struct view fit(const struct render *out, struct view name, size_t used, struct str *cut)
{
	if (!out->columns)
		return name;
	utf8_add_cut(cut, name, out->columns > used + NAME_MIN ? out->columns - used : NAME_MIN);
	return str_view(cut);
}

static void add_frame(const struct render *out, struct texts *texts, u32 id)
{
	const struct frame *f = &texts->report->frames[id];
	size_t used = INDENT;
	struct str cut = { 0 };

	add_indent(out);
	if (out->opts->addresses && f->kind != FRAME_NOTE) {
		str_addf(&out->sink->buf, "%016llx ", f->addr ? f->addr : f->vaddr);
		used += 17;
	}
	add_colored(out, colors[f->kind], fit(out, texts_get(texts, id), used, &cut));
	str_addc(&out->sink->buf, '\n');
	str_release(&cut);
}

static void add_task_text(struct str *out, const struct stack_task *task)
{
	const char *name = task->comm ? task->comm : task->root;

	if (name)
		utf8_add_clean(out, view_of(name));
	if (task->pid >= 0 && task->tid >= 0 && task->tid != task->pid)
		str_addf(out, " (%lld/%lld)", task->pid, task->tid);
	else if (task->pid >= 0)
		str_addf(out, " (%lld)", task->pid);
	else if (task->tid >= 0)
		str_addf(out, " (%lld)", task->tid);
	if (task->cpu >= 0)
		str_addf(out, " cpu %lld", task->cpu);
	if (task->cgroup && task->cgroup != name) {
		str_addc(out, ' ');
		utf8_add_clean(out, view_of(task->cgroup));
	}
}

/* bcc's line: scripts look for the dash and the number in parentheses. */
static void add_task(const struct render *out, const struct stack_task *task)
{
	struct str text = { 0 };

	add_task_text(&text, task);
	if (text.n) {
		add_indent(out);
		str_addf(&out->sink->buf, "%-16s ", "-");
		add_colored(out, COLOR_TASK, str_view(&text));
		str_addc(&out->sink->buf, '\n');
	}
	str_release(&text);
}

static void add_value(const struct render *out, u64 value, const char *unit, double percent)
{
	struct str line = { 0 };

	str_addf(&line, "%llu%s%s  %.1f %%", value, unit[0] ? " " : "", unit, percent);
	str_addf(&out->sink->buf, "%*s", 2 * INDENT, "");
	add_colored(out, COLOR_VALUE, str_view(&line));
	str_adds(&out->sink->buf, "\n\n");
	str_release(&line);
}

static void add_stack(const struct render *out, struct texts *texts, const struct stack_row *row)
{
	struct stack_frames f;

	report_frames(texts->report, row, &f);
	for (u32 i = 0; i < f.n_kernel; i++)
		add_frame(out, texts, f.kernel[i]);
	if (out->opts->delimited && f.n_kernel && f.n_user)
		str_addf(&out->sink->buf, "%*s--\n", INDENT, "");
	for (u32 i = 0; i < f.n_user; i++)
		add_frame(out, texts, f.user[i]);
	add_task(out, report_task(texts->report, row));
}

/* What the cut leaves out, said before the stacks that are shown. */
static void add_rest(const struct render *out, size_t n, const char *what, double percent,
		     const char *of)
{
	struct str line = { 0 };

	if (!n)
		return;
	str_adds(&line, "... ");
	units_add_grouped(&line, n);
	str_addf(&line, " more %s%s, %.1f %% of %s", what, n == 1 ? "" : "s", percent, of);
	add_colored(out, COLOR_FAINT, str_view(&line));
	str_adds(&out->sink->buf, "\n\n");
	str_release(&line);
}

static size_t n_shown(const struct render *out, size_t n)
{
	return out->opts->top && n > out->opts->top ? out->opts->top : n;
}

static void add_stacks(struct render *out, const struct report *r)
{
	struct unit_info unit = units_of(r->run, out->opts);
	bool is_time = r->run->unit == UNIT_NS;
	struct merged m;
	struct texts texts;
	size_t shown;
	u64 rest = 0, *values;

	report_merge(r, out->opts->addresses ? BY_ADDRESS : BY_TEXT, &m);
	texts_init(&texts, r, out->opts, make_name);
	values = units_round(m.rows.items, m.rows.n, unit.divisor);
	shown = n_shown(out, m.rows.n);
	for (size_t i = shown; i < m.rows.n; i++)
		rest += m.rows.items[i].value;
	add_rest(out, m.rows.n - shown, "stack", units_percent(rest, r->total), r->run->value_name);
	for (size_t i = shown; i-- > 0;) {
		add_stack(out, &texts, &m.rows.items[i]);
		add_value(out, values[i], is_time ? unit.name : "",
			  units_percent(m.rows.items[i].value, r->total));
		sink_spill(out->sink);
	}
	out->n_records += shown;
	free(values);
	texts_release(&texts);
	merged_release(&m);
}

/* ---- functions ---- */

static void add_func(const struct render *out, const struct report *r, const struct func_row *f,
		     u64 divisor)
{
	const struct frame *frame = &r->frames[f->frame];
	struct str *buf = &out->sink->buf;
	struct str raw = { 0 }, name = { 0 }, cut = { 0 };
	size_t start = buf->n;

	label_add(&raw, frame, false);
	utf8_add_clean(&name, str_view(&raw));
	str_addf(buf, "%12llu %5.1f %% %12llu %5.1f %%  ", (f->self + divisor / 2) / divisor,
		 units_percent(f->self, r->total), (f->total + divisor / 2) / divisor,
		 units_percent(f->total, r->total));
	add_colored(out, colors[frame->kind], fit(out, str_view(&name), buf->n - start, &cut));
	str_addc(buf, '\n');
	str_release(&raw);
	str_release(&name);
	str_release(&cut);
}

static void add_funcs(struct render *out, const struct report *r)
{
	struct unit_info unit = units_of(r->run, out->opts);
	size_t shown = n_shown(out, r->funcs.n);
	u64 rest = 0;

	for (size_t i = shown; i < r->funcs.n; i++)
		rest += r->funcs.items[i].self;
	add_rest(out, r->funcs.n - shown, "function", units_percent(rest, r->total),
		 r->run->value_name);
	str_addf(&out->sink->buf, "%12s %7s %12s %7s  function (%s)\n", "self", "", "total", "",
		 unit.name);
	for (size_t i = shown; i-- > 0;) {
		add_func(out, r, &r->funcs.items[i], unit.divisor);
		sink_spill(out->sink);
	}
	str_addc(&out->sink->buf, '\n');
	out->n_records += shown;
}

/* ---- the whole ---- */

static void add_clock(struct str *out, const struct report *r)
{
	time_t at = (time_t)((r->run->realtime_ns + r->end_ns) / NS_PER_SEC);
	char text[16];
	struct tm tm;

	if (localtime_r(&at, &tm) && strftime(text, sizeof(text), "%H:%M:%S", &tm))
		str_addf(out, "%s\n", text);
}

/* Which window this is, when there is more than one. */
static void add_window(struct render *out, const struct report *r)
{
	struct str *buf = &out->sink->buf;

	if (out->opts->timestamp)
		add_clock(buf, r);
	else if ((r->run->interval_ns && r->run->count != 1) || r->is_snapshot)
		str_addf(buf, "--- %llu.%03llu s to %llu.%03llu s ---\n", r->start_ns / NS_PER_SEC,
			 r->start_ns % NS_PER_SEC / NS_PER_MS, r->end_ns / NS_PER_SEC,
			 r->end_ns % NS_PER_SEC / NS_PER_MS);
}

static void text_report(struct render *out, const struct report *r)
{
	add_window(out, r);
	if (r->kind == REPORT_FUNCS)
		add_funcs(out, r);
	else
		add_stacks(out, r);
}

static const char *const extensions[] = { ".txt", ".text", NULL };

const struct renderer text_renderer = {
	.name = "text",
	.extensions = extensions,
	.kinds = REPORT_STACKS | REPORT_FUNCS,
	.report = text_report,
};
