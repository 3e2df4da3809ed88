// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Whole compiled probes: events, cells, counters, spans, with the fixed functions of probe.bpf.c
 * behind them.  BPF_PROG_TEST_RUN hits them with arguments of our choice: a stack pointer that
 * says which call this is, a key, a value, an address.  tests/truth/expr-programs.sh runs it.
 */
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "bpf/cells.h"
#include "bpf/filter.h"
#include "bpf/fixed.h"
#include "expr/check.h"
#include "expr/gen.h"
#include "expr/parse.h"
#include "run/generated.h"
#include "tests/unit/test.h"

#include "probe.skel.h"

#define SIGNATURE "unsigned long sp, unsigned long key, long value, const char *text"
#define MAX_CPUS  256
#define STRINGS	  81

/* ---- the bench: fixed part, maps, scopes ----------------------------------------------------- */

static struct probe_bpf *skel;
static struct fixed_code fixed;
static bool has_atomics;
static struct arena arena;
static struct types types;
static struct scope scope, start_scope;
static const struct text sig_text = { SIGNATURE, sizeof(SIGNATURE) - 1 };

static int load_skeleton(const char *program)
{
	struct bpf_program *prog;

	skel = probe_bpf__open();
	CHECK(skel);
	bpf_object__for_each_program(prog, skel->obj)
		bpf_program__set_autoload(prog, !strcmp(bpf_program__name(prog), program));
	bpf_map__set_value_size(skel->maps.scratch, 16000);
	skel->rodata->event_max_bytes = 8000;
	bpf_map__set_max_entries(skel->maps.events, 1 << 20);
	bpf_map__set_max_entries(skel->maps.frames, 64);
	bpf_map__set_max_entries(skel->maps.saved, 1024);
	bpf_map__set_value_size(skel->maps.saved, 400);
	bpf_map__set_max_entries(skel->maps.stacks_sent, 64);
	bpf_map__set_max_entries(skel->maps.probe_counts, 2);
	if (!probe_bpf__load(skel))
		return 0;
	probe_bpf__destroy(skel);
	return -1;
}

static void make_scope(struct scope *s)
{
	struct ast_signature sig;
	struct err err = { 0 };

	scope_init(s, &types, SCOPE_WORDS, SIDE_EVENT, "raw:test");
	s->space = SPACE_USER;
	scope_args(s, 4);
	CHECK(!parse_signature(&arena, &sig_text, span_all(&sig_text), &sig, &err));
	CHECK(!scope_signature(s, &sig_text, &sig, &err));
}

static struct generated_opts load_opts = { .name = "test",
					   .prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT };

/* `type`: as in fixed_<type>_all. */
static void begin_type(const char *type)
{
	char name[64];
	struct err err = { 0 };

	if (geteuid())
		SKIP("not root");
	libbpf_set_print(NULL);
	snprintf(name, sizeof(name), "fixed_%s_all_exchange", type);
	has_atomics = !load_skeleton(name);
	if (!has_atomics) {
		snprintf(name, sizeof(name), "fixed_%s_all", type);
		CHECK(!load_skeleton(name));
	}
	CHECK(!fixed_code_init(&fixed, bpf_object__find_program_by_name(skel->obj, name), FIXED_N,
			       &err));
	types_init(&types, &arena, STRINGS);
	make_scope(&scope);
	make_scope(&start_scope);
	scope.entry = &start_scope;
}

static void begin(void)
{
	begin_type("raw_tp");
}

static const struct tree *compile(struct scope *s, const char *text, enum check_as as)
{
	struct text *t = arena_new(&arena, struct text);
	struct check_opts opts = { 0 };
	struct err err = { 0 };
	const struct tree *tree;

	*t = text_of(text);
	if (expr_compile(t, span_all(t), s, as, &opts, &tree, &err)) {
		printf("# %s: %s\n", text, err.what);
		CHECK(!"compiles");
	}
	return tree;
}

