// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Reads the threads of a dump (render/threads.c writes them). */
#include <string.h>

#include "saved/jsonfields.h"

static struct thread_other take_other(struct reading *r, const json_t *o)
{
	const json_t *other = field_object(r, o, "other");
	struct thread_other out = { .pid = -1, .tid = -1 };

	if (!other)
		return out;
	/* [0] has no name. */
	out.role = (enum thread_role)(
		1 + field_choice(r, other, "role", thread_role_names + 1, THREAD_N_ROLES - 1));
	out.comm = json_take_comm(r, other);
	out.pid = field_id(r, other, "pid");
	out.tid = field_id(r, other, "tid");
	out.n_more = (u32)field_u64(r, other, "more", 0);
	return out;
}

static const char *or_empty(const char *text)
{
	return text ? text : "";
}

static struct thread_row take_row(struct reading *r, const json_t *o)
{
	struct thread_row t = {
		.pid = field_id(r, o, "pid"),
		.tid = field_id(r, o, "tid"),
		.comm = or_empty(json_take_comm(r, o)),
		.process = or_empty(field_text(r, o, "process")),
		.state = or_empty(field_text(r, o, "state")),
		.letter = or_empty(field_text(r, o, "letter"))[0],
		.age_ns = THREAD_AGE_UNKNOWN,
		.object = field_text(r, o, "object"),
		.other = take_other(r, o),
	};

	if (json_is_number(json_object_get(o, "for")))
		t.age_ns = field_seconds(r, o, "for");
	return t;
}

void json_take_thread(struct reading *r, const json_t *o, struct report *report)
{
	struct thread_row t = take_row(r, o);
	struct stack_row row = { .value = 1, .count = 1 };
	bool is_full = false;

	row.task = saved_task(
		r->s, (struct stack_task){
			      .root = t.comm, .comm = t.comm, .pid = t.pid, .tid = -1, .cpu = -1 });
	row.kernel = json_take_frames(r, o, "kernel", &is_full);
	row.user = json_take_frames(r, o, "user", &is_full);
	if (is_full)
		row.user = saved_note(r->s, NOTE_OTHER);
	t.stack = (u32)report->stacks.n;
	vec_push(&report->stacks, row);
	vec_push(&report->threads, t);
	report->total++;
}
