// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "render/framelabel.h"

#include <stdlib.h>

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