static const struct tree *value(const char *text)
{
	return compile(&scope, text, CHECK_VALUE);
}

static struct gen_plan plan_of(enum gen_action action)
{
	return (struct gen_plan){ .action = action,
				  .has_atomics = has_atomics,
				  .probe = 1,
				  .probe_counts_fd = bpf_map__fd(skel->maps.probe_counts) };
}

static int load(const struct gen_plan *plan)
{
	struct text t = text_of("");
	struct err err = { 0 };
	struct insns in;
	int fd;

	insns_init(&in);
	CHECK(gen_scratch_bytes(plan) <= 16000);
	CHECK(!gen_program(plan, &t, &in, &err));
	fd = generated_load(&in, &fixed, &t, &load_opts, &err);
	if (fd < 0)
		printf("# %s\n", err.what);
	CHECK(fd >= 0);
	insns_release(&in);
	return fd;
}

static void hit(int prog, u64 sp, u64 key, u64 number, const char *text)
{
	u64 args[4] = { sp, key, number, (u64)text };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = args, .ctx_size_in = sizeof(args));

	CHECK(!bpf_prog_test_run_opts(prog, &opts));
}

static struct probe_count counted(void)
{
	static struct probe_count cpus[MAX_CPUS];
	struct probe_count sum = { 0 };
	u32 probe = 1;

	CHECK(libbpf_num_possible_cpus() <= MAX_CPUS);
	CHECK(!bpf_map_lookup_elem(bpf_map__fd(skel->maps.probe_counts), &probe, cpus));
	for (int i = 0; i < libbpf_num_possible_cpus(); i++) {
		sum.hits += cpus[i].hits;
		sum.sent += cpus[i].sent;
		sum.absent += cpus[i].absent;
		sum.map_full += cpus[i].map_full;
		sum.no_start += cpus[i].no_start;
		sum.missed += cpus[i].missed;
	}
	return sum;
}

/* ---- events ---------------------------------------------------------------------------------- */

#define MAX_EVENTS 64

static struct got {
	struct event event;
	u8 data[2000];
} got[MAX_EVENTS];
static u32 n_got;

static int keep(void *ctx, void *data, size_t bytes)
{
	(void)ctx;
	CHECK(n_got < MAX_EVENTS);
	CHECK(bytes <= sizeof(got[0]));
	memcpy(&got[n_got++], data, bytes);
	return 0;
}

static void drain(void)
{
	struct ring_buffer *ring =
		ring_buffer__new(bpf_map__fd(skel->maps.events), keep, NULL, NULL);

	CHECK(ring);
	n_got = 0;
	ring_buffer__consume(ring);
	ring_buffer__free(ring);
}

static u64 scalar(const struct got *g, u32 i)
{
	u64 v;

	memcpy(&v, g->data + 8 * i, sizeof(v));
	return v;
}

/* Item number i behind n_scalars numbers; NULL and *length = 0 when there are fewer. */
static const char *rest(const struct got *g, u32 n_scalars, u32 i, u32 *length)
{
	u32 at = 8 * n_scalars, end = g->event.bytes - sizeof(struct event);

	for (;; i--) {
		CHECK(at + 4 <= end);
		memcpy(length, g->data + at, sizeof(*length));
		if (!i)
			return (const char *)g->data + at + 4;
		at += (4 + (*length & ~EVENT_CUT) + 7) & ~7U;
	}
}

static bool rest_is(const struct got *g, u32 n_scalars, u32 i, const char *want, u32 flags)
{
	u32 length, n = (u32)strlen(want);
	const char *text = rest(g, n_scalars, i, &length);
	static const char zeros[8];
	u32 pad = ((4 + n + 7) & ~7U) - 4 - n;

	return length == (n | flags) && !memcmp(text, want, n) && !memcmp(text + n, zeros, pad);
}

