// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "render/htmltable.h"

#include <string.h>

#include "render/units.h"
#include "render/xml.h"

void html_text(struct str *out, const char *text)
{
	xml_add(out, view_of(text));
}

void html_element(struct str *out, const char *start, const char *text)
{
	const char *blank = strchr(start, ' ');
	int n = (int)(blank ? (size_t)(blank - start) : strlen(start));

	str_addf(out, "<%s>", start);
	html_text(out, text);
	str_addf(out, "</%.*s>\n", n, start);
}

/* ---- sections and tables ------------------------------------------------------------------ */

void html_section_start(struct str *out, const char *id, const char *title)
{
	str_addf(out, "<section id=\"%s\">\n", id);
	html_element(out, "h2", title);
}

void html_section_end(struct str *out)
{
	str_adds(out, "</section>\n");
}

void html_table_start(struct str *out, const char *label)
{
	str_adds(out, "<div class=\"scroll\"><table class=\"sort\" aria-label=\"");
	html_text(out, label);
	str_adds(out, "\">\n<thead><tr>");
}

void html_heading(struct str *out, enum html_column kind, const char *name)
{
	static const char *const attributes[] = {
		[HTML_WORDS] = "",
		[HTML_NUMBERS] = " class=\"n\"",
		[HTML_SORTED] = " class=\"n\" aria-sort=\"descending\"",
		[HTML_PICTURE] = " class=\"picture\"",
	};

	str_addf(out, "<th scope=\"col\"%s>", attributes[kind]);
	html_text(out, name);
	str_adds(out, "</th>");
}

void html_table_body(struct str *out)
{
	str_adds(out, "</tr></thead>\n<tbody>\n");
}

void html_table_end(struct str *out)
{
	str_adds(out, "</tbody></table></div>\n");
}

void html_row_start(struct str *out)
{
	str_adds(out, "<tr>");
}

void html_row_end(struct str *out)
{
	str_adds(out, "</tr>\n");
}

/* ---- cells -------------------------------------------------------------------------------- */

void html_words(struct str *out, const char *text)
{
	str_adds(out, "<td>");
	html_text(out, text);
	str_adds(out, "</td>");
}

void html_number(struct str *out, u64 value)
{
	str_adds(out, "<td class=\"n\">");
	units_add_grouped(out, value);
	str_adds(out, "</td>");
}

void html_numberf(struct str *out, const char *fmt, ...)
{
	va_list ap;

	str_adds(out, "<td class=\"n\">");
	va_start(ap, fmt);
	str_vaddf(out, fmt, ap);
	va_end(ap);
	str_adds(out, "</td>");
}

void html_share(struct str *out, u64 part, u64 whole)
{
	double percent = units_percent(part, whole);

	str_addf(out, "<td class=\"n bar\" style=\"--p:%.1f%%\">%.1f %%</td>", percent, percent);
}

/* ---- values of the run -------------------------------------------------------------------- */

static bool is_milliseconds(const struct render *out)
{
	return out->run->unit == UNIT_NS && !out->opts->unit;
}

void html_value(struct render *out, u64 value)
{
	struct str *buf = &out->sink->buf;
	u64 divisor = units_of(out->run, out->opts).divisor;

	value = (value + divisor / 2) / divisor;
	if (!is_milliseconds(out)) {
		html_number(buf, value);
		return;
	}
	str_adds(buf, "<td class=\"n\">");
	units_add_grouped(buf, value / 1000);
	str_addf(buf, ".%03llu</td>", value % 1000);
}

const char *html_unit(const struct render *out)
{
	return is_milliseconds(out) ? "ms" : units_of(out->run, out->opts).name;
}
