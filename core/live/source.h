/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One run as the live view sees it: JSON from a descriptor, summed up window by window.  Knows
 * processes and reports; must not know the screen.
 */
#ifndef LIVE_SOURCE_H
#define LIVE_SOURCE_H

#include <sys/types.h>

#include "base/str.h"
#include "render/heatmap.h"
#include "saved/saved.h"
#include "saved/stream.h"

struct live_source {
	const char *name;	     /* for errors */
	pid_t pid;		     /* the process that measures; 0: none, a file or a pipe */
	int fd;			     /* its JSON; -1: at the end */
	int messages_fd;	     /* its stderr; -1: none, or at the end */
	struct saved saved;	     /* borrowed from the caller for files */
	struct saved_stream *stream; /* NULL: saved files, which were read as a whole */

	struct report sum;	 /* all windows that are shown, or those after `baseline` */
	struct report last;	 /* the last one of them; borrowed from saved files */
	struct report held;	 /* windows since source_commit() */
	struct report held_last; /* the last one of them */
	struct report baseline;	 /* windows up to the moment when it was set */
	struct heat_maps heat;	 /* histograms, window by window */
	bool has_baseline;
	bool is_cumulative;    /* each window includes those before (argdist -c) */
	enum report_kind kind; /* windows have this kind; 0: there was none yet */
	u32 n_windows;

	struct str messages; /* the last bytes that it printed on stderr */
	struct err failure;  /* the stream cannot be read */
	struct run_end end;
	bool has_end;	/* `end` was sent by the run */
	bool is_reaped; /* `status` is known */
	int status;	/* as from waitpid */
};

/* From a process that measures; takes over the descriptors.  The source must stay where it is: its
 * stream refers to it. */
void source_init(struct live_source *s, const char *name, pid_t pid, int fd, int messages_fd);

/* From files that were read, with the sum of their reports, which it takes over.  `saved` must
 * outlive the source. */
void source_init_files(struct live_source *s, const struct saved *saved, struct report *sum);

/* Read what has arrived, without waiting; windows are held until they are committed.  If the stream
 * cannot be read, `failure` says why. */
void source_read(struct live_source *s);
/* Add to its messages, of which the last ones are kept. */
void source_add_message(struct live_source *s, const char *bytes, size_t n);
/* Add the held windows to the shown reports.  Returns false if there are none. */
bool source_commit(struct live_source *s);

/* Make the windows so far the baseline; if there is one already, stop comparing. */
void source_toggle_baseline(struct live_source *s);
/* Begin again with empty sums. */
void source_reset(struct live_source *s);

/* True if no more windows will come. */
bool source_is_over(const struct live_source *s);
/* CPU time of the process so far, in ns; 0: unknown. */
u64 source_cpu_ns(const struct live_source *s);

/* Read to the end, after the process was told to end, and reap it: at most `ms`, then it is
 * killed.  Without a process, nothing more is read. */
void source_finish(struct live_source *s, int ms);
void source_release(struct live_source *s);

#endif