TEST(event_holds_numbers_then_strings)
{
	const struct tree *values[4];
	struct gen_plan plan;
	char exact[STRINGS], longer[300];
	int prog;

	begin();
	memset(exact, 'e', sizeof(exact));
	exact[STRINGS - 1] = '\0';
	memset(longer, 'l', sizeof(longer));
	longer[sizeof(longer) - 1] = '\0';
	values[0] = value("text");
	values[1] = value("value * 2");
	values[2] = compile(&scope, "(char *)key", CHECK_STRING);
	values[3] = value("100 / value");
	plan = plan_of(GEN_EVENT);
	plan.values = values;
	plan.n_values = 4;
	plan.site = 5;
	prog = load(&plan);
	hit(prog, 0, (u64)exact, (u64)-7, "short");
	hit(prog, 0, (u64) "", 0, longer);
	hit(prog, 0, (u64) "abc", 1, NULL);
	drain();
	CHECK_U64(n_got, 3);
	CHECK_U64(got[0].event.site, 5);
	CHECK_U64(got[0].event.probe, 1);
	CHECK_U64(got[0].event.absent, 0);
	CHECK_U64(scalar(&got[0], 0), (u64)-14);
	CHECK_U64(scalar(&got[0], 1), (u64)-14);
	CHECK(rest_is(&got[0], 2, 0, "short", 0));
	CHECK(rest_is(&got[0], 2, 1, exact, 0));
	CHECK_U64(got[1].event.absent, 1 << 3);
	CHECK_U64(scalar(&got[1], 1), 0);
	longer[STRINGS - 1] = '\0';
	CHECK(rest_is(&got[1], 2, 0, longer, EVENT_CUT));
	CHECK(rest_is(&got[1], 2, 1, "", 0));
	CHECK_U64(got[2].event.absent, 1);
	CHECK(rest_is(&got[2], 2, 0, "", 0));
	CHECK(rest_is(&got[2], 2, 1, "abc", 0));
	CHECK_U64(counted().sent, 3);
	CHECK_U64(counted().absent, 2);
}

TEST(predicate_with_strings_decides)
{
	const struct tree *values[1];
	struct gen_plan plan;
	int prog;

	begin();
	values[0] = value("value");
	plan = plan_of(GEN_EVENT);
	plan.values = values;
	plan.n_values = 1;
	plan.predicate =
		compile(&scope, "text ~ \"*li?c*\" && value > 1 || strcmp(text, (char *)key) == 0",
			CHECK_PREDICATE);
	prog = load(&plan);
	hit(prog, 0, 0, 1, "/usr/lib/libxc.so");
	hit(prog, 0, 0, 2, "/usr/lib/libc.so");
	hit(prog, 0, 0, 3, "/usr/lib/lixc.so");
	hit(prog, 0, (u64) "same", 4, "same");
	hit(prog, 0, (u64) "sam", 5, "same");
	hit(prog, 0, 0, 6, NULL);
	drain();
	CHECK_U64(n_got, 3);
	for (u32 i = 0; i < 3; i++)
		CHECK_U64(scalar(&got[i], 0), i + 2);
	/* 1's key can't be read, 6's text. */
	CHECK_U64(counted().absent, 2);
}

#define PWD "path(((struct task_struct *)$task)->fs->pwd)"

TEST(paths_are_whole_wherever_they_are_used)
{
	char dir[] = "/tmp/bperf-XXXXXX", deep[64], predicate[256];
	const struct tree *values[2];
	struct gen_plan plan;
	int prog;

	begin();
	types_add_btf(&types, btf__load_vmlinux_btf());
	CHECK(mkdtemp(dir));
	snprintf(deep, sizeof(deep), "%s/deep", dir);
	CHECK(!mkdir(deep, 0700) && !chdir(deep));
	values[0] = value(PWD);
	values[1] = value("dirname(" PWD ")");
	plan = plan_of(GEN_EVENT);
	plan.values = values;
	plan.n_values = 2;
	/* A literal asks for few bytes: what a path begins with must not pass for it. */
	snprintf(predicate, sizeof(predicate), PWD " == \"%s\"", dir);
	plan.predicate = compile(&scope, predicate, CHECK_PREDICATE);
	prog = load(&plan);
	hit(prog, 0, 0, 0, NULL);
	snprintf(predicate, sizeof(predicate), PWD " == \"%s\"", deep);
	plan.predicate = compile(&scope, predicate, CHECK_PREDICATE);
	prog = load(&plan);
	hit(prog, 0, 0, 0, NULL);
	drain();
	rmdir(deep);
	rmdir(dir);
	CHECK_U64(n_got, 1);
	CHECK(rest_is(&got[0], 0, 0, deep, 0));
	CHECK(rest_is(&got[0], 0, 1, dir, 0));
}

