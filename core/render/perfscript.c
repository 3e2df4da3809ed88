// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Single samples as `perf script` prints them, which Firefox Profiler, speedscope, FlameScope and
 * perf's own scripts read: a line for each sample, its frames leaf first, an empty line.
 *
 * Times are those of perf's default clock, CLOCK_MONOTONIC.  A frame that processes share has the
 * address in its file, since its address in memory differs between them.
 */
#include <string.h>

#include "base/utf8.h"
#include "render/framelabel.h"
#include "render/renderer.h"
#include "render/singles.h"
#include "render/summary.h"
#include "saved/pproffields.h"

static void add_view(struct str *out, struct view v)
{
	str_add(out, v.p, v.n);
}

/* ---- header ---- */

static void add_text_line(struct str *buf, const char *key, const char *text)
{
	if (!text)
		return;
	str_addf(buf, "# %s : ", key);
	utf8_add_clean(buf, view_of(text));
	str_addc(buf, '\n');
}

/* The header of `perf script --header`, as far as we know it; tools recognize its first line. */
static void perf_begin(struct render *out)
{
	const struct run_info *run = out->run;
	struct str *buf = &out->sink->buf, command = { 0 };

	out->n_bytes = out->n_left = 0;
	about_command(&command, run);
	str_adds(buf, "# ========\n");
	add_text_line(buf, "hostname", run->host);
	add_text_line(buf, "os release", run->kernel);
	add_text_line(buf, "arch", run->arch);
	if (run->cpus_online)
		str_addf(buf, "# nrcpus online : %u\n", run->cpus_online);
	add_text_line(buf, "cmdline", str_text(&command));
	str_adds(buf, "# ========\n#\n");
	str_release(&command);
}

/* ---- frames ---- */

static void add_module(struct str *out, const struct frame *f)
{
	if (f->kind == FRAME_KERNEL)
		str_adds(out, KERNEL_MAPPING);
	else if (!f->module)
		str_adds(out, "[unknown]");
	else if (frame_is_kernel(f->kind) && f->module[0] != '[')
		str_addf(out, "[%s]", f->module);
	else
		str_adds(out, f->module);
}

/* "\t    55d0c0a81139 main+0x19 (/usr/bin/app)\n" */
static void add_frame(struct str *out, const struct frame *f, const struct render_opts *opts)
{
	struct str text = { 0 };

	(void)opts;
	str_addf(out, "\t%16llx ", f->addr ? f->addr : f->vaddr);
	str_adds(&text, f->name ? f->name : "[unknown]");
	/* A frame that was read from a file may have no address. */
	if (f->name && (f->addr || f->vaddr))
		str_addf(&text, "+0x%llx", f->off);
	str_adds(&text, " (");
	add_module(&text, f);
	utf8_add_clean(out, str_view(&text));
	str_adds(out, ")\n");
	str_release(&text);
}

static void add_frames(struct str *buf, struct texts *texts, u32 node)
{
	for (; node; node = texts->report->nodes[node].parent)
		add_view(buf, texts_get(texts, texts->report->nodes[node].frame));
}

/* ---- samples ---- */

/* The name of the thread; perf has ":1234" where there is none. */
static void add_comm(struct str *buf, const struct stack_task *task, u32 tid)
{
	const char *name = task->comm ? task->comm : task->root;
	struct str clean = { 0 };

	if (name)
		utf8_add_clean(&clean, view_of(name));
	if (strspn(str_text(&clean), " ") == clean.n)
		str_addf(buf, ":%u", tid);
	else
		add_view(buf, str_view(&clean));
	str_release(&clean);
}

static u64 period_of(const struct run_info *run)
{
	if (run->period)
		return run->period;
	return run->freq_hz ? NS_PER_SEC / run->freq_hz : 1;
}

static void add_sample(struct str *buf, const struct report *r, const struct timed_sample *s)
{
	u64 ns = r->run->monotonic_ns + s->time_ns;

	add_comm(buf, report_task(r, &r->stacks.items[s->row]), s->tid);
	str_addf(buf, " %u/%u [%03u] %llu.%09llu: %10llu ", s->pid, s->tid, s->cpu, ns / NS_PER_SEC,
		 ns % NS_PER_SEC, period_of(r->run));
	utf8_add_clean(buf, view_of(r->run->event ? r->run->event : "samples"));
	str_adds(buf, ":\n");
}

static void perf_report(struct render *out, const struct report *r)
{
	struct str *buf = &out->sink->buf;
	const struct timed_sample *s;
	struct texts texts;

	/* The report at the end of the window has these samples again. */
	if (r->is_snapshot)
		return;
	texts_init(&texts, r, out->opts, add_frame);
	vec_for_each(s, &r->samples) {
		size_t before = buf->n;

		if (singles_are_over(out))
			continue;
		add_sample(buf, r, s);
		add_frames(buf, &texts, r->stacks.items[s->row].kernel);
		add_frames(buf, &texts, r->stacks.items[s->row].user);
		str_addc(buf, '\n');
		out->n_bytes += buf->n - before;
		out->n_records++;
		sink_spill(out->sink);
	}
	texts_release(&texts);
	singles_end_report(out, r);
}

static const char *const extensions[] = { ".perf", NULL };

const struct renderer perf_renderer = {
	.name = "perf",
	.extensions = extensions,
	.kinds = REPORT_STACKS,
	.needs_samples = true,
	.begin = perf_begin,
	.report = perf_report,
};
