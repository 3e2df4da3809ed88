// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "opt/opt.h"

#include "opt/output.h"
#include "opt/target.h"
#include "test.h"

struct conf {
	struct target target;
	struct output_conf output;
	bool user, kernel;
	u32 hz, by;
	u64 period, wait_ns;
	const char *event;
};

static const char *const by_names[] = { "pid", "tid", "comm", "none", NULL };

static const struct opt table[] = {
	OPT_HEADING("Sampling"),
	OPT_U32('F', "frequency", struct conf, hz, 1, 50000, "HZ", "samples per second",
		.conflicts = "c"),
	OPT_U64('c', "count", struct conf, period, 1, UINT64_MAX, "N", "every N events"),
	OPT_STRING('e', "event", struct conf, event, "EVENT", "what to sample"),
	OPT_FLAG('U', "user-stacks-only", struct conf, user, "user only", .conflicts = "K"),
	OPT_FLAG('K', "kernel-stacks-only", struct conf, kernel, "kernel only"),
	OPT_CHOICE(0, "by", struct conf, by, by_names, "KEY", "group by pid, tid, comm or none"),
	OPT_DURATION(0, "wait", struct conf, wait_ns, NS_PER_SEC, NS_PER_MS, 60 * NS_PER_SEC,
		     "TIME", "wait so long"),
	OPT_LETTER('p', "pid"),
	OPT_LETTER('L', "tid"),
	OPT_LETTER('t', "tid"),
	OPT_LETTER('C', "cpu"),
	OPT_LETTER('f', "folded"),
	OPT_INCLUDE(struct conf, target, target_opts),
	OPT_INCLUDE(struct conf, output, output_opts),
	OPT_END,
};

/* One command line, and everything that came of it. */
struct parsed {
	struct conf conf;
	struct opt_rest rest;
	enum opt_ask ask;
	struct err err;
	int ret;
};

#define PARSE(...) parse((char *[]){ "profile", __VA_ARGS__, NULL })

static struct parsed *parse(char **argv)
{
	static struct parsed p;
	int argc = 0;

	while (argv[argc])
		argc++;
	memset(&p, 0, sizeof(p));
	p.ret = opt_parse(table, &p.conf, argc, argv, &p.rest, &p.ask, &p.err);
	return &p;
}

static void check_refused(struct parsed *p, const char *what, const char *hint)
{
	CHECK(p->ret == -ERR_USAGE);
	CHECK_STR(p->err.what, what);
	CHECK_STR(p->err.hint, hint);
}

TEST(tables_are_sound)
{
	CHECK(!opt_check(table));
}

TEST(letters_combine_and_take_their_argument)
{
	struct parsed *p = PARSE("-fUF99", "-p", "1,2", "-v", "-vv");

	CHECK(!p->ret && p->conf.output.folded && p->conf.user && p->conf.hz == 99);
	CHECK(p->conf.target.pids.v.n == 2 && p->conf.target.pids.v.items[1] == 2);
	CHECK(p->conf.output.verbose == 3);
}

TEST(names_take_both_forms_of_argument)
{
	struct parsed *p =
		PARSE("--frequency=99", "--event", "cycles", "--by", "tid", "--wait=1.5");

	CHECK(!p->ret && p->conf.hz == 99 && p->conf.by == 1 && p->conf.wait_ns == 1500000000);
	CHECK_STR(p->conf.event, "cycles");
}

TEST(an_argument_may_look_like_an_option)
{
	struct parsed *p = PARSE("--event", "-x", "-o", "--", "5");

	CHECK(!p->ret && p->rest.n_args == 1);
	CHECK_STR(p->conf.event, "-x");
	CHECK_STR(p->conf.output.files.v.items[0], "--");
}

TEST(options_may_follow_words)
{
	struct parsed *p = PARSE("5", "-U", "2", "--event", "cycles");

	CHECK(!p->ret && p->rest.n_args == 2 && p->conf.user && p->conf.event);
	CHECK_STR(p->rest.args[0], "5");
	CHECK_STR(p->rest.args[1], "2");
}

