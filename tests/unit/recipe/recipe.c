// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "recipe/recipe.h"

#include "base/str.h"
#include "test.h"

static bool has_site(void *ctx, const char *site)
{
	return ctx && !strcmp(ctx, site);
}

/* The words, each in brackets; or the error's sentence and the line with its caret. */
static const char *built(const char *text, const char *give, const char *site)
{
	static struct str out;
	const struct recipe_host host = { .has_site = has_site, .ctx = (void *)(uintptr_t)site };
	struct recipe_words words = { 0 };
	char *values[RECIPE_OPTIONS_MAX] = { 0 };
	struct err err = { 0 };
	struct recipe r;
	int ret = recipe_read("t", "t.bperf", text, &r, &err);

	str_clear(&out);
	for (size_t i = 0; !ret && give && i < r.options.n; i++)
		ret = recipe_value(&r.options.items[i], give, &values[i], &err);
	ret = ret ?: recipe_build(&r, values, &host, &words, &err);
	for (size_t i = 0; !ret && i < words.words.n; i++)
		str_addf(&out, "<%s>", words.words.items[i]);
	if (ret)
		str_addf(&out, "%s|%s|%u", err.what, err.text, err.caret);
	for (size_t i = 0; i < r.options.n; i++)
		free(values[i]);
	recipe_words_release(&words);
	recipe_release(&r);
	return str_text(&out);
}

#define TRACE "purpose p\nrun trace\n"
#define DIST  "purpose p\nrun argdist\n"

TEST(a_recipe_of_trace_has_a_heading_and_named_values)
{
	CHECK_STR(built(TRACE
			"column PID %-7d $tgid\ncolumn LAT(ms) %8.2{ms} $latency\nprobe r:x\n",
			NULL, NULL),
		  "<trace><--heading><PID      LAT(ms)><r:x \"%-7d %8.2{ms}\", pid=$tgid, "
		  "lat_ns=$latency>");
}

TEST(control_characters_are_refused)
{
	CHECK_STR(
		built("purpose red\r\nrun trace\nprobe k:a\n", NULL, NULL),
		"t.bperf:1: the line ends with a carriage return, as on Windows; remove it|purpose red\r|11");
	CHECK_STR(
		built("purpose \033[31mred\nrun trace\nprobe k:a\n", NULL, NULL),
		"t.bperf:1: a terminal would obey this control character; remove it|purpose \033[31mred|8");
	CHECK_STR(
		built(TRACE "about x\xc2\x9b\nprobe k:a\n", NULL, NULL),
		"t.bperf:3: a terminal would obey this control character; remove it|about x\xc2\x9b|7");
	CHECK_STR(built(TRACE "about\tcafé\nprobe\tk:a\n", NULL, NULL), "<trace><k:a>");
}

TEST(a_column_without_a_value_is_blank)
{
	CHECK_STR(built(TRACE "column T %-1s\ncolumn N %3d n\nprobe k:a\nlet T \"R\"\nprobe k:b\n",
			NULL, NULL),
		  "<trace><--heading><T   N><k:a \"%-1s %3d\", t=\"R\", n=n><k:b \"  %3d\", n=n>");
}

TEST(conditions_ask_for_options)
{
	static const char text[] = TRACE "option -x --failed - f\n[failed] where retval < 0\n"
					 "[else] where retval >= 0\nprobe r:x\n";

	CHECK_STR(built(text, NULL, NULL), "<trace><r:x (retval >= 0)>");
	CHECK_STR(built(text, "", NULL), "<trace><r:x (retval < 0)>");
}

TEST(conditions_ask_for_sites_in_order)
{
	static const char text[] = TRACE
		"[t:a:b] probe t:a:b\n[else k:c] probe k:c\n[else k:c] where 1\n[else] probe k:d\n";

	CHECK_STR(built(text, NULL, "t:a:b"), "<trace><t:a:b>");
	CHECK_STR(built(text, NULL, "k:c"), "<trace><k:c (1)>");
	CHECK_STR(built(text, NULL, NULL), "<trace><k:d>");
}

