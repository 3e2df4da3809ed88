// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/log.h"

#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/shorten.h"

/* Messages quote names from users and files, which can have any length. */
#define LINE_MAX_BYTES 1000
#define VERBOSE_MAX    16384 /* bytes: enough for libbpf's log */
/* Time to wait for a reader of stderr, once: a measurement must not hang on it. */
#define READER_MS      500

/* The only mutable global state besides the stop flags: the log level and the warning hook. */
static enum log_level level = LOG_NORMAL;
static log_warn_fn warn_hook;
static void *warn_ctx;
static bool progress_shown;

void log_set_level(enum log_level new_level)
{
	level = new_level;
}

enum log_level log_level(void)
{
	return level;
}

void log_on_warn(log_warn_fn fn, void *ctx)
{
	warn_hook = fn;
	warn_ctx = ctx;
}

bool log_has_room(void)
{
	static bool is_deaf;
	struct pollfd p = { .fd = STDERR_FILENO, .events = POLLOUT };

	is_deaf = poll(&p, 1, is_deaf ? 0 : READER_MS) == 0;
	return !is_deaf;
}

static void PRINTF(3, 0) put_line(const char *prefix, size_t max, const char *fmt, va_list ap)
{
	char *text = NULL;

	if (!log_has_room() || vasprintf(&text, fmt, ap) < 0)
		return;
	shorten(text, max);
	log_progress_end();
	fprintf(stderr, "%s%s\n", prefix, text);
	free(text);
}

void log_info(const char *fmt, ...)
{
	va_list ap;

	if (level < LOG_VERBOSE)
		return;
	va_start(ap, fmt);
	put_line("bperf: ", VERBOSE_MAX, fmt, ap);
	va_end(ap);
}

void log_note(const char *fmt, ...)
{
	va_list ap;

	if (level < LOG_NORMAL)
		return;
	va_start(ap, fmt);
	put_line("", LINE_MAX_BYTES, fmt, ap);
	va_end(ap);
}

void log_warn(const char *code, const char *fmt, ...)
{
	va_list ap;

	if (warn_hook) {
		char *message = NULL;

		va_start(ap, fmt);
		if (vasprintf(&message, fmt, ap) >= 0) {
			shorten(message, LINE_MAX_BYTES);
			warn_hook(warn_ctx, code, message);
			free(message);
		}
		va_end(ap);
	}
	if (level < LOG_NORMAL)
		return;
	va_start(ap, fmt);
	put_line("bperf: warning: ", LINE_MAX_BYTES, fmt, ap);
	va_end(ap);
}

void log_progress(const char *fmt, ...)
{
	va_list ap;

	if (level < LOG_NORMAL || !isatty(STDERR_FILENO) || !log_has_room())
		return;
	fputs("\r\033[K", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fflush(stderr);
	progress_shown = true;
}

void log_progress_end(void)
{
	if (!progress_shown)
		return;
	fputs("\r\033[K", stderr);
	progress_shown = false;
}
