// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Threads as they were at one moment, for people: by process, threads that look the same only once.
 *
 *	nginx (1200), 14 threads, 12:17:49
 *
 *	"worker" (1203)  lock, for 12.4 s: futex 0x7f30c4000b20, held by "main" (1200)
 *	    __futex_wait
 *	    ...
 *
 *	"pool-1" (1204) and 11 more  condition, for 3.1 s to 12.4 s: futex 0x7f30c4000c48 and others
 *	  also: 1205 1206 ...
 *	    ...
 */
#include "render/threads.h"

#include <string.h>

#include "base/duration.h"
#include "base/utf8.h"
#include "render/jsonrecord.h"
#include "render/textwriter.h"

#define COLUMNS_DEFAULT 80 /* where there is no terminal */
#define PART_INDENT	2  /* for a line below a heading that is not a frame */

/* ---- parts ---- */

/* "worker" in quotes, because a name may contain blanks. */
static void add_name(struct str *out, const char *comm, s64 id)
{
	if (comm) {
		str_addc(out, '"');
		utf8_add_clean(out, view_of(comm));
		str_adds(out, "\" ");
	}
	str_addf(out, "(%lld)", id);
}

static void add_other(struct str *out, const struct thread_other *o)
{
	static const char *const phrases[THREAD_N_ROLES] = {
		[THREAD_OWNER] = ", held by ",
		[THREAD_PEER] = ", other end: ",
		[THREAD_CHILD] = " ",
		[THREAD_JOINED] = " ",
	};

	if (o->role == THREAD_NOBODY)
		return;
	str_adds(out, phrases[o->role]);
	add_name(out, o->comm, o->tid >= 0 ? o->tid : o->pid);
	if (o->n_more)
		str_addf(out, " and %u more", o->n_more);
}

static void add_blocked(struct str *out, const struct thread_row *t)
{
	if (t->n_blocked)
		str_addf(out, "; %u thread%s wait%s for its lock", t->n_blocked,
			 t->n_blocked > 1 ? "s" : "", t->n_blocked > 1 ? "" : "s");
}

/* ---- groups ---- */

struct listing {
	const struct render *out;
	const struct report *r;
	struct texts texts;
	struct thread_groups groups;
	size_t columns;
};

static const struct thread_row *row_of(const struct listing *l, const struct thread_group *g, u32 i)
{
	return &l->r->threads.items[l->groups.order[g->first + i]];
}

static bool has_others(const struct listing *l, const struct thread_group *g)
{
	const char *object = row_of(l, g, 0)->object;

	for (u32 i = 1; object && i < g->n; i++)
		if (!row_of(l, g, i)->object || strcmp(row_of(l, g, i)->object, object) != 0)
			return true;
	return false;
}

static void add_state(struct str *out, const struct thread_row *t, const struct thread_group *g)
{
	struct str youngest = { 0 }, oldest = { 0 };

	utf8_add_clean(out, view_of(!strcmp(t->state, "waiting") ? "waiting for a CPU" : t->state));
	if (t->letter == 'D')
		str_adds(out, " (D)");
	if (g->oldest_ns == THREAD_AGE_UNKNOWN)
		return;
	duration_add(&youngest, g->youngest_ns);
	duration_add(&oldest, g->oldest_ns);
	str_addf(out, ", for %s", str_text(&youngest));
	if (strcmp(str_text(&youngest), str_text(&oldest)) != 0)
		str_addf(out, " to %s", str_text(&oldest));
	str_release(&youngest);
	str_release(&oldest);
}

/* Add what the threads wait for, and what waits for them, as far as it is known. */
static void add_details(struct str *out, const struct listing *l, const struct thread_group *g)
{
	const struct thread_row *t = row_of(l, g, 0);

	if (t->object)
		utf8_add_clean(out, view_of(t->object));
	if (has_others(l, g))
		str_adds(out, " and others");
	add_other(out, &t->other);
	add_blocked(out, t);
}

