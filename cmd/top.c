// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* bperf top: what runs and what waits, per process, on one screen. */
#include <string.h>

#include "cmd/command.h"
#include "live/top.h"

#define S struct top_conf

static const struct opt top_opts[] = {
	OPT_INCLUDE(S, target, target_opts),
	OPT_LETTER('p', "pid"),
	OPT_HEADING("As in top(1)"),
	OPT_STRING('d', "delay", S, delay, "TIME", "the same as the interval"),
	OPT_STRING('n', "iterations", S, n_screens, "N", "the same as the count"),
	OPT_FLAG('b', "batch", S, is_batch, "print only the commands that give the same as text"),
	OPT_END,
};

#undef S

/* `[interval [count]]`, or -d and -n. */
static int take_numbers(struct top_conf *conf, const struct opt_rest *rest, struct err *err)
{
	static char second[] = "1";
	struct opt_rest numbers = { .args = conf->numbers };

	if (rest->n_args > 2)
		return opt_interval(rest, &conf->interval_ns, &conf->count, err);
	for (; numbers.n_args < rest->n_args; numbers.n_args++)
		conf->numbers[numbers.n_args] = rest->args[numbers.n_args];
	if (conf->delay && numbers.n_args)
		return err_set(err, ERR_USAGE, "-d conflicts with an interval");
	if (conf->n_screens && numbers.n_args > 1)
		return err_set(err, ERR_USAGE, "-n conflicts with a count");
	if (conf->delay)
		conf->numbers[numbers.n_args++] = (char *)(uintptr_t)conf->delay;
	if (conf->n_screens && !numbers.n_args)
		conf->numbers[numbers.n_args++] = second;
	if (conf->n_screens)
		conf->numbers[numbers.n_args++] = (char *)(uintptr_t)conf->n_screens;
	conf->n_numbers = numbers.n_args;
	return opt_interval(&numbers, &conf->interval_ns, &conf->count, err);
}

static int top_check(void *p, const struct opt_rest *rest, struct err *err)
{
	struct top_conf *conf = p;

	if (rest->program) {
		err_set(err, ERR_USAGE, "top cannot run a program");
		return err_hint(err, "bperf profile --live -- PROGRAM shows one while it runs");
	}
	if (conf->target.cpus.v.n) {
		err_set(err, ERR_USAGE,
			"--cpu: a wait, which top shows, does not belong to one CPU");
		return err_hint(err, "bperf profile --live --cpu 0 shows what runs on one");
	}
	conf->words = rest->args;
	conf->n_words = rest->n_args;
	if (target_check(&conf->target, rest, err))
		return -err->code;
	if (!take_numbers(conf, rest, err))
		return 0;
	err->hint[0] = '\0'; /* "after two dashes": it takes no program */
	return err_hint(err, "bperf top 5: windows of five seconds");
}

static void top_release(void *p)
{
	struct top_conf *conf = p;

	target_release(&conf->target);
}

static int run_part(int argc, char **argv, int *status, struct err *err)
{
	return command_run(command_find(argv[0]), argc, argv, status, err);
}

static int run(void *conf, int argc, char **argv, int *status, struct err *err)
{
	return top_run(conf, argc, argv, run_part, status, err);
}

const struct command top_command = {
	.name = "top",
	.is_helper = true,
	.is_screen = true,
	.summary = "what runs and what waits, per process, on a live screen",
	.usage = "[options] [interval [count]]",
	.about = "Shows each process's time by state, running and waiting, sorted by what hurts, and "
		 "refreshes it each second.  Enter shows the flame graph of the selected process, o that of its "
		 "waits, c the chains of its wakers, d its threads; ? shows all keys.  It runs offcpu "
		 "--states and profile at once, whose overhead it has.",
	.examples = {
		{ "top", "all processes" },
		{ "top 5", "windows of five seconds" },
		{ "top -p 185", "one process" },
		{ "top --cgroup /", "one cgroup with those below it" },
		{ "top --not-comm bash", "without shells" },
	},
	.opts = top_opts,
	.conf_size = sizeof(struct top_conf),
	.check = top_check,
	.run = run,
	.release = top_release,
};
