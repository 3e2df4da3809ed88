// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "render/framelabel.h"

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

static void add_module(struct str *out, const char *module, bool with_offset, u64 off)
{
	const char *base = frame_base(module);
	bool has_brackets = base[0] == '[';

	if (with_offset && off) {
		str_addf(out, "%s+0x%llx", base, off);
		return;
	}
	str_addf(out, has_brackets ? "%s" : "[%s]", base);
}

void label_add(struct str *out, const struct frame *f, bool with_offset)
{
	if (f->name && f->name[0])
		str_adds(out, f->name);
	else if (f->module && f->module[0])
		add_module(out, f->module, with_offset, f->off);
	else
		str_adds(out, "[unknown]");
}

#define ELLIPSIS "\xe2\x80\xa6"

/* The next "::" after `at` that separates scopes, and is not within <>, () or []; NULL: none. */
static const char *next_scope(const char *at, const char *end)
{
	int depth = 0;

	for (; at + 2 < end; at++) {
		if (strchr("<([{", *at))
			depth++;
		else if (strchr(">)]}", *at))
			depth -= depth > 0;
		else if (!depth && at[0] == ':' && at[1] == ':')
			return at;
	}
	return NULL;
}

static void add_start(struct str *out, struct view name, size_t columns)
{
	struct view rest = name;
	bool is_cut = utf8_columns(name) > columns;

	for (size_t i = is_cut ? columns - 2 : columns; i && rest.n; i--)
		utf8_next(&rest);
	str_add(out, name.p, name.n - rest.n);
	str_adds(out, is_cut ? ".." : "");
}

void label_add_fitting(struct str *out, struct view name, size_t columns)
{
	const char *end = name.p + name.n, *at = name.p;
	struct view tail = name;

	if (utf8_columns(name) <= columns) {
		str_add(out, name.p, name.n);
		return;
	}
	while ((at = next_scope(at, end))) {
		tail = (struct view){ at, (size_t)(end - at) };
		if (utf8_columns(tail) < columns) {
			str_adds(out, ELLIPSIS);
			str_add(out, tail.p, tail.n);
			return;
		}
		at += 2;
		tail = (struct view){ at, (size_t)(end - at) };
	}
	add_start(out, tail, columns);
}

bool label_is_separator(struct view name)
{
	return view_eq(name, "-") || view_eq(name, "--");
}

void texts_init(struct texts *t, const struct report *r, const struct render_opts *opts,
		void (*make)(struct str *, const struct frame *, const struct render_opts *))
{
	*t = (struct texts){ .report = r, .opts = opts, .make = make };
	t->at = mem_alloc(r->n_frames + 1, sizeof(*t->at));
}

struct view texts_get(struct texts *t, u32 frame)
{
	struct text_at *at = &t->at[frame];

	if (!at->start) {
		at->start = t->bytes.n + 1;
		t->make(&t->bytes, &t->report->frames[frame], t->opts);
		at->n = t->bytes.n + 1 - at->start;
	}
	return (struct view){ .p = str_text(&t->bytes) + at->start - 1, .n = at->n };
}

void texts_release(struct texts *t)
{
	free(t->at);
	str_release(&t->bytes);
}
