// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The source is processed line by line: macros change the state, and other lines are words that
 * fill the current output line.  A font change is a control byte inside a word, which becomes a
 * terminal sequence, or nothing, when the word is printed.
 */
#include "opt/roff.h"

#include <string.h>

#define BODY_INDENT 7
#define SUB_INDENT  3
#define STEP	    7
#define MAX_ARGS    32

/* Control bytes for fonts; pages cannot contain them as text. */
enum font {
	FONT_ROMAN = 1,
	FONT_BOLD,
	FONT_ITALIC
};

struct roff {
	struct str *out;
	u32 width;
	bool styled;
	u32 base;   /* left edge of ordinary text */
	u32 margin; /* left edge of the current paragraph: base, or more after a tag */
	u32 column; /* column at the end of the current line; 0: empty */
	u32 hang;   /* indent after a tag, while waiting for the line with the tag; 0: none */
	bool verbatim;
	bool under_heading; /* no text since the heading: no blank line either */
	enum font shown;    /* the current font of the output */
};

struct args {
	struct view v[MAX_ARGS];
	size_t n;
};

static void put_font(struct roff *r, enum font font)
{
	static const char *const sequences[] = {
		[FONT_ROMAN] = "\033[0m",
		[FONT_BOLD] = "\033[1m",
		[FONT_ITALIC] = "\033[4m",
	};

	if (!r->styled || font == r->shown)
		return;
	if (r->shown != FONT_ROMAN)
		str_adds(r->out, sequences[FONT_ROMAN]);
	if (font != FONT_ROMAN)
		str_adds(r->out, sequences[font]);
	r->shown = font;
}

static u32 visible_bytes(struct view word)
{
	u32 n = 0;

	for (size_t i = 0; i < word.n; i++)
		n += word.p[i] > FONT_ITALIC || word.p[i] < 0;
	return n;
}

static void put_visible(struct roff *r, struct view word)
{
	for (size_t i = 0; i < word.n; i++) {
		char c = word.p[i];

		if (c >= FONT_ROMAN && c <= FONT_ITALIC)
			put_font(r, (enum font)c);
		else
			str_addc(r->out, c);
	}
	r->column += visible_bytes(word);
	r->under_heading = false;
}

static void pad_to(struct roff *r, u32 column)
{
	for (; r->column < column; r->column++)
		str_addc(r->out, ' ');
}

static void end_line(struct roff *r)
{
	if (!r->column)
		return;
	put_font(r, FONT_ROMAN);
	str_addc(r->out, '\n');
	r->column = 0;
}

static void blank_line(struct roff *r)
{
	end_line(r);
	if (r->out->n > 1 && memcmp(r->out->p + r->out->n - 2, "\n\n", 2) != 0)
		str_addc(r->out, '\n');
}

static void put_word(struct roff *r, struct view word)
{
	u32 n = visible_bytes(word);

	if (r->column > r->margin && r->column + 1 + n > r->width)
		end_line(r);
	if (r->column > r->margin)
		pad_to(r, r->column + 1);
	pad_to(r, r->margin);
	put_visible(r, word);
}

/* The character after a backslash, or a two-letter name after "\(". */
static size_t put_escape(struct str *out, const char *p, size_t n)
{
	static const struct {
		char name[3];
		const char *text;
	} named[] = { { "bu", "*" },  { "em", "--" }, { "en", "-" }, { "aq", "'" },
		      { "dq", "\"" }, { "ha", "^" },  { "ti", "~" }, { "rs", "\\" } };

	if (n >= 2 && p[0] == 'f') {
		str_addc(out, p[1] == 'B' ? FONT_BOLD : p[1] == 'I' ? FONT_ITALIC : FONT_ROMAN);
		return 2;
	}
	if (n >= 3 && p[0] == '(') {
		for (size_t i = 0; i < ARRAY_SIZE(named); i++)
			if (!memcmp(named[i].name, p + 1, 2))
				str_adds(out, named[i].text);
		return 3;
	}
	if (n && p[0] == 'e')
		str_addc(out, '\\');
	else if (n && p[0] != '&' && p[0] != '%')
		str_addc(out, p[0]);
	return n > 0;
}

static void unescape(struct view text, struct str *out)
{
	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] == '\\')
			i += put_escape(out, text.p + i + 1, text.n - i - 1);
		else if (text.p[i] >= ' ' || text.p[i] < 0)
			str_addc(out, text.p[i]);
	}
}

static void put_verbatim(struct roff *r, struct view text)
{
	pad_to(r, r->margin);
	put_visible(r, text);
	if (!r->column)
		r->column = 1;
	end_line(r);
}

/* Print a tag to the left of its paragraph, on the same line if it is short. */
static void put_tag(struct roff *r, struct view text)
{
	end_line(r);
	r->margin = r->base;
	pad_to(r, r->base);
	put_visible(r, text);
	put_font(r, FONT_ROMAN);
	r->margin = r->base + r->hang;
	r->hang = 0;
	if (r->column + 1 > r->margin)
		end_line(r);
	else
		pad_to(r, r->margin);
}

static void put_text(struct roff *r, struct view text)
{
	struct view word;

	if (r->hang) {
		put_tag(r, text);
		return;
	}
	if (r->verbatim) {
		put_verbatim(r, text);
		return;
	}
	while (view_split(&text, ' ', &word))
		if (word.n)
			put_word(r, word);
}

