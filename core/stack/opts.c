// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Options that all stack commands share, and checks across several options. */
#include "stack/collect.h"

#include "base/memlimit.h"

/* bcc's defaults; both are upper bounds here. */
#define STACKS_DEFAULT 0 /* limited by memory only */
#define COUNTS_DEFAULT 40960

static const char *const group_names[] = {
	[BY_PID] = "pid",
	[BY_TID] = "tid",
	[BY_COMM] = "comm",
	[BY_CGROUP] = "cgroup",
	[BY_CPU] = "cpu",
	[BY_NONE] = "none",
	NULL,
};

#define S struct collect_conf

const struct opt collect_opts[] = {
	OPT_HEADING("Stacks"),
	OPT_FLAG('U', "user-stacks-only", S, user_only, "no kernel frames", .conflicts = "K"),
	OPT_FLAG('K', "kernel-stacks-only", S, kernel_only, "no user frames", .conflicts = "U"),
	OPT_FLAG('d', "delimited", S, delimited, "a delimiter between kernel and user frames"),
	OPT_FLAG('a', "annotations", S, annotate, "_[k] after kernel frames, _[j] after JIT ones"),
	OPT_CHOICE(0, "by", S, by, group_names, "WHAT",
		   "root frames: pid, tid, comm, cgroup, cpu or none (comm when folded)"),
	OPT_FLAG(0, "functions", S, functions, "a table of functions by self and total",
		 .conflicts = "callers"),
	OPT_STRING(0, "callers", S, callers, "NAME", "only stacks that call function NAME"),
	OPT_INCLUDE(S, unwind, unwinding_opts),
	OPT_FLAG(0, "jit-maps", S, jit_maps, "ask Java 17+ for the names of its code (signals it)"),
	OPT_STRINGS(0, "debug-dir", S, debug_dirs, "DIR", "look for debug files there too",
		    .complete = COMPLETE_DIR),
	OPT_U64(0, "stack-storage-size", S, max_stacks, 1, UINT32_MAX, "N",
		"keep at most N different stacks"),
	OPT_U64(0, "hash-storage-size", S, max_counts, 1, 1 << 26, "N",
		"at most N counters in the kernel (40960)"),
	OPT_STRING(0, "btf", S, btf, "FILE", "kernel BTF from a file", .complete = COMPLETE_FILE),
	OPT_END,
};

#undef S

void collect_defaults(struct collect_conf *conf)
{
	conf->by = BY_DEFAULT;
	conf->kind = REPORT_STACKS;
	conf->count = 1; /* one report, then exit: bcc's duration */
	unwinding_defaults(&conf->unwind);
	conf->max_stacks = STACKS_DEFAULT;
	conf->max_counts = COUNTS_DEFAULT;
	output_defaults(&conf->output);
}

int collect_check(struct collect_conf *conf, const struct opt_rest *rest, struct err *err)
{
	log_set_level(output_log_level(&conf->output));
	mem_limit_set(conf->output.max_memory);
	if (conf->functions && conf->by != BY_DEFAULT) {
		err_set(err, ERR_USAGE,
			"--by and --functions: a function's row is the sum of all callers");
		return err_hint(err,
				"--functions with -p PID or --comm NAME has those of one process");
	}
	return target_check(&conf->target, rest, err)
		       ?: opt_interval(rest, &conf->interval_ns, &conf->count, err);
}

void collect_release_conf(struct collect_conf *conf)
{
	target_release(&conf->target);
	output_release(&conf->output);
	vec_release(&conf->debug_dirs.v);
}

u32 collect_stack_key(const struct collect_conf *conf)
{
	switch ((enum group_by)conf->by) {
	case BY_TID:
		return STACK_KEY_TID;
	case BY_CPU:
		return STACK_KEY_CPU;
	case BY_CGROUP:
		return STACK_KEY_CGROUP;
	default:
		return 0;
	}
}
