// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* bperf dump: threads as they are now. */
#include "dump/dump.h"

#include "base/memlimit.h"
#include "cmd/command.h"
#include "host/feature.h"

#define S struct dump_conf

static const struct opt dump_opts[] = {
	OPT_HEADING("Threads"),
	OPT_FLAG('P', "threads", S, by_thread,
		 "each thread by itself: without it, threads that look the same are shown once"),
	OPT_HEADING("Stacks"),
	OPT_FLAG('U', "user-stacks-only", S, user_only, "no kernel frames", .conflicts = "K"),
	OPT_FLAG('K', "kernel-stacks-only", S, kernel_only, "no user frames", .conflicts = "U"),
	OPT_FLAG('d', "delimited", S, delimited, "a delimiter between kernel and user frames"),
	OPT_FLAG('a', "annotations", S, annotate, "_[k] after kernel frames, _[j] after JIT ones"),
	OPT_INCLUDE(S, unwind, unwinding_opts),
	OPT_FLAG(0, "jit-maps", S, jit_maps, "ask Java 17+ for the names of its code (signals it)"),
	OPT_STRINGS(0, "debug-dir", S, debug_dirs, "DIR", "look for debug files there too",
		    .complete = COMPLETE_DIR),
	OPT_STRING(0, "btf", S, btf, "FILE", "kernel BTF from a file", .complete = COMPLETE_FILE),
	OPT_FLAG('s', "offset", S, offsets, "offsets after names", .conflicts = "f"),
	OPT_FLAG('A', "address", S, addresses, "raw addresses, and offsets after names"),
	OPT_LETTER('f', "folded"),
	OPT_INCLUDE(S, target, target_opts),
	OPT_LETTER('p', "pid"),
	OPT_LETTER('t', "tid"),
	OPT_INCLUDE(S, output, output_opts),
	OPT_END,
};

#undef S

static void dump_defaults(void *conf)
{
	struct dump_conf *c = conf;

	output_defaults(&c->output);
	c->output.top = 0; /* a thread that is missing may be the one that hangs */
	unwinding_defaults(&c->unwind);
}

static bool has_target(const struct target *t)
{
	return t->pids.v.n || t->tids.v.n || t->cgroups.v.n || t->comms.v.n || t->uids.v.n ||
	       t->cgroupmap || t->mntnsmap || t->cpus.v.n;
}

static int dump_check(void *conf, const struct opt_rest *rest, struct err *err)
{
	struct dump_conf *c = conf;
	int ret;

	log_set_level(output_log_level(&c->output));
	mem_limit_set(c->output.max_memory);
	if (rest->program) {
		err_set(err, ERR_USAGE, "dump cannot run a program");
		return err_hint(err, "start it, then: bperf dump -p PID");
	}
	ret = opt_no_words(rest, err) ?: target_check(&c->target, rest, err);
	if (ret || has_target(&c->target))
		return ret;
	err_set(err, ERR_USAGE, "dump: no threads were chosen");
	return err_hint(err, "-p PID, --comm NAME, --cgroup PATH ...; --comm '*' takes all threads "
			     "of the host");
}

static void dump_release(void *conf)
{
	struct dump_conf *c = conf;

	target_release(&c->target);
	output_release(&c->output);
	vec_release(&c->debug_dirs.v);
}

static int run(void *conf, int argc, char **argv, int *status, struct err *err)
{
	return dump_run(conf, argc, argv, status, err);
}

const struct command dump_command = {
	.name = "dump",
	.summary = "what threads do now, and what they wait for",
	.needs = FEATURE_BASE | FEATURE_BIT(RING_BUFFER),
	.usage = "[options] -p PID,...",
	.about = "Prints the stack that each thread has at this moment, with its state, for how long "
		 "it has been in it, and what it waits for: a lock and its owner, a file, a socket "
		 "and its peer, a child.  Locks that wait for each other are reported as a "
		 "deadlock.  No thread is stopped.",
	.overhead = "The threads go on.  Their stacks are copied from outside, 8 KB for most, and "
		    "threads that run are sampled each millisecond until all are copied.",
	.examples = {
		{ "dump -p 185", "all threads of a process" },
		{ "dump -P -p 185", "each by itself, also those that look the same" },
		{ "dump --comm 'nginx*' -K", "kernel stacks of all threads with such a name" },
		{ "dump -j -p 185", "a line of JSON for each thread" },
		{ "dump -p 185 -o out.svg", "a flame graph: width is the number of threads" },
	},
	.opts = dump_opts,
	.conf_size = sizeof(struct dump_conf),
	.defaults = dump_defaults,
	.check = dump_check,
	.run = run,
	.release = dump_release,
};
