// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Reports made of any bytes, written in every format: the output is valid in its format, and has
 * nothing that a terminal would obey.  Numbers and indexes are bperf's own and in their range;
 * texts are chosen by strangers.
 */
#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/fuzz/wellformed.h"

#include "base/arena.h"
#include "opt/output.h"
#include "render/renderer.h"

#define N_FRAMES  6
#define N_TASKS	  3
#define N_NODES	  10
#define N_ROWS	  5
#define N_CHAINS  3
#define N_KEYS	  2
#define N_FORMATS 8
#define MAX_TEXT  2048 /* readers of files truncate names too; longer ones would only be slow */

static struct arena arena;

static const char *take_text(struct input *in)
{
	struct view text = input_text(in);

	return arena_strndup(&arena, text.n ? text.p : "", text.n < MAX_TEXT ? text.n : MAX_TEXT);
}

/* Or none. */
static const char *take_maybe(struct input *in)
{
	return input_byte(in) % 4 ? take_text(in) : NULL;
}

/* Sums of them do not overflow, as those of samples and nanoseconds don't. */
static u64 take_value(struct input *in)
{
	return input_number(in) >> (8 + input_byte(in) % 56);
}

static u32 take_below(struct input *in, u32 n)
{
	return input_byte(in) % n;
}

/* ---- stacks ---- */

static void take_frames(struct input *in, struct report *r)
{
	struct frame *frames = arena_alloc(&arena, N_FRAMES, sizeof(*frames));

	for (u32 i = 0; i < N_FRAMES; i++)
		frames[i] = (struct frame){
			.kind = (enum frame_kind)take_below(in, FRAME_N_KINDS),
			.name = take_maybe(in),
			.linkage = take_maybe(in),
			.module = take_maybe(in),
			.build_id = "8713b9c3",
			.addr = input_byte(in),
			.vaddr = input_number(in),
			.off = input_number(in),
		};
	for (u32 i = 0; i < N_FRAMES; i++)
		if (frames[i].kind == FRAME_NOTE)
			frames[i].name = FRAME_MISSED_USER;
	r->frames = frames;
	r->n_frames = N_FRAMES;
}

static void take_tasks(struct input *in, struct report *r)
{
	struct stack_task *tasks = arena_alloc(&arena, N_TASKS, sizeof(*tasks));

	for (u32 i = 0; i < N_TASKS; i++)
		tasks[i] = (struct stack_task){ .root = take_maybe(in),
						.comm = take_maybe(in),
						.cgroup = take_maybe(in),
						.pid = input_byte(in) - 1,
						.tid = input_byte(in) - 1,
						.cpu = input_byte(in) - 1 };
	r->tasks = tasks;
	r->n_tasks = N_TASKS;
}

static void take_nodes(struct input *in, struct report *r)
{
	struct stack_node *nodes = arena_alloc(&arena, N_NODES, sizeof(*nodes));

	for (u32 i = 1; i < N_NODES; i++)
		nodes[i] = (struct stack_node){ take_below(in, i), take_below(in, N_FRAMES) };
	r->nodes = nodes;
	r->n_nodes = N_NODES;
}

static void take_chains(struct input *in, struct report *r)
{
	struct waker_chain *chains = arena_alloc(&arena, N_CHAINS, sizeof(*chains));
	struct waker_link *links = arena_alloc(&arena, 2 * N_CHAINS, sizeof(*links));

	for (u32 i = 0; i < N_CHAINS; i++)
		chains[i] = (struct waker_chain){ 2 * i, i ? take_below(in, 3) : 0,
						  (enum chain_end)take_below(in, CHAIN_N_ENDS) };
	for (u32 i = 0; i < 2 * N_CHAINS; i++)
		links[i] = (struct waker_link){
			.kind = (enum waker_kind)take_below(in, WAKER_N_KINDS),
			.task = take_below(in, N_TASKS),
			.kernel = take_below(in, N_NODES),
			.user = take_below(in, N_NODES),
			.name = take_maybe(in),
			.value = take_value(in),
		};
	r->chains = chains;
	r->n_chains = N_CHAINS;
	r->links = links;
	r->n_links = 2 * N_CHAINS;
}

