// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Distributions in JSON: what they add up to, which of their rows are kept, and what is refused. */
#include <string.h>

#include "saved/saved.h"
#include "saved/view.h"
#include "test.h"

#define META                                                                                   \
	"{\"type\":\"meta\",\"schema\":\"bperf/1.0\",\"cmd\":\"argdist\",\"value\":{\"name\":" \
	"\"events\",\"unit\":\"events\"}}\n"
#define DIST(kind, more)                                                                       \
	"{\"type\":\"dist\",\"dist\":0,\"kind\":\"" kind                                       \
	"\",\"title\":\"t\",\"value\":\"v\",\"signed\":true,\"keys\":[\"comm\",\"comm\"]" more \
	"}\n"
#define ROW(kind, comm, more)                                                  \
	"{\"type\":\"" kind "\",\"iv\":0,\"dist\":0,\"key\":{\"comm\":\"" comm \
	"\",\"comm#2\":\"x\"}," more "}\n"
#define INTERVAL "{\"type\":\"interval\",\"iv\":0,\"start\":0.0,\"end\":1.0}\n"
#define END	 "{\"type\":\"end\",\"reason\":\"done\",\"elapsed\":1.0}\n"

#define LOG2  ",\"scale\":\"log2\""
#define HIST  DIST("hist", LOG2)
#define STATS DIST("stats", ",\"percentiles\":[50]")
#define COLUMNS                                                                                      \
	",\"columns\":[{\"name\":\"N\",\"fn\":\"count\"},{\"name\":\"A\",\"fn\":\"avg\",\"signed\":" \
	"true},{\"name\":\"L\",\"fn\":\"min\",\"signed\":true}"

static int read_texts(struct saved *s, const char *const *texts, size_t n, struct err *err)
{
	const struct saved_opts opts = { 0 };
	char names[2][64], *paths[] = { names[0], names[1] };
	int ret;

	for (size_t i = 0; i < n; i++) {
		FILE *f;

		snprintf(names[i], sizeof(names[i]), "/tmp/bperf-dists-%d-%zu", getpid(), i);
		f = fopen(names[i], "w");
		CHECK(f && fputs(META, f) >= 0 && fputs(texts[i], f) >= 0);
		CHECK(fputs(INTERVAL END, f) >= 0 && !fclose(f));
	}
	saved_init(s);
	ret = saved_read(s, paths, n, &opts, err);
	for (size_t i = 0; i < n; i++)
		unlink(names[i]);
	return ret;
}

/* The sum of two files. */
static void total_of(const char *a, const char *b, struct saved *s, struct report *r)
{
	const char *texts[] = { a, b };
	struct err err = { 0 };

	CHECK(!read_texts(s, texts, 2, &err));
	CHECK(!saved_total(s, r, &err));
	CHECK(r->kind == REPORT_DISTS && r->dists.n == 1);
}

static void release(struct saved *s, struct report *r)
{
	report_release(r);
	saved_release(s);
}

TEST(buckets_of_equal_keys_are_added)
{
	struct report r;
	struct saved s;
	const struct dist_row *row;

	total_of(HIST ROW("hist", "a",
			  "\"count\":3,\"buckets\":[{\"lo\":-3,\"n\":1},{\"lo\":-1,\"n\":2}]"),
		 HIST ROW("hist", "a",
			  "\"count\":5,\"buckets\":[{\"lo\":-1,\"n\":1},{\"lo\":0,\"n\":4}]")
			 ROW("hist", "b", "\"count\":0,\"buckets\":[]"),
		 &s, &r);
	CHECK(r.dists.items[0].rows.n == 2);
	row = r.dists.items[0].rows.items;
	CHECK(row->first == DIST_LOG2_ZERO - 2 && row->n == 3);
	CHECK_U64(row->buckets[0], 1);
	CHECK_U64(row->buckets[1], 3);
	CHECK_U64(row->buckets[2], 4);
	CHECK_U64(row->count, 8);
	CHECK_U64(r.total, 8);
	CHECK_STR(row->key[0], "a");
	release(&s, &r);
}

TEST(statistics_keep_both_extremes)
{
	struct report r;
	struct saved s;
	const struct dist_row *row;

	total_of(
		STATS ROW("stats", "a",
			  "\"count\":1,\"sum\":-7,\"min\":-7,\"max\":-7,\"buckets\":[[-7,1]]"),
		STATS ROW("stats", "a",
			  "\"count\":2,\"sum\":24,\"min\":4,\"max\":20,\"buckets\":[[4,1],[20,1]]"),
		&s, &r);
	row = r.dists.items[0].rows.items;
	CHECK((s64)row->least == -7 && row->greatest == 20 && (s64)row->sum == 17);
	CHECK(dist_is_sum_known(&r.dists.items[0], row));
	CHECK(dist_percentile(&r.dists.items[0], row, 50) == 4);
	release(&s, &r);
}