TEST(a_kernel_with_none_of_the_sites_is_an_error)
{
	CHECK_STR(built(TRACE "[t:a:b] probe t:a:b\n[else k:c] probe k:c\n", NULL, NULL),
		  "t: this kernel has none of its probes||0");
}

TEST(values_are_filled_in_by_their_types)
{
	static const char text[] =
		TRACE "option --n N:number - x\noption --p P:part - x\n"
		      "option --t T:ms - x\noption --w W:word - x\n"
		      "where n == ${n} && s ~ ${p} && $latency > ${t}\nprobe ${w}\n";

	CHECK_STR(built(text, "10", NULL),
		  "<trace><10 (n == 10 && s ~ \"*10*\" && $latency > 10000000)>");
}

TEST(a_condition_holds_for_any_number_of_a_list)
{
	static const char text[] = TRACE "option --n N:numbers - x\nwhere n == ${n}\n"
					 "probe k:a\nwhere 1\n";

	CHECK_STR(built(text, "80", NULL), "<trace><k:a ((n == 80) && (1))>");
	CHECK_STR(built(text, "80,0x10", NULL), "<trace><k:a (((n == 80) || (n == 16)) && (1))>");
	CHECK_STR(built(text, "80,,443", NULL), "--n: '' is not a whole number||0");
	CHECK_STR(built(TRACE "option --n N:numbers - x\nprobe k:a\ncolumn X %d ${n}\n", "8", NULL),
		  "t.bperf:5: only 'where' takes a list of numbers|column X %d ${n}|12");
	CHECK_STR(built(TRACE "option --n N:numbers - x\nwhere a == ${n} || b == ${n}\nprobe k:a\n",
			"8,9", NULL),
		  "<trace><k:a ((a == 8 || b == 8) || (a == 9 || b == 9))>");
	CHECK_STR(built(TRACE "option --n N:numbers - x\noption --m M:numbers - x\n"
			      "where a == ${n} && b == ${m}\nprobe k:a\n",
			"8", NULL),
		  "t.bperf:5: a line takes one list: --n comes before|"
		  "where a == ${n} && b == ${m}|24");
}

TEST(a_folder_is_a_pattern_of_what_is_below_it)
{
	CHECK_STR(built(TRACE "option --d D:below - x\nwhere path(f) ~ ${d}\nprobe k:a\n", "/a\"b",
			NULL),
		  "<trace><k:a (path(f) ~ \"/a\\\"b/*\")>");
	CHECK_STR(built(TRACE "option --d D:below - x\nwhere path(f) ~ ${d}\nprobe k:a\n", "/a//",
			NULL),
		  "<trace><k:a (path(f) ~ \"/a/*\")>");
	CHECK_STR(
		built(TRACE "option --d D:below - x\nwhere path(f) ~ ${d}\nprobe k:a\n", "/", NULL),
		"<trace><k:a (path(f) ~ \"/*\")>");
}

static bool count_site(void *ctx, const char *site)
{
	(void)site;
	(*(u32 *)ctx)++;
	return false;
}

TEST(a_site_is_looked_for_once_and_named_when_others_fail)
{
	static const char text[] =
		TRACE "[t:a:b] probe t:a:b\n[t:a:b] where 1\n[else] probe k:d\n[!t:a:b] where 2\n";
	u32 n_asked = 0;
	const struct recipe_host host = { .has_site = count_site, .ctx = &n_asked };
	struct recipe_words words = { 0 };
	char *values[1] = { 0 };
	struct err err = { 0 }, usage = { 0 };
	struct recipe r;

	CHECK(!recipe_read("t", "t.bperf", text, &r, &err));
	CHECK(!recipe_build(&r, values, &host, &words, &err));
	CHECK_U64(n_asked, 1);
	err_set(&err, ERR_NOTARGET, "no function 'd'");
	recipe_say_absent(&words, &err);
	CHECK_STR(err.hint, "the recipe looked for others before: t:a:b");
	err_set(&usage, ERR_USAGE, "no such name");
	recipe_say_absent(&words, &usage);
	CHECK_STR(usage.hint, "");
	recipe_words_release(&words);
	recipe_release(&r);
}

