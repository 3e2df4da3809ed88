/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One file's unwind table, built here or on a thread of its own.  A job has its own rules and its
 * own descriptor of the file: a thread shares nothing with the rest until it is done.
 */
#ifndef UNWIND_JOB_H
#define UNWIND_JOB_H

#include "base/thread.h"
#include "sym/mappings.h"
#include "unwind/code.h"
#include "unwind/table.h"

struct unwind_job {
	/* Set by the caller.  The job closes the descriptor in `src`; -1: none. */
	struct sym_file_id id;
	struct elf_src src;
	u32 max_rows;
	/* Results.  The rows of the table refer to the job's own rules. */
	struct unwind_table table;
	struct unwind_rules rules;
	struct unwind_code code;
	bool is_built;	 /* else there is no table */
	bool is_refused; /* it has more rows than it may */
	u64 cpu_ns;
	/* The thread's. */
	pthread_t thread;
	bool is_threaded, is_done, is_unwanted;
	u64 waited_ns; /* time spent waiting for it so far */
};

void unwind_job_run(struct unwind_job *j);

/* Run it on a thread; false: no thread can be created. */
bool unwind_job_begin(struct unwind_job *j);

/* True if the thread has ended: the results may be read. */
bool unwind_job_is_done(struct unwind_job *j);

/* Ends the thread within milliseconds. */
void unwind_job_release(struct unwind_job *j);

#endif
