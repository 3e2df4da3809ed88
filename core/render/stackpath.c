// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "render/stackpath.h"

#include <string.h>

#include "render/framelabel.h"

const char *const chain_end_texts[CHAIN_N_ENDS] = {
	[CHAIN_END_RUNNING] = "[running]", [CHAIN_END_CYCLE] = "[cycle]",
	[CHAIN_END_DEPTH] = "[depth]",	   [CHAIN_END_UNKNOWN] = "[unknown waker]",
	[CHAIN_END_OPEN] = "[not over]",
};

const char whole_window_text[] = "[whole window]";

const char *no_waker_text(const struct waker_chain *chain)
{
	return chain_end_texts[chain->end] ?: chain_end_texts[CHAIN_END_UNKNOWN];
}

void waker_add_name(struct str *out, enum waker_kind kind, const char *name)
{
	if (kind == WAKER_THREAD)
		str_adds(out, name ? name : "[thread]");
	else if (name)
		str_addf(out, "%s:%s", waker_kind_names[kind], name);
	else
		str_adds(out, waker_kind_names[kind]);
}

static void add(struct steps *s, struct step step)
{
	vec_push(&s->list, step);
}

static void add_text(struct steps *s, enum step_what what, const char *text, bool is_waker)
{
	add(s, (struct step){ .what = what, .text = text, .is_waker = is_waker });
}

/* Add a stack, root first. */
static void add_stack(struct steps *s, const struct stack_frames *f, bool delimited)
{
	for (u32 i = f->n_user; i-- > 0;)
		add(s, (struct step){ .what = STEP_FRAME, .frame = f->user[i] });
	if (delimited && f->n_user && f->n_kernel)
		add_text(s, STEP_DELIMITER, "-", false);
	for (u32 i = f->n_kernel; i-- > 0;)
		add(s, (struct step){ .what = STEP_FRAME, .frame = f->kernel[i] });
}

/* Add a stack, leaf first. */
static void add_upside_down(struct steps *s, const struct stack_frames *f)
{
	for (u32 i = 0; i < f->n_kernel; i++)
		add(s, (struct step){ STEP_FRAME, true, .frame = f->kernel[i] });
	for (u32 i = 0; i < f->n_user; i++)
		add(s, (struct step){ STEP_FRAME, true, .frame = f->user[i] });
}

static void add_task(struct steps *s, const struct report *r, const struct stack_row *row)
{
	if (report_task(r, row)->root)
		add_text(s, STEP_TASK, report_task(r, row)->root, false);
}

static void add_waker(struct steps *s, const struct report *r, const struct waker_link *link)
{
	const char *name = link->kind == WAKER_THREAD ? r->tasks[link->task].root : link->name;

	add(s, (struct step){ STEP_WAKER, true, link->kind, .text = name });
}

static void add_end(struct steps *s, const struct waker_chain *chain)
{
	add_text(s, STEP_END, chain_end_texts[chain->end], true);
}

static void get_frames(const struct report *r, const struct waker_link *link,
		       struct stack_frames *out)
{
	const struct stack_row stack = { .kernel = link->kernel, .user = link->user };

	report_frames(r, &stack, out);
}

static void add_wakeup(struct steps *s, const struct report *r, const struct stack_row *row,
		       bool delimited)
{
	const struct waker_chain *chain = report_chain(r, row->chain);
	struct stack_frames f;

	if (chain->n) {
		get_frames(r, report_link(r, chain, 0), &f);
		add_waker(s, r, report_link(r, chain, 0));
		add_stack(s, &f, delimited);
	} else {
		add_text(s, STEP_END, no_waker_text(chain), true);
	}
	add_task(s, r, row);
}

static void add_chain(struct steps *s, const struct report *r, const struct waker_chain *chain)
{
	struct stack_frames f;

	for (u32 i = 0; i < chain->n; i++) {
		get_frames(r, report_link(r, chain, i), &f);
		add_text(s, STEP_SEPARATOR, "--", true);
		add_upside_down(s, &f);
		add_waker(s, r, report_link(r, chain, i));
	}
	if (!chain_end_texts[chain->end])
		return;
	add_text(s, STEP_SEPARATOR, "--", true);
	add_end(s, chain);
}

void steps_make(struct steps *s, const struct report *r, const struct stack_row *row,
		bool delimited)
{
	struct stack_frames f;

	s->list.n = 0;
	if (row->is_whole)
		add_text(s, STEP_WHOLE, whole_window_text, false);
	if (r->run->shape == SHAPE_WAKEUP) {
		add_wakeup(s, r, row, delimited);
		return;
	}
	report_frames(r, row, &f);
	add_task(s, r, row);
	add_stack(s, &f, delimited);
	if (r->run->shape == SHAPE_CHAIN)
		add_chain(s, r, report_chain(r, row->chain));
}

void steps_release(struct steps *s)
{
	vec_release(&s->list);
}

bool step_is_same(const struct step *a, const struct step *b, const u32 *looks)
{
	if (a->what != b->what || a->kind != b->kind)
		return false;
	if (a->what == STEP_FRAME)
		return looks[a->frame] == looks[b->frame];
	if (!a->text || !b->text)
		return a->text == b->text;
	return !strcmp(a->text, b->text);
}

void step_add_name(struct str *out, const struct report *r, const struct step *step)
{
	if (step->what == STEP_FRAME)
		label_add(out, &r->frames[step->frame], false);
	else if (step->what == STEP_WAKER)
		waker_add_name(out, step->kind, step->text);
	else
		str_adds(out, step->text);
}
