/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a frame is called, and each frame's text made once however many stacks hold it. */
#ifndef RENDER_FRAMELABEL_H
#define RENDER_FRAMELABEL_H

#include "base/str.h"
#include "model/report.h"
#include "render/render.h"

/* Raw bytes: the name; "[libfoo.so.1]" for code without one, or "libfoo.so.1+0x1234" where
 * offsets are shown; "[unknown]" when not even the module is known. */
void label_add(struct str *out, const struct frame *f, bool with_offset);

/* A name that would be taken for what separates stacks ("-", "--"). */
bool label_is_separator(struct view name);

/* ---- a text per frame, made when first asked for ---- */

struct texts {
	const struct report *report;
	const struct render_opts *opts;
	void (*make)(struct str *out, const struct frame *f, const struct render_opts *opts);
	struct str bytes;
	struct text_at {
		size_t start; /* + 1; 0: not made yet */
		size_t n;
	} * at;
};

void texts_init(struct texts *t, const struct report *r, const struct render_opts *opts,
		void (*make)(struct str *, const struct frame *, const struct render_opts *));
/* Valid until the next call. */
struct view texts_get(struct texts *t, u32 frame);
void texts_release(struct texts *t);

#endif
