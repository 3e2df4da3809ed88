// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The texts about a tool: its usage, its description, and its manual page. */
#include <ctype.h>
#include <string.h>

#include "base/cleanup.h"
#include "recipe/tool.h"

const char *tool_usage(struct tool *t)
{
	_cleanup_(str_release) struct str s = { 0 };
	const struct recipe_option *o;

	str_adds(&s, "[options]");
	vec_for_each(o, &t->recipe.options)
		if (o->is_positional)
			str_addf(&s, o->is_optional ? " [%s]" : " %s", o->arg);
	if (t->recipe.run != RECIPE_TRACE)
		str_adds(&s, " [interval [count]]");
	str_adds(&s, " [-- program]");
	return arena_view(&t->texts, str_view(&s));
}

/* "Shows ..."; positional arguments are explained below. */
const char *tool_about(struct tool *t)
{
	_cleanup_(str_release) struct str s = { 0 };
	const struct recipe_option *o;

	str_addf(&s, "%c%s.", toupper((unsigned char)t->recipe.purpose[0]), t->recipe.purpose + 1);
	if (t->recipe.about)
		str_addf(&s, "  %s", t->recipe.about);
	vec_for_each(o, &t->recipe.options)
		if (o->is_positional)
			str_addf(&s, "\n%s: %s%s%s%s.", o->arg, o->help, o->standard ? " (" : "",
				 o->standard ? o->standard : "", o->standard ? ")" : "");
	return arena_view(&t->texts, str_view(&s));
}

/* ---- the manual ------------------------------------------------------------------------------ */

static void roff_text(struct str *out, const char *text)
{
	for (; *text; text++)
		if (*text == '\\')
			str_adds(out, "\\e");
		else if (*text == '-')
			str_adds(out, "\\-");
		else if (*text == '\n')
			str_adds(out, "\n.PP\n");
		else
			str_addc(out, *text);
	str_addc(out, '\n');
}

/* The option's letters, including those of further rows. */
static void page_letters(const struct tool *t, const struct opt *first, struct str *out)
{
	const struct opt *o;

	vec_for_each(o, &t->opts)
		if (o->letter &&
		    (o == first || (o->kind == OPT_KIND_LETTER && !strcmp(o->name, first->name))))
			str_addf(out, "\\-%c, ", o->letter);
}

static void page_name(const char *name, struct str *out)
{
	str_adds(out, "\\-\\-");
	for (const char *c = name; *c; c++)
		str_addf(out, *c == '-' ? "\\-" : "%c", *c);
}

static void page_options(const struct tool *t, struct str *out)
{
	const struct opt *o;

	str_adds(out, ".SH OPTIONS\n");
	vec_for_each(o, &t->opts) {
		if (o->kind == OPT_KIND_END || o->kind == OPT_KIND_LETTER)
			continue;
		if (o->kind == OPT_KIND_HEADING) {
			str_adds(out, ".SS ");
			roff_text(out, o->help);
			continue;
		}
		str_adds(out, ".TP\n.B ");
		page_letters(t, o, out);
		page_name(o->name, out);
		if (o->second_name) {
			str_adds(out, ", ");
			page_name(o->second_name, out);
		}
		str_addf(out, "%s%s\n", o->arg ? " " : "", o->arg ? o->arg : "");
		roff_text(out, o->help);
	}
}

static void page_examples(const struct recipe *r, struct str *out)
{
	str_adds(out, ".SH EXAMPLES\n");
	for (u32 i = 0; i < r->n_examples; i++) {
		str_addf(out, ".TP\n.B bperf %s%s", r->name, r->examples[i].args[0] ? " " : "");
		roff_text(out, r->examples[i].args);
		roff_text(out, r->examples[i].what);
	}
}

void tool_page(struct tool *t, struct str *out)
{
	const struct recipe *r = &t->recipe;

	str_addf(out, ".TH BPERF\\-%s 8 2026-11-24 bperf \"System Administration\"\n.SH NAME\n",
		 r->name);
	str_addf(out, "%s \\- ", r->name);
	roff_text(out, r->purpose);
	str_addf(out, ".SH SYNOPSIS\n.B bperf %s\n", r->name);
	roff_text(out, tool_usage(t));
	str_adds(out, ".SH DESCRIPTION\n");
	roff_text(out, tool_about(t));
	str_addf(out,
		 ".PP\nIt is a recipe of\n.BR bperf\\-%s (8):\n.B bperf %s \\-\\-show\n"
		 "prints it, and\n.BR bperf\\-recipes (7)\nhas its language.\n",
		 t->run, r->name);
	page_options(t, out);
	page_examples(r, out);
	if (r->overhead) {
		str_adds(out, ".SH OVERHEAD\n");
		roff_text(out, r->overhead);
	}
	str_addf(out, ".SH SEE ALSO\n.BR bperf\\-%s (8),\n.BR bperf\\-recipes (7)\n", t->run);
}