TEST(a_disk_is_its_number)
{
	static const char text[] = TRACE "option --d D:disk - x\nwhere dev == ${d}\nprobe k:a\n";

	CHECK_STR(built(text, "8:1", NULL), "<trace><k:a (dev == 8388609)>");
	CHECK_STR(built(text, "/dev/../8:1", NULL), "--d: there is no disk '/dev/../8:1'||0");
}

TEST(a_terminal_is_no_other_device)
{
	static const char text[] = TRACE "option --d D:tty - x\nwhere n == ${d}\nprobe k:a\n";

	CHECK_STR(built(text, "/dev/null", NULL), "--d: there is no terminal '/dev/null'||0");
	CHECK_STR(built(text, "../null", NULL), "--d: there is no terminal '../null'||0");
	CHECK_STR(built(text, "1048576", NULL), "--d: there is no terminal '1048576'||0");
	CHECK_STR(built(text, "/dev/tty", NULL), "--d: there is no terminal '/dev/tty'||0");
	CHECK_STR(built(text, "ptmx", NULL), "--d: there is no terminal 'ptmx'||0");
	CHECK_STR(built(text, "", NULL), "--d: there is no terminal ''||0");
	CHECK_STR(built(text, "..", NULL), "--d: there is no terminal '..'||0");
}

TEST(a_table_needs_no_key)
{
	static const char text[] =
		"purpose x\nrun argdist\nwhere a > 1\ncolumn N count()\nprobe k:b\n";

	CHECK_STR(built(text, NULL, NULL), "<argdist><--table><k:b (a > 1) N=count()>");
}

TEST(a_precision_comes_before_the_value)
{
	CHECK_STR(built(TRACE "column D %.*s n, p\nprobe k:a\n", NULL, NULL),
		  "<trace><--heading><D><k:a \"%.*s\", n, d=p>");
	CHECK_STR(built(TRACE "column D %.*s p\nprobe k:a\n", NULL, NULL),
		  "t.bperf:3: '*' takes a number before the value|column D %.*s p|14");
}

TEST(a_text_is_quoted)
{
	CHECK_STR(
		built(TRACE "option --s S - x\nwhere $comm == ${s}\nprobe k:a\n", "a\"b\\\n", NULL),
		"<trace><k:a ($comm == \"a\\\"b\\\\\\x0a\")>");
}

TEST(a_default_is_taken_when_no_value_is_given)
{
	CHECK_STR(built(TRACE "argument MIN:ms=2 - x\nwhere $latency > ${min}\nprobe r:x\n", NULL,
			NULL),
		  "<trace><r:x ($latency > 2000000)>");
}

TEST(a_recipe_of_argdist_makes_specs)
{
	CHECK_STR(built(DIST "by COMM=$comm\nhistogram $latency/1us\nwhere a\nwhere b\nprobe r:x\n"
			     "label read\n",
			NULL, NULL),
		  "<argdist><-H><r:x():u64:$latency/1us:((a) && (b))#read><--by><COMM=$comm>");
}

TEST(sites_are_listed_instead)
{
	static const char text[] =
		DIST "option -l --list WHAT:word - x\n[list] list k:${list}*\n"
		     "interval 1\nwith --top 3\nby A=a\nprobe k:x\ncolumn N count()\n";

	CHECK_STR(built(text, "vfs_", NULL), "<list><k:vfs_*>");
	CHECK_STR(built(text, NULL, NULL), "<argdist><--top><3><--table><k:x[A=a] N=count()>");
}

TEST(a_blank_ends_a_regular_expression)
{
	CHECK_STR(built(DIST "with --regexp\nhistogram $latency\nprobe r:x|y\n", NULL, NULL),
		  "<argdist><--regexp><-H><r:x|y ():u64:$latency>");
	CHECK_STR(built(DIST "with --regexp\nby A=a\nprobe k:x|y\ncolumn N count()\n", NULL, NULL),
		  "<argdist><--regexp><--table><k:x|y [A=a] N=count()>");
}

