// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Determines the format of an input by its first bytes; if it is not supported, names the program
 * that it is from. */
#include <ctype.h>
#include <string.h>

#include "saved/perfline.h"
#include "saved/saved_int.h"

/* Files of other programs, by their first bytes. */
static const struct {
	const char *start;
	const char *what, *hint;
} strangers[] = {
	{ "PERFILE2", "perf's own data", "bperf report reads the text of: perf script -i FILE" },
	{ "FLR", "a recording of Java Flight Recorder", "convert it to folded stacks or pprof" },
	{ "\177ELF", "a program", NULL },
	{ "<?xml", "XML", "a flame graph cannot be read again: keep the .json or .folded" },
	{ "<svg", "a picture", "a flame graph cannot be read again: keep the .json or .folded" },
	{ "<!DOCTYPE html", "a web page", NULL },
	{ "<html", "a web page", NULL },
	{ "heap profile:", "a heap profile of gperftools", "pprof -proto converts it" },
	{ "PK\3\4", "a ZIP archive", NULL },
	{ "(\265/\375", "compressed by zstd", "unpack it first: zstd -dc FILE | bperf report -" },
	{ "\3757zXZ", "compressed by xz", "unpack it first: xz -dc FILE | bperf report -" },
	{ "BZh", "compressed by bzip2", "unpack it first: bzip2 -dc FILE | bperf report -" },
};

/* JSON of other programs, by a word near its start. */
static const struct {
	const char *word, *what;
} strange_json[] = {
	{ "speedscope.app", "speedscope's JSON" },
	{ "\"traceEvents\"", "a trace of Chrome" },
	{ "\"ph\":", "a trace of Chrome" },
	{ "\"callFrame\"", "a CPU profile of V8" },
	{ "\"stackTable\"", "a profile of Firefox" },
	{ "\"flamebearer\"", "a profile of Pyroscope" },
};

static bool contains(struct view text, const char *word)
{
	return memmem(text.p, text.n, word, strlen(word)) != NULL;
}

static enum saved_format say_what(struct reading *r, const char *what, const char *hint)
{
	err_set(r->err, ERR_FAIL, "%s looks like %s", r->in.name, what);
	err_hint(
		r->err, "%s",
		hint ? hint
		     : "bperf report reads bperf's JSON, folded stacks, pprof and the text of perf "
		       "script");
	return SAVED_ANY;
}

static enum saved_format sniff_json(struct reading *r, struct view head)
{
	if (contains(head, "\"bperf/"))
		return SAVED_JSON;
	for (size_t i = 0; i < ARRAY_SIZE(strange_json); i++)
		if (contains(head, strange_json[i].word))
			return say_what(r, strange_json[i].what, NULL);
	if (contains(head, "\"type\""))
		return SAVED_JSON; /* the reader says what is missing */
	return say_what(r, "JSON of another program", NULL);
}

/* The message of a profile is not text, because it contains lengths and numbers below 32. */
static bool is_binary(struct view head)
{
	size_t n = 0;

	for (size_t i = 0; i < head.n; i++)
		n += (u8)head.p[i] < ' ' && !strchr("\t\n\r\033\a\b\f", head.p[i]);
	return n > 0 && (memchr(head.p, '\0', head.n) || n * 50 > head.n);
}

/* True for what render/pftrace.c writes: a packet that begins with these two fields. */
static bool is_pftrace(struct view head)
{
	return head.n > 6 && head.p[0] == '\n' && !memcmp(head.p + 2, "P\1h\1", 4);
}

/* True for text whose first line that is not empty is from perf script. */
static bool is_perf(struct view head)
{
	struct view line;

	while (view_split(&head, '\n', &line)) {
		struct perf_sample sample;

		if (line.n && line.p[line.n - 1] == '\r')
			line.n--;
		if (!line.n || line.p[0] == '#')
			continue;
		return perf_line_is_sample(line, &sample);
	}
	return false;
}

enum saved_format saved_sniff(struct reading *r)
{
	struct view head;

	if (input_peek(&r->in, &head, r->err))
		return SAVED_ANY;
	if (!head.n) {
		err_set(r->err, ERR_FAIL, "%s is empty", r->in.name);
		return SAVED_ANY;
	}
	for (size_t i = 0; i < ARRAY_SIZE(strangers); i++)
		if (view_starts(head, strangers[i].start))
			return say_what(r, strangers[i].what, strangers[i].hint);
	if (is_pftrace(head))
		return say_what(r, "a trace for Perfetto",
				"it cannot be read again: keep the .json");
	if (is_binary(head))
		return SAVED_PPROF;
	if (head.p[0] == '{' || head.p[0] == '[')
		return sniff_json(r, head);
	return is_perf(head) ? SAVED_PERF : SAVED_FOLDED;
}