/* Split at spaces; double quotes protect spaces. */
static void split_args(struct view line, struct args *args)
{
	args->n = 0;
	while (line.n && args->n < MAX_ARGS) {
		char sep = *line.p == '"' ? '"' : ' ';
		struct view *arg = &args->v[args->n];

		if (*line.p == ' ' || *line.p == '"')
			line = (struct view){ line.p + 1, line.n - 1 };
		if (sep == ' ' && line.n && *line.p == ' ')
			continue;
		if (sep == ' ' && line.n && *line.p == '"')
			continue;
		if (view_split(&line, sep, arg))
			args->n++;
		if (sep == ' ' && line.n) /* keep the separator: a quote may follow it */
			line = (struct view){ line.p - 1, line.n + 1 };
	}
}

/* "BR": arguments alternately bold and roman, joined; "B": all bold, separated by spaces. */
static void put_fonts(struct roff *r, struct view macro, const struct args *args)
{
	struct str text = { 0 };

	for (size_t i = 0; i < args->n; i++) {
		char f = macro.p[macro.n == 2 ? i % 2 : 0];

		if (i && macro.n == 1)
			str_addc(&text, ' ');
		str_addc(&text, f == 'B' ? FONT_BOLD : f == 'I' ? FONT_ITALIC : FONT_ROMAN);
		unescape(args->v[i], &text);
		str_addc(&text, FONT_ROMAN);
	}
	put_text(r, str_view(&text));
	str_release(&text);
}

static void put_heading(struct roff *r, const struct args *args, u32 indent)
{
	r->base = r->margin = indent;
	r->verbatim = false;
	blank_line(r);
	for (size_t i = 0; i < args->n; i++) {
		struct str text = { 0 };

		str_addc(&text, FONT_BOLD);
		unescape(args->v[i], &text);
		put_word(r, str_view(&text));
		str_release(&text);
	}
	end_line(r);
	r->base = r->margin = BODY_INDENT;
	r->under_heading = true;
}

/* Print "PROFILE(8)      bperf      PROFILE(8)", from name, section and last argument of .TH. */
static void put_title(struct roff *r, const struct args *args)
{
	struct str name = { 0 };
	struct view middle = args->n > 4 ? args->v[4] : (struct view){ "", 0 };
	u32 gap;

	if (args->n < 2)
		return;
	unescape(args->v[0], &name);
	str_addf(&name, "(%.*s)", (int)args->v[1].n, args->v[1].p);
	gap = (u32)(2 * name.n + middle.n < r->width ? (r->width - middle.n) / 2 - name.n : 1);
	put_visible(r, str_view(&name));
	pad_to(r, r->column + gap);
	put_visible(r, middle);
	if (r->column + name.n < r->width)
		pad_to(r, r->width - (u32)name.n);
	put_visible(r, str_view(&name));
	end_line(r);
	str_release(&name);
}

static void start_paragraph(struct roff *r)
{
	if (!r->under_heading)
		blank_line(r);
	r->margin = r->base;
	r->hang = 0;
}

static void start_item(struct roff *r, const struct args *args)
{
	struct str tag = { 0 };

	start_paragraph(r);
	if (!args->n || !args->v[0].n)
		return;
	r->hang = STEP;
	unescape(args->v[0], &tag);
	put_tag(r, str_view(&tag));
	str_release(&tag);
}

static void shift(struct roff *r, bool right)
{
	end_line(r);
	if (right)
		r->base += STEP;
	else if (r->base >= BODY_INDENT + STEP)
		r->base -= STEP;
	r->margin = r->base;
}

static void do_macro(struct roff *r, struct view macro, const struct args *args)
{
	if (view_eq(macro, "TH"))
		put_title(r, args);
	else if (view_eq(macro, "SH"))
		put_heading(r, args, 0);
	else if (view_eq(macro, "SS"))
		put_heading(r, args, SUB_INDENT);
	else if (view_eq(macro, "PP"))
		start_paragraph(r);
	else if (view_eq(macro, "IP"))
		start_item(r, args);
	else if (view_eq(macro, "sp"))
		blank_line(r);
	else if (view_eq(macro, "br"))
		end_line(r);
	else if (view_eq(macro, "RS") || view_eq(macro, "RE"))
		shift(r, macro.p[1] == 'S');
	else if (macro.n <= 2 && strspn(macro.p, "BIR") >= macro.n)
		put_fonts(r, macro, args);
	if (view_eq(macro, "TP")) {
		start_paragraph(r);
		r->hang = STEP;
	}
	if (view_eq(macro, "nf") || view_eq(macro, "EX") || view_eq(macro, "fi") ||
	    view_eq(macro, "EE")) {
		end_line(r);
		r->verbatim = macro.p[0] == 'n' || macro.p[1] == 'X';
	}
}

static void do_line(struct roff *r, struct view line)
{
	struct str text = { 0 };
	struct view macro;
	struct args args;

	if (view_starts(line, ".\\\"") || view_starts(line, "'\\\""))
		return;
	if (line.n > 1 && line.p[0] == '.') {
		line = (struct view){ line.p + 1, line.n - 1 };
		view_split(&line, ' ', &macro);
		split_args(line, &args);
		do_macro(r, macro, &args);
		return;
	}
	unescape(line, &text);
	put_text(r, str_view(&text));
	str_release(&text);
}

void roff_render(struct view source, u32 width, bool styled, struct str *out)
{
	struct roff r = { .out = out, .width = width, .styled = styled, .shown = FONT_ROMAN };
	struct view line;

	while (view_split(&source, '\n', &line))
		do_line(&r, line);
	end_line(&r);
}
