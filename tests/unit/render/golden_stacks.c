// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Reports of stacks, chains and states, written by hand, drawn by every renderer (goldens.h). */
#include "base/utf8.h"
#include "goldens.h"
#include "reports.h"

#define ALL_FORMATS (IN_HTML + 1) /* without those of single samples */

TEST(server)
{
	struct sample s;
	const struct report *r = &s.report;

	sample_server(&s);
	check("server", &r, 1, ALL_FORMATS, &plain);
	sample_release(&s);
}

TEST(server_with_all_options)
{
	const struct render_opts opts = { .top = 3,
					  .color = COLOR_ALWAYS,
					  .delimited = true,
					  .annotate = true,
					  .addresses = true,
					  .inverted = true };
	struct sample s;
	const struct report *r = &s.report;

	sample_server(&s);
	check("options", &r, 1, ALL_FORMATS, &opts);
	sample_release(&s);
}

static void add_sample(struct sample *s, u32 row, u64 ms, u32 cpu)
{
	vec_push(&s->report.samples, (struct timed_sample){ .time_ns = ms * NS_PER_MS + 1,
							    .n = 1,
							    .row = row,
							    .pid = 1200,
							    .tid = 1203 + cpu,
							    .cpu = cpu });
}

/* Two rows look the same in the picture, and are two in JSON. */
TEST(single_samples)
{
	const struct render_opts opts = {
		.top = 20, .color = COLOR_NEVER, .has_samples = true, .timeline = true
	};
	struct sample s;
	const struct report *r = &s.report;

	sample_init(&s, server_frames, F_N);
	sample_add(&s, "nginx", 1200, 3, PATH(F_TCP, F_SYSCALL), PATH(F_WRITE, F_MAIN));
	sample_add(&s, "nginx", 1201, 2, PATH(F_TCP, F_SYSCALL), PATH(F_WRITE, F_MAIN));
	sample_add(&s, "java \n 1", 77, 1, NULL, PATH(F_JIT));
	add_sample(&s, 0, 10, 0);
	add_sample(&s, 0, 49, 1);
	add_sample(&s, 1, 49, 0);
	add_sample(&s, 2, 950, 0);
	add_sample(&s, 0, 1000, 0);
	add_sample(&s, 1, 4999, 1);
	check_in("timeline", &r, 1, IN_JSON, &opts);
	check_in("timeline", &r, 1, IN_HTML, &opts);
	check_in("timeline", &r, 1, IN_PERF, &opts);
	report_callers(&s.report, "tcp_sendmsg");
	CHECK_U64(s.report.samples.n, 5);
	CHECK_U64(s.report.samples.items[3].row, 0);
	sample_release(&s);
}

TEST(functions)
{
	struct sample s;
	const struct report *r = &s.report;

	sample_server(&s);
	report_functions(&s.report);
	check_in("functions", &r, 1, IN_TEXT, &plain);
	check_in("functions", &r, 1, IN_JSON, &plain);
	check_in("functions", &r, 1, IN_HTML, &plain);
	sample_release(&s);
}

/* More than a page shows at first, and some too small for a row. */
TEST(functions_of_a_large_program)
{
	static struct frame frames[40];
	static char names[ARRAY_SIZE(frames)][16];
	struct sample s;
	const struct report *r = &s.report;

	sample_init(&s, frames, ARRAY_SIZE(frames));
	for (u32 i = 0; i < ARRAY_SIZE(frames); i++) {
		snprintf(names[i], sizeof(names[i]), "function_%u", i);
		frames[i] = (struct frame){ .name = names[i], .kind = FRAME_USER };
		sample_add(&s, "large", 1, i < 38 ? 10000 + i * 101 : 1, NULL, PATH(i));
	}
	report_functions(&s.report);
	check_in("functions-large", &r, 1, IN_HTML, &plain);
	sample_release(&s);
}

TEST(callers)
{
	struct sample s;
	const struct report *r = &s.report;

	sample_server(&s);
	CHECK_U64(report_callers(&s.report, "tcp_sendmsg"), 4);
	check("callers", &r, 1, 2, &plain);
	sample_release(&s);
}

/* The table above the stacks has five, and a line for the others. */
TEST(processes)
{
	static const char *const comms[] = { "cc1", "as", "ld", "make", "sh", "cat", "cc1" };
	struct sample s;
	const struct report *r = &s.report;

	sample_init(&s, server_frames, F_N);
	for (u32 i = 0; i < ARRAY_SIZE(comms); i++)
		sample_add(&s, comms[i], 100 + i % 6, 10 + i, NULL, PATH(F_MAIN));
	check_in("processes", &r, 1, IN_TEXT, &plain);
	sample_release(&s);
}