/* ---- counters, cells ------------------------------------------------------------------------- */

struct hammer {
	int prog;
	u32 n;
};

static void *hammer(void *arg)
{
	const struct hammer *h = arg;

	for (u32 i = 0; i < h->n; i++)
		hit(h->prog, 0, 7, i, "x");
	return NULL;
}

static void hammer_from_threads(int prog, u32 n_threads, u32 n)
{
	struct hammer h = { prog, n };
	pthread_t threads[16];

	for (u32 i = 0; i < n_threads; i++)
		CHECK(!pthread_create(&threads[i], NULL, hammer, &h));
	for (u32 i = 0; i < n_threads; i++)
		pthread_join(threads[i], NULL);
}

/* The sum over CPUs of the u64s of a per-CPU map's value. */
static u64 cells[MAX_CPUS * 1024];
static u64 cell_sum(const u64 *all, u32 n, u32 i)
{
	u64 sum = 0;

	for (int cpu = 0; cpu < libbpf_num_possible_cpus(); cpu++)
		sum += all[(u32)cpu * n + i];
	return sum;
}

static u64 cell_max(const u64 *all, u32 n, u32 i)
{
	u64 max = 0;

	for (int cpu = 0; cpu < libbpf_num_possible_cpus(); cpu++)
		if (all[(u32)cpu * n + i] > max)
			max = all[(u32)cpu * n + i];
	return max;
}

TEST(counter_is_exact_from_eight_threads)
{
	struct gen_plan plan;
	u32 index = 3;
	int map;

	begin();
	map = bpf_map_create(BPF_MAP_TYPE_PERCPU_ARRAY, "counts", 4, 8, 5, NULL);
	plan = plan_of(GEN_COUNT);
	plan.counts_fd = map;
	plan.index = 3;
	hammer_from_threads(load(&plan), 8, 5000);
	CHECK(!bpf_map_lookup_elem(map, &index, cells));
	CHECK_U64(cell_sum(cells, 1, 0), 40000);
}

/* A keyed plan with a map that fits. */
static struct gen_plan keyed(const struct tree *const *key, u32 n_key, enum gen_cell cell)
{
	struct gen_plan plan = plan_of(GEN_KEYED);

	plan.key = key;
	plan.n_key = n_key;
	plan.cell = cell;
	plan.cell_bytes = 2 * sizeof(struct cell_pair);
	plan.index = 1;
	return plan;
}

static void make_cells(struct gen_plan *plan, u32 max)
{
	plan->cells_fd = bpf_map_create(BPF_MAP_TYPE_PERCPU_HASH, "cells",
					gen_key_bytes(plan->key, plan->n_key), gen_cell_bytes(plan),
					max, NULL);
	CHECK(plan->cells_fd >= 0);
}

static const s64 numbers[] = { 0,  1,	 -1,	5,  7,	 8,  9,	       15,
			       16, 1000, -1000, -5, -10, 20, LONG_MAX, LONG_MIN };

/* All numbers into one cell, whose words are in `cells` then. */
static void fill(struct gen_plan *plan)
{
	static const struct tree *key[1];
	u64 first = 42;
	int prog;

	key[0] = value("key");
	plan->key = key;
	plan->n_key = 1;
	plan->value = value("value");
	make_cells(plan, 4);
	prog = load(plan);
	for (u32 i = 0; i < ARRAY_SIZE(numbers); i++)
		hit(prog, 0, 42, (u64)numbers[i], NULL);
	CHECK(!bpf_map_lookup_elem(plan->cells_fd, &first, cells));
	close(prog);
	close(plan->cells_fd);
}