TEST(after_two_dashes_all_words_are_the_program)
{
	struct parsed *p = PARSE("5", "--", "prog", "-K", "--bogus");

	CHECK(!p->ret && p->rest.has_dashes && p->rest.n_args == 1 && !p->conf.kernel);
	CHECK_STR(p->rest.program[0], "prog");
	CHECK_STR(p->rest.program[2], "--bogus");
	CHECK(!p->rest.program[3]);
	check_refused(PARSE("5", "--"), "--: no program follows it", "");
}

TEST(unknown_names_suggest_the_nearest)
{
	check_refused(PARSE("--frequncy", "9"), "unknown option '--frequncy'",
		      "did you mean '--frequency'?");
	check_refused(PARSE("--frequncy=9"), "unknown option '--frequncy'",
		      "did you mean '--frequency'?");
	check_refused(PARSE("--zzzzzz"), "unknown option '--zzzzzz'", "");
	check_refused(PARSE("-pid", "5"), "-p: 'id' is not a process id", "did you mean '--pid'?");
	check_refused(PARSE("--=5"), "unknown option '--=5'", "");
	check_refused(PARSE("-x"), "unknown option '-x'", "");
	check_refused(PARSE("-fxU"), "unknown option '-x' in '-fxU'", "");
	check_refused(PARSE("-p", "1", "-5"), "unknown option '-5'", "");
}

TEST(abbreviations_are_refused)
{
	check_refused(PARSE("--freq", "9"), "unknown option '--freq'",
		      "did you mean '--frequency'?");
	check_refused(PARSE("--freq=9"), "unknown option '--freq'", "did you mean '--frequency'?");
	check_refused(PARSE("--us"), "unknown option '--us'", "did you mean '--user-stacks-only'?");
}

TEST(the_row_decides_if_there_is_an_argument)
{
	check_refused(PARSE("-p"), "-p: an argument is missing: PID,...", "");
	check_refused(PARSE("-fp"), "-p: an argument is missing: PID,...", "");
	check_refused(PARSE("--event"), "--event: an argument is missing: EVENT", "");
	check_refused(PARSE("--folded=1"), "--folded: takes no argument", "");
	check_refused(PARSE("--event="), "--event: the argument is empty", "");
	check_refused(PARSE("-p", ""), "-p: the argument is empty", "");
}

TEST(messages_start_with_the_option_as_typed)
{
	check_refused(PARSE("-F", "49x"), "-F: '49x' is not a whole number", "");
	check_refused(PARSE("--frequency", "0"), "--frequency: 0 is not in 1 to 50000", "");
	check_refused(PARSE("--by", "tdi"), "--by: 'tdi' is not one of pid, tid, comm, none",
		      "did you mean 'tid'?");
	check_refused(
		PARSE("-O", "yaml"),
		"-O: 'yaml' is not a format: text, folded, json, pprof, svg, html, perf, pftrace",
		"");
}

TEST(a_second_value_for_one_thing_is_a_mistake)
{
	check_refused(PARSE("-F", "9", "-F", "9"), "-F: given twice", "");
	check_refused(PARSE("-F", "9", "--frequency=8"), "--frequency: already given as -F", "");
	CHECK(!PARSE("-f", "--folded")->ret);
	CHECK(PARSE("-p", "1", "--pid=2")->conf.target.pids.v.n == 2);
	CHECK(PARSE("-o", "a.svg", "-o", "b.txt")->conf.output.files.v.n == 2);
}

TEST(options_that_contradict_are_named_as_typed)
{
	check_refused(PARSE("-U", "--kernel-stacks-only"), "-U conflicts with --kernel-stacks-only",
		      "");
	check_refused(PARSE("-c", "1", "-F", "2"), "-F conflicts with -c", "");
	check_refused(PARSE("-t", "1", "-p", "2"), "-p conflicts with -t", "");
	check_refused(PARSE("-qv"), "-q conflicts with -v", "");
}

TEST(help_ends_the_reading)
{
	CHECK(PARSE("--help", "--bogus")->ask == OPT_ASK_HELP);
	CHECK(PARSE("-fh", "5", "-K", "-U")->ask == OPT_ASK_HELP);
	CHECK(!PARSE("-fhx")->ret);
	CHECK(PARSE("-V")->ask == OPT_ASK_VERSION);
	CHECK(PARSE("--", "--help")->ask == OPT_ASK_NOTHING);
}