static void take_stacks(struct input *in, struct report *r, bool has_wakers)
{
	take_nodes(in, r);
	if (has_wakers)
		take_chains(in, r);
	for (u32 i = 0; i < N_ROWS; i++) {
		struct stack_row row = {
			.task = take_below(in, N_TASKS),
			.kernel = take_below(in, N_NODES),
			.user = take_below(in, N_NODES),
			.chain = has_wakers ? take_below(in, N_CHAINS) : 0,
			.value = take_value(in),
			.count = input_byte(in),
			.n_open = input_byte(in),
		};

		r->total += row.value;
		vec_push(&r->stacks, row);
	}
}

/* A sample and a wait of each row. */
static void take_singles(struct input *in, struct report *r)
{
	for (u32 i = 0; i < r->stacks.n; i++) {
		u32 tid = take_below(in, 3), from = input_byte(in);
		struct timed_sample sample = { .time_ns = from, .n = 1, .row = i, .tid = tid };
		struct timed_wait wait = {
			.from_ns = from,
			.to_ns = from + 1 + input_byte(in),
			.row = i,
			.tid = tid,
			.waker_tid = take_below(in, 3),
			.state = take_below(in, 4) ? "blocked" : NULL,
			.is_over = take_below(in, 2),
		};

		vec_push(&r->samples, sample);
		vec_push(&r->waits, wait);
	}
}

static void take_states(struct input *in, struct report *r)
{
	struct state_row row = { .task = take_below(in, N_TASKS), .wall_ns = take_value(in) };

	for (u32 i = 0; i < STATE_N_COLUMNS; i++)
		row.ns[i] = take_value(in);
	r->total = row.wall_ns;
	vec_push(&r->states, row);
}

static void take_threads(struct input *in, struct report *r)
{
	u32 n = take_below(in, 8);

	for (u32 i = 0; i < n; i++) {
		struct stack_row row = { .task = take_below(in, N_TASKS),
					 .kernel = take_below(in, N_NODES),
					 .user = take_below(in, N_NODES),
					 .value = 1,
					 .count = 1 };
		struct thread_row t = { .stack = i,
					.pid = take_below(in, 3),
					.tid = take_below(in, 8),
					.comm = take_text(in),
					.process = take_text(in),
					.state = input_byte(in) % 2 ? "lock" : take_text(in),
					.letter = (char)('A' + take_below(in, 26)),
					.age_ns = input_byte(in) % 4 ? take_value(in)
								     : THREAD_AGE_UNKNOWN,
					.object = take_maybe(in) };

		t.other = (struct thread_other){ .role = take_below(in, THREAD_N_ROLES),
						 .pid = take_below(in, 3),
						 .tid = take_below(in, 8) - 1,
						 .comm = take_maybe(in),
						 .n_more = take_below(in, 3) };
		vec_push(&r->stacks, row);
		vec_push(&r->threads, t);
		r->total++;
	}
	report_relate_threads(r);
}

/* ---- rows by key ---- */

static const char *const *take_key(struct input *in)
{
	const char **key = arena_alloc(&arena, N_KEYS, sizeof(*key));

	for (u32 i = 0; i < N_KEYS; i++)
		key[i] = take_text(in);
	return input_byte(in) % 8 ? key : NULL;
}

static const char *const key_names[N_KEYS] = { "comm", "path" };

static void take_counts(struct input *in, struct report *r)
{
	r->count_view = (struct count_view){
		.has_errors = take_below(in, 2),
		.has_times = take_below(in, 2),
		.key_names = key_names,
		.n_keys = N_KEYS,
	};
	for (u32 i = 0; i < N_ROWS; i++) {
		struct count_row row = { .name = take_text(in),
					 .probe = take_text(in),
					 .label = take_maybe(in),
					 .func = take_maybe(in),
					 .mod = take_maybe(in),
					 .key = take_key(in),
					 .value = take_value(in) };

		r->total += row.value;
		vec_push(&r->counts, row);
	}
}

static const struct dist_column columns[] = {
	{ "N", DIST_FN_COUNT, false },
	{ "SUM", DIST_FN_SUM, true },
	{ "AVG", DIST_FN_AVG, false },
	{ "MIN", DIST_FN_MIN, true },
};
static const char *const derived_names[] = { "PER" };

static void take_cells(struct input *in, struct dist_row *row)
{
	static const double odd[] = { 0, -1.5, NAN, INFINITY, -INFINITY, 1e300, 5e-324 };

	row->cells = mem_alloc(ARRAY_SIZE(columns), sizeof(*row->cells));
	for (u32 i = 0; i < ARRAY_SIZE(columns); i++)
		row->cells[i] = (struct dist_cell){ take_below(in, 3), input_number(in) };
	row->derived = mem_alloc(ARRAY_SIZE(derived_names), sizeof(*row->derived));
	row->derived[0] = odd[take_below(in, ARRAY_SIZE(odd))];
}