TEST(log2_cells_are_exact_and_signed)
{
	static const u32 want[][2] = { { 0, 1 },  { 54, 1 }, { 60, 1 }, { 61, 1 },
				       { 63, 1 }, { 64, 1 }, { 65, 1 }, { 67, 2 },
				       { 68, 3 }, { 69, 2 }, { 74, 1 }, { 127, 1 } };
	struct gen_plan plan;
	u64 sum = 0;

	begin();
	plan = keyed(NULL, 0, CELL_LOG2);
	fill(&plan);
	for (u32 i = 0; i < ARRAY_SIZE(want); i++)
		CHECK_U64(cell_sum(cells, CELL_LOG2_N, want[i][0]), want[i][1]);
	for (u32 i = 0; i < CELL_LOG2_N; i++)
		sum += cell_sum(cells, CELL_LOG2_N, i);
	CHECK_U64(sum, ARRAY_SIZE(numbers));
}

TEST(linear_cells_have_an_under_and_an_over)
{
	static const u64 want[] = { 2, 1, 2, 2, 4, 0, 2, 3 };
	struct gen_plan plan;

	begin();
	plan = keyed(NULL, 0, CELL_LINEAR);
	plan.min = -10;
	plan.step = 5;
	plan.n_buckets = 6;
	fill(&plan);
	for (u32 i = 0; i < 8; i++)
		CHECK_U64(cell_sum(cells, 8, i), want[i]);
}

TEST(cells_by_bounds)
{
	static const s64 bounds[] = { -5, 0, 10, 100 };
	static const u64 want[] = { 3, 2, 6, 3, 2 };
	struct gen_plan plan;

	begin();
	plan = keyed(NULL, 0, CELL_BOUNDS);
	plan.bounds = bounds;
	plan.n_buckets = 4;
	fill(&plan);
	for (u32 i = 0; i < 5; i++)
		CHECK_U64(cell_sum(cells, 5, i), want[i]);
}

TEST(stats_cells_know_extremes_and_buckets)
{
	const u32 n = sizeof(struct cell_stats) / 8;
	struct gen_plan plan;
	u64 in_buckets = 0;

	begin();
	plan = keyed(NULL, 0, CELL_STATS);
	fill(&plan);
	CHECK_U64(cell_sum(cells, n, 0), ARRAY_SIZE(numbers));
	CHECK_U64(cell_sum(cells, n, 1), (u64)64);
	CHECK_U64(cell_order(~cell_max(cells, n, 2), 1), (u64)LONG_MIN);
	CHECK_U64(cell_order(cell_max(cells, n, 3), 1), LONG_MAX);
	for (u32 i = 0; i < CELL_STATS_N; i++) {
		u64 here = 0, from = cell_stats_from(i % CELL_STATS_HALF);

		for (u32 k = 0; k < ARRAY_SIZE(numbers); k++) {
			u64 magnitude = (u64)(numbers[k] < 0 ? -(u64)numbers[k] : (u64)numbers[k]);

			here += (numbers[k] < 0) == (i >= CELL_STATS_HALF) && magnitude >= from &&
				magnitude - from < cell_stats_width(i % CELL_STATS_HALF);
		}
		CHECK_U64(cell_sum(cells, n, 4 + i), here);
		in_buckets += here;
	}
	CHECK_U64(in_buckets, ARRAY_SIZE(numbers));
}

