// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Embeds the style sheets and the scripts of SVG files and HTML pages.  Paths are relative to the
 * root of the repository, where make runs.
 */
#include "render/html.h"
#include "render/svgpage.h"

#define ASSET(symbol, path)                                                           \
	__asm__(".section .rodata\n.globl " #symbol "\n" #symbol ":\n.incbin \"" path \
		"\"\n.byte 0\n.previous\n")

ASSET(svg_page_style, "core/render/page.css");
ASSET(svg_flame_style, "core/render/flame.css");
ASSET(svg_heat_style, "core/render/heat.css");
ASSET(svg_scale_style, "core/render/scale.css");
ASSET(svg_flame_script, "core/render/flame.js");
ASSET(html_style, "core/render/html.css");
ASSET(html_script, "core/render/html.js");
ASSET(html_timeline_script, "core/render/timeline.js");
