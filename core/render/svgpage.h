/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Common parts of SVG pictures: a title, three lines that describe the picture, colors for light
 * and dark pages.  A picture is a separate file, or inline in an HTML page, which shows the first
 * two lines itself. */
#ifndef RENDER_SVGPAGE_H
#define RENDER_SVGPAGE_H

#include "base/str.h"
#include "model/report.h"

#define SVG_WIDTH   1200
#define SVG_MARGIN  16
#define SVG_INNER   (SVG_WIDTH - 2 * SVG_MARGIN)
#define SVG_TITLE_Y 34

/* Style sheets and the flame graph's script, NUL-terminated (assets.c). */
extern const char svg_page_style[], svg_flame_style[], svg_heat_style[], svg_scale_style[],
	svg_flame_script[];

struct svg_page {
	struct str *out;
	const char *title;
	bool is_inline;
	/* The command line; host, event and time; and, set by the caller, counts and losses. */
	struct str lines[3];
};

/* `kind`: the title of an inline picture, and of a file if its run has no title. */
void svg_page_init(struct svg_page *p, struct str *out, const struct run_info *run,
		   const char *kind, u64 start_ns, u64 end_ns, bool is_inline);
void svg_page_release(struct svg_page *p);

/* Height of the title and the lines. */
u32 svg_page_head_height(const struct svg_page *p);
/* Write everything up to the opening <style> tag, inclusive. */
void svg_page_start(const struct svg_page *p, u32 height);
/* Draw the background. */
void svg_page_ground(const struct svg_page *p, u32 height);
/* Draw title and text lines on a background that extends down to `y`, and a rule at `y`. */
void svg_page_head(const struct svg_page *p, u32 y);

#endif
