// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "saved/stream.h"

#include <string.h>

#include "saved/saved_int.h"

struct saved_stream {
	struct reading r;
	struct saved_opts opts;
	struct json_records *records; /* NULL: at the end, or after an error */
	struct str rest;	      /* the start of a line */
	size_t n_taken;		      /* that many of s->reports, from the first on */
	u64 total;		      /* the sum of all reports */
	bool has_end;
};

struct saved_stream *saved_stream_new(struct saved *s, const char *name)
{
	struct saved_stream *st = mem_alloc(1, sizeof(*st));

	st->r = (struct reading){ .s = s, .opts = &st->opts, .divisor = 1 };
	st->r.in.name = intern(&s->strings, name);
	st->r.file = (struct saved_file){ .name = st->r.in.name, .format = SAVED_JSON };
	st->r.run = (struct run_info){ .command = "report", .value_name = "", .version = "" };
	st->records = json_records_begin(&st->r);
	return st;
}

/* The caller adds up all reports, so their sum must fit into 64 bits, too. */
static int add_totals(struct saved_stream *st, size_t from)
{
	const struct saved *s = st->r.s;

	for (size_t i = from; i < s->reports.n; i++)
		if (__builtin_add_overflow(st->total, s->reports.items[i].total, &st->total))
			return reading_too_much(&st->r);
	return 0;
}

static int take_line(struct saved_stream *st, struct view line)
{
	bool had_meta = json_records_have_meta(st->records);
	size_t n = st->r.s->reports.n;
	int ret;

	st->r.in.line++;
	ret = json_records_take(st->records, line) ?: add_totals(st, n);
	if (!had_meta && json_records_have_meta(st->records))
		st->r.s->run = st->r.run;
	return ret;
}

/* Drop the reports that were taken, all at once: one part can bring thousands. */
static void drop_taken(struct saved_stream *st)
{
	struct saved *s = st->r.s;

	s->reports.n -= st->n_taken;
	if (st->n_taken)
		memmove(s->reports.items, s->reports.items + st->n_taken,
			s->reports.n * sizeof(*s->reports.items));
	st->n_taken = 0;
	st->r.file.n = 0; /* their number is not limited: they are not kept */
}

static int take_lines(struct saved_stream *st)
{
	struct view rest = str_view(&st->rest);
	const char *end;
	int ret = 0;

	while (!ret && (end = memchr(rest.p, '\n', rest.n))) {
		size_t n = (size_t)(end - rest.p);

		ret = take_line(st, (struct view){ rest.p, n });
		rest.p += n + 1;
		rest.n -= n + 1;
	}
	str_drop(&st->rest, st->rest.n - rest.n);
	if (!ret && st->rest.n > INPUT_LINE_MAX)
		ret = reading_fail(&st->r, "a line of more than %u MB", INPUT_LINE_MAX >> 20);
	return ret;
}

int saved_stream_feed(struct saved_stream *st, const char *bytes, size_t n, struct err *err)
{
	struct report *r;
	int ret;

	if (!st->records)
		return 0;
	st->r.err = err;
	drop_taken(st);
	str_add(&st->rest, bytes, n);
	/* A line can arrive in many parts, so only the new part is searched for its end. */
	ret = memchr(bytes, '\n', n) || st->rest.n > INPUT_LINE_MAX ? take_lines(st) : 0;
	vec_for_each(r, &st->r.s->reports)
		saved_point(st->r.s, r);
	st->r.s->run.argv = st->r.s->tables->argv.items;
	st->r.s->run.argc = (int)st->r.s->tables->argv.n;
	if (ret) {
		json_records_end(st->records, ret);
		st->records = NULL;
	}
	return ret;
}

bool saved_stream_has_begun(const struct saved_stream *st)
{
	return st->r.s->run.command != NULL;
}

bool saved_stream_take(struct saved_stream *st, struct report *out)
{
	struct saved *s = st->r.s;

	while (st->n_taken < s->reports.n) {
		*out = s->reports.items[st->n_taken];
		s->reports.items[st->n_taken++] = (struct report){ 0 };
		if (!out->is_snapshot)
			return true;
		report_release(out);
	}
	return false;
}

bool saved_stream_end(struct saved_stream *st, struct run_end *end)
{
	struct err ignored = { 0 };
	struct report *r;

	if (st->records) {
		st->r.err = &ignored;
		st->has_end = !json_records_end(st->records, 0) && st->r.file.is_whole;
		st->records = NULL;
		drop_taken(st);
		/* A report whose end is missing. */
		vec_for_each(r, &st->r.s->reports)
			report_release(r);
		st->r.s->reports.n = 0;
	}
	*end = st->r.file.end;
	return st->has_end;
}

void saved_stream_free(struct saved_stream *st)
{
	if (!st)
		return;
	if (st->records)
		json_records_end(st->records, -ERR_FAIL);
	str_release(&st->rest);
	free(st);
}
