// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "render/textwriter.h"

#include <time.h>

#include "base/utf8.h"
#include "render/stackpath.h"
#include "render/units.h"

#define NAME_MIN 12 /* columns: shorter names are useless, so the line may become too long */
#define RESET	 "\033[0m"

const char *const text_colors[FRAME_N_KINDS] = {
	[FRAME_KERNEL] = "\033[33m", [FRAME_MODULE] = "\033[33m", [FRAME_BPF] = "\033[35m",
	[FRAME_JIT] = "\033[32m",    [FRAME_NOTE] = "\033[2m",	  [FRAME_UNKNOWN] = "\033[2m",
};

void text_add_colored(const struct render *out, const char *color, struct view text)
{
	struct str *buf = &out->sink->buf;
	bool has_color = out->has_color && color;

	if (has_color)
		str_adds(buf, color);
	str_add(buf, text.p, text.n);
	if (has_color)
		str_adds(buf, RESET);
}

struct view text_fit(const struct render *out, struct view name, size_t used, struct str *cut)
{
	if (!out->columns)
		return name;
	utf8_add_cut(cut, name, out->columns > used + NAME_MIN ? out->columns - used : NAME_MIN);
	return str_view(cut);
}

void text_make_name(struct str *out, const struct frame *f, const struct render_opts *opts)
{
	struct str raw = { 0 };

	label_add(&raw, f, true);
	if ((opts->addresses || opts->offsets) && f->name && f->kind != FRAME_NOTE)
		str_addf(&raw, "+0x%llx", f->off);
	if (label_is_separator(str_view(&raw)))
		str_addf(out, "[%s]", raw.p);
	else
		utf8_add_clean(out, str_view(&raw));
	str_release(&raw);
}

/* ---- tasks ---- */

void text_add_task(struct str *out, const struct stack_task *task)
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

void text_add_waker(struct str *out, const struct report *r, const struct waker_link *link)
{
	struct str raw = { 0 };
	size_t start = out->n;

	if (link->kind == WAKER_THREAD)
		text_add_task(out, &r->tasks[link->task]);
	if (out->n > start)
		return;
	waker_add_name(&raw, link->kind, link->name);
	utf8_add_clean(out, str_view(&raw));
	str_release(&raw);
}

/* ---- values ---- */

void text_add_value(struct str *out, const struct report *r, const struct stack_row *row, u64 value,
		    const struct render_opts *opts)
{
	struct unit_info unit = units_shown(r->run, opts);

	units_add_value(out, unit, value);
	if (r->run->unit == UNIT_NS)
		str_addf(out, " %s", unit.name);
	if (row->variance > 0) {
		str_adds(out, " \xc2\xb1 ");
		units_add_value(out, unit, units_error(row, unit.divisor));
	}
	str_addf(out, "  %.1f %%", units_percent(row->value, report_listed(r)));
}

/* In a unit that was requested, use three decimals below 100, where they are meaningful. */
static void add_mean(struct str *out, u64 ns, struct unit_info unit)
{
	u64 whole = ns / unit.divisor, thousandths = ns % unit.divisor * 1000 / unit.divisor;

	if (unit.has_decimals) {
		str_adds(out, ", mean ");
		units_add_value(out, unit, (ns + unit.divisor / 2) / unit.divisor);
		str_addf(out, " %s", unit.name);
	} else if (unit.divisor > 1 && whole < 100) {
		str_addf(out, ", mean %llu.%03llu %s", whole, thousandths, unit.name);
	} else {
		str_addf(out, ", mean %llu %s", whole + (thousandths >= 500), unit.name);
	}
}

/* A wait that has not ended counts, too, because the value includes its time so far. */
void text_add_waits(struct str *out, const struct stack_row *row, struct unit_info unit)
{
	u64 n = row->count + row->n_open;

	if (!n)
		return;
	units_add_grouped(out, n);
	str_adds(out, n == 1 ? " wait" : " waits");
	if (n > 1)
		add_mean(out, row->value / n, unit);
	if (!row->n_open)
		return;
	str_adds(out, ", ");
	if (n > 1) {
		units_add_grouped(out, row->n_open);
		str_addc(out, ' ');
	}
	str_adds(out, "not over");
}

