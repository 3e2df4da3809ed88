// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Calls and spans: returns find their entries, ends their starts. */
#include "tests/codegen/bench.h"

#include <bpf/btf.h>
#include <pthread.h>

struct spans {
	int start, end;
	int picky_end; /* an event only when its value is above 100 */
};

static const struct tree *end_values[4], *start_values[4];
static const struct tree *span_key[1];
static const char *key_text = "key", *start_if; /* the key and condition for starts in make_spans */
static const char *end_when;			/* the condition for ends in make_spans */
static u32 bin_bits;				/* and its number of bins: 2^this; 0: none */

static struct scope *start_scopes[1];
static struct scope_starts starts;

/* The same claim for spans in the table, and for those that are in bins. */
#define TEST_BOTH(id)                 \
	static void check_##id(void); \
	TEST(id)                      \
	{                             \
		check_##id();         \
	}                             \
	TEST(id##_in_bins)            \
	{                             \
		bin_bits = 1;         \
		check_##id();         \
	}                             \
	static void check_##id(void)

/* Ends have $latency, the start's value and text, and their own value. */
static void make_end_values(void)
{
	end_values[0] = value("$latency");
	end_values[1] = value("$start(value)");
	end_values[2] = value("$start(text)");
	end_values[3] = value("value");
}

/* A return, whose entry is at the same site. */
static struct spans make_calls(void)
{
	struct gen_plan plan = plan_of(GEN_ENTER);
	struct spans s;

	make_end_values();
	plan.work.values = scope.saved.items;
	plan.work.n_values = (u32)scope.saved.n;
	plan.call =
		(struct gen_call){ .stack_pointer = value("sp"),
				   .index = 1,
				   .kept = { plan.work.values, plan.work.n_values, saved_fd() } };
	s.start = load(&plan);
	plan.work.action = GEN_EVENT;
	plan.work.values = end_values;
	plan.work.n_values = 4;
	s.end = load(&plan);
	return s;
}

/* The same site as start and end of a span. */
static struct spans make_spans(enum gen_span how, bool keep_first)
{
	struct gen_plan plan = plan_of(GEN_START);
	struct spans s;

	vec_release(&starts.saved);
	start_scopes[0] = scope.entry;
	starts = (struct scope_starts){ .scopes = start_scopes, .n = 1 };
	scope.starts = &starts;
	make_end_values();
	scope.starts = NULL;
	span_key[0] = value(key_text);
	plan.work.n_values = (u32)starts.saved.n;
	for (u32 i = 0; i < plan.work.n_values; i++)
		start_values[i] = starts.saved.items[i][0];
	plan.work.values = start_values;
	plan.spans.by = how;
	plan.spans.key = span_key;
	plan.spans.n_key = 1;
	plan.spans.keeps_first = keep_first;
	plan.spans.kept = (struct gen_kept){
		plan.work.values, plan.work.n_values,
		bpf_map_create(BPF_MAP_TYPE_HASH, "span", 8,
			       gen_saved_bytes(plan.work.values, plan.work.n_values), 4, NULL)
	};
	if (bin_bits && has_atomics) {
		plan.spans.bin_bits = bin_bits;
		plan.spans.bins_fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "bins", 4,
						    gen_bin_bytes(&plan), 1U << bin_bits, NULL);
	}
	plan.predicate = start_if ? compile(start_if, CHECK_PREDICATE) : NULL;
	s.start = load(&plan);
	plan.predicate = NULL;
	plan.work.action = GEN_EVENT;
	plan.work.values = end_values;
	plan.work.n_values = 4;
	plan.spans.when = end_when ? compile(end_when, CHECK_PREDICATE) : NULL;
	s.end = load(&plan);
	plan.work.values = &end_values[3];
	plan.work.n_values = 1;
	plan.predicate = compile("value > 100", CHECK_PREDICATE);
	s.picky_end = load(&plan);
	return s;
}

static bool is_end(u32 i, u64 started_with, u64 ended_with, const char *text)
{
	const struct got *g = &got[i];

	return !g->event.absent && scalar(g, 1) == started_with && scalar(g, 2) == ended_with &&
	       rest_is(g, 3, 0, text, 0);
}

TEST(returns_find_their_own_entries_under_recursion)
{
	struct spans s;

	begin();
	s = make_calls();
	hit(s.start, 9000, 0, 1, "outer");
	hit(s.start, 8000, 0, 2, "middle");
	hit(s.start, 7000, 0, 3, "inner");
	hit(s.end, 7000, 0, 13, NULL);
	hit(s.end, 8000, 0, 12, NULL);
	hit(s.start, 8500, 0, 4, "second");
	hit(s.end, 8500, 0, 14, NULL);
	hit(s.end, 9000, 0, 11, NULL);
	drain();
	CHECK_U64(n_got, 4);
	CHECK(is_end(0, 3, 13, "inner"));
	CHECK(is_end(1, 2, 12, "middle"));
	CHECK(is_end(2, 4, 14, "second"));
	CHECK(is_end(3, 1, 11, "outer"));
	CHECK(scalar(&got[3], 0) > scalar(&got[1], 0));
	CHECK(scalar(&got[1], 0) > scalar(&got[0], 0));
	CHECK_U64(counted().missed, 0);
	CHECK_U64(counted().no_start, 0);
}