static void add_heading(const struct listing *l, const struct thread_group *g)
{
	struct str *buf = &l->out->sink->buf, name = { 0 }, state = { 0 }, details = { 0 };
	const struct thread_row *t = row_of(l, g, 0);
	size_t used;

	add_name(&name, t->comm, t->tid);
	if (g->n > 1)
		str_addf(&name, " and %u more", g->n - 1);
	add_state(&state, t, g);
	add_details(&details, l, g);
	text_add_colored(l->out, COLOR_TASK, str_view(&name));
	str_adds(buf, "  ");
	text_add_colored(l->out, COLOR_VALUE, str_view(&state));
	used = utf8_columns(str_view(&name)) + 2 + utf8_columns(str_view(&state));
	if (details.n && details.p[0] == ';')
		str_adds(buf, details.p);
	else if (details.n && used + 2 + utf8_columns(str_view(&details)) <= l->columns)
		str_addf(buf, ": %s", details.p);
	else if (details.n)
		str_addf(buf, ":\n%*s%s", PART_INDENT, "", details.p);
	str_addc(buf, '\n');
	str_release(&name);
	str_release(&state);
	str_release(&details);
}

/* The other threads of a group, as many as fit in a line. */
static void add_members(const struct listing *l, const struct thread_group *g)
{
	struct str *buf = &l->out->sink->buf, line = { 0 };
	u32 i;

	if (g->n < 2)
		return;
	str_addf(&line, "%*salso:", PART_INDENT, "");
	for (i = 1; i < g->n && line.n + 16 < l->columns; i++)
		str_addf(&line, " %lld", row_of(l, g, i)->tid);
	if (i < g->n)
		str_adds(&line, " ...");
	str_adds(buf, str_text(&line));
	str_addc(buf, '\n');
	str_release(&line);
}

static void add_group(struct listing *l, const struct thread_group *g)
{
	const struct stack_row *row = &l->r->stacks.items[row_of(l, g, 0)->stack];
	struct stack_frames f;

	add_heading(l, g);
	add_members(l, g);
	report_frames(l->r, row, &f);
	text_add_frames(l->out, &l->texts, &f, "--");
	str_addc(&l->out->sink->buf, '\n');
	sink_spill(l->out->sink);
}

/* ---- processes ---- */

/* The groups of one process are in a row. */
static size_t end_of_process(const struct listing *l, size_t from, u32 *n_threads)
{
	s64 pid = row_of(l, &l->groups.v.items[from], 0)->pid;

	*n_threads = 0;
	while (from < l->groups.v.n && row_of(l, &l->groups.v.items[from], 0)->pid == pid)
		*n_threads += l->groups.v.items[from++].n;
	return from;
}

static void add_process(const struct listing *l, const struct thread_row *t, u32 n_threads)
{
	struct str name = { 0 }, *buf = &l->out->sink->buf;

	utf8_add_clean(&name, view_of(t->process));
	str_addf(&name, " (%lld), %u thread%s", t->pid, n_threads, n_threads == 1 ? "" : "s");
	if (l->r->run->realtime_ns) {
		str_adds(&name, ", ");
		text_add_clock(&name, l->r);
	}
	text_add_colored(l->out, COLOR_TASK, str_view(&name));
	str_adds(buf, "\n\n");
	str_release(&name);
}

/* "deadlock: "a" (1) > "b" (2) > "a" (1)": each waits for a lock that the next one holds. */
static void add_circle(const struct listing *l, u32 row, bool *is_told)
{
	struct str line = { 0 };
	u32 at = row;

	str_adds(&line, "deadlock: ");
	do {
		const struct thread_row *t = &l->r->threads.items[at];

		is_told[at] = true;
		add_name(&line, t->comm, t->tid);
		str_adds(&line, " > ");
		at = t->owner - 1;
	} while (at != row);
	add_name(&line, l->r->threads.items[row].comm, l->r->threads.items[row].tid);
	text_add_colored(l->out, COLOR_VALUE, str_view(&line));
	str_adds(&l->out->sink->buf, "\n\n");
	str_release(&line);
}

