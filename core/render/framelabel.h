/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The name of a frame in output, and a cache that holds one text per frame, however many stacks
 * contain it. */
#ifndef RENDER_FRAMELABEL_H
#define RENDER_FRAMELABEL_H

#include "base/str.h"
#include "model/report.h"
#include "render/render.h"

/* Add the name as raw bytes.  Code without a name becomes "[libfoo.so.1]", or, with_offset,
 * "libfoo.so.1+0x1234"; code without a module, "[unknown]". */
void label_add(struct str *out, const struct frame *f, bool with_offset);

/* Add the name in at most `columns` (> 2) columns: without its outer scopes ("...::Shard::insert")
 * if that fits, else the start of its last part and "..".  flame.js does the same. */
void label_add_fitting(struct str *out, struct view name, size_t columns);

/* true if readers would take the name for a separator of stacks ("-", "--"). */
bool label_is_separator(struct view name);

/* ---- one text per frame, made at the first use ---- */

struct texts {
	const struct report *report;
	const struct render_opts *opts;
	void (*make)(struct str *out, const struct frame *f, const struct render_opts *opts);
	struct str bytes;
	struct text_at {
		size_t start; /* start + 1; 0: not made yet */
		size_t n;
	} * at;
};

void texts_init(struct texts *t, const struct report *r, const struct render_opts *opts,
		void (*make)(struct str *, const struct frame *, const struct render_opts *));
/* Valid until the next call. */
struct view texts_get(struct texts *t, u32 frame);
void texts_release(struct texts *t);

#endif