TEST(a_column_may_be_several_values_at_a_probe)
{
	CHECK_STR(
		built(TRACE
		      "column A %-9s\ncolumn B %d 1\nprobe k:x\nlet A \"%x \\\"%s\\\"\" , a=b, c=d\n"
		      "probe k:y\nlet A \"text, not values\"\n",
		      NULL, NULL),
		"<trace><--heading><A         B><k:x \"%x \\\"%s\\\" %d\", a=b, c=d, b=1>"
		"<k:y \"%-9s %d\", a=\"text, not values\", b=1>");
}

TEST(a_table_has_keys_and_columns)
{
	CHECK_STR(
		built(DIST "by A=a\nprobe k:x\ncolumn N count()\nprobe k:y\ncolumn B sum(b)\n"
			   "derive R N/B\n",
		      NULL, NULL),
		"<argdist><--table><k:x[A=a] N=count()><--table><k:y[A=a] B=sum(b)><--col><R=N/B>");
}

TEST(mistakes_are_shown_where_they_are)
{
	CHECK_STR(built(TRACE "prob k:x\n", NULL, NULL),
		  "t.bperf:3: no line begins with this word|prob k:x|0");
	CHECK_STR(built(TRACE "probe k:${x}\n", NULL, NULL),
		  "t.bperf:3: there is no option 'x'|probe k:${x}|8");
	CHECK_STR(built(TRACE "[x] probe k:x\n", NULL, NULL),
		  "t.bperf:3: there is no option 'x'|[x] probe k:x|1");
	CHECK_STR(built(TRACE "option -a --a - x\noption -a --b - x\nprobe k:x\n", NULL, NULL),
		  "t.bperf:4: -a already belongs to --a|option -a --b - x|7");
	CHECK_STR(built(TRACE "option --a --b - x\noption --b - x\nprobe k:x\n", NULL, NULL),
		  "t.bperf:4: there is an option 'b' already|option --b - x|7");
	CHECK_STR(built(TRACE "option -a --a - x\nprobe k:x\n", NULL, NULL),
		  "t.bperf:3: no line asks for this option|option -a --a - x|7");
	CHECK_STR(built(TRACE "with -o /etc/x\nprobe k:x\n", NULL, NULL),
		  "t.bperf:3: 'with' takes options of trace, and no letters together; -o and -- "
		  "are refused|with -o /etc/x|5");
	CHECK_STR(built(TRACE "interval 1s\nprobe k:x\n", NULL, NULL),
		  "t.bperf:3: 'interval' is not for trace|interval 1s|9");
	CHECK_STR(built("purpose p\nprobe k:x\n", NULL, NULL),
		  "t.bperf:2: a line 'run COMMAND' must come before this one|probe k:x|6");
	CHECK_STR(built(TRACE "option --a N:1..9=50 - x\nprobe k:${a}\n", NULL, NULL),
		  "t.bperf:3: the default value is refused: --a: 50 is not in 1 to 9|"
		  "option --a N:1..9=50 - x|17");
	CHECK_STR(built(TRACE "option --a N:x,y - x\n[a=z] where b\nprobe k:${a}\n", NULL, NULL),
		  "t.bperf:4: --a is never 'z'|[a=z] where b|1");
	CHECK_STR(built(TRACE "option --a - x\n[a] probe k:x\n", NULL, NULL),
		  "t: no probe: each is only for options that were not given||0");
}

