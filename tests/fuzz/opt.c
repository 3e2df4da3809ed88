// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The option engine and the completer under arbitrary words, with the tables of a real command.
 * seeds: tests/fixtures/opt/words* */
#include "tests/fuzz/fuzz.h"

#include "opt/output.h"
#include "opt/target.h"

#define MAX_WORDS 32

struct conf {
	struct target target;
	struct output_conf output;
	u32 hz;
	u64 period, wait_ns;
};

static const struct opt table[] = {
	OPT_U32('F', "frequency", struct conf, hz, 1, 50000, "HZ", "rate", .conflicts = "c"),
	OPT_U64('c', "count", struct conf, period, 1, UINT64_MAX, "N", "period"),
	OPT_DURATION(0, "wait", struct conf, wait_ns, NS_PER_SEC, 1, 60 * NS_PER_SEC, "TIME",
		     "wait"),
	OPT_LETTER('p', "pid"),
	OPT_LETTER('L', "tid"),
	OPT_LETTER('t', "tid"),
	OPT_LETTER('C', "cpu"),
	OPT_LETTER('f', "folded"),
	OPT_INCLUDE(struct conf, target, target_opts),
	OPT_INCLUDE(struct conf, output, output_opts),
	OPT_END,
};

/* Each NUL ends a word. */
static int split(char *text, size_t size, char **argv)
{
	static char name[] = "fuzz";
	int argc = 0;

	argv[argc++] = name;
	for (size_t at = 0; at < size && argc < MAX_WORDS; at += strlen(text + at) + 1)
		argv[argc++] = text + at;
	argv[argc] = NULL;
	return argc;
}

static void parse(int argc, char **argv)
{
	struct conf conf = { 0 };
	struct err err = { 0 };
	struct opt_rest rest;
	enum opt_ask ask;
	u64 interval, count;
	int ret = opt_parse(table, &conf, argc, argv, &rest, &ask, &err);

	if (ret && (!err.what[0] || ret != -err.code))
		abort();
	if (!ret && !target_check(&conf.target, &rest, &err))
		opt_interval(&rest, &interval, &count, &err);
	opt_rest_release(&rest);
	target_release(&conf.target);
	output_release(&conf.output);
}

static void complete(int argc, char **argv)
{
	static const struct opt_sources src = { .root = "/nonexistent" };
	char *text;
	size_t size;
	FILE *f;

	if (argc < 2)
		return;
	f = open_memstream(&text, &size);
	opt_complete(table, &src, argv + 1, (size_t)argc - 1, f);
	fclose(f);
	free(text);
}

int fuzz_input(const u8 *data, size_t size)
{
	char *argv[MAX_WORDS + 1];
	char *text = mem_alloc(size + 1, 1);
	int argc;

	memcpy(text, data, size);
	argc = split(text, size, argv);
	complete(argc, argv);
	parse(argc, argv);
	free(text);
	return 0;
}
