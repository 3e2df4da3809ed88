/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The difference of saved reports, before and after: two sums, compared and written. */
#ifndef REPLAY_COMPARE_H
#define REPLAY_COMPARE_H

#include "model/diff.h"
#include "opt/output.h"

struct compare_conf {
	struct output_conf output;
	u32 from; /* enum saved_format */
	bool per_second, absolute;
	bool stacks;
	bool by_before;
	u32 sort;  /* 0: self, 1: total */
	u32 level; /* index into compare_levels */
	struct {
		char **items;
		size_t n;
	} paths[DIFF_N_SIDES];
};

/* For --confidence: percents; NULL-terminated. */
extern const char *const compare_levels[];

/* Returns 0 or -code. */
int compare_run(const struct compare_conf *conf, int argc, char **argv, struct err *err);

#endif
