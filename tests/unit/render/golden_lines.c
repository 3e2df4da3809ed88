// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Events and counts, written by hand, as text and as JSON (goldens.h). */
#include <limits.h>
#include <math.h>
#include <time.h>

#include "base/utf8.h"
#include "goldens.h"
#include "reports.h"

/* With colours: both formats use them only for the lines about rows that are left out. */
static const struct render_opts colored = { .top = 20, .color = COLOR_ALWAYS };

/* ---- events ---- */

static const struct frame frames[] = {
	{ .name = "do_syscall_64",
	  .module = "[kernel]",
	  .addr = 0xffffffff81001234,
	  .off = 0x34,
	  .kind = FRAME_KERNEL },
	{ .name = "nft_do_chain",
	  .module = "nf_tables",
	  .addr = 0xffffffffc0100008,
	  .off = 8,
	  .kind = FRAME_MODULE },
	{ .name = "main", .module = "/usr/sbin/nginx", .vaddr = 0x1010, .kind = FRAME_USER },
	{ .module = "/usr/lib/libssl.so.3", .vaddr = 0x31234, .off = 0x31234, .kind = FRAME_USER },
	{ .name = "a\033[31m;b\n\xff", .module = "/tmp/\a x", .off = 1, .kind = FRAME_USER },
	{ .addr = 0x7fff00000010, .kind = FRAME_UNKNOWN },
	{ .name = "[truncated]", .kind = FRAME_NOTE },
};

#define TEXT(literal)                                     \
	{                                                 \
		.p = (literal), .n = sizeof(literal) - 1, \
	}
#define EVENT(message)                                                                           \
	.time_ns = 1002003456, .cpu = 3, .tgid = 2740, .tid = 2741, .uid = 1000, .comm = "bash", \
	.probe = "r:syscall:openat", .func = "openat", .text = TEXT(message), .frames = frames
#define VALUES(list) .values = (list), .n_values = ARRAY_SIZE(list)

/* One value of each kind that can be read, and one that cannot. */
static const u32 stack[] = { 0, 2 };
static const struct event_value of_each_kind[] = {
	{ .name = "fd", .kind = VALUE_SIGNED, .number = (u64)-2, .text = TEXT("ENOENT") },
	{ .name = "least", .kind = VALUE_SIGNED, .number = (u64)LONG_MIN },
	{ .name = "most", .kind = VALUE_UNSIGNED, .number = UINT64_MAX },
	{ .name = "flags",
	  .kind = VALUE_UNSIGNED,
	  .number = 0x241,
	  .text = TEXT("O_WRONLY|0x240") },
	{ .name = "ok", .kind = VALUE_BOOL, .number = 1 },
	{ .name = "p", .kind = VALUE_ADDRESS, .number = 0xffffffff81001234, .text = TEXT("f+0x4") },
	{ .name = "path", .kind = VALUE_TEXT, .text = TEXT("/etc/host"), .is_cut = true },
	{ .name = "none", .kind = VALUE_TEXT },
	{ .name = "mac", .kind = VALUE_BYTES, .text = TEXT("\x00\x7f\xff\n"), .is_cut = true },
	{ .name = "from", .kind = VALUE_STACK, .stack = stack, .n_stack = 2 },
	{ .name = "nowhere", .kind = VALUE_STACK },
};

static const struct event_value all_absent[] = {
	{ .name = "n", .kind = VALUE_SIGNED, .is_absent = true, .text = TEXT("ENOENT") },
	{ .name = "s", .kind = VALUE_TEXT, .is_absent = true, .is_cut = true },
	{ .name = "b", .kind = VALUE_BYTES, .is_absent = true },
	{ .name = "k", .kind = VALUE_STACK, .is_absent = true },
};

static const struct event_row events[] = {
	{ EVENT("filename=\"/etc/passwd\" flags=O_RDONLY"), VALUES(of_each_kind) },
	{ EVENT("n=? s=?"), VALUES(all_absent) },
	{ EVENT("") },
	{ EVENT("  spaces before, three after   "), .is_late = true },
	{ EVENT("once"), .count = UINT64_MAX },
	{ .time_ns = 0,
	  .tgid = UINT_MAX,
	  .tid = UINT_MAX,
	  .uid = UINT_MAX,
	  .cpu = UINT_MAX,
	  .comm = "sixteen_bytes_xx",
	  .probe = "p:/usr/lib/x86_64-linux-gnu/libc.so.6:a_name_longer_than_its_column",
	  .func = "a_name_longer_than_its_column",
	  .text = TEXT("18446744073709551615 -9223372036854775808"),
	  .frames = frames },
};

