/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * `bperf dump`: the threads of processes as they are now, none of which is stopped.
 *
 *	threads.c  the task iterator, stacks read from outside, samples of threads on CPUs
 *	waiting.c  what each waits for: call.c (its system call), peek.c (words of its memory),
 *		   lock.c, files.c, ends.c, process.c
 *	age.c      for how long
 *	dump.c     the run, and the rows
 */
#ifndef DUMP_DUMP_H
#define DUMP_DUMP_H

#include "opt/output.h"
#include "opt/target.h"
#include "stack/unwinding.h"

struct dump_conf {
	struct target target;
	struct output_conf output;
	bool user_only, kernel_only;
	bool delimited, annotate, addresses, offsets;
	bool by_thread; /* those that look the same one by one */
	bool jit_maps;
	struct unwinding_conf unwind;
	const char *btf;
	struct opt_strings debug_dirs;
};

int dump_run(const struct dump_conf *conf, int argc, char **argv, int *status, struct err *err);

#endif