/* Waiting, in nanoseconds that don't divide into microseconds. */
TEST(offcpu)
{
	struct sample s;
	const struct report *r = &s.report;

	sample_init(&s, server_frames, F_N);
	sample_waits(&s, "offcpu", SHAPE_STACK);
	s.report.n_open = 1;
	sample_add(&s, "nginx", 1200, 3400, PATH(F_TCP, F_SYSCALL), PATH(F_WRITE, F_MAIN));
	s.report.stacks.items[0].count = 0;
	s.report.stacks.items[0].n_open = 1;
	sample_add(&s, "nginx", 1200, 2400, PATH(F_SYSCALL), PATH(F_WRITE, F_MAIN));
	s.report.stacks.items[1].count = 1204;
	s.report.stacks.items[1].n_open = 2;
	sample_add(&s, "nginx", 1201, 2400, PATH(F_SYSCALL), PATH(F_WRITE, F_WORKER, F_MAIN));
	s.report.stacks.items[2].variance = 300 * 300;
	sample_add(&s, "java", 77, 1300, PATH(F_SYSCALL), PATH(F_JIT));
	sample_add(&s, "java", 77, 400, NULL, PATH(F_JIT));
	sample_add(&s, "java", 78, 5000000, PATH(F_SYSCALL), PATH(F_JIT));
	sample_whole(&s);
	check("offcpu", &r, 1, ALL_FORMATS, &plain);
	sample_release(&s);
}

/* Waits with one level of wakers: threads, interrupts of each kind, and none. */
static void add_woken(struct sample *s)
{
	sample_add(s, "nginx", 1200, 9310000, PATH(F_TCP, F_SYSCALL), PATH(F_WRITE, F_MAIN));
	sample_chain(s, CHAIN_END_NONE);
	sample_waker(s, "sshd", 812, PATH(F_NFT, F_SYSCALL), PATH(F_WRITE, F_WORKER), 0);
	sample_add(s, "nginx", 1201, 2000400, PATH(F_TCP, F_SYSCALL), PATH(F_WRITE, F_MAIN));
	sample_chain(s, CHAIN_END_NONE);
	sample_waker(s, "sshd", 813, PATH(F_NFT, F_SYSCALL), PATH(F_WRITE, F_WORKER), 0);
	sample_add(s, "nginx", 1200, 1000300, PATH(F_TCP, F_SYSCALL), PATH(F_WRITE, F_MAIN));
	sample_chain(s, CHAIN_END_IRQ);
	sample_interrupt(s, WAKER_IRQ, "nvme0q1", PATH(F_NFT, F_TCP), 0);
	sample_add(s, "nginx", 1200, 900000, PATH(F_TCP, F_SYSCALL), PATH(F_WRITE, F_MAIN));
	sample_chain(s, CHAIN_END_IRQ);
	sample_interrupt(s, WAKER_SOFTIRQ, "net_rx", PATH(F_NFT, F_TCP), 0);
	sample_add(s, "java", 77, 800000, PATH(F_SYSCALL), PATH(F_JIT));
	sample_chain(s, CHAIN_END_IRQ);
	sample_interrupt(s, WAKER_TIMER, NULL, PATH(F_NFT), 0);
	sample_add(s, "java", 77, 700000, PATH(F_SYSCALL), PATH(F_JIT));
	sample_chain(s, CHAIN_END_IRQ);
	sample_interrupt(s, WAKER_IPI, NULL, NULL, 0);
	sample_add(s, "java", 77, 600000, PATH(F_SYSCALL), PATH(F_JIT));
	sample_chain(s, CHAIN_END_UNKNOWN);
	sample_add(s, "java", 78, 5000000, PATH(F_SYSCALL), PATH(F_JIT));
	sample_chain(s, CHAIN_END_OPEN);
	sample_whole(s);
}

TEST(offwake)
{
	struct sample s;
	const struct report *r = &s.report;

	sample_init(&s, server_frames, F_N);
	sample_waits(&s, "offwake", SHAPE_CHAIN);
	add_woken(&s);
	check("offwake", &r, 1, ALL_FORMATS, &plain);
	sample_release(&s);
}

TEST(wakeup)
{
	struct sample s;
	const struct report *r = &s.report;
	struct stack_row *row;

	sample_init(&s, server_frames, F_N);
	sample_waits(&s, "wakeup", SHAPE_WAKEUP);
	add_woken(&s);
	vec_for_each(row, &s.report.stacks)
		row->kernel = row->user = 0;
	check("wakeup", &r, 1, ALL_FORMATS, &plain);
	sample_release(&s);
}