TEST(pairs_sum_and_keep_extremes)
{
	struct gen_plan plan;

	begin();
	plan = keyed(NULL, 0, CELL_SUM);
	fill(&plan);
	CHECK_U64(cell_sum(cells, 4, 2), ARRAY_SIZE(numbers));
	CHECK_U64(cell_sum(cells, 4, 3), 64);
	plan = keyed(NULL, 0, CELL_MIN);
	fill(&plan);
	CHECK_U64(cell_order(~cell_max(cells, 4, 3), 1), (u64)LONG_MIN);
	plan = keyed(NULL, 0, CELL_MAX);
	fill(&plan);
	CHECK_U64(cell_order(cell_max(cells, 4, 3), 1), LONG_MAX);
}

TEST(keys_may_be_strings_and_absent_ones_are_not_counted)
{
	const struct tree *key[2];
	struct gen_plan plan;
	struct {
		u64 number;
		u32 length;
		char text[84];
	} k = { .number = 3, .length = 5, .text = "hello" };
	int prog;

	begin();
	key[0] = value("text");
	key[1] = value("value");
	plan = keyed(key, 2, CELL_COUNT);
	make_cells(&plan, 8);
	CHECK_U64(gen_key_bytes(key, 2), sizeof(k));
	prog = load(&plan);
	hit(prog, 0, 0, 3, "a longer text, whose end must not stay");
	hit(prog, 0, 0, 3, "hello");
	hit(prog, 0, 0, 3, "hello");
	hit(prog, 0, 0, 4, "hello");
	hit(prog, 0, 0, 3, NULL);
	CHECK(!bpf_map_lookup_elem(plan.cells_fd, &k, cells));
	CHECK_U64(cell_sum(cells, 1, 0), 2);
	CHECK_U64(counted().absent, 1);
}

TEST(keys_beyond_capacity_go_to_the_other_cell)
{
	const struct tree *key[1];
	struct gen_plan plan;
	u64 first = 1;
	u32 zero = 0;
	int prog;

	begin();
	key[0] = value("key");
	plan = keyed(key, 1, CELL_COUNT);
	plan.cells_fd = bpf_map_create(BPF_MAP_TYPE_HASH, "cells", 8, 8, 1, NULL);
	plan.other_fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "other", 4, 8, 1, NULL);
	prog = load(&plan);
	for (u64 i = 1; i <= 10; i++)
		hit(prog, 0, i, 0, NULL);
	hit(prog, 0, 1, 0, NULL);
	CHECK(!bpf_map_lookup_elem(plan.cells_fd, &first, cells));
	CHECK_U64(cells[0], 2);
	CHECK(!bpf_map_lookup_elem(plan.other_fd, &zero, cells));
	CHECK_U64(cells[0], 9);
	CHECK_U64(counted().map_full, 9);
}

TEST(shared_cells_are_exact_from_eight_threads)
{
	const struct tree *key[1];
	struct gen_plan plan;
	u64 seven = 7, low = 0;
	u32 n = sizeof(struct cell_stats) / 8;

	begin();
	key[0] = value("key");
	plan = keyed(key, 1, CELL_STATS);
	plan.value = value("value");
	if (!has_atomics)
		SKIP("no compare-and-exchange before 5.12: cells are per CPU there");
	plan.cells_fd = bpf_map_create(BPF_MAP_TYPE_HASH, "cells", 8, n * 8, 1, NULL);
	hammer_from_threads(load(&plan), 8, 4000);
	CHECK(!bpf_map_lookup_elem(plan.cells_fd, &seven, cells));
	CHECK_U64(cells[0], 32000);
	CHECK_U64(cells[1], 8ULL * 4000 * 3999 / 2);
	CHECK_U64(cell_order(~cells[2], 1), 0);
	CHECK_U64(cell_order(cells[3], 1), 3999);
	for (u32 i = 0; i < CELL_STATS_N; i++)
		low += cells[4 + i];
	CHECK_U64(low, 32000);
}

/* ---- spans ----------------------------------------------------------------------------------- */

struct spans {
	int start, end;
};

static const struct tree *end_values[4];
static const struct tree *span_key[1];

/* Ends tell $latency, what the start saved of value and text, and their own value. */
static struct spans make_spans(enum gen_span how, bool keep_first)
{
	struct gen_plan plan;
	struct spans s;