/* A function that ends with a call may jump there: both calls then have the same stack pointer. */
TEST(tail_calls_return_last_first)
{
	struct spans s;

	begin();
	s = make_calls();
	hit(s.start, 9000, 0, 1, "outer");
	hit(s.start, 8000, 0, 2, "f");
	hit(s.start, 8000, 0, 3, "g, which f jumps to");
	hit(s.end, 8000, 0, 13, NULL);
	hit(s.end, 8000, 0, 12, NULL);
	hit(s.end, 9000, 0, 11, NULL);
	drain();
	CHECK_U64(n_got, 3);
	CHECK(is_end(0, 3, 13, "g, which f jumps to"));
	CHECK(is_end(1, 2, 12, "f"));
	CHECK(is_end(2, 1, 11, "outer"));
	CHECK_U64(counted().missed, 0);
	CHECK_U64(counted().no_start, 0);
}

TEST(calls_left_at_one_place_take_no_room_from_others)
{
	struct spans s;

	begin();
	s = make_calls();
	for (u32 i = 0; i < 100; i++)
		hit(s.start, 80000, 0, 2, "left by longjmp");
	hit(s.end, 80000, 0, 12, NULL);
	hit(s.start, 80000, 0, 3, "next");
	hit(s.end, 80000, 0, 13, NULL);
	drain();
	CHECK_U64(n_got, 2);
	CHECK(is_end(1, 3, 13, "next"));
	CHECK_U64(counted().missed, 99);
	CHECK_U64(counted().too_deep, 0);
}

TEST(calls_that_never_return_are_missed)
{
	struct spans s;

	begin();
	s = make_calls();
	hit(s.start, 9000, 0, 1, "outer");
	hit(s.start, 8000, 0, 2, "left by longjmp");
	hit(s.start, 7000, 0, 3, "left by longjmp");
	hit(s.end, 9000, 0, 11, NULL);
	hit(s.end, 9000, 0, 12, NULL);
	drain();
	CHECK_U64(n_got, 2);
	CHECK(is_end(0, 1, 11, "outer"));
	CHECK_U64(counted().missed, 2);
	/* A return without its entry is an event with nothing of the entry. */
	CHECK_U64(got[1].event.absent, 7);
	CHECK_U64(scalar(&got[1], 2), 12);
	CHECK_U64(counted().no_start, 1);
}

static struct spans thread_spans;

/* Calls of many threads at the same stack pointer, each with a number of its own. */
static void *nest(void *arg)
{
	u64 mine = (u64)arg;

	hit(thread_spans.start, 9000, mine, mine, "outer");
	for (u32 i = 0; i < 3; i++) {
		hit(thread_spans.start, 8000, mine, mine + 100, "inner");
		hit(thread_spans.end, 8000, mine, mine + 100, NULL);
	}
	hit(thread_spans.end, 9000, mine, mine, NULL);
	return NULL;
}

TEST(threads_keep_their_calls_apart)
{
	pthread_t threads[8];

	begin();
	thread_spans = make_calls();
	for (u64 i = 0; i < 8; i++)
		CHECK(!pthread_create(&threads[i], NULL, nest, (void *)(i + 1)));
	for (u32 i = 0; i < 8; i++)
		pthread_join(threads[i], NULL);
	drain();
	CHECK_U64(n_got, 32);
	for (u32 i = 0; i < n_got; i++)
		CHECK_U64(scalar(&got[i], 1), scalar(&got[i], 2));
	CHECK_U64(counted().missed, 0);
	CHECK_U64(counted().no_start, 0);
}

TEST_BOTH(keyed_spans_join_by_key)
{
	struct spans s;

	begin();
	s = make_spans(GEN_SPAN_KEY, false);
	hit(s.start, 0, 1, 10, "one");
	hit(s.start, 0, 2, 20, "two");
	hit(s.end, 0, 2, 21, NULL);
	hit(s.end, 0, 1, 11, NULL);
	hit(s.end, 0, 1, 12, NULL);
	hit(s.end, 0, 3, 30, NULL);
	drain();
	CHECK_U64(n_got, 2);
	CHECK(is_end(0, 20, 21, "two"));
	CHECK(is_end(1, 10, 11, "one"));
	CHECK_U64(counted().no_start, 2);
}

/* Two starts of one key and one end: one span, and one start that has none. */
static void start_twice(bool keep_first)
{
	struct spans s;

	begin();
	s = make_spans(GEN_SPAN_KEY, keep_first);
	hit(s.start, 0, 1, 10, "first");
	hit(s.start, 0, 1, 20, "second");
	hit(s.end, 0, 1, 1, NULL);
	drain();
	CHECK_U64(n_got, 1);
	CHECK_U64(counted().missed, 1);
}

TEST_BOTH(second_start_replaces_the_first_and_is_counted)
{
	start_twice(false);
	CHECK(is_end(0, 20, 1, "second"));
}

