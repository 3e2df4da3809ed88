// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * JSON that arrives in parts gives the reports of the whole file: the golden JSON files, cut
 * anywhere, are drawn as their golden text, and windows add up to the file's total.
 */
#include "saved/stream.h"
#include "goldens.h"
#include "saved/saved.h"

struct streamed {
	struct saved saved;
	struct saved_stream *stream;
	VEC(struct report) reports;
	struct run_end end;
	bool has_end;
	struct err err;
};

static void begin(struct streamed *s)
{
	*s = (struct streamed){ 0 };
	saved_init(&s->saved);
	s->stream = saved_stream_new(&s->saved, "test");
}

static void take(struct streamed *s)
{
	struct report *r, out;

	while (saved_stream_take(s->stream, &out))
		vec_push(&s->reports, out);
	vec_for_each(r, &s->reports)
		saved_point(&s->saved, r);
}

static int feed(struct streamed *s, const char *bytes, size_t n)
{
	int ret = saved_stream_feed(s->stream, bytes, n, &s->err);

	take(s);
	return ret;
}

static int feed_text(struct streamed *s, const char *text)
{
	return feed(s, text, strlen(text));
}

static void end(struct streamed *s)
{
	struct report *r;

	s->has_end = saved_stream_end(s->stream, &s->end);
	vec_for_each(r, &s->reports)
		saved_point(&s->saved, r);
}

static void release(struct streamed *s)
{
	struct report *r;

	vec_for_each(r, &s->reports)
		report_release(r);
	vec_release(&s->reports);
	saved_stream_free(s->stream);
	saved_release(&s->saved);
}

static struct str read_golden(const char *name)
{
	char path[128], bytes[4096];
	struct str text = { 0 };
	size_t n;
	FILE *f;

	snprintf(path, sizeof(path), DIR "/%s.json", name);
	f = fopen(path, "r");
	CHECK(f);
	while ((n = fread(bytes, 1, sizeof(bytes), f)) > 0)
		str_add(&text, bytes, n);
	fclose(f);
	return text;
}

/* Parts of `step` bytes; 0: of 1 to 100, by lot. */
static void read_in_parts(struct streamed *s, const char *name, size_t step)
{
	struct str text = read_golden(name);

	begin(s);
	srand(1);
	for (size_t i = 0, n; i < text.n; i += n) {
		n = step ?: (size_t)(1 + rand() % 100);
		n = n < text.n - i ? n : text.n - i;
		if (feed(s, text.p + i, n))
			printf("# %s\n", s->err.what);
		CHECK(!s->err.code);
	}
	end(s);
	CHECK(s->has_end);
	str_release(&text);
}

static void check_text(const char *name, size_t step)
{
	static const struct render_opts opts = { .top = 20, .color = COLOR_NEVER };
	const struct report *reports[8];
	struct streamed s;
	struct drawing d;

	read_in_parts(&s, name, step);
	CHECK(s.reports.n && s.reports.n <= ARRAY_SIZE(reports));
	for (size_t i = 0; i < s.reports.n; i++)
		reports[i] = &s.reports.items[i];
	d = (struct drawing){ .run = &s.saved.run,
			      .kinds = reports[0]->kind,
			      .reports = reports,
			      .n_reports = s.reports.n,
			      .end = s.end };
	check_drawing(name, &d, IN_TEXT, &opts);
	release(&s);
}

static void check_cuts(const char *name)
{
	static const size_t steps[] = { 1, 7, 1000, 1 << 20, 0 };

	for (size_t i = 0; i < ARRAY_SIZE(steps); i++)
		check_text(name, steps[i]);
}

TEST(stacks_cut_anywhere)
{
	check_cuts("server");
	check_cuts("offcpu");
	check_cuts("wakeup");
}

TEST(chains_and_paths_cut_anywhere)
{
	check_cuts("chain");
	check_cuts("paths");
}

TEST(tables_cut_anywhere)
{
	check_cuts("functions");
	check_cuts("ratio-functions");
	check_cuts("states");
	check_cuts("counts");
}

TEST(intervals_cut_anywhere)
{
	check_cuts("intervals");
}

/* ---- sums ---- */

