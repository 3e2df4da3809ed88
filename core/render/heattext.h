/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Histograms over time (argdist --heat): lines in text, columns of a picture in SVG. */
#ifndef RENDER_HEATTEXT_H
#define RENDER_HEATTEXT_H

#include "render/renderer.h"

#define HEAT_LEVELS 9 /* colours */

/* Where a bucket begins, in five characters: exact up to six digits, else three of them. */
void heat_add_label(struct str *out, const struct dist *d, u32 bucket);
/* "$latency (ns)", clean. */
void heat_add_name(struct str *out, const struct dist *d);

/* ---- text (heattext.c) ---- */

/* The report's histograms, a line each; scales come again when they change. */
void heat_text(struct render *out, const struct report *r);
void heat_text_release(struct render *out);

/* ---- SVG (heatsvg.c): kept by each report, drawn at the end ---- */

void heat_svg_report(struct render *out, const struct report *r);
void heat_svg_end(struct render *out, const struct run_end *end);
void heat_svg_release(struct render *out);

#endif