	end_values[0] = value("$latency");
	end_values[1] = value("$start(value)");
	end_values[2] = value("$start(text)");
	end_values[3] = value("value");
	span_key[0] = value("key");
	plan = plan_of(GEN_START);
	plan.values = scope.saved.items;
	plan.n_values = (u32)scope.saved.n;
	plan.span = how;
	plan.span_index = 1;
	plan.stack_pointer = value("sp");
	plan.span_key = span_key;
	plan.n_span_key = 1;
	plan.keep_first = keep_first;
	plan.span_fd =
		how == GEN_SPAN_CALL
			? bpf_map__fd(skel->maps.saved)
			: bpf_map_create(BPF_MAP_TYPE_HASH, "span", 8,
					 gen_saved_bytes(plan.values, plan.n_values), 4, NULL);
	s.start = load(&plan);
	plan.saved = plan.values;
	plan.n_saved = plan.n_values;
	plan.action = GEN_EVENT;
	plan.values = end_values;
	plan.n_values = 4;
	s.end = load(&plan);
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
	s = make_spans(GEN_SPAN_CALL, false);
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

TEST(calls_that_never_return_are_missed)
{
	struct spans s;

	begin();
	s = make_spans(GEN_SPAN_CALL, false);
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
	thread_spans = make_spans(GEN_SPAN_CALL, false);
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

TEST(keyed_spans_join_by_key)
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

TEST(second_start_replaces_the_first_and_is_counted)
{
	struct spans s;

	begin();
	s = make_spans(GEN_SPAN_KEY, false);
	hit(s.start, 0, 1, 10, "first");
	hit(s.start, 0, 1, 20, "second");
	hit(s.end, 0, 1, 1, NULL);
	drain();
	CHECK_U64(n_got, 1);
	CHECK(is_end(0, 20, 1, "second"));
	CHECK_U64(counted().missed, 1);
}

TEST(keep_first_keeps_it)
{
	struct spans s;

	begin();
	s = make_spans(GEN_SPAN_KEY, true);
	hit(s.start, 0, 1, 10, "first");
	hit(s.start, 0, 1, 20, "second");
	hit(s.end, 0, 1, 1, NULL);
	drain();
	CHECK_U64(n_got, 1);
	CHECK(is_end(0, 10, 1, "first"));
	CHECK_U64(counted().missed, 1);
}

TEST(open_spans_are_bounded_and_overflow_is_counted)
{
	struct spans s;

	begin();
	s = make_spans(GEN_SPAN_KEY, false);
	for (u64 i = 0; i < 7; i++)
		hit(s.start, 0, i, i, "x");
	CHECK_U64(counted().map_full, 3);
}

TEST(spans_by_thread)
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

/* ---- every type of program ------------------------------------------------------------------- */

/* Much at once: strings of all sorts, stacks, numbers made of what may be typed pointers. */
static void load_all(void)
{
	static const char *const exprs[] = {
		"sp & 0xfff",
		"(sp + key) * 3 >> 2",
		"text",
		"dirname(text)",
		"join((char **)sp)",
		"$comm",
		"*(long *)sp@kernel",
		"$pid + $cpu + $uid",
		"key ? text : $comm",
		"text ~ \"*a*b\" || strcmp(text, (char *)sp) == 0",
		"buf(sp, 16)",
	};
	const struct tree *values[ARRAY_SIZE(exprs)];
	struct gen_plan plan = plan_of(GEN_EVENT);

	for (u32 i = 0; i < ARRAY_SIZE(exprs); i++)
		values[i] = value(exprs[i]);
	plan.values = values;
	plan.n_values = ARRAY_SIZE(exprs);
	plan.has_filter = plan.has_pidns = true;
	plan.want_kstack = plan.want_ustack = !load_opts.is_sleepable;
	plan.is_sleepable_prog = load_opts.is_sleepable;
	plan.predicate = compile(&scope, "sp > 1 && $comm ~ \"[a-z]*x\"", CHECK_PREDICATE);
	close(load(&plan));
}

/* `name` means `expr` from now on. */
static void mean(const char *name, const char *expr)
{
	const struct tree *tree = compile(&scope, expr, CHECK_ADDRESS);

	for (size_t i = 0; i < scope.names.n; i++)
		if (!strcmp(scope.names.items[i].name, name))
			scope.names.items[i].value = tree;
}

TEST(raw_tracepoints_take_all_kinds_of_values)
{
	begin();
	load_all();
}

TEST(kprobes_take_all_kinds_of_values)
{
	load_opts.prog_type = BPF_PROG_TYPE_KPROBE;
	begin_type("kprobe");
	load_all();
}

TEST(tracepoints_take_all_kinds_of_values)
{
	load_opts.prog_type = BPF_PROG_TYPE_TRACEPOINT;
	begin_type("tracepoint");
	mean("sp", "key"); /* nothing may be read at 0 */
	load_all();
}

TEST(perf_events_take_all_kinds_of_values)
{
	load_opts.prog_type = BPF_PROG_TYPE_PERF_EVENT;
	begin_type("perf_event");
	load_all();
}

TEST(typed_tracepoints_take_all_kinds_of_values)
{
	struct btf *btf = btf__load_vmlinux_btf();
	s32 id;

	CHECK(btf);
	/* Three pointers: task, pid, binary program. */
	id = btf__find_by_name_kind(btf, "btf_trace_sched_process_exec", BTF_KIND_TYPEDEF);
	CHECK(id > 0);
	load_opts.prog_type = BPF_PROG_TYPE_TRACING;
	load_opts.expected_attach_type = BPF_TRACE_RAW_TP;
	load_opts.attach_btf_id = (u32)id;
	begin_type("tracing");
	mean("text", "(char *)key@kernel"); /* it has no fourth argument */
	load_all();
	btf__free(btf);
}

TEST(sleepable_uprobes_read_what_is_not_there_yet)
{
	const struct tree *values[3];
	struct gen_plan plan;
	struct err err = { 0 };
	struct text t = text_of("");
	struct insns in;

	load_opts.prog_type = BPF_PROG_TYPE_KPROBE;
	begin_type("kprobe");
	load_opts.is_sleepable = true;
	values[0] = value("text");
	values[1] = value("*(int *)sp");
	values[2] = value("buf(sp, 16)");
	plan = plan_of(GEN_EVENT);
	plan.values = values;
	plan.n_values = 3;
	plan.is_sleepable_prog = true;
	insns_init(&in);
	CHECK(!gen_program(&plan, &t, &in, &err));
	if (generated_load(&in, &fixed, &t, &load_opts, &err) < 0) {
		CHECK(!has_atomics); /* 5.10, which has no sleepable uprobes */
		SKIP("no sleepable uprobes here");
	}
}

/* ---- refusals -------------------------------------------------------------------------------- */

TEST(refusals_point_at_the_text_whose_code_is_wrong)
{
	struct text t = text_of("first + second");
	struct err err = { 0 };
	struct insns in;

	begin();
	insns_init(&in);
	insns_emit(&in, INSN_MOV_K(BPF_REG_0, 0));
	in.span = (struct span){ 8, 6 };
	insns_emit(&in, INSN_LOAD(BPF_DW, BPF_REG_0, BPF_REG_8, 0)); /* nobody has set r8 */
	in.span = (struct span){ 0, 5 };
	insns_emit(&in, INSN_EXIT);
	CHECK(!insns_finish(&in, &t, &err));
	CHECK(generated_load(&in, &fixed, &t, &load_opts, &err) == -ERR_FAIL);
	CHECK(strstr(err.what, "R8 !read_ok"));
	CHECK(strstr(err.hint, "bug in bperf"));
	CHECK_STR(err.text, t.p);
	CHECK_U64(err.caret, 8);
	CHECK_U64(err.width, 6);
	insns_release(&in);
}

TEST_MAIN()