static int interval(struct parsed *p, u64 *ns, u64 *count)
{
	*ns = 0;
	*count = 1;
	return opt_interval(&p->rest, ns, count, &p->err);
}

TEST(interval_then_count)
{
	u64 ns, count;

	CHECK(!interval(PARSE("-f"), &ns, &count) && ns == 0 && count == 1);
	CHECK(!interval(PARSE("0.5"), &ns, &count) && ns == 500 * NS_PER_MS && count == 1);
	CHECK(!interval(PARSE("250ms", "7"), &ns, &count) && count == 7);
	CHECK(!interval(PARSE("2m", "-f", "7"), &ns, &count) && ns == 120 * NS_PER_SEC);
}

TEST(interval_refuses_what_is_not_time)
{
	u64 ns, count;

	CHECK(interval(PARSE("0"), &ns, &count) == -ERR_USAGE);
	CHECK(interval(PARSE("5x"), &ns, &count) == -ERR_USAGE);
	CHECK(interval(PARSE("5", "0"), &ns, &count) == -ERR_USAGE);
	CHECK(interval(PARSE("5", "1.5"), &ns, &count) == -ERR_USAGE);
	CHECK(interval(PARSE(""), &ns, &count) == -ERR_USAGE);
}

TEST(a_program_needs_its_dashes)
{
	struct parsed *p = PARSE("sleep", "5");
	u64 ns, count;

	CHECK(interval(p, &ns, &count) == -ERR_USAGE);
	CHECK_STR(p->err.what, "'sleep': an interval was expected here");
	CHECK(strstr(p->err.hint, "-- sleep"));
	p = PARSE("5", "1", "make");
	CHECK(interval(p, &ns, &count) == -ERR_USAGE);
	CHECK_STR(p->err.what, "'make': no word may follow interval and count");
}

/* opt_check finds each kind of mistake: a table of one bad row, and a word of the sentence. */
static const struct {
	struct opt rows[3];
	const char *says;
} bad[] = {
	{ { { .kind = OPT_KIND_FLAG, .letter = 'x', .help = "a" },
	    { .kind = OPT_KIND_FLAG, .letter = 'x', .help = "b" },
	    OPT_END },
	  "letter" },
	{ { { .kind = OPT_KIND_FLAG, .name = "x", .help = "a" },
	    { .kind = OPT_KIND_FLAG, .name = "x", .help = "b" },
	    OPT_END },
	  "twice" },
	{ { { .kind = OPT_KIND_FLAG, .name = "help", .help = "a" }, OPT_END }, "twice" },
	{ { { .kind = OPT_KIND_FLAG, .name = "x" }, OPT_END }, "no help" },
	{ { { .kind = OPT_KIND_FLAG, .name = "x", .help = "Ends." }, OPT_END }, "full stop" },
	{ { { .kind = OPT_KIND_FLAG, .name = "Big", .help = "a" }, OPT_END }, "short name" },
	{ { { .kind = OPT_KIND_U32, .name = "x", .help = "a" }, OPT_END }, "argument" },
	{ { { .kind = OPT_KIND_FLAG, .name = "x", .arg = "N", .help = "a" }, OPT_END },
	  "takes no" },
	{ { { .kind = OPT_KIND_U32, .name = "x", .arg = "N", .help = "a", .min = 2, .max = 1 },
	    OPT_END },
	  "upside down" },
	{ { { .kind = OPT_KIND_CHOICE, .name = "x", .arg = "C", .help = "a", .choices = by_names },
	    OPT_END },
	  "choice 'pid'" },
	{ { { .kind = OPT_KIND_FLAG, .name = "x", .help = "a", .conflicts = "K" }, OPT_END },
	  "conflicts with 'K'" },
	{ { OPT_LETTER('p', "pid"), OPT_END }, "does not exist" },
};

TEST(mistakes_in_tables_are_found)
{
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		const char *why = opt_check(bad[i].rows);

		if (!why || !strstr(why, bad[i].says)) {
			printf("# row %zu: %s\n", i, why ? why : "nothing found");
			CHECK(0);
		}
	}
}