TEST_BOTH(keep_first_keeps_it)
{
	start_twice(true);
	CHECK(is_end(0, 10, 1, "first"));
}

TEST(open_spans_are_bounded_and_overflow_is_counted)
{
	struct spans s;

	begin();
	s = make_spans(GEN_SPAN_KEY, false);
	for (u64 i = 0; i < 7; i++)
		hit(s.start, 0, i, i, "x");
	CHECK_U64(counted().span_full, 3);
}

TEST_BOTH(a_span_is_over_whatever_the_predicate_says)
{
	struct spans s;

	begin();
	s = make_spans(GEN_SPAN_KEY, false);
	hit(s.start, 0, 1, 10, "one");
	hit(s.start, 0, 2, 20, "two");
	hit(s.picky_end, 0, 1, 50, NULL);
	hit(s.picky_end, 0, 2, 200, NULL);
	hit(s.end, 0, 1, 11, NULL);
	drain();
	CHECK_U64(n_got, 1);
	CHECK_U64(scalar(&got[0], 0), 200);
	CHECK_U64(counted().no_start, 1);
	CHECK_U64(counted().missed, 0);
}

TEST_BOTH(an_end_counts_if_its_own_condition_holds)
{
	struct spans s;

	begin();
	end_when = "value == 7";
	s = make_spans(GEN_SPAN_KEY, false);
	end_when = NULL;
	hit(s.start, 0, 1, 10, "one");
	hit(s.end, 0, 1, 6, NULL);
	hit(s.end, 0, 1, 7, NULL);
	hit(s.end, 0, 1, 7, NULL);
	drain();
	CHECK_U64(n_got, 1);
	CHECK(is_end(0, 10, 7, "one"));
	CHECK_U64(counted().no_start, 1);
}

TEST_BOTH(spans_by_thread)
{
	pthread_t thread;

	begin();
	thread_spans = make_spans(GEN_SPAN_THREAD, false);
	hit(thread_spans.start, 0, 0, 77, "main");
	CHECK(!pthread_create(&thread, NULL, nest, (void *)5));
	pthread_join(thread, NULL);
	hit(thread_spans.end, 0, 0, 78, NULL);
	drain();
	/* nest() starts twice before its first end: that replaces, and its last end finds none. */
	CHECK_U64(n_got, 4);
	CHECK(is_end(3, 77, 78, "main"));
	CHECK_U64(counted().missed, 1);
	CHECK_U64(counted().no_start, 1);
}

/* Keys 0 and 2 have the same bin, key 1 the other one. */
TEST(a_span_whose_bin_is_in_use_is_in_the_table)
{
	struct spans s;

	begin();
	bin_bits = 1;
	s = make_spans(GEN_SPAN_KEY, false);
	hit(s.start, 0, 0, 10, "in the bin");
	hit(s.start, 0, 2, 20, "in the table");
	hit(s.end, 0, 0, 11, NULL);
	hit(s.start, 0, 2, 30, "replaces it there");
	hit(s.start, 0, 0, 40, "again");
	hit(s.end, 0, 2, 31, NULL);
	hit(s.end, 0, 2, 32, NULL);
	hit(s.end, 0, 0, 41, NULL);
	drain();
	CHECK_U64(n_got, 3);
	CHECK(is_end(0, 10, 11, "in the bin"));
	CHECK(is_end(1, 30, 31, "replaces it there"));
	CHECK(is_end(2, 40, 41, "again"));
	CHECK_U64(counted().missed, 1);
	CHECK_U64(counted().no_start, 1);
}

TEST(bins_are_in_addition_to_the_table)
{
	struct spans s;

	begin();
	bin_bits = 1;
	s = make_spans(GEN_SPAN_KEY, false);
	for (u64 i = 0; i < 7; i++)
		hit(s.start, 0, i, i, "x");
	CHECK_U64(counted().span_full, has_atomics ? 1 : 3);
}

#define TID "$task->pid"

/* The condition reads what is the key, too: it is read once, and only if the condition begins so.
 */
static void check_condition_on_key(const char *start, const char *when)
{
	struct spans s;

	begin();
	types_add_btf(&types, btf__load_vmlinux_btf());
	key_text = TID;
	start_if = start;
	end_when = when;
	s = make_spans(GEN_SPAN_KEY, false);
	hit(s.start, 0, 6, 10, "unwanted");
	hit(s.end, 0, 7, 10, NULL);
	hit(s.start, 0, 7, 20, "wanted");
	hit(s.end, 0, 6, 20, NULL);
	hit(s.end, 0, 7, 21, NULL);
	drain();
	CHECK_U64(n_got, 1);
	CHECK(is_end(0, 20, 21, "wanted"));
	CHECK_U64(counted().no_start, 1);
	CHECK_U64(counted().absent, 0);
}

TEST(a_condition_that_begins_with_the_key)
{
	check_condition_on_key(TID " && key == 7", TID " > 0 && key == 7");
}

TEST(a_condition_that_reads_the_key_only_sometimes)
{
	check_condition_on_key("key == 7 && " TID, "key != 6 && " TID);
}
