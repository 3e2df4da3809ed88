// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// JSON of bperf of any bytes, in parts of any size: as whole as the file, and as broken.
// seeds: tests/golden/*.json
#include "saved/stream.h"
#include "tests/fuzz/readsaved.h"

/* Reports that a stream gives, and their sum; both must be sound at any time. */
struct streamed {
	struct saved saved;
	struct saved_stream *stream;
	struct report sum;
	size_t n_reports;
	u64 total; /* sum of the reports */
};

static void take(struct streamed *s)
{
	struct report r;

	while (saved_stream_take(s->stream, &r)) {
		check_report(&r);
		s->n_reports++;
		s->total += r.total;
		saved_add(&s->saved, &s->sum, &r);
		report_release(&r);
	}
	saved_point(&s->saved, &s->sum);
	check_report(&s->sum);
}

/* The sizes of the parts come from the bytes themselves. */
static int feed(struct streamed *s, const u8 *data, size_t size, struct err *err)
{
	int ret = 0;

	for (size_t at = 0, n; at < size && !ret; at += n) {
		n = 1 + (data[at] * 31u + at) % 300;
		n = n < size - at ? n : size - at;
		ret = saved_stream_feed(s->stream, (const char *)data + at, n, err);
		take(s);
	}
	return ret;
}

/* The reports of a file that a stream gives too; the last one of the file may lack its interval. */
static void compare_reports(const struct streamed *s, const struct saved *whole)
{
	const struct report *r;
	u64 total = 0;
	size_t n = 0;

	vec_for_each(r, &whole->reports) {
		if (r->is_snapshot)
			continue;
		if (n++ < s->n_reports)
			total += r->total;
	}
	must(n == s->n_reports || n == s->n_reports + 1);
	must(total == s->total);
}

static void compare(const struct streamed *s, const u8 *data, size_t size)
{
	const struct saved_opts opts = { .format = SAVED_JSON };
	char path[32], *paths[] = { path };
	int fd = file_of(data, size, path);
	struct err err = { 0 };
	struct saved whole;

	saved_init(&whole);
	if (!saved_read(&whole, paths, 1, &opts, &err) && whole.files.items[0].is_whole)
		compare_reports(s, &whole);
	saved_release(&whole);
	err_clear(&err);
	close(fd);
}

int fuzz_input(const u8 *data, size_t size)
{
	struct streamed s = { 0 };
	struct err err = { 0 };
	struct run_end end;
	int ret;

	log_set_level(LOG_QUIET);
	saved_init(&s.saved);
	s.stream = saved_stream_new(&s.saved, "stream");
	ret = feed(&s, data, size, &err);
	must(!ret || (err.code && err.what[0]));
	saved_stream_end(s.stream, &end);
	saved_point(&s.saved, &s.sum);
	if (!ret)
		compare(&s, data, size);
	report_release(&s.sum);
	saved_stream_free(s.stream);
	saved_release(&s.saved);
	err_clear(&err);
	return 0;
}