TEST(a_line_that_would_be_ignored_is_refused)
{
#define TWO                                                                                   \
	"a line above has said already what is measured: a recipe has columns, a histogram, " \
	"counts or statistics|"
	CHECK_STR(built(TRACE "column A %d\nlet A 1\nprobe k:x\n", NULL, NULL),
		  "t.bperf:4: 'let' follows a probe; before the first one, 'column' sets the value "
		  "at all of them|let A 1|4");
	CHECK_STR(built(DIST "histogram a\ncolumn A count()\nprobe k:x\n", NULL, NULL),
		  "t.bperf:4: " TWO "column A count()|7");
	CHECK_STR(built(DIST "column A count()\nstats a\nprobe k:x\n", NULL, NULL),
		  "t.bperf:4: " TWO "stats a|6");
	CHECK_STR(
		built(DIST "histogram a\nprobe k:x\nby k=\"x\"\n", NULL, NULL),
		"t.bperf:5: only a table has 'by' lines after a probe: elsewhere they come before "
		"the first one|by k=\"x\"|3");
	/* A probe may differ from the others. */
	CHECK_STR(built(DIST "histogram a\nprobe k:x\nstats b\n", NULL, NULL),
		  "<argdist><-S><k:x():u64:b>");
}

TEST(a_line_ends_what_it_opens)
{
	CHECK_STR(built(TRACE "where (a\nwhere b)\nprobe k:x\n", NULL, NULL),
		  "t.bperf:3: this '(' is not closed|where (a|6");
	CHECK_STR(built(TRACE "where a)\nprobe k:x\n", NULL, NULL),
		  "t.bperf:3: nothing is open that this ')' closes|where a)|7");
	CHECK_STR(built(TRACE "where a == \"b\nprobe k:x\n", NULL, NULL),
		  "t.bperf:3: this '\"' is not closed|where a == \"b|11");
	CHECK_STR(built(TRACE "option --a N - x\nwhere b == ${a\nprobe k:x\n", NULL, NULL),
		  "t.bperf:4: the '}' of this is missing|where b == ${a|11");
	CHECK_STR(built(TRACE "column A( %d a[\"(\"]\nprobe k:x\n", NULL, NULL),
		  "<trace><--heading><A(><k:x \"%d\", a=a[\"(\"]>");
}

TEST(a_word_of_a_probe_is_one_word)
{
	CHECK_STR(built(TRACE "option --a N:word - x\nprobe k:${a}\n", "x) || (y", NULL),
		  "--a: 'x) || (y' is not one word||0");
	CHECK_STR(built(TRACE "option --a N:word - x\nprobe k:${a}\n", "(x|y)[a-z]+", NULL),
		  "<trace><k:(x|y)[a-z]+>");
}

/* The error of a command about the text `at` in the last word of the recipe, with `give` for each
 * option, as a person sees it. */
static const char *pointed(const char *text, const char *give, const char *at, const char *what)
{
	static struct str out;
	const struct recipe_host host = { .has_site = has_site };
	const char *typed[RECIPE_OPTIONS_MAX] = { 0 };
	char *values[RECIPE_OPTIONS_MAX] = { 0 };
	struct recipe_words words = { 0 };
	struct err err = { 0 };
	struct recipe r;
	const char *word, *in;

	CHECK(!recipe_read("t", "t.bperf", text, &r, &err));
	for (size_t i = 0; give && i < r.options.n; i++) {
		typed[i] = give;
		CHECK(!recipe_value(&r.options.items[i], give, &values[i], &err));
	}
	CHECK(!recipe_build(&r, values, &host, &words, &err));
	word = words.words.items[words.words.n - 1];
	in = at ? strstr(word, at) : NULL;
	err_set(&err, ERR_USAGE, "%s", what);
	if (in)
		err_caret(&err, word, (u32)(in - word), (u32)strlen(at));
	recipe_point(&r, &words, typed, &err);
	str_clear(&out);
	str_addf(&out, "%s|%s|%u,%u|%s", err.what, err.text, err.caret, err.width, err.hint);
	for (size_t i = 0; i < r.options.n; i++)
		free(values[i]);
	recipe_words_release(&words);
	recipe_release(&r);
	return str_text(&out);
}

