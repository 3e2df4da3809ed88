/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Messages on stderr.  Results and errors (base/err.h) are not printed here.
 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include "base/types.h"

enum log_level {
	LOG_QUIET,   /* -q: results and errors only */
	LOG_NORMAL,  /* warnings and the banner */
	LOG_VERBOSE, /* -v: decisions with their reasons, and timing */
	LOG_DEBUG,   /* -vv: libbpf's own log too */
};

void log_set_level(enum log_level level);
enum log_level log_level(void);

/* true if stderr can be written to without blocking.  If it is a full pipe, one call waits half a
 * second for it; after that, lines are dropped until the pipe has room again. */
bool log_has_room(void);

/* "bperf: ..." at -v and -vv. */
void log_info(const char *fmt, ...) PRINTF(1, 2);

/* A line for people (banner, notes); not printed with -q. */
void log_note(const char *fmt, ...) PRINTF(1, 2);

/* "bperf: warning: ..."; `code` is a stable name for scripts ("perfmap-stale").  The hook, if set,
 * receives every warning, even with -q: JSON output turns it into a `warn` record. */
void log_warn(const char *code, const char *fmt, ...) PRINTF(2, 3);

typedef void (*log_warn_fn)(void *ctx, const char *code, const char *message);
void log_on_warn(log_warn_fn fn, void *ctx);

/* The progress line, which overwrites itself; only when stderr is a terminal.  Every other line
 * printed through this file erases it first. */
void log_progress(const char *fmt, ...) PRINTF(1, 2);
void log_progress_end(void);

#endif
