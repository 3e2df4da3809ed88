/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The parts of each format that are used only where a report has ratios (model/ratio.h), or is
 * colored by a share. */
#ifndef RENDER_RATIO_H
#define RENDER_RATIO_H

#include "model/ratio.h"
#include "render/flame.h"
#include "render/jsonw.h"
#include "render/renderer.h"
#include "render/svg.h"

/* The unit in which the ratios of one report are printed: per 1, 1000 or a million ... of the first
 * event, so that the ratio of the whole is at least 0.1 if possible. */
struct ratio_scale {
	const struct run_info *run;
	struct ratio whole;
	u32 step; /* the first events are counted in 1000^step */
	double factor;
};

struct ratio_scale ratio_scale_of(const struct report *r);

/* "page-faults per ms of cpu-clock", "cache-misses per 1,000 instructions" */
void ratio_add_unit(struct str *out, const struct ratio_scale *s);
/* "3.21", in that unit. */
void ratio_add_number(struct str *out, const struct ratio_scale *s, double v);
/* "3.05 to 3.38": the interval at 95 %; nothing if there is none. */
void ratio_add_interval(struct str *out, const struct ratio_scale *s, const struct ratio_value *v);
/* "3.21" or "3.21~", which may be that of the whole; "-": there is none. */
void ratio_add_short(struct str *out, const struct ratio_scale *s, const struct ratio *part);
/* "3.21 (3.05 to 3.38)", or "3.21~ (2.11 to 4.90)" */
void ratio_add_long(struct str *out, const struct ratio_scale *s, const struct ratio *part);
/* The ratio of the whole, as text says it above the rows. */
void ratio_add_about(struct str *out, const struct ratio_scale *s);

/* Both sums, and the value with its interval, in plain events of both. */
void ratio_json(struct jsonw *w, const char *key, const struct ratio *part,
		const struct ratio *whole);

/* ---- pictures (ratiosvg.c) ---- */

/* A color and its meaning. */
struct ratio_mark {
	enum tint tint;
	u32 shade;
	char text[40];
};
#define RATIO_MARKS_MAX (2 * TINT_SHADES + 1)

/* Blue for less than the whole, orange for more; the shade is the factor between the two. */
struct ratio_mark ratio_color(const struct ratio *part, const struct ratio *whole);
/* The legend, in the order from less to more; returns the number of marks. */
u32 ratio_marks(const struct ratio_scale *s, struct ratio_mark marks[RATIO_MARKS_MAX]);
/* "120 samples, 12.00 %; 3.21 page-faults per ms of cpu-clock, 95 % interval 3.05 to 3.38" */
void ratio_add_tip(struct str *out, const struct ratio_scale *s, const struct ratio *part);

/* The same for a box of which `other` is the time off the CPU: blue for time on the CPU, orange for
 * time off it. */
struct ratio_mark share_color(const struct flame_box *box);
u32 share_marks(struct ratio_mark marks[RATIO_MARKS_MAX]);
double share_of_box(const struct flame_box *box);

#endif