static void add_circles(const struct listing *l, size_t from, size_t end, bool *is_told)
{
	for (size_t i = from; i < end; i++) {
		u32 row = l->groups.order[l->groups.v.items[i].first];

		if (l->r->threads.items[row].is_deadlocked && !is_told[row])
			add_circle(l, row, is_told);
	}
}

void threads_text(struct render *out, const struct report *r)
{
	struct listing l = { .out = out, .r = r, .columns = out->columns ?: COLUMNS_DEFAULT };
	bool *is_told = mem_alloc(r->threads.n + 1, sizeof(*is_told));
	size_t n, end, shown;
	u32 n_threads;

	report_group_threads(r, out->opts->each_thread, &l.groups);
	texts_init(&l.texts, r, out->opts, text_make_name);
	n = l.groups.v.n;
	out->n_rows = n;
	for (size_t from = 0; from < n; from = end) {
		end = end_of_process(&l, from, &n_threads);
		add_process(&l, row_of(&l, &l.groups.v.items[from], 0), n_threads);
		add_circles(&l, from, end, is_told);
		shown = text_n_shown(out, end - from);
		for (size_t i = from; i < from + shown; i++)
			add_group(&l, &l.groups.v.items[i]);
		if (shown < end - from)
			str_addf(&out->sink->buf, "... %zu more stacks; --top 0 shows them\n\n",
				 end - from - shown);
		out->n_records += shown;
	}
	texts_release(&l.texts);
	thread_groups_release(&l.groups);
	free(is_told);
}

/* ---- JSON ---- */

static void add_json_other(struct jsonw *w, const struct thread_other *o)
{
	if (o->role == THREAD_NOBODY)
		return;
	json_open(w, "other", '{');
	json_text(w, "role", thread_role_names[o->role]);
	if (o->comm)
		json_record_comm(w, o->comm);
	if (o->pid >= 0)
		json_s64(w, "pid", o->pid);
	if (o->tid >= 0)
		json_s64(w, "tid", o->tid);
	if (o->n_more)
		json_u64(w, "more", o->n_more);
	json_close(w, '}');
}

static void add_json_thread(struct render *out, const struct report *r, struct texts *texts,
			    const struct thread_row *t)
{
	struct jsonw w = json_record_begin(out, "thread");
	const char letter[2] = { t->letter, '\0' };

	json_u64(&w, "iv", r->interval);
	json_record_comm(&w, t->comm);
	json_s64(&w, "pid", t->pid);
	json_s64(&w, "tid", t->tid);
	json_text(&w, "process", t->process);
	json_text(&w, "state", t->state);
	json_text(&w, "letter", letter);
	if (t->age_ns == THREAD_AGE_UNKNOWN)
		json_none(&w, "for");
	else
		json_seconds(&w, "for", t->age_ns, 9);
	json_text(&w, "object", t->object);
	add_json_other(&w, &t->other);
	json_u64(&w, "blocks", t->n_blocked);
	json_bool(&w, "deadlock", t->is_deadlocked);
	json_record_stack(&w, texts, &r->stacks.items[t->stack]);
	json_record_end(out, &w);
}

void threads_json(struct render *out, const struct report *r)
{
	struct thread_groups groups;
	struct texts texts;

	report_group_threads(r, true, &groups);
	texts_init(&texts, r, out->opts, json_record_frame);
	for (size_t i = 0; i < r->threads.n; i++)
		add_json_thread(out, r, &texts, &r->threads.items[groups.order[i]]);
	out->n_rows = r->threads.n;
	out->n_records += r->threads.n;
	texts_release(&texts);
	thread_groups_release(&groups);
}
