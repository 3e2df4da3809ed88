// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Events in JSON: their order in several files, those of some processes, and what is refused. */
#include <string.h>

#include "saved/saved.h"
#include "saved/view.h"
#include "test.h"

#define META                                                                                             \
	"{\"type\":\"meta\",\"schema\":\"bperf/1.0\",\"cmd\":\"trace\",\"clock\":{\"realtime\":%s%s%s}," \
	"\"value\":{\"name\":\"events\",\"unit\":\"events\"}}\n"
#define EVENT(ts, comm, pid, more)                                                       \
	"{\"type\":\"event\",\"ts\":" ts ",\"cpu\":0,\"comm\":\"" comm "\",\"pid\":" pid \
	",\"tid\":1,\"uid\":0,\"probe\":\"p\",\"func\":\"f\",\"args\":{},\"text\":\"\"" more "}\n"
#define WARN "{\"type\":\"warn\",\"code\":\"c\",\"msg\":\"m\"}\n"

struct file {
	const char *time; /* NULL: it does not tell */
	const char *text;
};

static int read_files(struct saved *s, const struct file *files, size_t n, struct err *err)
{
	const struct saved_opts opts = { 0 };
	char names[2][64], *paths[] = { names[0], names[1] };
	int ret;

	for (size_t i = 0; i < n; i++) {
		const char *quote = files[i].time ? "\"" : "";
		FILE *f;

		snprintf(names[i], sizeof(names[i]), "/tmp/bperf-events-%d-%zu", getpid(), i);
		f = fopen(names[i], "w");
		CHECK(f);
		fprintf(f, META "%s{\"type\":\"end\",\"reason\":\"done\",\"elapsed\":2.0}\n", quote,
			files[i].time ? files[i].time : "null", quote, files[i].text);
		CHECK(!fclose(f));
	}
	saved_init(s);
	ret = saved_read(s, paths, n, &opts, err);
	for (size_t i = 0; i < n; i++)
		unlink(names[i]);
	return ret;
}

/* The second run began a second before the first. */
TEST(files_are_joined_in_the_order_of_time)
{
	const struct file files[] = {
		{ "2026-07-01T12:00:01.000000000Z",
		  EVENT("0.1", "a", "1", "") EVENT("1.5", "b", "1", "") },
		{ "2026-07-01T12:00:00.000000000Z",
		  EVENT("0.5", "c", "1", "") EVENT("1.2", "d", "1", "")
			  EVENT("1.15", "e", "1", "") },
	};
	static const char *const want[] = { "c", "a", "d", "e", "b" };
	struct err err = { 0 };
	struct saved s;

	CHECK(!read_files(&s, files, 2, &err));
	CHECK(!saved_merge_events(&s, &err));
	CHECK(s.events.n == ARRAY_SIZE(want));
	for (size_t i = 0; i < s.events.n; i++)
		CHECK_STR(s.events.items[i].comm, want[i]);
	CHECK_U64(s.events.items[1].time_ns, 1100000000);
	CHECK_U64(s.run.realtime_ns % (60 * NS_PER_SEC), 0);
	CHECK_U64(saved_end(&s).elapsed_ns, 3 * NS_PER_SEC);
	saved_release(&s);
}

static void check_apart(const struct file *files, const char *what)
{
	struct err err = { 0 };
	struct saved s;

	CHECK(!read_files(&s, files, 2, &err));
	CHECK(saved_merge_events(&s, &err));
	CHECK(strstr(err.what, what));
	saved_release(&s);
	err_clear(&err);
}

TEST(events_without_a_time_or_counted_are_not_joined)
{
	static const char time[] = "2026-07-01T12:00:01.000000000Z";

	check_apart((struct file[]){ { time, EVENT("0.1", "a", "1", "") }, { NULL, "" } },
		    "does not tell when its events were");
	check_apart((struct file[]){ { time, EVENT("0.1", "a", "1", ",\"count\":2") },
				     { time, EVENT("0.1", "a", "1", "") } },
		    "events that were counted (-A) can't be joined");
}

TEST(a_warning_stays_before_its_event)
{
	const struct file file = { NULL, EVENT("0.1", "a", "1", "") EVENT("0.2", "a", "2", "")
						 WARN EVENT("0.3", "a", "3", "") };
	const u32 pids[] = { 2, 3 };
	const struct saved_filter filter = { .pids = pids, .n_pids = 2 };
	struct err err = { 0 };
	struct saved s;

	CHECK(!read_files(&s, &file, 1, &err));
	CHECK(s.warnings.n == 1 && s.warnings.items[0].event == 2);
	CHECK(!saved_keep(&s, &filter, &err));
	CHECK(s.events.n == 2 && s.events.items[1].tgid == 3);
	CHECK(s.warnings.items[0].event == 1);
	saved_release(&s);
}

