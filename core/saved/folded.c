// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Reads folded stacks: "root;...;leaf 12", one line per stack, and an empty line between the
 * reports of a run.  Everything in a line becomes a frame of one path, because the format does not
 * distinguish a process from a function; the "-" and "--" that separate stacks, and "[whole
 * window]", stay where they are.
 *
 * Lines are sorted in most files.  The frames that a line has in common with the one before it are
 * not looked up again.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/num.h"
#include "saved/saved_int.h"

/* A frame of the last line: the offset at which it ends, and its node. */
struct mark {
	u32 end;
	u32 node;
};

/* A frame as it is spelled. */
struct spelling {
	const char *text; /* interned */
	u32 n;
	u32 frame;
};

struct folded {
	struct reading *r;
	struct report report;
	VEC(struct spelling) spellings;
	struct index by_text;
	VEC(struct mark) marks; /* the frames of `last`, root first */
	struct str last;	/* the path of the last line */
};

/* ---- frames ---- */

static const struct {
	const char *end;
	enum frame_kind kind;
} annotations[] = {
	{ "_[k]", FRAME_KERNEL },
	{ "_[j]", FRAME_JIT },
};

static struct frame frame_of(struct folded *f, struct view text)
{
	struct saved *s = f->r->s;
	struct frame frame = { .kind = FRAME_USER };

	for (size_t i = 0; i < ARRAY_SIZE(annotations); i++) {
		if (!view_ends(text, annotations[i].end) || text.n == strlen(annotations[i].end))
			continue;
		frame.kind = annotations[i].kind;
		text.n -= strlen(annotations[i].end);
		s->has_annotations = true;
		break;
	}
	if (view_eq(text, "-") || view_eq(text, "--"))
		frame.kind = FRAME_NOTE;
	frame.name = intern_n(&s->strings, text.p, text.n);
	return frame;
}

static u32 find_spelling(struct folded *f, struct view text)
{
	u64 hash = hash_bytes(text.p, text.n);
	const struct spelling *have = f->spellings.items;
	struct spelling new = { .n = (u32)text.n };
	struct frame frame;
	size_t at = 0;
	u32 id;

	while (have && index_next(&f->by_text, hash, &at, &id))
		if (have[id].n == text.n && !memcmp(have[id].text, text.p, text.n))
			return have[id].frame;
	if (f->r->s->tables->is_full)
		return SAVED_NONE;
	frame = frame_of(f, text);
	new.frame = saved_frame(f->r->s, &frame);
	new.text = intern_n(&f->r->s->strings, text.p, text.n);
	index_add(&f->by_text, hash, (u32)f->spellings.n);
	vec_push(&f->spellings, new);
	return new.frame;
}

/* ---- paths ---- */

/* The number of bytes that two texts have in common at their start. */
static size_t common(struct view a, struct view b)
{
	size_t n = a.n < b.n ? a.n : b.n, i = 0;

	for (; i + 8 <= n && !memcmp(a.p + i, b.p + i, 8); i += 8)
		;
	while (i < n && a.p[i] == b.p[i])
		i++;
	return i;
}

/* Drop the marks that this line does not share with the last one; returns the offset of the first
 * new frame. */
static size_t keep_shared(struct folded *f, struct view path)
{
	size_t same = common(path, str_view(&f->last));

	while (f->marks.n) {
		u32 end = f->marks.items[f->marks.n - 1].end;

		if (end < same || (end == same && (end == path.n || path.p[end] == ';')))
			return end + 1;
		f->marks.n--;
	}
	return 0;
}

static u32 last_node(const struct folded *f)
{
	return f->marks.n ? f->marks.items[f->marks.n - 1].node : 0;
}

/* Stacks that are deeper than the model allows lose frames at their root. */
static struct view cut_deep(struct folded *f, struct view path)
{
	size_t n = 1;

	for (size_t i = 0; i < path.n; i++)
		n += path.p[i] == ';';
	if (n <= STACK_MAX_DEPTH)
		return path;
	f->report.ledger.stacks.truncated++;
	for (n -= STACK_MAX_DEPTH - 1; n; path.p++, path.n--)
		n -= *path.p == ';';
	return path;
}

static u32 find_deep(struct folded *f, struct view path)
{
	u32 node = saved_note(f->r->s, NOTE_TRUNCATED);
	struct view text;

	while (node && view_split(&path, ';', &text))
		node = saved_child(f->r->s, node, find_spelling(f, text));
	return node;
}