static void take_dist_row(struct input *in, struct dist *d)
{
	struct dist_row row = { .key = take_key(in), .count = take_value(in) };

	if (d->kind == DIST_HISTOGRAM) {
		row.first = take_below(in, DIST_LOG2_N - 4);
		row.n = 4;
		row.buckets = mem_alloc(row.n, sizeof(*row.buckets));
		row.count = 0;
		for (u32 i = 0; i < row.n; i++)
			row.count += row.buckets[i] = take_value(in);
	}
	if (d->kind == DIST_TABLE)
		take_cells(in, &row);
	row.sum = take_value(in);
	row.least = take_value(in);
	row.greatest = row.least + take_value(in);
	d->total += row.count;
	vec_push(&d->rows, row);
}

static void take_dists(struct input *in, struct report *r, bool is_heat)
{
	struct dist d = {
		.kind = is_heat ? DIST_HISTOGRAM : (enum dist_kind)take_below(in, DIST_TABLE + 1),
		.title = take_text(in),
		.probe = take_text(in),
		.label = take_maybe(in),
		.value_name = take_text(in),
		.event_name = take_text(in),
		.unit = take_below(in, 2) ? "ns" : NULL,
		.key_names = key_names,
		.n_keys = N_KEYS,
	};

	if (d.kind == DIST_TABLE) {
		d.probe = NULL;
		d.columns = columns;
		d.n_columns = ARRAY_SIZE(columns);
		d.derived_names = derived_names;
		d.n_derived = ARRAY_SIZE(derived_names);
		d.sort = take_below(in, 2) ? "MIN" : NULL;
	}
	for (u32 i = 0; i < N_ROWS; i++)
		take_dist_row(in, &d);
	r->total = d.total;
	vec_push(&r->dists, d);
}

/* ---- events ---- */

static void take_values(struct input *in, struct event_value *values, u32 n)
{
	static const u32 stack[] = { 0, N_FRAMES - 1 };

	for (u32 i = 0; i < n; i++) {
		struct view text = view_of(take_text(in));

		values[i] = (struct event_value){
			.name = take_text(in),
			.kind = (enum event_value_kind)take_below(in, VALUE_LIST),
			.is_absent = take_below(in, 2),
			.is_cut = take_below(in, 2),
			.number = input_number(in),
			.text = text,
			.stack = stack,
			.n_stack = ARRAY_SIZE(stack),
		};
	}
}

static void write_events(struct input *in, const struct report *r, const struct renderer *format,
			 struct render *out)
{
	static const u32 stack[] = { 1, 2 };
	struct event_value values[3];

	if (format->begin_events)
		format->begin_events(out);
	for (u32 i = 0; i < N_ROWS; i++) {
		struct event_row e = {
			.time_ns = take_value(in),
			.comm = take_text(in),
			.probe = take_text(in),
			.func = take_text(in),
			.text = view_of(take_text(in)),
			.values = values,
			.n_values = ARRAY_SIZE(values),
			.frames = r->frames,
			.kernel = stack,
			.user = stack,
			.n_kernel = ARRAY_SIZE(stack),
			.n_user = ARRAY_SIZE(stack),
			.wants_kernel = take_below(in, 2),
			.wants_user = take_below(in, 2),
		};

		take_values(in, values, ARRAY_SIZE(values));
		format->event(out, &e);
	}
}

/* ---- all of it ---- */

static void take_report(struct input *in, struct report *r, u32 kinds)
{
	take_frames(in, r);
	take_tasks(in, r);
	r->kind = (enum report_kind)kinds;
	if (kinds & (REPORT_STACKS | REPORT_PATHS | REPORT_FUNCS))
		take_stacks(in, r, kinds == REPORT_PATHS || r->run->shape != SHAPE_STACK);
	if (kinds & (REPORT_STACKS | REPORT_PATHS))
		take_singles(in, r);
	if (kinds == REPORT_FUNCS) {
		r->kind = REPORT_STACKS;
		report_functions(r);
	} else if (kinds == REPORT_STATES) {
		take_states(in, r);
	} else if (kinds == REPORT_THREADS) {
		take_nodes(in, r);
		take_threads(in, r);
	} else if (kinds == REPORT_COUNTS) {
		take_counts(in, r);
	} else if (kinds & (REPORT_DISTS | REPORT_HEAT)) {
		r->kind = REPORT_DISTS;
		take_dists(in, r, kinds == REPORT_HEAT);
	}
}

