// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

/* The one piece of mutable global state besides the stop flag: how chatty to be, for whom. */
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

static void PRINTF(2, 0) put_line(const char *prefix, const char *fmt, va_list ap)
{
	log_progress_end();
	fputs(prefix, stderr);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
}

void log_info(const char *fmt, ...)
{
	va_list ap;

	if (level < LOG_VERBOSE)
		return;
	va_start(ap, fmt);
	put_line("bperf: ", fmt, ap);
	va_end(ap);
}

void log_note(const char *fmt, ...)
{
	va_list ap;

	if (level < LOG_NORMAL)
		return;
	va_start(ap, fmt);
	put_line("", fmt, ap);
	va_end(ap);
}

void log_warn(const char *code, const char *fmt, ...)
{
	va_list ap;

	if (warn_hook) {
		char message[1024];

		va_start(ap, fmt);
		vsnprintf(message, sizeof(message), fmt, ap);
		va_end(ap);
		warn_hook(warn_ctx, code, message);
	}
	if (level < LOG_NORMAL)
		return;
	va_start(ap, fmt);
	put_line("bperf: warning: ", fmt, ap);
	va_end(ap);
}

void log_progress(const char *fmt, ...)
{
	va_list ap;

	if (level < LOG_NORMAL || !isatty(STDERR_FILENO))
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
