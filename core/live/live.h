/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The live view: a full screen that shows runs while they go on, or saved ones.
 *
 *	launch()                  two processes (live/launch.h)
 *	  child                   measures, as without --live, and writes JSON to its stdout
 *	  parent  source_init()   reads it (live/source.h)
 *	          live_run()      until the person leaves, or a signal ends it
 *	          source_release()
 */
#ifndef LIVE_LIVE_H
#define LIVE_LIVE_H

#include "base/err.h"
#include "live/source.h"

#define LIVE_SOURCES_MAX 4

struct live_opts {
	const char *title; /* "profile"; NULL: from the run */
	bool has_commands; /* keys run other commands for the selected process */
	bool delimited;
	bool shows_last; /* begin with the last window, not with all */
};

/* An error unless there is a terminal for a live view. */
int live_check(struct err *err);

/* Show the sources; the last messages of the first one, and of those that failed, are printed when
 * the screen is given back.  *status: the exit status of the first process that failed, or 0. */
int live_run(struct live_source *sources, size_t n_sources, const struct live_opts *opts,
	     int *status, struct err *err);

#endif