static void total_of_file(struct saved *s, const char *name, struct report *out)
{
	const struct saved_opts opts = { 0 };
	struct err err = { 0 };
	char path[128], *paths[] = { path };

	snprintf(path, sizeof(path), DIR "/%s.json", name);
	saved_init(s);
	CHECK(!saved_read(s, paths, 1, &opts, &err));
	CHECK(!saved_total(s, out, &err));
}

static void check_sum(const char *name)
{
	struct report want, sum = { 0 };
	struct saved whole;
	struct streamed s;
	u64 count = 0, n = 0;

	total_of_file(&whole, name, &want);
	read_in_parts(&s, name, 0);
	for (size_t i = 0; i < s.reports.n; i++)
		saved_add(&s.saved, &sum, &s.reports.items[i]);
	CHECK_U64(sum.total, want.total);
	CHECK_U64(sum.whole.value, want.whole.value);
	CHECK_U64(sum.end_ns - sum.start_ns, want.end_ns - want.start_ns);
	CHECK_U64(sum.stacks.n, want.stacks.n);
	CHECK_U64(sum.counts.n, want.counts.n);
	CHECK_U64(sum.states.n, want.states.n);
	CHECK_U64(ledger_total(&sum.ledger), ledger_total(&want.ledger));
	CHECK_U64(sum.dists.n, want.dists.n);
	for (size_t i = 0; i < sum.dists.n; i++) {
		count += sum.dists.items[i].total;
		n += want.dists.items[i].total;
	}
	CHECK_U64(count, n);
	report_release(&sum);
	report_release(&want);
	release(&s);
	saved_release(&whole);
}

TEST(windows_add_up_to_the_total_of_the_file)
{
	check_sum("server");
	check_sum("intervals");
	check_sum("states");
	check_sum("counts");
	check_sum("distributions-heat");
	check_sum("chain");
	check_sum("functions");
	check_sum("ratio-functions");
}

/* ---- the life of a stream ---- */

#define META                                                                                               \
	"{\"type\":\"meta\",\"schema\":\"bperf/1.0\",\"cmd\":\"profile\",\"value\":{\"name\":\"samples\"," \
	"\"unit\":\"samples\"}}\n"
#define STACK                                                                                           \
	"{\"type\":\"stack\",\"iv\":0,\"comm\":\"a\",\"value\":3,\"count\":3,\"kernel\":[],\"user\":[{" \
	"\"func\":\"f\"}],\"missed\":null}\n"
#define WINDOW "{\"type\":\"interval\",\"iv\":0,\"start\":0.0,\"end\":1.0,\"lost\":{}}\n"
#define COUNT                                                                                        \
	"{\"type\":\"count\",\"iv\":1,\"probe\":\"k:f\",\"label\":null,\"func\":\"f\",\"mod\":null," \
	"\"key\":null,\"value\":7}\n"
#define END "{\"type\":\"end\",\"reason\":\"done\",\"elapsed\":1.0}\n"

TEST(a_report_is_complete_with_its_interval)
{
	struct streamed s;

	begin(&s);
	CHECK(!saved_stream_has_begun(s.stream));
	CHECK(!feed_text(&s, META));
	CHECK(saved_stream_has_begun(s.stream));
	CHECK_STR(s.saved.run.command, "profile");
	CHECK(!feed_text(&s, STACK));
	CHECK(!s.reports.n);
	CHECK(!feed_text(&s, WINDOW));
	CHECK(s.reports.n == 1);
	CHECK_U64(s.reports.items[0].total, 3);
	release(&s);
}

TEST(a_report_without_its_interval_is_dropped_at_the_end)
{
	struct streamed s;

	begin(&s);
	CHECK(!feed_text(&s, META STACK WINDOW STACK));
	end(&s);
	take(&s);
	CHECK(!s.has_end);
	CHECK(s.reports.n == 1);
	release(&s);
}

TEST(an_end_is_known_only_if_the_run_says_it)
{
	struct streamed s;

	begin(&s);
	CHECK(!feed_text(&s, META STACK WINDOW END));
	end(&s);
	CHECK(s.has_end);
	CHECK_STR(s.end.reason, "done");
	release(&s);
}

TEST(a_stream_without_a_byte_has_not_begun)
{
	struct streamed s;

	begin(&s);
	end(&s);
	CHECK(!saved_stream_has_begun(s.stream));
	CHECK(!s.has_end && !s.reports.n);
	release(&s);
}

