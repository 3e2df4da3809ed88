/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Draws histograms over time (argdist --heat): as lines of text, or as columns of an SVG
 * picture. */
#ifndef RENDER_HEATTEXT_H
#define RENDER_HEATTEXT_H

#include "render/renderer.h"

#define HEAT_LEVELS 9 /* colors */

/* The start of a bucket in five characters: exact up to six digits, rounded to three above. */
void heat_add_label(struct str *out, const struct dist *d, u32 bucket);
/* Add "$latency (ns)", sanitized. */
void heat_add_name(struct str *out, const struct dist *d);

/* The color of a bucket with n of `most` events, from 1 on; 0 only if there are no events. */
u32 heat_level(u64 n, u64 most);
/* Its character where there are no colors. */
char heat_paper(u32 level);

/* ---- text (heattext.c) ---- */

/* Print a line for each histogram of the report, and scales when they change. */
void heat_text(struct render *out, const struct report *r);
void heat_text_release(struct render *out);

/* ---- SVG (heatsvg.c): collected from each report, drawn at the end ---- */

/* Keep the histograms of a report, unless it is a snapshot, whose window has no column yet. */
void heat_svg_collect(struct render *out, const struct report *r);
/* Draw the collected histograms, if there are any; is_inline: as an element for a page. */
void heat_svg_draw(struct render *out, const struct ledger *lost, bool is_inline);
/* Collect, and draw a snapshot. */
void heat_svg_report(struct render *out, const struct report *r);
void heat_svg_end(struct render *out, const struct run_end *end);
void heat_svg_release(struct render *out);

#endif
