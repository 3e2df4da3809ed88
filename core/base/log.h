/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Chatter on stderr.  Results never come through here, errors neither (base/err.h).
 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include "base/types.h"

enum log_level {
	LOG_QUIET,   /* -q: results and errors only */
	LOG_NORMAL,  /* warnings and the banner */
	LOG_VERBOSE, /* -v: what was chosen and why, timing */
	LOG_DEBUG,   /* -vv: libbpf's own log too */
};

void log_set_level(enum log_level level);
enum log_level log_level(void);

/* Somebody reads stderr, or it is not full yet.  One who does not is waited for once, half a
 * second; lines for him are left out until he does. */
bool log_has_room(void);

/* "bperf: ..." at -v and -vv. */
void log_info(const char *fmt, ...) PRINTF(1, 2);

/* A line for people (banner, notes), not with -q. */
void log_note(const char *fmt, ...) PRINTF(1, 2);

/* "bperf: warning: ..."; `code` is a stable name for scripts ("perfmap-stale").  The hook, when
 * set, gets every warning too, with -q as well: JSON output turns it into a `warn` record. */
void log_warn(const char *code, const char *fmt, ...) PRINTF(2, 3);

typedef void (*log_warn_fn)(void *ctx, const char *code, const char *message);
void log_on_warn(log_warn_fn fn, void *ctx);

/* The progress line: written over itself, only when stderr is a terminal.  Every
 * other line printed through this file wipes it first. */
void log_progress(const char *fmt, ...) PRINTF(1, 2);
void log_progress_end(void);

#endif
