// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Reports of two events, and of time on and off the CPU, drawn by every renderer (goldens.h). */
#include "goldens.h"
#include "reports.h"

#define ALL_FORMATS (IN_HTML + 1) /* without those of single samples */

/* The row that was added last has n samples of each event, and their periods. */
static void set_ratio(struct sample *s, u64 first_period, u64 n_second, u64 second_period)
{
	struct report *r = &s->report;
	struct stack_row *row = &r->stacks.items[r->stacks.n - 1];
	u64 n = row->value;
	struct ratio ratio = {
		.first = { n, n * first_period,
			   (double)n * (double)first_period * (double)first_period },
		.second = { n_second, n_second * second_period,
			    (double)n_second * (double)second_period * (double)second_period },
	};

	if (!r->ratios.n)
		vec_push(&r->ratios, (struct ratio){ 0 });
	row->ratio = r->ratios.n;
	vec_push(&r->ratios, ratio);
	report_sum_ratios(r);
}

#define CYCLES 2000000

static void add(struct sample *s, u64 cycles, u64 instructions, const u32 *kernel, const u32 *user)
{
	sample_add(s, "nginx", 1200, cycles, kernel, user);
	set_ratio(s, CYCLES, instructions, CYCLES);
}

/* Instructions per cycle: most code near 0.8, the firewall far below, TLS far above, and two
 * functions with too few samples to tell, one of which has instructions only. */
static void add_server(struct sample *s)
{
	sample_init(s, server_frames, F_N);
	s->run.event = "cycles";
	s->run.second_event = "instructions";
	s->run.freq_hz = 0;
	s->run.period = s->run.second_period = CYCLES;
	add(s, 400, 330, PATH(F_TCP, F_SYSCALL), PATH(F_WRITE, F_HANDLE, F_WORKER, F_MAIN));
	add(s, 300, 61, PATH(F_NFT, F_TCP, F_SYSCALL), PATH(F_WRITE, F_HANDLE, F_WORKER, F_MAIN));
	add(s, 250, 640, NULL, PATH(F_LIBSSL, F_HANDLE, F_WORKER, F_MAIN));
	add(s, 500, 380, NULL, PATH(F_PUSH_BACK, F_HANDLE, F_WORKER, F_MAIN));
	add(s, 5, 4, NULL, PATH(F_VDSO, F_WORKER, F_MAIN));
	add(s, 0, 3, NULL, PATH(F_VDSO, F_HANDLE, F_WORKER, F_MAIN));
}

TEST(instructions_per_cycle)
{
	struct sample s;
	const struct report *r = &s.report;

	add_server(&s);
	check("ratio", &r, 1, ALL_FORMATS, &plain);
	report_functions(&s.report);
	check_in("ratio-functions", &r, 1, IN_TEXT, &plain);
	check_in("ratio-functions", &r, 1, IN_JSON, &plain);
	check_in("ratio-functions", &r, 1, IN_HTML, &plain);
	sample_release(&s);
}

/* Page faults are rare in a nanosecond: the unit is one in which the whole is at least 0.1. */
TEST(faults_per_time)
{
	struct sample s;
	const struct report *r = &s.report;

	sample_init(&s, server_frames, F_N);
	s.run.second_event = "page-faults";
	s.run.second_period = 1;
	sample_add(&s, "nginx", 1200, 400, NULL, PATH(F_WRITE, F_MAIN));
	set_ratio(&s, NS_PER_SEC / 99, 12000, 1);
	sample_add(&s, "nginx", 1200, 80, NULL, PATH(F_PUSH_BACK, F_MAIN));
	set_ratio(&s, NS_PER_SEC / 99, 0, 1);
	check("ratio-time", &r, 1, ALL_FORMATS, &plain);
	sample_release(&s);
}

TEST(no_second_events)
{
	struct sample s;
	const struct report *r = &s.report;

	sample_init(&s, server_frames, F_N);
	s.run.second_event = "major-faults";
	s.run.second_freq_hz = 99;
	sample_add(&s, "nginx", 1200, 40, NULL, PATH(F_WRITE, F_MAIN));
	set_ratio(&s, NS_PER_SEC / 99, 0, 1);
	check_in("ratio-none", &r, 1, IN_TEXT, &plain);
	check_in("ratio-none", &r, 1, IN_JSON, &plain);
	check_in("ratio-none", &r, 1, IN_SVG, &plain);
	sample_release(&s);
}

static u64 events_of(const struct report *r, const char *name)
{
	for (size_t i = 0; i < r->funcs.n; i++)
		if (r->frames[r->funcs.items[i].frame].name &&
		    !strcmp(r->frames[r->funcs.items[i].frame].name, name))
			return r->func_ratios.items[r->funcs.items[i].ratio + 1].second.events;
	return 0;
}

/* A ratio stays with its row when rows are merged, cut and summed up. */
TEST(ratios_follow_their_rows)
{
	struct sample s;
	struct merged m;

	add_server(&s);
	add(&s, 10, 20, PATH(F_TCP, F_SYSCALL), PATH(F_WRITE, F_HANDLE, F_WORKER, F_MAIN));
	report_merge(&s.report, BY_TEXT, &m);
	CHECK_U64(m.rows.n, 6);
	for (size_t i = 0; i < m.rows.n; i++)
		if (m.rows.items[i].value == 410)
			CHECK_U64(merged_ratio(&m, &m.rows.items[i])->second.n, 350);
	merged_release(&m);
	CHECK_U64(s.report.ratio.second.n, 1438);
	report_callers(&s.report, "tcp_sendmsg");
	CHECK_U64(s.report.ratio.second.n, 411);
	CHECK_U64(s.report.ratio.first.n, 710);
	report_functions(&s.report);
	CHECK_U64(events_of(&s.report, "tcp_sendmsg"), 411ULL * CYCLES);
	sample_release(&s);
}

static const struct frame frames[] = { { .name = "main" },
				       { .name = "compute" },
				       { .name = "read" },
				       { .name = "[on CPU]", .kind = FRAME_NOTE },
				       { .name = "[blocked]", .kind = FRAME_NOTE } };

TEST(share_of_time_off_the_cpu)
{
	struct sample s;
	const struct report *r = &s.report;

	sample_init(&s, frames, ARRAY_SIZE(frames));
	sample_waits(&s, "offcpu", SHAPE_STACK);
	s.run.colors_off_cpu = true;
	sample_add(&s, "app", 1, 30 * NS_PER_MS, NULL, PATH(3, 1, 0));
	sample_add(&s, "app", 1, 10 * NS_PER_MS, NULL, PATH(4, 1, 0));
	sample_add(&s, "app", 1, 20 * NS_PER_MS, NULL, PATH(4, 2, 0));
	check_in("share", &r, 1, IN_SVG, &plain);
	check_in("share", &r, 1, IN_HTML, &plain);
	check_in("share", &r, 1, IN_JSON, &plain);
	sample_release(&s);
}