static int scratch(void)
{
	static int fd = -1;

	if (fd < 0)
		fd = memfd_create("rendered", MFD_CLOEXEC);
	must(fd >= 0 && !ftruncate(fd, 0) && !lseek(fd, 0, SEEK_SET));
	return fd;
}

static void write_all(struct input *in, const struct renderer *format, const struct report *r,
		      struct render *out)
{
	struct run_end end = { .reason = "done", .elapsed_ns = r->end_ns, .ledger = r->ledger };

	if (format->begin)
		format->begin(out);
	if (r->kind == REPORT_EVENTS)
		write_events(in, r, format, out);
	else
		format->report(out, r);
	if (format->warn)
		format->warn(out, "code", take_text(in));
	if (format->end)
		format->end(out, &end);
	if (format->release)
		format->release(out);
	sink_flush(out->sink);
	must(!out->sink->error);
	str_release(&out->sink->buf);
}

static void check(u32 format, struct view written)
{
	static void (*const checks[])(struct view) = {
		must_be_text, must_be_folded, must_be_json_lines, must_be_pprof,
		must_be_xml,  must_be_text,   must_be_text,	  must_be_pftrace,
	};

	_Static_assert(ARRAY_SIZE(checks) == N_FORMATS, "a check for each format");

	checks[format](written);
}

/* Check the output of the renderer. */
static void check_written(u32 format, int fd)
{
	off_t n = lseek(fd, 0, SEEK_END);
	char *all = mem_alloc((size_t)n + 1, 1);

	must(pread(fd, all, (size_t)n, 0) == n);
	check(format, (struct view){ all, (size_t)n });
	free(all);
}

static struct run_info run_of(struct input *in, u32 kinds)
{
	static char command[] = "profile";
	static char *argv[2] = { command };
	struct run_info run = {
		.command = "profile",
		.title = "CPU profile",
		.argv = argv,
		.argc = 2,
		.version = "0.0.0",
		.value_name = "samples",
		.filter = "{}",
		.host = take_text(in),
		.kernel = "6.18.44",
		.arch = "x86_64",
		.boot_id = "00000000-0000-4000-8000-000000000000",
		.realtime_ns = 1795177069123456789ULL,
	};

	argv[1] = (char *)(uintptr_t)take_text(in);
	if (kinds & (REPORT_STACKS | REPORT_FUNCS | REPORT_PATHS))
		run.shape = kinds == REPORT_PATHS ? SHAPE_CHAIN : (enum shape)take_below(in, 3);
	if (kinds == REPORT_THREADS) {
		run.unit = UNIT_THREADS;
		return run;
	}
	run.unit = kinds == REPORT_STATES || run.shape != SHAPE_STACK ? UNIT_NS : UNIT_SAMPLES;
	return run;
}

int fuzz_input(const u8 *data, size_t size)
{
	static const u32 kinds[] = { REPORT_STACKS, REPORT_FUNCS,  REPORT_STATES,
				     REPORT_PATHS,  REPORT_EVENTS, REPORT_COUNTS,
				     REPORT_DISTS,  REPORT_HEAT,   REPORT_THREADS };
	struct input in = { data, size };
	u32 number = take_below(&in, N_FORMATS), kind = kinds[take_below(&in, ARRAY_SIZE(kinds))];
	u8 bits = input_byte(&in);
	const struct renderer *format = renderer_find(output_formats[number]);
	const struct render_opts opts = { .top = bits & 3,
					  .delimited = bits & 4,
					  .annotate = bits & 8,
					  .addresses = bits & 16,
					  .offsets = bits & 32,
					  .inverted = bits & 64,
					  .heat = kind == REPORT_HEAT };
	struct sink sink = { .fd = scratch() };
	struct run_info run = run_of(&in, kind);
	struct report report = { .run = &run, .end_ns = 5000312000ULL };
	struct render out = {
		.sink = &sink, .opts = &opts, .run = &run, .columns = bits & 128 ? 80 : 0
	};

	if (format->kinds & kind) {
		take_report(&in, &report, kind);
		write_all(&in, format, &report, &out);
		check_written(number, sink.fd);
	}
	report_release(&report);
	arena_release(&arena);
	return 0;
}