TEST(a_snapshot_is_dropped)
{
	struct streamed s;

	begin(&s);
	CHECK(!feed_text(&s, META STACK "{\"type\":\"interval\",\"iv\":0,\"start\":0.0,\"end\":0.5,"
					"\"snapshot\":true,\"lost\":{}}\n" STACK WINDOW));
	CHECK(s.reports.n == 1);
	CHECK_U64(s.reports.items[0].total, 3);
	CHECK_U64(s.reports.items[0].end_ns, NS_PER_SEC);
	release(&s);
}

/* ---- what cannot be read ---- */

static void check_refused(const char *text, const char *line)
{
	struct streamed s;
	char want[32];

	begin(&s);
	CHECK(feed_text(&s, text));
	CHECK(s.err.code);
	snprintf(want, sizeof(want), "test:%s:", line);
	if (strncmp(s.err.what, want, strlen(want)) != 0)
		printf("# %s\n", s.err.what);
	CHECK(!strncmp(s.err.what, want, strlen(want)));
	/* Later records change nothing. */
	CHECK(!feed_text(&s, WINDOW));
	end(&s);
	CHECK(!s.has_end);
	release(&s);
}

TEST(an_error_names_the_line)
{
	check_refused("garbage\n", "1");
	check_refused(META "{\"type\":\n", "2");
	check_refused(META STACK WINDOW "{\"type\":\"stack\",\"value\":\"x\"}\n", "4");
}

TEST(a_second_start_is_refused)
{
	check_refused(META STACK WINDOW META, "4");
}

TEST(other_kinds_in_one_stream_are_refused_or_kept_apart)
{
	struct report sum = { 0 };
	struct streamed s;

	begin(&s);
	feed_text(&s, META STACK WINDOW COUNT
		  "{\"type\":\"interval\",\"iv\":1,\"start\":1.0,\"end\":2.0,\"lost\":{}}\n");
	for (size_t i = 0; i < s.reports.n; i++)
		saved_add(&s.saved, &sum, &s.reports.items[i]);
	CHECK(s.err.code || sum.kind == s.reports.items[s.reports.n - 1].kind);
	report_release(&sum);
	release(&s);
}

#define HUGE_STACK                                                                               \
	"{\"type\":\"stack\",\"iv\":0,\"comm\":\"a\",\"value\":9223372036854775807,\"count\":3," \
	"\"kernel\":[],\"user\":[{\"func\":\"f\"}],\"missed\":null}\n"

TEST(windows_whose_sum_is_no_number_are_refused)
{
	check_refused(META HUGE_STACK WINDOW HUGE_STACK WINDOW HUGE_STACK WINDOW, "7");
}

TEST(many_windows_in_one_part_are_taken_in_order)
{
	enum {
		N = 100000
	};
	struct str text = { 0 };
	struct streamed s;

	str_adds(&text, META);
	for (int i = 0; i < N; i++)
		str_addf(&text,
			 "{\"type\":\"interval\",\"iv\":%d,\"start\":%d,\"end\":%d,\"lost\":{}}\n",
			 i, i, i + 1);
	begin(&s);
	CHECK(!feed(&s, text.p, text.n));
	CHECK_U64(s.reports.n, N);
	for (int i = 0; i < N; i++)
		CHECK_U64(s.reports.items[i].start_ns, (u64)i * NS_PER_SEC);
	str_release(&text);
	release(&s);
}

TEST(windows_before_an_error_are_kept)
{
	struct streamed s;

	begin(&s);
	CHECK(feed_text(&s, META STACK WINDOW "garbage\n"));
	CHECK(s.reports.n == 1);
	CHECK_U64(s.reports.items[0].total, 3);
	release(&s);
}

TEST(a_line_without_an_end_is_bounded)
{
	struct str part = { 0 };
	struct streamed s;
	int ret = 0;

	for (int i = 0; i < 1 << 20; i++)
		str_addc(&part, 'x');
	begin(&s);
	CHECK(!feed_text(&s, META));
	for (int i = 0; i < 2000 && !ret; i++)
		ret = feed(&s, part.p, part.n);
	CHECK(ret && strstr(s.err.what, "a line of more than"));
	str_release(&part);
	release(&s);
}