/* The node of the leaf; 0: there is no room for it. */
static u32 find_path(struct folded *f, struct view path)
{
	struct view rest = cut_deep(f, path), text;
	size_t at;

	if (rest.n != path.n) {
		f->marks.n = 0;
		str_clear(&f->last);
		return find_deep(f, rest);
	}
	at = keep_shared(f, path);
	while (at <= path.n) {
		const char *end = memchr(path.p + at, ';', path.n - at);
		u32 node;

		text = (struct view){ path.p + at,
				      end ? (size_t)(end - path.p) - at : path.n - at };
		at += text.n;
		node = saved_child(f->r->s, last_node(f), find_spelling(f, text));
		if (!node) {
			f->marks.n = 0;
			str_clear(&f->last);
			return 0;
		}
		vec_push(&f->marks, (struct mark){ .end = (u32)at, .node = node });
		at++;
	}
	str_clear(&f->last);
	str_add(&f->last, path.p, path.n);
	return last_node(f);
}

/* ---- lines ---- */

static bool is_number(struct view v)
{
	size_t dots = 0;

	for (size_t i = 0; i < v.n; i++) {
		dots += v.p[i] == '.';
		if (v.p[i] != '.' && (v.p[i] < '0' || v.p[i] > '9'))
			return false;
	}
	return v.n && dots < 2;
}

/* Split at the last space or tab; false: there is none. */
static bool split_last(struct view line, struct view *before, struct view *last)
{
	size_t at = line.n;

	while (at && line.p[at - 1] != ' ' && line.p[at - 1] != '\t')
		at--;
	if (!at)
		return false;
	*last = (struct view){ line.p + at, line.n - at };
	*before = (struct view){ line.p, at - 1 };
	return true;
}

static int take_stack(struct folded *f, struct view line)
{
	const struct stack_task nobody = { .pid = -1, .tid = -1, .cpu = -1 };
	struct view path, number, before;
	struct stack_row row = { 0 };

	if (!split_last(line, &path, &number) || !is_number(number) || !path.n)
		return reading_fail(f->r,
				    "the line does not end with a count, as in folded stacks: "
				    "root;...;leaf 12");
	if (split_last(path, &before, &number) && is_number(number)) {
		reading_fail(f->r, "two counts: this file is a difference, or has ratios");
		return err_hint(f->r->err, "bperf diff takes the two files that a difference was "
					   "made of; ratios can be read from JSON");
	}
	split_last(line, &path, &number);
	if (!num_parse_dec(number, &row.value))
		return reading_fail(f->r, "the count '%.*s' is not a whole number of 64 bits",
				    number.n < 40 ? (int)number.n : 40, number.p);
	saved_look(f->r->s);
	row.task = saved_task(f->r->s, nobody);
	row.user = find_path(f, path);
	row.count = row.value;
	if (!row.user) {
		row.user = saved_note(f->r->s, NOTE_OTHER);
		f->report.ledger.lost[LOST_stack_full] += row.value;
	}
	return saved_count(f->r, &f->report, &row, NULL);
}

static int take_line(struct folded *f, struct view line)
{
	while (line.n && (line.p[line.n - 1] == '\r' || line.p[line.n - 1] == ' '))
		line.n--;
	if (line.n && !memchr(line.p, '\0', line.n))
		return line.p[0] == '#' && !is_number((struct view){ line.p + line.n - 1, 1 })
			       ? 0
			       : take_stack(f, line);
	if (line.n)
		return reading_fail(f->r, "it contains a NUL byte: this is not text");
	if (f->report.stacks.n)
		saved_add_report(f->r, &f->report);
	return f->r->err->code ? -f->r->err->code : 0;
}

int saved_read_folded(struct reading *r)
{
	struct folded f = { .r = r, .report = { .kind = REPORT_STACKS } };
	struct view line;
	int ret;

	while ((ret = input_line(&r->in, &line, r->err)) > 0) {
		ret = take_line(&f, line);
		if (ret)
			break;
	}
	if (!ret && (f.report.stacks.n || !r->file.n))
		saved_add_report(r, &f.report);
	report_release(&f.report);
	vec_release(&f.spellings);
	vec_release(&f.marks);
	index_release(&f.by_text);
	str_release(&f.last);
	return ret;
}