/* Texts with which a hostile program might attack a terminal, the columns, or a parser. */
static const struct event_value hostile_values[] = {
	{ .name = "a\"b\\c\n", .kind = VALUE_TEXT, .text = TEXT("\033]0;owned\a\"\\\r\n\t\0end") },
	{ .name = "bad",
	  .kind = VALUE_TEXT,
	  .text = TEXT("\xff\xc0\xaf\xed\xa0\x80 cut \xe4\xb8") },
	{ .name = "bidi",
	  .kind = VALUE_TEXT,
	  .text = TEXT("\xe2\x80\xae c1 \xc2\x9b"
		       "31m \xef\xbb\xbf") },
	{ .name = "sym", .kind = VALUE_SIGNED, .number = 1, .text = TEXT("E\"\033") },
};

static const struct event_row hostile[] = {
	{ .comm = "c\xff;o\x1bm 1",
	  .probe = "p:/tmp/\"a\033[7m:f",
	  .func = "f\n\033[2J",
	  .text = TEXT("\033[31mred\033[0m \x07 \xff \xe2\x80\xae \x7f \xc2\x9b"
		       "2J"),
	  .frames = frames,
	  VALUES(hostile_values) },
	{ .comm = "gr\xc3\xbc\xc3\x9f",
	  .probe = "k:f",
	  .func = "\xe4\xb8\xad\xe6\x96\x87",
	  .text = TEXT("its\town\nlines stay; \r does not"),
	  .frames = frames },
	{ .comm = "", .probe = "", .func = "", .text = TEXT("a\0b"), .frames = frames },
};

/* No byte of it moves a cursor, and all of it is text. */
static void check_harmless(const struct drawing *d)
{
	struct str text = draw(d, "text", &colored);
	struct view rest = str_view(&text);

	while (rest.n) {
		u32 cp = utf8_next(&rest);

		CHECK(cp != UTF8_BAD);
		CHECK(cp == '\n' || cp == '\t' || !utf8_is_control(cp));
	}
	str_release(&text);
}

/* A run of `command`, which counts events. */
static void lines_init(struct sample *s, char *command, const char *value_name)
{
	static char *argv[1];

	argv[0] = command;
	sample_init(s, frames, ARRAY_SIZE(frames));
	s->run.command = command;
	s->run.argv = argv;
	s->run.argc = 1;
	s->run.value_name = value_name;
	s->run.unit = UNIT_EVENTS;
	s->run.event = NULL;
	s->run.freq_hz = 0;
}

static struct drawing drawing_of_events(struct sample *s, const struct event_row *rows, size_t n)
{
	setenv("TZ", "UTC0", 1);
	tzset();
	lines_init(s, "trace", "events");
	return (struct drawing){ .run = &s->run,
				 .kinds = REPORT_EVENTS,
				 .events = rows,
				 .n_events = n,
				 .end = { .reason = "done", .elapsed_ns = 5000312000ULL } };
}

static void check_events(const char *name, const struct event_row *rows, size_t n, u32 format,
			 const struct render_opts *opts)
{
	struct sample s;
	struct drawing d = drawing_of_events(&s, rows, n);

	check_drawing(name, &d, format, opts);
	sample_release(&s);
}

TEST(events_in_columns)
{
	check_events("events", events, ARRAY_SIZE(events), IN_TEXT, &colored);
}

TEST(events_as_objects)
{
	static const struct event_probe probes[] = {
		{ .name = "r:syscall:openat",
		  .hits = 8,
		  .shown = 5,
		  .ring_full = 1,
		  .busy = 1,
		  .absent = 1,
		  .late = 1,
		  .missed = LOST_UNKNOWN },
		{ .name = "p:\"\n",
		  .hits = UINT64_MAX,
		  .no_start = 2,
		  .unreturned = 3,
		  .map_full = 4 },
	};
	struct sample s;
	struct drawing d = drawing_of_events(&s, events, ARRAY_SIZE(events));

	d.end.probes = probes;
	d.end.n_probes = ARRAY_SIZE(probes);
	check_drawing("events", &d, IN_JSON, &colored);
	sample_release(&s);
}

TEST(every_column_that_events_may_have)
{
	static const u32 columns[] = {
		EVENT_COLUMN_WALL | EVENT_COLUMN_CPU | EVENT_COLUMN_UID,
		EVENT_COLUMN_SINCE,
		EVENT_COLUMN_UNIX,
		EVENT_RAW,
		EVENT_CSV | EVENT_COLUMN_WALL | EVENT_COLUMN_CPU | EVENT_COLUMN_UID,
	};
	static const char *const names[] = { "events-wall", "events-since", "events-unix",
					     "events-raw", "events-csv" };

	for (size_t i = 0; i < ARRAY_SIZE(columns); i++) {
		const struct render_opts opts = { .event_columns = columns[i] };

		check_events(names[i], events, ARRAY_SIZE(events), IN_TEXT, &opts);
	}
}