TEST(an_error_in_a_spec_points_into_the_file)
{
	CHECK_STR(pointed(TRACE "where retva < 0\nprobe r:x\n", NULL, "retva", "no such name"),
		  "t.bperf:3: no such name|where retva < 0|6,5|");
	/* Where two pieces meet, it is the second one. */
	CHECK_STR(pointed(DIST "by A=a\nprobe k:x\ncolumn N count(n)\n", NULL, "N", "no"),
		  "t.bperf:5: no|column N count(n)|7,1|");
	CHECK_STR(pointed(DIST "by A=a\nprobe k:x\ncolumn N count(n)\n", NULL, "n)", "no"),
		  "t.bperf:5: no|column N count(n)|15,2|");
	/* The recipe does not have these characters: the caret is after what precedes them. */
	CHECK_STR(pointed(DIST "by A=a\nprobe k:x\ncolumn N count(n)\n", NULL, "]", "no"),
		  "t.bperf:3: no|by A=a|6,1|");
	/* The caret is under the first of two lines. */
	CHECK_STR(pointed(TRACE "where aa\nwhere bb\nprobe r:x\n", NULL, "aa) && (bb", "no"),
		  "t.bperf:3: no|where aa|6,1|");
}

TEST(an_error_about_a_value_names_its_option)
{
	static const char text[] = TRACE "option -n --most N:number=3 - x\nargument P:word=c - x\n"
					 "where join(a, ${most})\nprobe r:${p}:x\n";

	CHECK_STR(pointed(text, "65", "65)", "too many"), "--most: too many|--most 65|7,2|");
	CHECK_STR(pointed(text, "65", "65:x", "no file"), "P: no file|65|0,2|");
	/* It is not the person who wrote the default value. */
	CHECK_STR(pointed(text, NULL, "3", "too many"),
		  "t.bperf:5: too many|where join(a, ${most})|14,7|");
	CHECK_STR(pointed(text, "65", "join", "no"),
		  "t.bperf:5: no|where join(a, ${most})|6,4|with P 65\nwith --most 65");
}

TEST(an_error_about_a_time_is_about_it_as_it_was_typed)
{
	CHECK_STR(pointed(TRACE "option --min T:ms - x\nwhere t > ${min}\nprobe r:x\n", "2",
			  "00000", "too much"),
		  "--min: too much|--min 2|6,1|");
}

TEST(an_option_of_the_command_is_named_as_that_of_the_tool)
{
	static const char text[] = TRACE "option --size N:number - x\nprobe k:x\nwith -Z ${size}\n";

	CHECK_STR(pointed(text, "0", NULL, "-Z: 0 is below 1"), "--size: 0 is below 1||0,0|");
	CHECK_STR(pointed(text, "0", NULL, "-Y: 0 is below 1"), "-Y: 0 is below 1||0,0|");
}

TEST(a_number_may_have_a_range)
{
	static const char text[] = TRACE "option --n N:1..64 - x\nwhere n == ${n}\nprobe k:a\n";

	CHECK_STR(built(text, "64", NULL), "<trace><k:a (n == 64)>");
	CHECK_STR(built(text, "65", NULL), "--n: 65 is not in 1 to 64||0");
	CHECK_STR(built(TRACE "option --n N:1.. - x\nwhere n == ${n}\nprobe k:a\n", "0", NULL),
		  "--n: 0 is below 1||0");
	CHECK_STR(built(TRACE "option --n N:64..1 - x\nprobe k:a\n", NULL, NULL),
		  "t.bperf:3: this is not a type of argument|option --n N:64..1 - x|13");
	CHECK_STR(
		built(TRACE "option --n N:1..64=65 - x\nprobe k:a\n", NULL, NULL),
		"t.bperf:3: the default value is refused: --n: 65 is not in 1 to 64|option --n N:1..64=65 - x|18");
}

TEST(two_columns_of_one_name_are_refused)
{
	CHECK_STR(
		built(TRACE "column A %d a\ncolumn B %d b\ncolumn A %d c\nprobe k:x\n", NULL, NULL),
		"t.bperf:5: a line above has a column of this name|column A %d c|7");
	CHECK_STR(built(DIST "probe k:x\ncolumn A count()\ncolumn A sum(a)\n", NULL, NULL),
		  "t.bperf:5: a line above has a column of this name|column A sum(a)|7");
	CHECK_STR(built(DIST "probe k:x\ncolumn A count()\nprobe k:y\ncolumn A count()\n", NULL,
			NULL),
		  "<argdist><--table><k:x A=count()><--table><k:y A=count()>");
	CHECK_STR(built(TRACE
			"option --a - x\n[a] column A %d a\n[else] column A %d b\nprobe k:x\n",
			NULL, NULL),
		  "<trace><--heading><A><k:x \"%d\", a=b>");
}

