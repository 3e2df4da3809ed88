// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * One line per stack, root first: the format that every flame graph tool reads.  Each rule here
 * exists because a reader breaks without it:
 *
 * ';' in a name			splits the frame (all readers): ':'
 * a name "-" or "--"		is read as a separator of stacks: "[-]"
 * control bytes			break the lines: '?'
 * " 12" at the end of a name	flamegraph.pl reads it as the first of two counts: "_12"
 * 65,536 bytes			Pyroscope's scanner stops there without an error
 * a header, a comment		Pyroscope rejects the file, flamegraph.pl draws it
 * a count of 0			Perfetto drops it
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "model/diff.h"
#include "render/framelabel.h"
#include "render/renderer.h"
#include "render/stackpath.h"
#include "render/units.h"

#define LINE_MAX_BYTES	65535 /* including the newline */
#define NAME_MAX_BYTES	4096  /* columns; longer names lose their middle */
#define COUNT_MAX_BYTES 43    /* a space and 20 digits, twice; a newline */
#define TRUNCATED_FRAME "[truncated]"
/* There can be as many waker names as links, and together they must leave room for frames. */
#define WAKER_MAX_BYTES 256 /* columns of up to four bytes */
#define MAX_STACKS	(CHAIN_MAX_LINKS + 1)

static const char *const annotations[FRAME_N_KINDS] = {
	[FRAME_KERNEL] = "_[k]",
	[FRAME_MODULE] = "_[k]",
	[FRAME_BPF] = "_[k]",
	[FRAME_JIT] = "_[j]",
};

/* Readers take the end of "foo 12" and "foo 1.5" for a number, so replace the space. */
static void guard_number(char *text, size_t n)
{
	size_t at = n, dots = 0;

	while (at && (isdigit((unsigned char)text[at - 1]) || (text[at - 1] == '.' && !dots++)))
		at--;
	if (at < n && at && text[at - 1] == ' ')
		text[at - 1] = '_';
}

static void add_name(struct str *out, struct view raw, size_t columns)
{
	struct str clean = { 0 };

	utf8_add_clean(&clean, raw);
	for (size_t i = 0; i < clean.n; i++)
		if (clean.p[i] == ';')
			clean.p[i] = ':';
	if (clean.n)
		guard_number(clean.p, clean.n);
	if (label_is_separator(str_view(&clean)))
		str_addf(out, "[%s]", clean.p);
	else
		utf8_add_cut(out, str_view(&clean), columns);
	str_release(&clean);
}

static void make_name(struct str *out, const struct frame *f, const struct render_opts *opts)
{
	struct str raw = { 0 };

	(void)opts;
	label_add(&raw, f, false);
	/* Notes come from bperf itself: here, separators of a folded file that was read. */
	if (f->kind == FRAME_NOTE && label_is_separator(str_view(&raw)))
		str_add(out, raw.p, raw.n);
	else
		add_name(out, str_view(&raw), NAME_MAX_BYTES);
	str_release(&raw);
}

/* ---- one line ---- */

struct line {
	const struct render_opts *opts;
	struct texts *texts;
	struct steps steps;
	struct str text;
};

static void add_part(struct str *text, const char *name, size_t n)
{
	if (text->n)
		str_addc(text, ';');
	str_add(text, name, n);
}

/* There is no annotation after "--", because readers add their own there, and remove only one. */
static const char *annotation_of(const struct line *l, const struct step *step)
{
	enum frame_kind kind = l->texts->report->frames[step->frame].kind;

	return l->opts->annotate && !step->is_waker && annotations[kind] ? annotations[kind] : "";
}

static size_t frame_bytes(const struct line *l, const struct step *step)
{
	return texts_get(l->texts, step->frame).n + strlen(annotation_of(l, step)) + sizeof(";") -
	       1;
}

static void add_frame(struct line *l, const struct step *step)
{
	struct view name = texts_get(l->texts, step->frame);

	add_part(&l->text, name.p, name.n);
	str_adds(&l->text, annotation_of(l, step));
}