TEST(columns_are_added_by_their_functions)
{
	static const char more[] = DIST("table", COLUMNS "]");
	struct str a = { 0 }, b = { 0 };
	const struct dist_cell *cells;
	struct report r;
	struct saved s;

	str_addf(&a, "%s%s", more,
		 ROW("table", "a",
		     "\"columns\":{\"N\":2,\"A\":1.5,\"L\":4},\"count\":6,\"averages\":{\"A\":{"
		     "\"count\":2,\"sum\":3}}"));
	str_addf(&b, "%s%s", more,
		 ROW("table", "a",
		     "\"columns\":{\"N\":1,\"A\":-9.0,\"L\":-4},\"count\":3,\"averages\":{\"A\":{"
		     "\"count\":1,\"sum\":-9}}"));
	total_of(str_text(&a), str_text(&b), &s, &r);
	cells = r.dists.items[0].rows.items[0].cells;
	CHECK_U64(cells[0].count, 3);
	CHECK(dist_cell_number(&r.dists.items[0].columns[1], &cells[1]) == -2);
	CHECK((s64)cells[2].value == -4);
	release(&s, &r);
	str_release(&a);
	str_release(&b);
}

/* An error of saved_total that begins so. */
static void check_apart(const char *a, const char *b, const char *what)
{
	const char *texts[] = { a, b };
	struct err err = { 0 };
	struct report r;
	struct saved s;

	CHECK(!read_texts(&s, texts, 2, &err));
	CHECK(saved_total(&s, &r, &err));
	CHECK_STR(err.what, what);
	release(&s, &r);
	err_clear(&err);
}

TEST(what_differs_is_not_added)
{
	check_apart(HIST, DIST("hist", ",\"scale\":\"bounds\",\"bounds\":[1,5]"),
		    "t: buckets of different scales can't be added up");
	check_apart(DIST("hist", ",\"scale\":\"bounds\",\"bounds\":[1,4]"),
		    DIST("hist", ",\"scale\":\"bounds\",\"bounds\":[1,5]"),
		    "t: buckets of different scales can't be added up");
	check_apart(HIST, STATS, "t and t can't be added up");
	check_apart(DIST("table", COLUMNS "]"),
		    DIST("table", COLUMNS ",{\"name\":\"R\",\"fn\":null}]"),
		    "t: columns of --col can't be added up");
}

TEST(rows_are_kept_by_their_keys)
{
	static char comm[] = "a*";
	char *const comms[] = { comm };
	const struct saved_filter filter = { .comms = comms, .n_comms = 1 };
	const u32 pid = 1;
	const struct saved_filter by_pid = { .pids = &pid, .n_pids = 1 };
	const char *text = HIST ROW("hist", "ab", "\"count\":2,\"buckets\":[{\"lo\":0,\"n\":2}]")
		ROW("hist", "ba", "\"count\":1,\"buckets\":[{\"lo\":0,\"n\":1}]");
	struct err err = { 0 };
	struct saved s;

	CHECK(!read_texts(&s, &text, 1, &err));
	CHECK(saved_keep(&s, &by_pid, &err));
	CHECK(strstr(err.what, "has no key 'pid'"));
	err_clear(&err);
	CHECK(!saved_keep(&s, &filter, &err));
	CHECK(s.reports.items[0].dists.items[0].rows.n == 1);
	CHECK_U64(s.reports.items[0].total, 2);
	saved_release(&s);
}

/* The error of a file, without its name. */
static void check_wrong(const char *text, const char *what)
{
	struct err err = { 0 };
	struct saved s;

	CHECK(read_texts(&s, &text, 1, &err));
	CHECK(strchr(err.what, ':'));
	CHECK_STR(strchr(err.what, ':') + 1, what);
	saved_release(&s);
	err_clear(&err);
}

TEST(hostile_distributions)
{
	check_wrong(ROW("hist", "a", "\"count\":0,\"buckets\":[]"),
		    "2: a record 'hist' comes without the record 'dist' that says how to show it");
	check_wrong(HIST ROW("hist", "a", "\"count\":1,\"buckets\":[{\"lo\":3,\"n\":1}]"),
		    "3: a bucket is not of its scale");
	check_wrong(HIST ROW("hist", "a", "\"count\":2,\"buckets\":[{\"lo\":1,\"n\":1}]"),
		    "3: the buckets do not add up to the histogram's count");
	check_wrong(HIST ROW("hist", "a",
			     "\"count\":0,\"buckets\":[{\"lo\":0,\"n\":18446744073709551615},{"
			     "\"lo\":1,\"n\":1}]"),
		    "3: the sum of the values does not fit in 64 bits");
	check_wrong(STATS ROW("stats", "a",
			      "\"count\":1,\"sum\":1,\"min\":1,\"max\":1,\"buckets\":[[17,1]]"),
		    "3: the buckets are not pairs of a bound and a number");
	check_wrong(
		STATS ROW("stats", "a",
			  "\"count\":1,\"sum\":1,\"min\":1,\"max\":1,\"buckets\":[[4,1],[3,1]]"),
		"3: the buckets are not pairs of a bound and a number");
	check_wrong(DIST("hist", ",\"scale\":\"linear\",\"from\":0,\"step\":1,\"steps\":100000"),
		    "2: the scale does not have at most 1000 steps, each above 0");
	check_wrong(DIST("table", ",\"columns\":[]"), "2: a table has no columns");
	check_wrong(HIST HIST, "3: the distributions are not numbered from 0 to 1023");
	check_wrong(HIST "{\"type\":\"hist\",\"iv\":0,\"dist\":0,\"key\":null}\n",
		    "3: a key is not of its distribution");
}