static void check_element(const struct event_value *v, u32 i, u64 want)
{
	CHECK(v->kind == VALUE_LIST && v->text.n >= (i + 1) * v->element_bytes);
	CHECK_U64(event_element(v->text.p + i * v->element_bytes, v->element_bytes,
				v->element == VALUE_SIGNED),
		  want);
}

TEST(values_have_the_kind_of_their_json)
{
	const struct file file = {
		NULL,
		"{\"type\":\"event\",\"comm\":\"a\",\"probe\":\"p\",\"func\":\"f\",\"text\":\"a\\u0000b\","
		"\"args\":{\"most\":18446744073709551615,\"digits\":\"99999999999999999999\","
		"\"s\":[1,-1],\"u\":[1,18446744073709551615],\"a\":[\"0x10\"],\"b\":[true,false],"
		"\"p\":\"0x20\",\"t\":\"0x20\",\"least\":-9223372036854775808},"
		"\"names\":{\"p\":\"f+1\"},\"cut\":[\"t\"]}\n"
	};
	const struct event_value *v;
	struct err err = { 0 };
	struct saved s;

	CHECK(!read_files(&s, &file, 1, &err));
	CHECK(s.events.n == 1 && s.events.items[0].n_values == 9 && s.events.items[0].text.n == 3);
	v = s.events.items[0].values;
	CHECK(v[0].kind == VALUE_UNSIGNED && v[0].number == UINT64_MAX);
	CHECK(v[1].kind == VALUE_TEXT && view_eq(v[1].text, "99999999999999999999"));
	check_element(&v[2], 1, (u64)-1);
	check_element(&v[3], 1, UINT64_MAX);
	check_element(&v[4], 0, 0x10);
	CHECK(v[4].element == VALUE_ADDRESS && v[5].element == VALUE_BOOL);
	CHECK(v[6].kind == VALUE_ADDRESS && v[6].number == 0x20 && view_eq(v[6].text, "f+1"));
	CHECK(v[7].kind == VALUE_TEXT && v[7].is_cut && !v[6].is_cut);
	CHECK(v[8].kind == VALUE_SIGNED && (s64)v[8].number == INT64_MIN);
	saved_release(&s);
}

/* The error of a file, without its name. */
static void check_wrong(const char *text, const char *what)
{
	const struct file file = { NULL, text };
	struct err err = { 0 };
	struct saved s;

	CHECK(read_files(&s, &file, 1, &err));
	CHECK(strchr(err.what, ':'));
	CHECK_STR(strchr(err.what, ':') + 1, what);
	saved_release(&s);
	err_clear(&err);
}

TEST(hostile_events)
{
	static const char interval[] =
		"{\"type\":\"interval\",\"iv\":0,\"start\":0.0,\"end\":1.0}\n";
	struct str text = { 0 };

	check_wrong("{\"type\":\"event\",\"ts\":1}\n",
		    "2: an event lacks 'comm', 'probe', 'func' or 'text'");
	check_wrong(EVENT("1", "a", "4294967296", ""), "2: 'pid' does not fit in 32 bits");
	check_wrong(EVENT("1", "a", "1", ",\"user\":[7]"), "2: a frame is not an object");
	check_wrong(EVENT("1", "a", "1", ",\"text_hex\":\"f\""),
		    "2: 'text_hex' is not bytes in hexadecimal");
	check_wrong(
		"{\"type\":\"event\",\"comm\":\"a\",\"probe\":\"p\",\"func\":\"f\",\"text\":\"\","
		"\"args\":{\"x\":1.5}}\n",
		"2: 'x' is not a value");
	check_wrong(
		"{\"type\":\"event\",\"comm\":\"a\",\"probe\":\"p\",\"func\":\"f\",\"text\":\"\","
		"\"args\":{\"x\":[[]]}}\n",
		"2: an element of 'x' is not a number");
	str_addf(&text, "%s%s", EVENT("1", "a", "1", ""), interval);
	check_wrong(str_text(&text), "3: an interval stands among events");
	str_clear(&text);
	str_addf(&text, "%s%s", interval, EVENT("1", "a", "1", ""));
	check_wrong(str_text(&text), "3: events stand among the records of a report");
	str_release(&text);
}
