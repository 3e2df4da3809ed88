// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * One line per stack, root first: what every flame graph program reads.  Each rule here is there
 * because a reader breaks without it:
 *
 *	';' in a name		splits the frame (all readers): ':'
 *	control bytes		lines are lines: '?'
 *	" 12" at a name's end	flamegraph.pl takes it for the first of two counts: "_12"
 *	65,536 bytes		Pyroscope's scanner stops there, without an error
 *	a header, a comment	Pyroscope rejects the file, flamegraph.pl draws it
 *	a count of 0		Perfetto drops it
 */
#include <ctype.h>
#include <stdlib.h>

#include "out/label.h"
#include "out/renderer.h"
#include "out/units.h"
#include "out/utf8.h"

#define LINE_MAX_BYTES	65535 /* with the newline */
#define NAME_MAX_BYTES	4096  /* columns; the middle of a longer name is cut */
#define COUNT_MAX_BYTES 22    /* a space, 20 digits, a newline */
#define CUT_FRAME	"[truncated]"

static const char *const annotations[FRAME_N_KINDS] = {
	[FRAME_KERNEL] = "_[k]",
	[FRAME_MODULE] = "_[k]",
	[FRAME_BPF] = "_[k]",
	[FRAME_JIT] = "_[j]",
};

/* "foo 12" and "foo 1.5" end in what readers take for a number. */
static void guard_number(char *text, size_t n)
{
	size_t at = n, dots = 0;

	while (at && (isdigit((unsigned char)text[at - 1]) || (text[at - 1] == '.' && !dots++)))
		at--;
	if (at < n && at && text[at - 1] == ' ')
		text[at - 1] = '_';
}

static void add_name(struct str *out, struct view raw)
{
	struct str clean = { 0 };

	utf8_add_clean(&clean, raw);
	for (size_t i = 0; i < clean.n; i++)
		if (clean.p[i] == ';')
			clean.p[i] = ':';
	if (clean.n)
		guard_number(clean.p, clean.n);
	utf8_add_cut(out, str_view(&clean), NAME_MAX_BYTES);
	str_release(&clean);
}

static void make_name(struct str *out, const struct frame *f, const struct render_opts *opts)
{
	struct str raw = { 0 };

	label_add(&raw, f, false);
	add_name(out, str_view(&raw));
	if (opts->annotate && annotations[f->kind])
		str_adds(out, annotations[f->kind]);
	str_release(&raw);
}

static void add_part(struct str *line, const char *name, size_t n)
{
	if (line->n)
		str_addc(line, ';');
	str_add(line, name, n);
}

static bool has_delimiter(const struct render *out, const struct stack_frames *f)
{
	return out->opts->delimited && f->n_user && f->n_kernel;
}

/* The path's i-th frame from the leaf; the delimiter is not among them. */
static struct view nth_from_leaf(struct texts *texts, const struct stack_frames *f, u32 i)
{
	return texts_get(texts, i < f->n_kernel ? f->kernel[i] : f->user[i - f->n_kernel]);
}

/* How many frames, from the leaf on, fit in `room`. */
static u32 n_fitting(struct texts *texts, const struct stack_frames *f, size_t room)
{
	u32 n = f->n_kernel + f->n_user;

	for (u32 i = 0; i < n; i++) {
		size_t bytes = nth_from_leaf(texts, f, i).n + 1;

		if (bytes > room)
			return i;
		room -= bytes;
	}
	return n;
}

/* A stack that is too long keeps root and leaf, and says that it was cut. */
static void add_frames(const struct render *out, struct str *line, struct texts *texts,
		       const struct stack_frames *f)
{
	size_t room = LINE_MAX_BYTES - COUNT_MAX_BYTES - sizeof(CUT_FRAME) - sizeof("-") - line->n;
	u32 n = n_fitting(texts, f, room);

	if (n < f->n_kernel + f->n_user)
		add_part(line, CUT_FRAME, sizeof(CUT_FRAME) - 1);
	for (u32 i = n; i-- > 0;) {
		struct view name = nth_from_leaf(texts, f, i);

		if (has_delimiter(out, f) && i + 1 == f->n_kernel)
			add_part(line, "-", 1);
		add_part(line, name.p, name.n);
	}
}

static void add_line(const struct render *out, struct texts *texts, const struct stack_row *row,
		     u64 count)
{
	const char *root = report_task(texts->report, row)->root;
	struct str *line = &out->sink->buf;
	struct stack_frames frames;
	struct str path = { 0 };

	report_frames(texts->report, row, &frames);
	if (root)
		add_name(&path, view_of(root));
	add_frames(out, &path, texts, &frames);
	if (!path.n)
		str_adds(&path, "[unknown]");
	str_add(line, path.p, path.n);
	str_addf(line, " %llu\n", count);
	str_release(&path);
}

static void folded_report(struct render *out, const struct report *r)
{
	struct merged m;
	struct texts texts;
	u64 *values;

	if (out->n_reports)
		str_addc(&out->sink->buf, '\n');
	report_merge(r, BY_LABEL, &m);
	texts_init(&texts, r, out->opts, make_name);
	values = units_round(m.rows.items, m.rows.n, units_of(r->run, out->opts).divisor);
	for (size_t i = 0; i < m.rows.n; i++) {
		if (!values[i])
			continue;
		add_line(out, &texts, &m.rows.items[i], values[i]);
		out->n_records++;
		sink_spill(out->sink);
	}
	free(values);
	texts_release(&texts);
	merged_release(&m);
}

static const char *const extensions[] = { ".folded", ".collapsed", NULL };

const struct renderer folded_renderer = {
	.name = "folded",
	.extensions = extensions,
	.kinds = REPORT_STACKS,
	.report = folded_report,
};
