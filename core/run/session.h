/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The run loop of all commands: one epoll descriptor, the windows, signals, and the end of the
 * targets.  Knows clocks and descriptors; must not know names, formats, or what is measured.
 */
#ifndef RUN_SESSION_H
#define RUN_SESSION_H

#include "base/err.h"
#include "base/mem.h"
#include "base/types.h"
#include "opt/target.h"
#include "run/child.h"

enum session_stop {
	STOP_NOT_YET,
	STOP_DONE, /* all requested reports are made */
	STOP_SIGINT,
	STOP_SIGTERM,
	STOP_SIGHUP,
	STOP_TARGETS_EXIT,
	STOP_CHILD_EXIT,
	STOP_OUTPUT_GONE,
	STOP_ERROR,
};

/* "done", "sigint", ... as in JSON's end record. */
const char *session_stop_name(enum session_stop why);

/* The time that one report covers. */
struct session_window {
	u32 index;
	u64 start_ns, end_ns; /* CLOCK_MONOTONIC */
	u64 due_ns;	      /* planned end; UINT64_MAX: the window ends with the run */
	u64 next_due_ns;      /* planned end of the next window; known in on_report, which may move
				 it to a later session_next_cut() */
	bool is_snapshot;     /* SIGUSR1: the window continues after the report */
};

struct session_ops {
	/* A descriptor given to session_watch() is readable. */
	void (*on_ready)(void *ctx, int tag);
	/* Called ten times a second: drain, settle, follow hotplug. */
	void (*on_tick)(void *ctx, u64 now);
	/* Called twice a second on a terminal: print the progress line. */
	void (*on_progress)(void *ctx, u64 elapsed_ns);
	/*
	 * A window has ended (w->end_ns is now) and another begins.  May set w->end_ns to the time
	 * at which counting really stopped.  Not called for the last window, which is in
	 * session.window when session_run() returns, so that the caller can detach programs before
	 * reporting it.
	 */
	int (*on_report)(void *ctx, struct session_window *w, struct err *err);
	/* Why the run should end before its time: STOP_OUTPUT_GONE if no reader is left, STOP_DONE
	 * if enough was seen; STOP_NOT_YET: it goes on. */
	enum session_stop (*why_over)(void *ctx);
	/* true if earlier output still waits for its reader: no window ends until the output has
	 * room again, or the time of all windows is over. */
	bool (*is_output_full)(void *ctx);
};

struct session {
	const struct session_ops *ops;
	void *ctx;
	u64 interval_ns; /* 0: one window, until stopped */
	u64 count;	 /* number of windows; 0: until stopped */
	struct child *child;
	VEC(int) pidfds; /* for -p; -1: has ended */
	size_t n_alive;	 /* number of pidfds that have not ended */
	VEC(u32) tids;	 /* for --tid; polled at ticks, because threads have no pidfd before 6.9 */
	int epoll_fd;
	u64 start_ns;
	struct session_window window; /* the current window; after the run, the last one */
};

/* Catch the signals (base/stop.h) and open descriptors.  The run ends when all processes and
 * threads in `t` have ended. */
int session_init(struct session *s, const struct session_ops *ops, void *ctx,
		 const struct target *t, struct err *err);

/* Call ops->on_ready(tag) when fd is readable. */
int session_watch(struct session *s, int fd, int tag, struct err *err);

/* The end of the window that contains `now`; UINT64_MAX: it ends when something stops the run. */
u64 session_next_cut(const struct session *s, u64 now);

/* true if the run ends with the window of this index. */
bool session_is_last(const struct session *s, u32 index);

/* The first window begins now. */
void session_start(struct session *s);

/* Loop until something stops the run.  Returns 0 with *why, or -code if a report failed. */
int session_run(struct session *s, enum session_stop *why, struct err *err);

void session_release(struct session *s);

#endif
