// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "render/svgpage.h"

#include <string.h>

#include "base/utf8.h"
#include "render/summary.h"
#include "render/xml.h"

#define ABOUT_Y	    56
#define ABOUT_PITCH 17
#define ABOUT_MAX   170 /* characters that fit into a line at 12 px */

/* Add a separator between two parts, unless the part before it is empty. */
static void add_dot(struct str *line)
{
	static const char dot[] = "  \xc2\xb7  ";

	if (line->n < sizeof(dot) - 1 || strcmp(line->p + line->n - sizeof(dot) + 1, dot) != 0)
		str_adds(line, line->n ? dot : "");
}

void svg_page_init(struct svg_page *p, struct str *out, const struct run_info *run,
		   const char *kind, u64 start_ns, u64 end_ns, bool is_inline)
{
	struct str *line = &p->lines[1];

	*p = (struct svg_page){ .out = out, .title = kind, .is_inline = is_inline };
	if (run->title && !is_inline)
		p->title = run->title;
	about_command(&p->lines[0], run);
	about_host(line, run);
	add_dot(line);
	about_event(line, run);
	add_dot(line);
	about_when(line, run, start_ns, end_ns);
}

void svg_page_release(struct svg_page *p)
{
	for (int i = 0; i < 3; i++)
		str_release(&p->lines[i]);
}

/* The first of the lines that the picture itself shows. */
static u32 first_line(const struct svg_page *p)
{
	return p->is_inline ? 2 : 0;
}

u32 svg_page_head_height(const struct svg_page *p)
{
	return ABOUT_Y + ABOUT_PITCH * (3 - first_line(p)) - 5;
}

/* An inline picture has no <title>, because browsers would show it as a tooltip of everything in
 * it. */
static void start_inline(const struct svg_page *p, u32 height)
{
	str_addf(p->out,
		 "<svg width=\"%d\" height=\"%u\" viewBox=\"0 0 %d %u\" aria-label=\"%s\">\n",
		 SVG_WIDTH, height, SVG_WIDTH, height, p->title);
}

static void start_file(const struct svg_page *p, u32 height)
{
	str_addf(p->out,
		 "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		 "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"%d\" "
		 "height=\"%u\" viewBox=\"0 0 %d %u\">\n<title>",
		 SVG_WIDTH, height, SVG_WIDTH, height);
	xml_add(p->out, view_of(p->title));
	str_adds(p->out, "</title>\n<desc>");
	for (int i = 0; i < 3; i++) {
		xml_add(p->out, str_view(&p->lines[i]));
		str_addc(p->out, i < 2 ? '\n' : '<');
	}
	str_adds(p->out, "/desc>\n");
}

void svg_page_start(const struct svg_page *p, u32 height)
{
	if (p->is_inline)
		start_inline(p, height);
	else
		start_file(p, height);
	str_adds(p->out, "<style>\n");
	str_adds(p->out, svg_page_style);
}

void svg_page_ground(const struct svg_page *p, u32 height)
{
	str_addf(p->out, "<rect class=\"page wide\" width=\"%d\" height=\"%u\"/>\n", SVG_WIDTH,
		 height);
}

/* The full text is in <desc>; here it is shortened to the width of the picture, at its end: losses
 * stand in the middle. */
static void add_about(const struct svg_page *p, u32 line)
{
	struct str cut = { 0 };

	utf8_add_head(&cut, str_view(&p->lines[line]), ABOUT_MAX);
	str_addf(p->out, "<text class=\"about\" x=\"%d\" y=\"%u\">", SVG_MARGIN,
		 ABOUT_Y + (line - first_line(p)) * ABOUT_PITCH);
	xml_add(p->out, str_view(&cut));
	str_adds(p->out, "</text>\n");
	str_release(&cut);
}

void svg_page_head(const struct svg_page *p, u32 y)
{
	svg_page_ground(p, y);
	str_addf(p->out, "<line class=\"line\" x2=\"%d\" y1=\"%u\" y2=\"%u\"/>\n", SVG_WIDTH, y, y);
	str_addf(p->out, "<text id=\"title\" x=\"%d\" y=\"%d\">", SVG_MARGIN, SVG_TITLE_Y);
	xml_add(p->out, view_of(p->title));
	str_adds(p->out, "</text>\n");
	for (u32 i = first_line(p); i < 3; i++)
		add_about(p, i);
}
