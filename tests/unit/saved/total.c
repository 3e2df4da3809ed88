// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* How long reports last together, and what they add up to. */
#include "saved/saved.h"

#include "test.h"

#define META                                                                                       \
	"{\"type\":\"meta\",\"schema\":\"bperf/1.0\",\"cmd\":\"profile\",\"clock\":{\"realtime\":" \
	"\"2026-07-01T12:00:%02d.000000000Z\"},\"value\":{\"name\":\"samples\",\"unit\":"          \
	"\"samples\"}}\n"
#define STACK                                                                                   \
	"{\"type\":\"stack\",\"iv\":%d,\"comm\":\"a\",\"value\":%d,\"count\":%d,\"kernel\":[]," \
	"\"user\":[{\"func\":\"f\"}],\"missed\":null}\n"
#define INTERVAL                                                                                    \
	"{\"type\":\"interval\",\"iv\":%d,\"start\":%d.0,\"end\":%d.0%s,\"lost\":{\"throttled\":1," \
	"\"missed\":%s}}\n"
#define END "{\"type\":\"end\",\"reason\":\"done\",\"elapsed\":%d.0}\n"

static char paths[4][64];
static size_t n_paths;

static FILE *begin(int second)
{
	FILE *f;

	snprintf(paths[n_paths], sizeof(paths[0]), "/tmp/bperf-total-%d-%zu", getpid(), n_paths);
	f = fopen(paths[n_paths++], "w");
	CHECK(f);
	fprintf(f, META, second);
	return f;
}

static void add(FILE *f, int iv, int value, int start, int end, const char *more)
{
	fprintf(f, STACK INTERVAL, iv, value, value, iv, start, end, more, "0");
}

static void total(struct saved *s, struct report *out)
{
	const struct saved_opts opts = { 0 };
	struct err err = { 0 };
	char *list[4];

	for (size_t i = 0; i < n_paths; i++)
		list[i] = paths[i];
	saved_init(s);
	CHECK(!saved_read(s, list, n_paths, &opts, &err));
	CHECK(!saved_total(s, out, &err));
	for (size_t i = 0; i < n_paths; i++)
		unlink(paths[i]);
}

static void check(u64 value, u64 seconds, u64 lost)
{
	struct report r;
	struct saved s;

	total(&s, &r);
	CHECK_U64(r.total, value);
	CHECK_U64(r.end_ns - r.start_ns, seconds * NS_PER_SEC);
	CHECK_U64(r.ledger.lost[LOST_throttled], lost);
	report_release(&r);
	saved_release(&s);
}

static void one(int second, int value, int seconds)
{
	FILE *f = begin(second);

	add(f, 0, value, 0, seconds, "");
	fprintf(f, END, seconds);
	fclose(f);
}

TEST(intervals_of_one_run)
{
	FILE *f = begin(0);

	add(f, 0, 3, 0, 2, "");
	add(f, 1, 4, 2, 5, "");
	fprintf(f, END, 5);
	fclose(f);
	check(7, 5, 2);
}

TEST(hosts_at_the_same_time)
{
	one(10, 3, 5);
	one(10, 4, 5);
	check(7, 5, 2);
}

TEST(runs_that_overlap)
{
	one(10, 3, 5);
	one(12, 4, 5);
	check(7, 7, 2);
}

TEST(runs_one_after_the_other)
{
	one(10, 3, 5);
	one(40, 4, 6);
	check(7, 11, 2);
}

/* The rest of the window has its values too. */
TEST(snapshots_do_not_count_twice)
{
	FILE *f = begin(0);

	add(f, 0, 3, 0, 2, ",\"snapshot\":true");
	add(f, 0, 7, 0, 5, "");
	fprintf(f, END, 5);
	fclose(f);
	check(7, 5, 1);
}

/* A report that starts at 0 has all that was before it. */
TEST(reports_that_grow)
{
	FILE *f = begin(0);

	add(f, 0, 3, 0, 2, "");
	add(f, 1, 7, 0, 4, "");
	fprintf(f, END, 4);
	fclose(f);
	check(7, 4, 1);
}

TEST(an_unknown_loss_stays_unknown)
{
	FILE *f = begin(0);
	struct report r;
	struct saved s;

	add(f, 0, 3, 0, 2, "");
	fprintf(f, STACK INTERVAL, 1, 4, 4, 1, 2, 5, "", "null");
	fprintf(f, END, 5);
	fclose(f);
	total(&s, &r);
	CHECK_U64(r.ledger.lost[LOST_missed], LOST_UNKNOWN);
	report_release(&r);
	saved_release(&s);
}
