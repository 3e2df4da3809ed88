// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Reads the text of `perf script` with its default fields, with or without --header: a line for
 * each sample, its frames leaf first, an empty line.  Each sample counts as one, as in perf's own
 * flame graphs.  If there are several events, only one is read.
 */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/num.h"
#include "saved/perfline.h"
#include "saved/saved_int.h"

struct script {
	struct reading *r;
	struct report report;
	const char *event;	/* interned; NULL: no sample yet */
	u64 n_others;		/* samples of other events */
	u64 first_ns, last_ns;	/* those of the event's samples */
	u64 period;		/* that of the last sample */
	bool has_periods;	/* they differ */
	bool is_open, is_taken; /* in a sample; the sample is of our event */
	struct stack_row row;
	struct timed_sample sample; /* with keeps_samples; its time is the file's */
	VEC(u32) frames;	    /* leaf first */
	bool is_lost;		    /* a frame for which there was no room */
};

/* ---- the header ---- */

static void set_text(struct reading *r, const char **field, struct view v)
{
	*field = intern_n(&r->s->strings, v.p, v.n);
}

/* "# hostname : db7" */
static void take_comment(struct script *s, struct view line)
{
	struct run_info *run = &s->r->run;
	struct view key, value = line;
	u64 n;

	if (!view_split(&value, ':', &key) || value.n < 2 || value.p[0] != ' ')
		return;
	value.p++;
	value.n--;
	while (key.n && key.p[key.n - 1] == ' ')
		key.n--;
	if (view_eq(key, "# hostname"))
		set_text(s->r, &run->host, value);
	else if (view_eq(key, "# os release"))
		set_text(s->r, &run->kernel, value);
	else if (view_eq(key, "# arch"))
		set_text(s->r, &run->arch, value);
	else if (view_eq(key, "# nrcpus online") && num_parse_dec(value, &n) && n <= UINT32_MAX)
		run->cpus_online = (u32)n;
}

/* ---- frames ---- */

static void take_frame(struct script *s, const struct perf_frame *frame)
{
	struct saved *saved = s->r->s;
	struct frame f = { 0 };
	u32 id = SAVED_NONE;

	if (!s->is_taken)
		return;
	if (!saved->tables->is_full) {
		saved_set_module(saved, &f, frame->module);
		if (frame->symbol.n)
			f.name = intern_n(&saved->strings, frame->symbol.p, frame->symbol.n);
		if (frame->symbol.n && view_starts(frame->symbol, "bpf_prog_"))
			f.kind = FRAME_BPF;
		if (!f.name && !f.module)
			f.kind = FRAME_UNKNOWN;
		id = saved_frame(saved, &f);
	}
	s->is_lost |= id == SAVED_NONE;
	vec_push(&s->frames, id);
}

static int end_sample(struct script *s)
{
	struct reading *r = s->r;

	if (!s->is_open || !s->is_taken) {
		s->is_open = false;
		return 0;
	}
	s->is_open = false;
	if (s->is_lost || !saved_stack(r->s, s->frames.items, s->frames.n, &s->row)) {
		s->row.kernel = 0;
		s->row.user = saved_note(r->s, NOTE_OTHER);
		s->report.ledger.lost[LOST_stack_full]++;
	}
	if (!r->opts->keeps_samples)
		return saved_count(r, &s->report, &s->row, NULL);
	if (r->s->tables->is_full)
		return reading_fail(r, "more samples than --max-memory has room for");
	vec_push(&s->report.samples, s->sample);
	return saved_count(r, &s->report, &s->row,
			   &s->report.samples.items[s->report.samples.n - 1].row);
}

/* ---- samples ---- */

static bool is_our_event(struct script *s, struct view event)
{
	if (!s->event)
		s->event = s->r->opts->value && view_eq(event, s->r->opts->value)
				   ? s->r->opts->value
			   : s->r->opts->value ? NULL
					       : intern_n(&s->r->s->strings, event.p, event.n);
	return s->event && view_eq(event, s->event);
}

static struct stack_task task_of(struct script *s, const struct perf_sample *sample)
{
	struct intern *strings = &s->r->s->strings;
	const char *comm = intern_n(strings, sample->comm.p, sample->comm.n);

	/* A single number is the thread's, and threads have their own names. */
	return (struct stack_task){
		.root = comm, .comm = comm, .pid = sample->pid, .tid = -1, .cpu = -1
	};
}

/* perf has -1 where there is none. */
static u32 known_id(s64 id)
{
	return id < 0 ? 0 : (u32)id;
}