/* Relays of several threads; the values of the links are for --path. */
static void add_relays(struct sample *s)
{
	sample_add(s, "gzip", 30, 9310400, PATH(F_TCP, F_SYSCALL), PATH(F_WRITE, F_MAIN));
	sample_chain(s, CHAIN_END_IRQ);
	sample_waker(s, "tar", 29, PATH(F_NFT, F_SYSCALL), PATH(F_WRITE, F_WORKER), 1300300);
	sample_waker(s, "kworker/3:1", 88, PATH(F_TCP), NULL, 10100);
	sample_interrupt(s, WAKER_IRQ, "nvme0q1", PATH(F_NFT, F_TCP), 8000000);
	sample_add(s, "gzip", 30, 4000000, PATH(F_TCP, F_SYSCALL), PATH(F_WRITE, F_MAIN));
	sample_chain(s, CHAIN_END_RUNNING);
	sample_waker(s, "tar", 29, PATH(F_NFT, F_SYSCALL), PATH(F_WRITE, F_WORKER), 4000000);
	sample_add(s, "tar", 29, 3000000, PATH(F_SYSCALL), PATH(F_WRITE, F_MAIN));
	sample_chain(s, CHAIN_END_CYCLE);
	sample_waker(s, "gzip", 30, PATH(F_NFT, F_SYSCALL), PATH(F_WRITE), 2000000);
	sample_waker(s, "tar", 29, PATH(F_NFT, F_SYSCALL), PATH(F_WRITE, F_WORKER), 500000);
	sample_add(s, "tar", 29, 2000000, PATH(F_SYSCALL), PATH(F_WRITE, F_MAIN));
	sample_chain(s, CHAIN_END_DEPTH);
	sample_waker(s, "gzip", 30, PATH(F_NFT, F_SYSCALL), NULL, 1999999);
	sample_add(s, "java", 77, 600000, PATH(F_SYSCALL), PATH(F_JIT));
	s->report.stacks.items[4].count = 0;
	s->report.stacks.items[4].n_open = 1;
	sample_chain(s, CHAIN_END_OPEN);
	s->report.n_open = 1;
	sample_add(s, "java", 78, 5000000, PATH(F_SYSCALL), PATH(F_JIT));
	sample_chain(s, CHAIN_END_OPEN);
	sample_whole(s);
}

TEST(chain)
{
	struct sample s;
	const struct report *r = &s.report;

	sample_init(&s, server_frames, F_N);
	sample_waits(&s, "chain", SHAPE_CHAIN);
	add_relays(&s);
	check("chain", &r, 1, ALL_FORMATS, &plain);
	sample_release(&s);
}

TEST(chain_with_all_options)
{
	const struct render_opts opts = { .top = 3,
					  .color = COLOR_ALWAYS,
					  .delimited = true,
					  .annotate = true,
					  .addresses = true,
					  .inverted = true,
					  .unit = "ms" };
	struct sample s;
	const struct report *r = &s.report;

	sample_init(&s, server_frames, F_N);
	sample_waits(&s, "chain", SHAPE_CHAIN);
	add_relays(&s);
	check("chain-options", &r, 1, ALL_FORMATS, &opts);
	sample_release(&s);
}

TEST(paths)
{
	struct sample s;
	const struct report *r = &s.report;

	sample_init(&s, server_frames, F_N);
	sample_waits(&s, "chain", SHAPE_CHAIN);
	s.report.kind = REPORT_PATHS;
	add_relays(&s);
	check("paths", &r, 1, 3, &plain);
	sample_release(&s);
}

TEST(states)
{
	const struct state_row idle = { .wall_ns = 5000312000,
					.n_threads = 1,
					.ns = { [STATE_SLEEP] = 5000312000 } };
	const struct state_row busy = { .wall_ns = 15000936000,
					.n_threads = 3,
					.ns = { [STATE_USER] = 4000100700,
						[STATE_SYSTEM] = 1000200600,
						[STATE_PREEMPTED] = 300600,
						[STATE_WAITING] = 10000000,
						[STATE_DISK] = 2000000000,
						[STATE_LOCK] = 7990334100 } };
	struct sample s;
	const struct report *r = &s.report;

	sample_init(&s, server_frames, F_N);
	sample_waits(&s, "offcpu", SHAPE_STACK);
	s.report.kind = REPORT_STATES;
	s.report.total = idle.wall_ns + busy.wall_ns;
	vec_push(&s.report.states, idle);
	vec_push(&s.report.states, busy);
	s.report.states.items[0].task = sample_task(&s, "bash", 12);
	s.report.states.items[1].task = sample_task(&s, "n\033[31mginx", 1200);
	s.tasks.items[0].tid = s.tasks.items[1].tid = -1;
	check_in("states", &r, 1, IN_TEXT, &plain);
	check_in("states", &r, 1, IN_JSON, &plain);
	check_in("states", &r, 1, IN_HTML, &plain);
	sample_release(&s);
}

