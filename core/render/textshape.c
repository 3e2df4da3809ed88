// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The lines of a stack in text, with its task and its wakers (text.c shows the three shapes). */
#include "render/stackpath.h"
#include "render/textwriter.h"

static void add_task(const struct render *out, const char *role, const struct stack_task *task)
{
	struct str name = { 0 };

	text_add_task(&name, task);
	text_add_who(out, role, &name);
	str_release(&name);
}

static void add_waker(const struct render *out, const struct report *r,
		      const struct waker_link *link)
{
	struct str name = { 0 };

	text_add_waker(&name, r, link);
	text_add_who(out, "waker:", &name);
	str_release(&name);
}

static void get_frames(const struct report *r, const struct waker_link *link,
		       struct stack_frames *out)
{
	const struct stack_row stack = { .kernel = link->kernel, .user = link->user };

	report_frames(r, &stack, out);
}

static void add_plain(const struct render *out, struct texts *texts, const struct stack_row *row)
{
	struct str who = { 0 };

	text_add_task(&who, report_task(texts->report, row));
	text_add_stack(out, texts, row->kernel, row->user, &who);
	str_release(&who);
}

static void add_wakeup(const struct render *out, struct texts *texts, const struct stack_row *row)
{
	const struct report *r = texts->report;
	const struct waker_chain *chain = report_chain(r, row->chain);
	struct str unknown = { 0 };
	struct stack_frames f;

	add_task(out, "target:", report_task(r, row));
	if (chain->n) {
		get_frames(r, report_link(r, chain, 0), &f);
		text_add_frames(out, texts, &f, "-");
		add_waker(out, r, report_link(r, chain, 0));
		return;
	}
	str_adds(&unknown, no_waker_text(chain));
	text_add_who(out, "waker:", &unknown);
	str_release(&unknown);
}

static void add_upside_down(const struct render *out, struct texts *texts,
			    const struct waker_link *link)
{
	struct stack_frames f;

	get_frames(texts->report, link, &f);
	add_waker(out, texts->report, link);
	for (u32 i = f.n_user; i-- > 0;)
		text_add_frame(out, texts, f.user[i]);
	if (out->opts->delimited && f.n_kernel && f.n_user)
		text_add_separator(out, "-");
	for (u32 i = f.n_kernel; i-- > 0;)
		text_add_frame(out, texts, f.kernel[i]);
}

static void add_chain(const struct render *out, struct texts *texts, const struct stack_row *row)
{
	const struct report *r = texts->report;
	const struct waker_chain *chain = report_chain(r, row->chain);
	struct stack_frames f;

	if (chain_end_texts[chain->end]) {
		text_add_separator(out, chain_end_texts[chain->end]);
		text_add_separator(out, "--");
	}
	for (u32 i = chain->n; i-- > 0;) {
		add_upside_down(out, texts, report_link(r, chain, i));
		text_add_separator(out, "--");
	}
	report_frames(r, row, &f);
	text_add_frames(out, texts, &f, "-");
	add_task(out, "target:", report_task(r, row));
}

static void (*const add_shape[])(const struct render *out, struct texts *texts,
				 const struct stack_row *row) = {
	[SHAPE_STACK] = add_plain,
	[SHAPE_WAKEUP] = add_wakeup,
	[SHAPE_CHAIN] = add_chain,
};

void text_add_shape(const struct render *out, struct texts *texts, const struct stack_row *row)
{
	add_shape[texts->report->run->shape](out, texts, row);
}
