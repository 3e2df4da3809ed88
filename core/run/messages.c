// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "run/messages.h"

#include <bpf/libbpf.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/mem.h"

/* The end of libbpf's messages; the first messages say nothing about the failure. */
static struct {
	char text[8192];
	size_t n;
} last_words;

static bool is_hushed;

void messages_hush(bool is_optional)
{
	is_hushed = is_optional;
}

/* Keeps the end of a long line, such as a verifier log, because the reason is there. */
static void keep(const char *line, size_t n)
{
	size_t size = sizeof(last_words.text) - 1;

	if (n > size / 2) {
		line += n - size / 2;
		n = size / 2;
	}
	if (last_words.n + n > size) {
		last_words.n -= size / 2;
		memmove(last_words.text, last_words.text + size / 2, last_words.n);
	}
	memcpy(last_words.text + last_words.n, line, n);
	last_words.n += n;
	last_words.text[last_words.n] = '\0';
}

void messages_add_log(const char *name, const char *log)
{
	_cleanup_(free_p) char *text = mem_printf("prog '%s': -- BEGIN PROG LOAD LOG --\n%s%s\n",
						  name, log, MESSAGES_LOG_END);

	if (log_level() >= LOG_DEBUG)
		fputs(text, stderr);
	if (!is_hushed)
		keep(text, strlen(text));
}

__attribute__((format(printf, 2, 0))) static int on_print(enum libbpf_print_level level,
							  const char *fmt, va_list ap)
{
	_cleanup_(free_p) char *line = NULL;
	int n;

	if (level == LIBBPF_DEBUG && log_level() < LOG_DEBUG)
		return 0;
	n = vasprintf(&line, fmt, ap);
	if (n <= 0)
		return 0;
	if (log_level() >= LOG_DEBUG)
		fputs(line, stderr);
	if (level != LIBBPF_DEBUG && !is_hushed)
		keep(line, (size_t)n);
	return 0;
}

void messages_begin(void)
{
	libbpf_set_print(on_print);
}

const char *messages_kept(void)
{
	return last_words.text;
}