/* Without a terminal, no line is wider than most terminals. */
static void check_width(const char *path)
{
	struct str text = { 0 };
	struct view rest, line;

	CHECK(!file_read(path, 1 << 20, &text));
	rest = str_view(&text);
	while (rest.n) {
		const char *end = memchr(rest.p, '\n', rest.n);

		line = (struct view){ rest.p, end ? (size_t)(end - rest.p) : rest.n };
		CHECK(utf8_columns(line) <= 80);
		rest.p += line.n + !!end;
		rest.n -= line.n + !!end;
	}
	str_release(&text);
}

/* More states than the line has room for, in which idle tasks do not choose the columns, and
 * short-lived processes, of which those of one name are one row. */
TEST(states_folded)
{
	static const struct {
		const char *comm;
		s64 pid;
		u64 ms[STATE_N_COLUMNS];
	} rows[] = {
		{ "idle", 10, { [STATE_POLL] = 5000 } },
		{ "idle", 11, { [STATE_FUTEX] = 4999, [STATE_CHILD] = 1 } },
		{ "busy",
		  12,
		  { [STATE_USER] = 1000,
		    [STATE_SYSTEM] = 500,
		    [STATE_PREEMPTED] = 400,
		    [STATE_WAITING] = 300,
		    [STATE_DISK] = 200,
		    [STATE_NETWORK] = 100,
		    [STATE_PIPE] = 90,
		    [STATE_LOCK] = 80,
		    [STATE_SLEEP] = 2330 } },
		{ "sh", 21, { [STATE_USER] = 10, [STATE_CHILD] = 5 } },
		{ "sh", 22, { [STATE_USER] = 20 } },
		{ "sh", 23, { [STATE_SYSTEM] = 1, [STATE_CHILD] = 900 } },
		{ "sh", 24, { [STATE_SLEEP] = 5000 } },
		{ "cat", 30, { [STATE_USER] = 6 } },
		{ "ls", 31, { [STATE_USER] = 7 } },
		{ "ls", 32, { [STATE_USER] = 8 } },
		{ "all-15-columns.", 4194304, { [STATE_OTHER] = 4900, [STATE_FAULT] = 100 } },
	};
	struct sample s;
	const struct report *r = &s.report;

	sample_init(&s, server_frames, F_N);
	sample_waits(&s, "offcpu", SHAPE_STACK);
	s.report.kind = REPORT_STATES;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct state_row row = { .n_threads = 1 };

		for (int k = 0; k < STATE_N_COLUMNS; k++) {
			row.ns[k] = rows[i].ms[k] * NS_PER_MS;
			row.wall_ns += row.ns[k];
		}
		row.task = sample_task(&s, rows[i].comm, rows[i].pid);
		s.tasks.items[row.task].tid = -1;
		s.report.total += row.wall_ns;
		vec_push(&s.report.states, row);
	}
	check_in("states-folded", &r, 1, IN_TEXT, &plain);
	check_width("tests/golden/states-folded.txt");
	check_in("states-folded", &r, 1, IN_JSON, &plain);
	sample_release(&s);
}

TEST(intervals)
{
	struct sample a, b;
	const struct report *reports[] = { &a.report, &b.report };

	sample_init(&a, server_frames, F_N);
	sample_init(&b, server_frames, F_N);
	a.run.interval_ns = NS_PER_SEC;
	a.run.count = 2;
	a.report.end_ns = b.report.start_ns = NS_PER_SEC;
	b.report.run = &a.run;
	b.report.end_ns = 2 * NS_PER_SEC;
	b.report.interval = 1;
	sample_add(&a, "nginx", 1200, 7, NULL, PATH(F_HANDLE, F_MAIN));
	sample_add(&b, "nginx", 1200, 9, NULL, PATH(F_MAIN));
	check("intervals", reports, 2, 3, &plain);
	sample_release(&a);
	sample_release(&b);
}

TEST(nothing)
{
	struct sample s;
	const struct report *r = &s.report;

	sample_init(&s, server_frames, F_N);
	check("nothing", &r, 1, ALL_FORMATS, &plain);
	sample_release(&s);
}