/* Add separators as they are, and sanitize names. */
static void add_other(struct line *l, const struct step *step)
{
	struct str raw = { 0 }, name = { 0 };

	if (step->what == STEP_DELIMITER || step->what == STEP_SEPARATOR) {
		add_part(&l->text, step->text, strlen(step->text));
		return;
	}
	step_add_name(&raw, l->texts->report, step);
	add_name(&name, str_view(&raw), step->is_waker ? WAKER_MAX_BYTES : NAME_MAX_BYTES);
	if (!name.n)
		str_adds(&name, "[unknown]");
	add_part(&l->text, str_text(&name), name.n);
	str_release(&raw);
	str_release(&name);
}

static void add_step(struct line *l, const struct step *step)
{
	if (step->what == STEP_FRAME)
		add_frame(l, step);
	else
		add_other(l, step);
}

/* ---- lines that are too long ---- */

/* One of the stacks in a line: its steps and their size. */
struct stack {
	size_t start, end;
	size_t bytes;
	bool is_leaf_first;
};

static bool is_in_stack(const struct step *step)
{
	return step->what == STEP_FRAME || step->what == STEP_DELIMITER;
}

static size_t step_bytes(const struct line *l, const struct step *step)
{
	return step->what == STEP_FRAME ? frame_bytes(l, step) : sizeof(";-") - 1;
}

static u32 find_stacks(const struct line *l, struct stack stacks[MAX_STACKS])
{
	const struct step *steps = l->steps.list.items;
	size_t n = l->steps.list.n;
	u32 n_stacks = 0;

	for (size_t i = 0; i < n && n_stacks < MAX_STACKS; i++) {
		struct stack s = { .start = i };

		if (!is_in_stack(&steps[i]))
			continue;
		s.is_leaf_first = i && steps[i - 1].what == STEP_SEPARATOR;
		for (; i < n && is_in_stack(&steps[i]); i++)
			s.bytes += step_bytes(l, &steps[i]);
		s.end = i--;
		stacks[n_stacks++] = s;
	}
	return n_stacks;
}

/* The largest number of bytes per stack with which all stacks fit: short stacks leave the rest of
 * their share to the others. */
static size_t share_of(const struct stack *stacks, u32 n, size_t room)
{
	size_t share = n ? room / n : 0;

	for (u32 round = 0; round < n; round++) {
		size_t left = room;
		u32 n_longer = 0;

		for (u32 i = 0; i < n; i++) {
			if (stacks[i].bytes > share)
				n_longer++;
			else
				left -= stacks[i].bytes;
		}
		if (!n_longer)
			break;
		share = left / n_longer;
	}
	return share;
}

/* Keep the frames nearest to the leaf. */
static void add_cut(struct line *l, const struct stack *s, size_t share)
{
	const struct step *steps = l->steps.list.items;
	size_t start = s->start, end = s->end, n = 0;

	for (; start + n < end; n++) {
		size_t bytes = step_bytes(l, &steps[s->is_leaf_first ? start + n : end - 1 - n]);

		if (bytes > share)
			break;
		share -= bytes;
	}
	if (!s->is_leaf_first)
		add_part(&l->text, TRUNCATED_FRAME, sizeof(TRUNCATED_FRAME) - 1);
	for (size_t i = 0; i < n; i++)
		add_step(l, &steps[s->is_leaf_first ? start + i : end - n + i]);
	if (s->is_leaf_first)
		add_part(&l->text, TRUNCATED_FRAME, sizeof(TRUNCATED_FRAME) - 1);
}

/* The bytes left for frames after tasks and separators, which are always kept. */
static size_t room_for_frames(struct line *l, u32 n_stacks)
{
	const struct step *step;
	size_t taken;

	str_clear(&l->text);
	vec_for_each(step, &l->steps.list)
		if (!is_in_stack(step))
			add_other(l, step);
	taken = l->text.n + n_stacks * sizeof(";" TRUNCATED_FRAME);
	str_clear(&l->text);
	return LINE_MAX_BYTES - COUNT_MAX_BYTES - taken;
}