TEST(events_with_their_stacks)
{
	static const u32 kernel[] = { 1, 0 }, user[] = { 4, 3, 2, 5, 6 };
	static const struct event_row rows[] = {
		{ EVENT("both"), .wants_kernel = true, .wants_user = true, .kernel = kernel,
		  .n_kernel = 2, .user = user, .n_user = 5 },
		{ EVENT("unread"), .wants_user = true, .is_user_missing = true },
		{ EVENT("empty"), .wants_kernel = true, .wants_user = true },
	};
	const struct render_opts addresses = { .addresses = true };

	check_events("events-stacks", rows, ARRAY_SIZE(rows), IN_TEXT, &colored);
	check_events("events-stacks", rows, ARRAY_SIZE(rows), IN_JSON, &colored);
	check_events("events-options", rows, ARRAY_SIZE(rows), IN_TEXT, &addresses);
	check_events("events-options", rows, ARRAY_SIZE(rows), IN_JSON, &addresses);
}

TEST(hostile_events)
{
	struct sample s;
	struct drawing d = drawing_of_events(&s, hostile, ARRAY_SIZE(hostile));

	check_drawing("hostile-events", &d, IN_TEXT, &colored);
	check_drawing("hostile-events", &d, IN_JSON, &colored);
	check_harmless(&d);
	sample_release(&s);
	check_events("hostile-events-csv", hostile, ARRAY_SIZE(hostile), IN_TEXT,
		     &(struct render_opts){ .event_columns = EVENT_CSV });
}

/* 100,000 bytes stay one line, whole. */
TEST(a_very_wide_event_is_one_line)
{
	enum {
		N = 100000
	};
	char *wide = malloc(N);
	const struct event_row row = { EVENT("") };
	struct event_row e = row;
	struct sample s;
	struct drawing d = drawing_of_events(&s, &e, 1);
	struct str text;

	memset(wide, 'w', N);
	e.text = (struct view){ wide, N };
	CHECK(freopen("/dev/null", "w", stderr));
	text = draw(&d, "text", &(struct render_opts){ .event_columns = EVENT_RAW });
	CHECK_U64(text.n, N + 1);
	CHECK(!memcmp(text.p, wide, N) && text.p[N] == '\n');
	str_release(&text);
	sample_release(&s);
	free(wide);
}

TEST(no_event_at_all)
{
	check_events("events-nothing", NULL, 0, IN_TEXT, &colored);
	check_events("events-nothing", NULL, 0, IN_JSON, &colored);
}

/* ---- counts ---- */

static void counts_init(struct sample *s)
{
	lines_init(s, "funccount", "calls");
	s->report.kind = REPORT_COUNTS;
	s->report.end_ns = 2 * NS_PER_SEC;
}

static void counts_add(struct sample *s, struct count_row row)
{
	vec_push(&s->report.counts, row);
	s->report.total += row.value;
}

static void check_counts(const char *name, struct sample *s, const struct render_opts *opts)
{
	const struct report *r = &s->report;

	check_in(name, &r, 1, IN_TEXT, opts);
	check_in(name, &r, 1, IN_JSON, opts);
	check_in(name, &r, 1, IN_HTML, opts);
	sample_release(s);
}

TEST(counts)
{
	struct sample s;

	counts_init(&s);
	counts_add(&s, (struct count_row){ "vfs_open", "k:vfs_*", NULL, "vfs_open", "kernel",
					   .value = 12 });
	counts_add(&s, (struct count_row){ "vfs_read", "k:vfs_*", NULL, "vfs_read", "kernel",
					   .value = 1204 });
	counts_add(&s, (struct count_row){ "both", "p:c:{a,b}", "both", NULL, "/lib/libc.so.6",
					   .value = 12 });
	counts_add(&s, (struct count_row){ .name = "never", .probe = "k:never", .func = "never" });
	check_counts("counts", &s, &colored);
}