/* Each of these frames would break some parser, terminal or viewer. */
static const struct frame hostile_frames[] = {
	{ .name = "a;b", .kind = FRAME_USER },
	{ .name = "line\nbreak\ttab", .kind = FRAME_USER },
	{ .name = "\033]0;owned\a\033[31mred", .kind = FRAME_USER },
	{ .name = "<script>alert(1)</script> & \"q\" 'a' ]]>", .kind = FRAME_USER },
	{ .name = "bad\xff\xc0\xaf utf-8 \xed\xa0\x80", .kind = FRAME_USER },
	{ .name = "c1\xc2\x9b"
		  "31m \xe2\x80\xae bidi",
	  .kind = FRAME_USER },
	{ .name = "ends in 12", .kind = FRAME_USER },
	{ .name = "ends in 1.5", .kind = FRAME_USER },
	{ .name = "", .kind = FRAME_USER },
	{ .name = "gr\xc3\xbc\xc3\x9f Gott \xe4\xb8\xad\xe6\x96\x87", .kind = FRAME_USER },
	{ .name = "operator new[](unsigned long)",
	  .module = "\x01/tmp/\"mod\"\\ule",
	  .kind = FRAME_USER },
	{ .module = "/tmp/a b;c 3", .kind = FRAME_USER },
	{ .name = "back\\slash\x7f\x01", .kind = FRAME_KERNEL },
};

TEST(hostile)
{
	struct sample s;
	const struct report *r = &s.report;

	sample_init(&s, hostile_frames, ARRAY_SIZE(hostile_frames));
	s.run.title = "<CPU> & profile";
	s.run.host = "db\x1b[7m";
	for (u32 i = 0; i < ARRAY_SIZE(hostile_frames); i++)
		sample_add(&s, i % 2 ? "c\xff;o\x1bm 1" : "my app", 1, 100 - i, NULL, PATH(i, 0));
	check("hostile", &r, 1, ALL_FORMATS, &plain);
	sample_release(&s);
}

/* Names that would run in a page that trusts one of them. */
TEST(hostile_in_a_page)
{
	static const struct frame frames[] = {
		{ .name = "</script><img src=x onerror=\"top.ran=1\">", .kind = FRAME_USER },
		{ .name = "</title></svg><script>top.ran=1</script>",
		  .module = "</small><iframe src=\"javascript:top.ran=1\">",
		  .kind = FRAME_USER },
		{ .name = "<!--<style>*{display:none}",
		  .module = "]]>'\"`\xff\0",
		  .kind = FRAME_KERNEL },
		{ .name = "^a.*[b]+$ (c|d) \\ {2}?", .kind = FRAME_JIT },
	};
	static char command[] =
		"</pre><a href=\"http://example.com/\" autofocus onfocus=top.ran=1>";
	struct sample s;
	const struct report *r = &s.report;

	sample_init(&s, frames, ARRAY_SIZE(frames));
	s.run.title = "</title></h1><script>top.ran=1</script>";
	s.run.host = "\"><script>top.ran=1</script>";
	s.run.argv = (char *const[]){ command };
	s.run.argc = 1;
	s.report.ledger.symbols.costly_files[0] = "</td><script>top.ran=1</script>";
	for (u32 i = 0; i < ARRAY_SIZE(frames); i++)
		sample_add(&s, "</text><script>", 1, 100 - i, PATH(i), PATH(3, 0));
	check_in("hostile-page", &r, 1, IN_HTML, &plain);
	sample_release(&s);
}

/* Names that look like the separator of stacks, or like the mark of a waker. */
TEST(hostile_wakers)
{
	static const struct frame frames[] = { { .name = "--" },
					       { .name = "a;--;b" },
					       { .name = "-" } };
	struct sample s;
	const struct report *r = &s.report;

	sample_init(&s, frames, ARRAY_SIZE(frames));
	sample_waits(&s, "chain", SHAPE_CHAIN);
	sample_add(&s, "--", 1, 3000, NULL, PATH(0, 1));
	sample_chain(&s, CHAIN_END_NONE);
	sample_waker(&s, "--", 2, PATH(0), PATH(1, 2), 0);
	sample_waker(&s, "irq:\033[31m;x 1", 3, NULL, NULL, 0);
	sample_waker(&s, "", 4, NULL, NULL, 0);
	sample_add(&s, "-", 1, 2000, NULL, NULL);
	sample_chain(&s, CHAIN_END_IRQ);
	sample_interrupt(&s, WAKER_IRQ, "a;--;b\n\xff", PATH(2), 0);
	sample_add(&s, ";--;", 1, 1000, NULL, NULL);
	check("hostile-wakers", &r, 1, ALL_FORMATS, &plain);
	sample_release(&s);
}
