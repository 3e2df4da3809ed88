// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>

#include "opt/output.h"
#include "opt/roff.h"
#include "opt/target.h"
#include "test.h"

struct conf {
	struct target target;
	struct output_conf output;
	bool flag, secret;
	u32 n;
};

static const struct opt table[] = {
	OPT_HEADING("First"),
	OPT_U32('n', "number", struct conf, n, 0, 9, "N",
		"a help text that is long enough to be broken at the end of the line, twice at "
		"least, since it goes on and on"),
	OPT_HEADING("Second"),
	OPT_FLAG(0, "a-long-name-beyond-it", struct conf, flag, "on the next line"),
	OPT_FLAG(0, "secret", struct conf, secret, "not shown", .is_hidden = true),
	OPT_END,
};

/* Valid until the next call; the last one is reachable to the end, and so no leak. */
static char *text_of(void (*fn)(const struct opt *table, FILE *f), const struct opt *t)
{
	size_t size;
	static char *text;
	FILE *f;

	free(text);
	f = open_memstream(&text, &size);

	fn(t, f);
	fclose(f);
	return text;
}

TEST(options_are_grouped_and_wrapped)
{
	CHECK_STR(text_of(opt_help, table),
		  "First:\n"
		  "  -n, --number N           a help text that is long enough to be broken at the\n"
		  "                           end of the line, twice at least, since it goes on\n"
		  "                           and on\n"
		  "\n"
		  "Second:\n"
		  "      --a-long-name-beyond-it\n"
		  "                           on the next line\n"
		  "\n"
		  "Help:\n"
		  "  -h, --help               show this text\n"
		  "  -V, --version            show the version and the licences\n");
}

static void two_sentences(const struct opt *unused, FILE *f)
{
	(void)unused;
	opt_wrap("  A sentence that ends where the line does, or nearly so, for it has 79 bytes.  "
		 "Another.  One more.",
		 0, f);
}

TEST(a_broken_line_has_no_blank_at_its_end)
{
	CHECK_STR(text_of(two_sentences, NULL),
		  "  A sentence that ends where the line does, or nearly so, for it has 79 bytes.\n"
		  "Another.  One more.\n");
}

TEST(no_line_is_longer_than_79)
{
	const struct opt *const tables[] = { table, target_opts, output_opts };

	for (size_t i = 0; i < ARRAY_SIZE(tables); i++) {
		char *line = strtok(text_of(opt_help, tables[i]), "\n");

		for (; line; line = strtok(NULL, "\n"))
			CHECK(strlen(line) <= 79);
	}
}

TEST(lists_have_a_line_per_option)
{
	char *text = text_of(opt_list, table);

	CHECK(!strncmp(text, "--number\tN\tnumber\tn\ta help", 26));
	CHECK(strstr(text, "\n--a-long-name-beyond-it\t\tflag\t\ton the next line\n"));
	CHECK(strstr(text, "\n--help\t\tflag\th\tshow this text\n"));
	CHECK(!strstr(text, "secret"));
}

static const char *rendered(const char *source, bool styled)
{
	static struct str out;

	str_clear(&out);
	roff_render(view_of(source), 60, styled, &out);
	return str_text(&out);
}

TEST(pages_are_filled_and_indented)
{
	CHECK_STR(rendered(".\\\" comment\n"
			   ".SH NAME\n"
			   "bperf \\- where does\n"
			   "the time go, told in a line that has to be broken somewhere\n"
			   ".PP\n"
			   "Second.\n",
			   false),
		  "NAME\n"
		  "       bperf - where does the time go, told in a line that\n"
		  "       has to be broken somewhere\n"
		  "\n"
		  "       Second.\n");
}

TEST(tags_are_left_of_their_text)
{
	CHECK_STR(rendered(".SH OPTIONS\n"
			   ".TP\n"
			   ".B \\-f\n"
			   "Short.\n"
			   ".TP\n"
			   ".BR \\-p \", \" \\-\\-pid \" \" \\fIPID\\fR\n"
			   "Long.\n"
			   ".IP \\(bu\n"
			   "Dot.\n",
			   false),
		  "OPTIONS\n"
		  "       -f     Short.\n"
		  "\n"
		  "       -p, --pid PID\n"
		  "              Long.\n"
		  "\n"
		  "       *      Dot.\n");
}

TEST(examples_keep_their_lines)
{
	CHECK_STR(rendered(".PP\nBefore:\n.PP\n.EX\n  a  b\n\nc\\ed\n.EE\nAfter.\n", false),
		  "Before:\n\n  a  b\n\nc\\d\nAfter.\n");
}

TEST(fonts_become_terminal_sequences)
{
	CHECK_STR(rendered(".PP\nA \\fBb\\fR c\n", true), "A \033[1mb\033[0m c\n");
	CHECK_STR(rendered(".PP\n.IR x , y\n", true), "\033[4mx\033[0m,\033[4my\033[0m\n");
}

TEST(broken_pages_are_safe)
{
	const char *const bad[] = {
		".",	".TP",	    ".SH",    ".BR \"", "\\",	  "\\f",
		"\\(b", ".RE\n.RE", ".IP \"", ".TH x",	"..\n..", ".B \"a \"b\""
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		rendered(bad[i], true);
}
