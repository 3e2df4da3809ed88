/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Saved reports once more: read, filtered and regrouped as the options say, written in any format
 * or shown on a screen.
 */
#ifndef REPLAY_REPLAY_H
#define REPLAY_REPLAY_H

#include "opt/output.h"
#include "opt/target.h"
#include "saved/saved.h"

#define REPLAY_NAMES_AS_SAVED 3 /* not in enum names_style: --names was not given */

struct replay_conf {
	struct output_conf output;
	u32 from; /* enum saved_format */
	const char *value;
	bool total, timeline;
	u32 by; /* enum saved_by */
	bool user_only, kernel_only;
	bool delimited, annotate, addresses, offsets, timestamp;
	bool functions, heat, whole_window;
	const char *callers;
	struct opt_strings comms;
	struct u32_list pids;
	char *const *paths;
	size_t n_paths;
};

/* Is the only file standard input?  With --live it is shown while it comes. */
bool replay_is_input(const struct replay_conf *conf);

/* Returns 0 or -code. */
int replay_run(const struct replay_conf *conf, int argc, char **argv, struct err *err);

#endif