TEST(counts_with_all_columns)
{
	static const char *const keys[] = { "$comm", "arg1 % 2" };
	static const char *const a[] = { "nginx", "0" }, *const b[] = { "",
									"18446744073709551615" };
	struct sample s;

	counts_init(&s);
	s.report.count_view = (struct count_view){
		.has_errors = true, .has_times = true, .key_names = keys, .n_keys = 2
	};
	counts_add(&s,
		   (struct count_row){
			   "read", "syscall:read", NULL, "read", "kernel", a, 3, 1, 3500, { 0 } });
	counts_add(&s, (struct count_row){ "read",
					   "syscall:read",
					   NULL,
					   "read",
					   "kernel",
					   b,
					   2,
					   2,
					   UINT64_MAX,
					   { 0 } });
	/* One row for all keys that had no room, and a row that --top leaves out. */
	counts_add(&s,
		   (struct count_row){
			   "read", "syscall:read", NULL, "read", "kernel", NULL, 7, 0, 1, { 0 } });
	counts_add(&s, (struct count_row){
			       "last", "syscall:last", NULL, "last", "kernel", a, 1, 0, 0, { 0 } });
	check_counts("counts-keys", &s, &(struct render_opts){ .top = 3, .color = COLOR_NEVER });
}

/* Wide: past any column, and past what 64 bits hold. */
TEST(counts_too_wide_for_their_columns)
{
	static char name[200], longest[73];
	struct sample s;

	memset(name, 'n', sizeof(name) - 1);
	memset(longest, 'l', sizeof(longest) - 1);
	counts_init(&s);
	counts_add(&s, (struct count_row){ name, name, name, name, name, .value = UINT64_MAX / 2 });
	counts_add(&s, (struct count_row){ longest, "k:l", NULL, longest, "kernel", .value = 1 });
	s.report.end_ns = 1;
	check_counts("counts-wide-names", &s, &colored);
}

TEST(hostile_counts)
{
	static const char *const keys[] = { "k\033[7m\"" };
	static const char *const key[] = { "a\n\xff\xe2\x80\xae\"\\" };
	const struct report *r;
	struct drawing d;
	struct sample s;

	counts_init(&s);
	s.report.count_view = (struct count_view){ .key_names = keys, .n_keys = 1 };
	counts_add(&s, (struct count_row){ "f\033]0;x\a\xc2\x9b",
					   "p:\"\n",
					   "l\t",
					   "f\xff",
					   "/tmp/\x01",
					   key,
					   1,
					   0,
					   0,
					   { 0 } });
	counts_add(&s, (struct count_row){ "\xe4\xb8\xad\xe6\x96\x87",
					   "k:f",
					   NULL,
					   "f",
					   "kernel",
					   key,
					   2,
					   0,
					   0,
					   { 0 } });
	r = &s.report;
	d = (struct drawing){ .run = &s.run,
			      .kinds = REPORT_COUNTS,
			      .reports = &r,
			      .n_reports = 1,
			      .end = { .reason = "done" } };
	CHECK(freopen("/dev/null", "w", stderr));
	check_harmless(&d);
	check_counts("hostile-counts", &s, &colored);
}

TEST(no_count_at_all)
{
	struct sample s;

	counts_init(&s);
	s.report.end_ns = s.report.start_ns; /* no time either: nothing per second */
	check_counts("counts-nothing", &s, &colored);
}

/* A line for each report; a value that can't be computed is not a number. */
static void lines(const char *name, const struct render_opts *opts, u32 format)
{
	static const char *const columns[] = { "RATIO", "a column wider than others", "_HIDDEN",
					       "E\033" };
	static const double first[] = { 100.333333, NAN, 5, 1e300 },
			    second[] = { -0.0004, INFINITY, 6, 0 };
	struct sample a, b;
	const struct report *reports[] = { &a.report, &b.report };

	counts_init(&a);
	counts_init(&b);
	b.report.run = &a.run;
	b.report.interval = 1;
	b.report.start_ns = a.report.end_ns;
	b.report.end_ns = 3600 * NS_PER_SEC + 1999999;
	for (u32 i = 0; i < 2; i++) {
		struct sample *s = i ? &b : &a;

		s->report.count_view = (struct count_view){ .is_wide = true,
							    .columns = columns,
							    .derived = i ? second : first,
							    .n_columns = 4 };
		counts_add(s, (struct count_row){ "_PART", "k:part", "_PART", .value = 7 });
		counts_add(s, (struct count_row){ "READ", "syscall:read", "READ",
						  .value = i ? UINT64_MAX : 12 });
		counts_add(s, (struct count_row){ "a name wider than its cell", "k:f", "x",
						  .value = i });
	}
	check_in(name, reports, 2, format, opts);
	sample_release(&a);
	sample_release(&b);
}

TEST(counts_in_lines)
{
	const struct render_opts clock = { .timestamp = true };

	lines("counts-lines", &colored, IN_TEXT);
	lines("counts-lines", &colored, IN_JSON);
	setenv("TZ", "UTC0", 1);
	tzset();
	lines("counts-clock", &clock, IN_TEXT);
}
