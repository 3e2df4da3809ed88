// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The options shared by trace, funccount and argdist, and checks across several options. */
#include <string.h>

#include "base/log.h"
#include "base/memlimit.h"
#include "base/num.h"
#include "probe/run.h"

#define STRING_MAX     (1 << 20) /* three fit into an event: GEN_MAX_SCRATCH */
#define KEY_STRING_MAX 28672	 /* one fits into a key: GEN_CPU_SCRATCH */
#define INTERVAL_MIN   NS_PER_MS
#define INTERVAL_MAX   (366 * 24 * 3600 * NS_PER_SEC)

static const char *const dump_names[] = { "ast", "types", "bpf", NULL };

static int parse_dump(void *field, const char *text, struct err *err)
{
	for (size_t i = 0; dump_names[i]; i++) {
		if (strcmp(dump_names[i], text) != 0)
			continue;
		*(const char **)field = dump_names[i];
		return 0;
	}
	return err_set(err, ERR_USAGE, "'%s' can't be dumped: ast, types or bpf", text);
}

#define S struct proberun_conf

const struct opt proberun_opts[] = {
	OPT_HEADING("How"),
	OPT_U32('Z', "string-size", S, string_size, 1, STRING_MAX, "BYTES",
		"read at most BYTES of a string (256, as a key 4000)"),
	OPT_U32(0, "spans", S, max_spans, 1, SPANS_MAX, "N",
		"make room for N open spans of each probe (65536)"),
	OPT_STRING(0, "attach", S, method, "METHOD",
		   "attach by METHOD: fentry, kprobe, kprobe.multi, uprobe, ... (chosen)"),
	OPT_CALL(0, "dump", S, dump, parse_dump, "WHAT",
		 "only print the ast, the types or the bpf instructions", .choices = dump_names),
	OPT_FLAG(0, "dry-run", S, dry_run, "only print what would be attached and how"),
	OPT_STRING(0, "btf", S, btf, "FILE", "kernel BTF from a file", .complete = COMPLETE_FILE),
	OPT_END,
};

const struct opt proberun_report_opts[] = {
	OPT_HEADING("Reports"),
	OPT_DURATION('i', "interval", S, interval_ns, NS_PER_SEC, INTERVAL_MIN, INTERVAL_MAX,
		     "TIME", "a report each TIME, in seconds or with ms, s, m, h"),
	OPT_DURATION('d', "duration", S, duration_ns, NS_PER_SEC, INTERVAL_MIN, INTERVAL_MAX,
		     "TIME", "end after TIME"),
	OPT_FLAG('T', "timestamp", S, timestamp, "the time of day above each report"),
	OPT_END,
};

#undef S

void proberun_defaults(struct proberun_conf *conf)
{
	unwinding_defaults(&conf->unwind);
	output_defaults(&conf->output);
}

int proberun_check(struct proberun_conf *conf, const struct opt_rest *rest, struct err *err)
{
	log_set_level(output_log_level(&conf->output));
	mem_limit_set(conf->output.max_memory);
	conf->words = rest->args;
	conf->n_words = rest->n_args;
	return target_check(&conf->target, rest, err);
}

/* Sites do not begin with a digit, except for addresses. */
static bool is_number(const char *word)
{
	return word[0] >= '0' && word[0] <= '9' && strncmp(word, "0x", 2) != 0 &&
	       !strchr(word, ':');
}

int proberun_take_numbers(struct proberun_conf *conf, struct err *err)
{
	struct opt_rest numbers = { 0 };

	while (conf->n_words && is_number(conf->words[conf->n_words - 1])) {
		conf->n_words--;
		numbers.n_args++;
	}
	numbers.args = (char **)conf->words + conf->n_words;
	for (size_t i = 0; i < conf->n_words; i++) {
		if (!is_number(conf->words[i]))
			continue;
		err_set(err, ERR_USAGE, "'%s' is not a probe", conf->words[i]);
		return err_hint(err, "put the interval and the count after all probes: PROBE... "
				     "[interval [count]]");
	}
	if (!numbers.n_args)
		return 0;
	if (conf->interval_ns)
		return err_set(err, ERR_USAGE, "-i conflicts with the interval after the probes");
	return opt_interval(&numbers, &conf->interval_ns, &conf->count, err);
}

/* bcc's -d: as many intervals as begin in that time; without an interval, one. */
static int take_duration(struct proberun_conf *conf, struct err *err)
{
	if (!conf->duration_ns)
		return 0;
	if (conf->count)
		return err_set(err, ERR_USAGE, "-d conflicts with a count of reports");
	if (!conf->interval_ns)
		conf->interval_ns = conf->duration_ns;
	conf->count = (conf->duration_ns + conf->interval_ns - 1) / conf->interval_ns;
	return 0;
}

int proberun_check_reports(struct proberun_conf *conf, struct err *err)
{
	if (conf->string_size > KEY_STRING_MAX) {
		err_set(err, ERR_USAGE, "-Z: %u is not in 1 to %u", conf->string_size,
			KEY_STRING_MAX);
		return err_hint(err, "longer strings cannot be keys; trace reads up to %u bytes",
				STRING_MAX);
	}
	return proberun_take_numbers(conf, err) ?: take_duration(conf, err);
}

void proberun_release_conf(struct proberun_conf *conf)
{
	target_release(&conf->target);
	output_release(&conf->output);
	opt_strings_release(&conf->debug_dirs);
}
