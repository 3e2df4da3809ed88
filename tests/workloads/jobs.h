/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Workloads of several parts: "NAME N" pairs on the command line, done in order. */
#ifndef JOBS_H
#define JOBS_H

#include "work.h"

struct job {
	const char *name;
	void (*run)(int n);
};

/* Returns the exit status.  Inlined into main, so that stacks are exact. */
INLINE int run_jobs(const struct job *jobs, size_t n_jobs, int argc, char **argv)
{
	for (int arg = 1; arg + 1 < argc; arg += 2) {
		bool is_known = false;

		for (size_t i = 0; i < n_jobs; i++) {
			if (strcmp(jobs[i].name, argv[arg]) != 0)
				continue;
			jobs[i].run(atoi(argv[arg + 1]));
			is_known = true;
		}
		if (!is_known)
			return 64;
	}
	return 0;
}

#endif