static void add_fitting(struct line *l)
{
	struct stack stacks[MAX_STACKS];
	u32 n = find_stacks(l, stacks), at = 0;
	size_t share = share_of(stacks, n, room_for_frames(l, n));

	for (size_t i = 0; i < l->steps.list.n; i++) {
		if (at == n || i < stacks[at].start || stacks[at].bytes <= share) {
			add_step(l, &l->steps.list.items[i]);
			at += at < n && i + 1 == stacks[at].end;
			continue;
		}
		add_cut(l, &stacks[at], share);
		i = stacks[at++].end - 1;
	}
}

/* ---- report ---- */

static void make_line(struct line *l, const struct stack_row *row)
{
	const struct step *step;

	steps_make(&l->steps, l->texts->report, row, l->opts->delimited);
	str_clear(&l->text);
	vec_for_each(step, &l->steps.list) {
		add_step(l, step);
		if (l->text.n > LINE_MAX_BYTES - COUNT_MAX_BYTES) {
			add_fitting(l);
			break;
		}
	}
	if (!l->text.n)
		str_adds(&l->text, "[unknown]");
}

/* "stack before after", as programs for differential flame graphs read it. */
static void folded_diff(struct render *out, const struct report *r)
{
	const struct diff *d = r->diff;
	u64 *values[DIFF_N_SIDES], divisor = units_of(r->run, out->opts).divisor;
	struct texts texts;
	struct line line = { .opts = out->opts, .texts = &texts };

	for (int side = 0; side < DIFF_N_SIDES; side++) {
		values[side] = mem_alloc(d->stacks.n + 1, sizeof(**values));
		for (size_t i = 0; i < d->stacks.n; i++)
			values[side][i] = d->stacks.items[i].side[side].value;
		units_share(values[side], d->stacks.n, divisor);
	}
	texts_init(&texts, r, out->opts, make_name);
	out->n_rows = d->stacks.n;
	for (size_t i = 0; i < d->stacks.n; i++) {
		if (!values[DIFF_BEFORE][i] && !values[DIFF_AFTER][i])
			continue;
		make_line(&line, &r->stacks.items[i]);
		str_add(&out->sink->buf, line.text.p, line.text.n);
		str_addf(&out->sink->buf, " %llu %llu\n", values[DIFF_BEFORE][i],
			 values[DIFF_AFTER][i]);
		out->n_records++;
		sink_spill(out->sink);
	}
	for (int side = 0; side < DIFF_N_SIDES; side++)
		free(values[side]);
	steps_release(&line.steps);
	str_release(&line.text);
	texts_release(&texts);
}

static void folded_report(struct render *out, const struct report *r)
{
	struct str *buf = &out->sink->buf;
	struct merged m;
	struct texts texts;
	struct line line = { .opts = out->opts, .texts = &texts };
	u64 *values;

	if (r->kind == REPORT_DIFF) {
		folded_diff(out, r);
		return;
	}
	if (out->n_reports)
		str_addc(buf, '\n');
	report_merge(r, BY_LABEL, &m);
	texts_init(&texts, r, out->opts, make_name);
	values = units_round(m.rows.items, m.rows.n, units_of(r->run, out->opts).divisor);
	out->n_rows = m.rows.n;
	for (size_t i = 0; i < m.rows.n; i++) {
		if (!values[i] && !m.ratios)
			continue;
		make_line(&line, &m.rows.items[i]);
		str_add(buf, line.text.p, line.text.n);
		if (m.ratios)
			str_addf(buf, " %llu", merged_ratio(&m, &m.rows.items[i])->second.events);
		str_addf(buf, " %llu\n", values[i]);
		out->n_records++;
		sink_spill(out->sink);
	}
	free(values);
	steps_release(&line.steps);
	str_release(&line.text);
	texts_release(&texts);
	merged_release(&m);
}

static const char *const extensions[] = { ".folded", ".collapsed", NULL };

const struct renderer folded_renderer = {
	.name = "folded",
	.extensions = extensions,
	.kinds = REPORT_STACKS | REPORT_PATHS | REPORT_DIFF | REPORT_THREADS,
	.report = folded_report,
};