void text_add_rest(const struct render *out, const struct text_rest *rest)
{
	struct str line = { 0 };

	if (!rest->n)
		return;
	str_adds(&line, "... ");
	units_add_grouped(&line, rest->n);
	str_addf(&line, " more %s%s, %.1f %% of ", rest->what, rest->n == 1 ? "" : "s",
		 units_percent(rest->part, rest->whole));
	str_adds(&line, rest->of ? rest->of : out->run->value_name);
	if (!rest->of && out->run->unit == UNIT_NS)
		str_adds(&line, " time");
	text_add_colored(out, COLOR_FAINT, str_view(&line));
	str_adds(&out->sink->buf, "\n\n");
	str_release(&line);
}

void text_add_whole(const struct render *out, const struct report *r)
{
	struct str *buf = &out->sink->buf, value = { 0 };
	struct unit_info unit = units_shown(r->run, out->opts);

	if (!r->whole.n || r->run->opens_whole)
		return;
	text_add_separator(out, whole_window_text);
	units_add_value(&value, unit, (r->whole.value + unit.divisor / 2) / unit.divisor);
	str_addf(&value, " %s", unit.name);
	str_addf(buf, "%*s", 2 * TEXT_INDENT, "");
	text_add_colored(out, COLOR_VALUE, str_view(&value));
	str_adds(buf, "  ");
	units_add_grouped(buf, r->whole.n);
	str_adds(buf, r->whole.n == 1 ? " wait" : " waits");
	str_adds(buf, ", not in the percentages; --whole-window lists them\n\n");
	str_release(&value);
}

size_t text_n_shown(const struct render *out, size_t n)
{
	return out->opts->top && n > out->opts->top ? out->opts->top : n;
}

void text_add_clock(struct str *out, const struct report *r)
{
	time_t at = (time_t)((r->run->realtime_ns + r->end_ns) / NS_PER_SEC);
	char text[16];
	struct tm tm;

	if (localtime_r(&at, &tm) && strftime(text, sizeof(text), "%H:%M:%S", &tm))
		str_adds(out, text);
}

void text_add_key(struct str *out, const struct dist *d, const struct dist_row *row)
{
	if (!row->key) {
		str_adds(out, "[other]");
		return;
	}
	for (u32 i = 0; i < d->n_keys; i++)
		str_addf(out, "%s%s = %s", i ? ", " : "", d->key_names[i], row->key[i]);
}

/* ---- stacks ---- */

void text_add_indent(const struct render *out)
{
	str_addf(&out->sink->buf, "%*s", TEXT_INDENT, "");
}

void text_add_frame(const struct render *out, struct texts *texts, u32 id)
{
	const struct frame *f = &texts->report->frames[id];
	size_t used = TEXT_INDENT;
	struct str cut = { 0 };

	text_add_indent(out);
	if (out->opts->addresses && f->kind != FRAME_NOTE) {
		str_addf(&out->sink->buf, "%016llx ", f->addr ? f->addr : f->vaddr);
		used += 17;
	}
	text_add_colored(out, text_colors[f->kind],
			 text_fit(out, texts_get(texts, id), used, &cut));
	str_addc(&out->sink->buf, '\n');
	str_release(&cut);
}

void text_add_who(const struct render *out, const char *role, const struct str *name)
{
	if (!name->n)
		return;
	text_add_indent(out);
	str_addf(&out->sink->buf, "%-16s ", role);
	text_add_colored(out, COLOR_TASK, str_view(name));
	str_addc(&out->sink->buf, '\n');
}

void text_add_separator(const struct render *out, const char *text)
{
	text_add_indent(out);
	str_addf(&out->sink->buf, "%s\n", text);
}

void text_add_frames(const struct render *out, struct texts *texts, const struct stack_frames *f,
		     const char *delimiter)
{
	for (u32 i = 0; i < f->n_kernel; i++)
		text_add_frame(out, texts, f->kernel[i]);
	if (out->opts->delimited && f->n_kernel && f->n_user)
		text_add_separator(out, delimiter);
	for (u32 i = 0; i < f->n_user; i++)
		text_add_frame(out, texts, f->user[i]);
}

void text_add_stack(const struct render *out, struct texts *texts, u32 kernel, u32 user,
		    const struct str *who)
{
	const struct stack_row row = { .kernel = kernel, .user = user };
	struct stack_frames f;

	report_frames(texts->report, &row, &f);
	text_add_frames(out, texts, &f, "--");
	text_add_who(out, "-", who);
}