static const char *is_read(const char *body)
{
	static struct str text;

	str_clear(&text);
	str_addf(&text, DIST "option --a - x\noption --b - x\n[a b] with --top 1\nhistogram h\n%s",
		 body);
	return built(str_text(&text), NULL, NULL);
}

#define WITHOUT(condition)                              \
	"the probe above has the condition [" condition \
	"], and this line does not: without it, the line would belong to another probe|"

TEST(a_line_after_a_probe_with_a_condition_needs_it_too)
{
	CHECK_STR(is_read("probe k:x\n[a] probe k:y\nlabel l\n"),
		  "t.bperf:9: " WITHOUT("a") "label l|6");
	CHECK_STR(is_read("probe k:x\n[a] probe k:y\n[b] label l\n"),
		  "t.bperf:9: " WITHOUT("a") "[b] label l|10");
	CHECK_STR(is_read("probe k:x\n[a] probe k:y\n[a b] label l\nprobe k:z\nlabel m\n"),
		  "<argdist><-H><k:x():u64:h><-H><k:z():u64:h#m>");
	CHECK_STR(is_read("[a] probe k:x\n[else] probe k:y\nlabel l\n"),
		  "<argdist><-H><k:y():u64:h#l>");
	CHECK_STR(is_read("[a] probe k:x\n[else b] probe k:y\nlabel l\n"),
		  "t.bperf:9: " WITHOUT("b") "label l|6");
	CHECK_STR(is_read("[a b] probe k:x\n[else b] probe k:y\n[b] label l\nprobe k:z\n"),
		  "<argdist><-H><k:z():u64:h>");
	/* The first branch has no probe. */
	CHECK_STR(is_read("[a] label n\n[else] probe k:y\nlabel l\n"),
		  "t.bperf:9: " WITHOUT("else") "label l|6");
}

TEST(options_of_all_tools_are_not_a_recipes)
{
#define OURS "t.bperf:3: -h, --help, -V, --version and --show mean the same in all tools|"
	CHECK_STR(built(TRACE "option --help - x\n[help] probe k:x\n", NULL, NULL),
		  OURS "option --help - x|7");
	CHECK_STR(built(TRACE "option -h --human - x\n[human] probe k:x\n", NULL, NULL),
		  OURS "option -h --human - x|7");
	CHECK_STR(built(TRACE "option --show N - x\nprobe ${show}\n", NULL, NULL),
		  OURS "option --show N - x|7");
	CHECK_STR(built(TRACE "argument HELP:word - x\nprobe ${help}\n", "k:x", NULL),
		  "<trace><k:x>");
}

TEST(a_module_that_is_not_loaded_explains_a_missing_site)
{
	static const char text[] =
		TRACE "option --m M:word=no_such_module - x\nmodule ${m}\nprobe k:a\n";
	const struct recipe_host host = { .has_site = has_site };
	struct err err = { 0 }, usage = { 0 };
	struct recipe_words words = { 0 };
	char *values[1] = { 0 };
	struct recipe r;

	CHECK(!recipe_read("t", "t.bperf", text, &r, &err));
	CHECK(!recipe_build(&r, values, &host, &words, &err));
	CHECK_STR(words.words.items[1], "k:a");
	err_set(&err, ERR_NOTARGET, "no function 'a'");
	recipe_say_absent(&words, &err);
	CHECK_STR(err.what, "the kernel has not loaded the module no_such_module");
	CHECK_STR(err.hint, "modprobe no_such_module");
	err_set(&usage, ERR_USAGE, "no such name");
	recipe_say_absent(&words, &usage);
	CHECK_STR(usage.what, "no such name");
	recipe_words_release(&words);
	recipe_release(&r);
}
