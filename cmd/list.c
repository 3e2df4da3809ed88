// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* `bperf list [GLOB]`: the probes of this host, and their arguments. */
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "cmd/command.h"
#include "host/btf.h"
#include "host/feature.h"
#include "host/perfspec.h"
#include "site/complete.h"
#include "site/list.h"

struct list_conf {
	const char *pattern; /* NULL: tracepoints and system calls */
	bool verbose;
	u32 tgid;
	const char *btf;
};

static const struct opt list_opts[] = {
	OPT_HEADING("What"),
	OPT_FLAG('v', "verbose", struct list_conf, verbose, "arguments and their types below each"),
	OPT_U32('p', "pid", struct list_conf, tgid, 1, 4194304, "PID",
		"look for programs and libraries as this process sees them"),
	OPT_STRING(0, "btf", struct list_conf, btf, "FILE",
		   "read types from this file, for another kernel"),
	OPT_END,
};

static int list_check(void *p, const struct opt_rest *rest, struct err *err)
{
	struct list_conf *conf = p;

	if (rest->n_args > 1 || rest->program)
		return err_set(err, ERR_USAGE, "list: one pattern at most (quote it)");
	conf->pattern = rest->n_args ? rest->args[0] : NULL;
	return 0;
}

/* Kinds of probes in the list that may not work here. */
struct listed {
	bool has_functions; /* kernel functions */
	bool has_hardware;  /* hardware events */
};

static bool is_hardware(const char *event)
{
	struct perf_spec spec;
	struct err err = { 0 };

	if (perf_spec_parse(event, &spec, &err)) {
		err_clear(&err);
		return false;
	}
	return spec.type != PERF_TYPE_SOFTWARE;
}

/* Names of functions come from files that any user may have written. */
static void put_line(void *ctx, const char *line)
{
	struct listed *listed = ctx;

	listed->has_functions |= !strncmp(line, "p::", 3);
	listed->has_hardware |= !strncmp(line, "e:", 2) && is_hardware(line + 2);
	for (; *line; line++)
		putchar((unsigned char)*line < ' ' || *line == 127 ? '?' : *line);
	putchar('\n');
}

/* Names of what this kernel or machine refuses are worth knowing, too.  Only root can find out
 * whether it does. */
static void warn_of_refused(const struct listed *listed)
{
	if (geteuid())
		return;
	if (listed->has_functions && feature_is_missing(FEATURE_FENTRY) &&
	    feature_is_missing(FEATURE_KPROBE) && feature_is_missing(FEATURE_KPROBE_MULTI))
		log_warn("not-probed",
			 "kernel functions are listed, but can't be probed on this kernel (`bperf "
			 "doctor` shows why)");
	if (listed->has_hardware && feature_result(FEATURE_PMU)->verdict != FEATURE_OK)
		log_warn("not-counted",
			 "hardware events are listed, but not counted on this machine (`bperf "
			 "doctor` shows why)");
}

static int list_run(void *p, int argc, char **argv, int *status, struct err *err)
{
	const struct list_conf *conf = p;
	const struct kernel_paths paths = { .btf = conf->btf, .types = kernel_types };
	const struct list_opts opts = { .verbose = conf->verbose, .tgid = conf->tgid };
	struct kernel *k = kernel_open(&paths);
	struct listed listed = { 0 };
	int ret = list_probes(k, conf->pattern, &opts, put_line, &listed, err);

	(void)argc, (void)argv, (void)status;
	if (!conf->btf)
		warn_of_refused(&listed);
	kernel_close(k);
	return ret;
}

const struct command list_command = {
	.name = "list",
	.is_helper = true,
	.summary = "what can be probed here",
	.usage = "[-v] [-p PID] [PATTERN]",
	.about =
		"Lists probes of every kind: PATTERN is a site as trace, argdist and funccount take "
		"it, with globs and sets.  A pattern without a kind is matched against tracepoints, "
		"system calls, kernel functions and perf events.  Without a pattern, all tracepoints "
		"and system calls are listed.",
	.examples = { { "list 't:sched:*'", "tracepoints of the scheduler" },
		      { "list -v t:sched:sched_switch", "its fields and their types" },
		      { "list 'c:*alloc*'", "functions of libc" },
		      { "list -v syscall:openat", "the parameters of a system call" },
		      { "list '*tcp_send*'", "everything with this in its name" } },
	.opts = list_opts,
	.conf_size = sizeof(struct list_conf),
	.check = list_check,
	.run = list_run,
	.complete = complete_probe,
};