static int begin_sample(struct script *s, const struct perf_sample *sample)
{
	struct perf_frame frame;

	s->is_open = true;
	s->is_taken = is_our_event(s, sample->event);
	s->is_lost = false;
	s->frames.n = 0;
	if (!s->is_taken) {
		s->n_others++;
		return 0;
	}
	if (!s->report.total || sample->time_ns < s->first_ns)
		s->first_ns = sample->time_ns;
	if (sample->time_ns > s->last_ns)
		s->last_ns = sample->time_ns;
	s->has_periods |= s->report.total && s->period != sample->period;
	s->period = sample->period;
	saved_look(s->r->s);
	s->row = (struct stack_row){ .task = s->r->s->tables->is_full
						     ? 0
						     : saved_task(s->r->s, task_of(s, sample)),
				     .value = 1,
				     .count = 1 };
	s->sample = (struct timed_sample){ .time_ns = sample->time_ns,
					   .n = 1,
					   .pid = known_id(sample->pid),
					   .tid = known_id(sample->tid),
					   .cpu = known_id(sample->cpu) };
	/* Without call graphs, the address is in the same line. */
	if (perf_line_is_frame(sample->rest, &frame))
		take_frame(s, &frame);
	return 0;
}

static int take_line(struct script *s, struct view line)
{
	struct perf_sample sample;
	struct perf_frame frame;
	int ret;

	while (line.n && (line.p[line.n - 1] == '\r' || line.p[line.n - 1] == ' '))
		line.n--;
	if (!line.n)
		return end_sample(s);
	if (line.p[0] == '#') {
		take_comment(s, line);
		return 0;
	}
	if (s->is_open && (line.p[0] == '\t' || line.p[0] == ' ') &&
	    perf_line_is_frame(line, &frame)) {
		take_frame(s, &frame);
		return 0;
	}
	if (!perf_line_is_sample(line, &sample))
		/* Lines of other fields may follow a frame: srcline, brstack. */
		return s->is_open ? 0
				  : reading_fail(s->r,
						 "neither a sample of perf script nor a frame; its "
						 "default fields are read");
	ret = end_sample(s);
	return ret ? ret : begin_sample(s, &sample);
}

/* ---- the end ---- */

static void set_run(struct script *s)
{
	static const char *const clocks[] = { "cpu-clock", "task-clock" };
	struct run_info *run = &s->r->run;
	size_t n = s->event ? strcspn(s->event, ":") : 0;

	run->command = "profile";
	run->title = "CPU profile";
	run->event = s->event;
	if (!s->event || s->has_periods || !s->period)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(clocks); i++)
		if (strlen(clocks[i]) == n && !strncmp(clocks[i], s->event, n)) {
			run->event = clocks[i];
			run->freq_hz = (NS_PER_SEC + s->period / 2) / s->period;
			return;
		}
	run->period = s->period > 1 ? s->period : 0;
}

static int time_cmp(const void *a, const void *b)
{
	const struct timed_sample *x = a, *y = b;

	return (x->time_ns > y->time_ns) - (x->time_ns < y->time_ns);
}

/* The run began with the first sample. */
static void set_times(struct script *s)
{
	struct timed_sample *sample;

	s->report.end_ns = s->last_ns - s->first_ns;
	if (!s->report.samples.n)
		return;
	s->r->run.monotonic_ns = s->first_ns;
	vec_for_each(sample, &s->report.samples)
		sample->time_ns -= s->first_ns;
	qsort(s->report.samples.items, s->report.samples.n, sizeof(*s->report.samples.items),
	      time_cmp);
	s->r->s->has_samples = true;
}

static int finish(struct script *s)
{
	struct reading *r = s->r;

	if (r->opts->value && !s->event) {
		err_set(r->err, ERR_FAIL, "%s: no sample of the event '%s'", r->in.name,
			r->opts->value);
		return -ERR_FAIL;
	}
	if (s->n_others)
		log_warn(
			"other-events",
			s->n_others == 1
				? "%s: %llu sample of another event than %s is left out: --value EVENT "
				  "chooses"
				: "%s: %llu samples of other events than %s are left out: --value EVENT "
				  "chooses",
			r->in.name, s->n_others, s->event);
	set_run(s);
	set_times(s);
	saved_add_report(r, &s->report);
	return 0;
}

int saved_read_perf(struct reading *r)
{
	struct script s = { .r = r, .report = { .kind = REPORT_STACKS } };
	struct view line;
	int ret;

	while ((ret = input_line(&r->in, &line, r->err)) > 0) {
		ret = take_line(&s, line);
		if (ret)
			break;
	}
	ret = ret ?: end_sample(&s) ?: finish(&s);
	report_release(&s.report);
	vec_release(&s.frames);
	return ret;
}
