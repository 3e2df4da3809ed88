/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The parts of each format that are used only for differences (model/diff.h). */
#ifndef RENDER_DIFF_H
#define RENDER_DIFF_H

#include "model/diff.h"
#include "render/flame.h"
#include "render/renderer.h"
#include "render/svg.h"

void diff_text(struct render *out, const struct diff *d);
void diff_json(struct render *out, const struct diff *d);

/* "before" and "after" */
extern const char *const diff_side_names[DIFF_N_SIDES];
/* "new", "gone"; NULL: on both sides. */
const char *diff_status(const struct diff_sum sum[DIFF_N_SIDES]);
/* "1,980 samples in 5.001 s, db7, lost: none": describes a side for people. */
void diff_add_side(struct str *out, const struct diff *d, enum diff_when when);
/* "+1.23" or "-0.40", in the unit of diff_unit(). */
void diff_add_number(struct str *out, const struct diff *d, enum diff_basis basis, double v,
		     bool has_sign);
/* "%", "per second", "ms per second", "samples", "us" */
const char *diff_unit(const struct diff *d, enum diff_basis basis);

/* ---- the flame graph (diffsvg.c) ---- */

/* The change of a box, in the basis of the options. */
struct diff_change diff_of_box(const struct diff *d, const struct flame_box *box);
/* Its color: orange for more, blue for less; the shade is the ratio of both sides. */
enum tint diff_tint(const struct diff_change *c);
u32 diff_shade(const struct diff_change *c);
/* "+1.2 points", the text of the label; empty for noise. */
void diff_add_mark(struct str *out, const struct diff *d, const struct diff_change *c);
/* "120 samples after; from 10.00 to 12.00 %: +2.00 points, 95 % interval +1.10 to +2.90" */
void diff_add_tip(struct str *out, const struct diff *d, const struct flame_box *box,
		  const struct diff_change *c);

#endif
