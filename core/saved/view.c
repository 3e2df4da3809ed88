// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "saved/view.h"

#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "base/num.h"
#include "saved/saved_int.h"

/* Reports whose rows have no root frame. */
#define KINDS_WITHOUT_TASKS (REPORT_COUNTS | REPORT_DISTS | REPORT_EVENTS)

/* ---- the tasks that rows have ---- */

static void mark_rows(const struct saved *s, const struct report *r, bool *used)
{
	const struct stack_row *row;
	const struct state_row *state;

	vec_for_each(row, &r->stacks) {
		const struct waker_chain *chain = report_chain(r, row->chain);

		used[row->task] = true;
		for (u32 i = 0; i < chain->n; i++)
			used[report_link(r, chain, i)->task] |=
				report_link(r, chain, i)->kind == WAKER_THREAD;
	}
	vec_for_each(state, &r->states)
		used[state->task] = true;
	(void)s;
}

/* The tasks to which rows refer; the caller frees the result. */
static bool *used_tasks(const struct saved *s)
{
	bool *used = mem_alloc(s->tables->tasks.n + 1, sizeof(*used));
	const struct report *r;

	vec_for_each(r, &s->reports)
		mark_rows(s, r, used);
	return used;
}

/* ---- grouping ---- */

struct group {
	const char *name, *missing;
	bool needs_pid, needs_tid, needs_comm, needs_cgroup, needs_cpu;
};

static const struct group groups[] = {
	[SAVED_BY_PID] = { .name = "pid",
			   .missing = "processes",
			   .needs_pid = true,
			   .needs_comm = true },
	[SAVED_BY_TID] = { .name = "tid",
			   .missing = "threads",
			   .needs_pid = true,
			   .needs_tid = true,
			   .needs_comm = true },
	[SAVED_BY_COMM] = { .name = "comm", .missing = "names of processes", .needs_comm = true },
	[SAVED_BY_CGROUP] = { .name = "cgroup", .missing = "cgroups", .needs_cgroup = true },
	[SAVED_BY_CPU] = { .name = "cpu", .missing = "CPUs", .needs_cpu = true },
	[SAVED_BY_NONE] = { .name = "none", .missing = "" },
};

static bool can_group(const struct stack_task *t, const struct group *g)
{
	return (!g->needs_pid || t->pid >= 0) && (!g->needs_tid || t->tid >= 0) &&
	       (!g->needs_comm || t->comm) && (!g->needs_cgroup || t->cgroup) &&
	       (!g->needs_cpu || t->cpu >= 0);
}

static void group_task(struct saved *s, struct stack_task *t, const struct group *g)
{
	struct stack_task had = *t;
	struct str root = { 0 };

	*t = (struct stack_task){
		.comm = g->needs_comm ? had.comm : NULL,
		.pid = g->needs_pid ? had.pid : -1,
		.tid = g->needs_tid ? had.tid : -1,
		.cpu = g->needs_cpu ? had.cpu : -1,
		.cgroup = g->needs_cgroup ? had.cgroup : NULL,
	};
	if (g == &groups[SAVED_BY_PID])
		str_addf(&root, "%s-%lld", t->comm, t->pid);
	else
		task_add_root(&root, t);
	t->root = root.n ? intern(&s->strings, str_text(&root)) : NULL;
	str_release(&root);
}

static const char *first_file(const struct saved *s)
{
	return s->files.n == 1 ? s->files.items[0].name : "one of the files";
}

static int refuse_functions(const struct saved *s, const char *option, struct err *err)
{
	if (s->kinds & KINDS_WITHOUT_TASKS)
		return err_set(err, ERR_FAIL, "%s: %s has %s, and no report of stacks", option,
			       first_file(s),
			       s->kinds & REPORT_COUNTS	  ? "counts"
			       : s->kinds & REPORT_EVENTS ? "events"
							  : "distributions");
	if (s->kinds != REPORT_FUNCS)
		return 0;
	return err_set(err, ERR_FAIL,
		       "%s: %s has functions, each summed over all its stacks, but not the stacks",
		       option, first_file(s));
}

int saved_group(struct saved *s, enum saved_by by, struct err *err)
{
	const struct group *g = &groups[by];
	struct saved_tables *t = s->tables;
	bool *used, is_able = true;
	int ret;

	if (by == SAVED_BY_FILES || (by == SAVED_BY_FILE && !(s->kinds & KINDS_WITHOUT_TASKS)))
		return 0;
	ret = refuse_functions(s, "--by", err);
	if (ret)
		return ret;
	used = used_tasks(s);
	for (size_t i = 0; i < t->tasks.n && is_able; i++) {
		is_able = !used[i] || can_group(&t->tasks.items[i], g);
		if (used[i] && is_able)
			group_task(s, &t->tasks.items[i], g);
	}
	free(used);
	if (is_able)
		return 0;
	err_set(err, ERR_FAIL, "--by %s: %s does not say the %s of its stacks", g->name,
		first_file(s), g->missing);
	return err_hint(err, "group by it in the run: bperf profile --by %s -o FILE.json", g->name);
}

/* ---- a part ---- */

static bool takes_pid(const struct saved_filter *f, const struct stack_task *t)
{
	for (size_t i = 0; i < f->n_pids; i++)
		if (t->pid == f->pids[i])
			return true;
	return !f->n_pids;
}

static bool takes_comm(const struct glob *globs, size_t n, const struct stack_task *t)
{
	for (size_t i = 0; i < n; i++)
		if (t->comm && glob_takes(&globs[i], view_of(t->comm)))
			return true;
	return !n;
}

/* The task that a row's key tells of. */
static struct stack_task task_of_key(const char *const *names, u32 n, const char *const *key)
{
	struct stack_task task = { .pid = -1, .tid = -1, .cpu = -1 };
	u64 pid;

	for (u32 i = 0; key && i < n; i++) {
		if (!task.comm && !strcmp(names[i], "comm"))
			task.comm = key[i];
		if (!strcmp(names[i], "pid") && num_parse_dec(view_of(key[i]), &pid))
			task.pid = (s64)pid;
	}
	return task;
}

/* A filter, as it is used. */
struct taking {
	const struct saved_filter *filter;
	struct glob *globs;
	bool *takes; /* for each task */
};

static bool takes_task(const struct taking *t, const struct stack_task *task)
{
	return takes_pid(t->filter, task) && takes_comm(t->globs, t->filter->n_comms, task);
}

static void keep_counts(struct report *r, const struct taking *t)
{
	const struct count_view *v = &r->count_view;
	size_t n = 0;

	r->total = 0;
	for (size_t i = 0; i < r->counts.n; i++) {
		struct count_row row = r->counts.items[i];
		struct stack_task task = task_of_key(v->key_names, v->n_keys, row.key);

		if (!takes_task(t, &task))
			continue;
		r->total += row.value;
		r->counts.items[n++] = row;
	}
	r->counts.n = n;
}

static void keep_dist(struct dist *d, const struct taking *t)
{
	size_t n = 0;

	d->total = 0;
	for (size_t i = 0; i < d->rows.n; i++) {
		struct dist_row *row = &d->rows.items[i];
		struct stack_task task = task_of_key(d->key_names, d->n_keys, row->key);

		if (!takes_task(t, &task)) {
			dist_row_release(row);
			continue;
		}
		d->total += row->count;
		d->rows.items[n++] = *row;
	}
	d->rows.n = n;
}

static void keep_dists(struct report *r, const struct taking *t)
{
	struct dist *d;

	r->total = 0;
	vec_for_each(d, &r->dists) {
		keep_dist(d, t);
		r->total += d->total;
	}
}

/* to[i]: the new index of stack i, plus 1; 0: it is gone. */
static void keep_threads(struct report *r, const u32 *to)
{
	struct thread_row *t;
	size_t n = 0;

	vec_for_each(t, &r->threads) {
		u32 stack = to[t->stack];

		if (!stack)
			continue;
		t->stack = stack - 1;
		r->threads.items[n++] = *t;
	}
	r->threads.n = n;
	report_relate_threads(r);
}

static void keep_rows(struct report *r, const bool *takes)
{
	u32 *to = mem_alloc(r->stacks.n + 1, sizeof(*to));
	size_t n = 0;
	u64 total = 0;

	r->whole.n = r->whole.value = r->n_open = 0;
	for (size_t i = 0; i < r->stacks.n; i++) {
		struct stack_row row = r->stacks.items[i];

		if (!takes[row.task])
			continue;
		total += row.value;
		r->n_open += report_has_ratios(r) ? 0 : row.n_open;
		report_count_whole(r, &row);
		r->stacks.items[n++] = row;
		to[i] = (u32)n;
	}
	r->stacks.n = n;
	report_sum_ratios(r);
	report_move_singles(r, to);
	keep_threads(r, to);
	free(to);
	n = 0;
	for (size_t i = 0; i < r->states.n; i++) {
		if (!takes[r->states.items[i].task])
			continue;
		total += r->states.items[i].wall_ns;
		r->states.items[n++] = r->states.items[i];
	}
	r->states.n = n;
	r->total = total;
}

/* Each warning stays in front of the event that followed it. */
static void keep_events(struct saved *s, const struct taking *t)
{
	size_t n = 0, w = 0;

	for (size_t i = 0; i < s->events.n; i++) {
		const struct event_row *e = &s->events.items[i];
		struct stack_task task = { .comm = e->comm, .pid = e->tgid };

		for (; w < s->warnings.n && s->warnings.items[w].event <= i; w++)
			s->warnings.items[w].event = n;
		if (takes_task(t, &task))
			s->events.items[n++] = *e;
	}
	for (; w < s->warnings.n; w++)
		s->warnings.items[w].event = n;
	s->events.n = n;
}

static void keep(struct report *r, const struct taking *t)
{
	if (r->kind == REPORT_COUNTS)
		keep_counts(r, t);
	else if (r->kind == REPORT_DISTS)
		keep_dists(r, t);
	else
		keep_rows(r, t->takes);
}

static bool has_key(const char *const *names, u32 n, const char *name)
{
	for (u32 i = 0; i < n; i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

static bool report_has_key(const struct report *r, const char *name)
{
	const struct dist *d;

	if (r->kind == REPORT_COUNTS && r->counts.n)
		return has_key(r->count_view.key_names, r->count_view.n_keys, name);
	vec_for_each(d, &r->dists)
		if (!has_key(d->key_names, d->n_keys, name))
			return false;
	return true;
}

/* Counts and distributions know only those facts about tasks that are keys. */
static int check_keys(const struct saved *s, const struct saved_filter *f, struct err *err)
{
	const struct report *r;

	vec_for_each(r, &s->reports) {
		const char *lacks = f->n_comms && !report_has_key(r, "comm") ? "comm"
				    : f->n_pids && !report_has_key(r, "pid") ? "pid"
									     : NULL;

		if (!lacks)
			continue;
		err_set(err, ERR_FAIL, "--%s: %s has no key '%s' that rows could be chosen by",
			lacks, first_file(s), lacks);
		return err_hint(err, "a run with --by '$%s' has it", lacks);
	}
	return 0;
}

static int check_known(const struct saved *s, const struct saved_filter *f, struct err *err)
{
	bool *used = used_tasks(s), has_pid = true, has_comm = true;

	for (size_t i = 0; i < s->tables->tasks.n; i++) {
		has_pid &= !used[i] || s->tables->tasks.items[i].pid >= 0;
		has_comm &= !used[i] || s->tables->tasks.items[i].comm;
	}
	free(used);
	if (f->n_pids && !has_pid)
		return err_set(err, ERR_FAIL, "--pid: %s does not say the processes of its stacks",
			       first_file(s));
	if (f->n_comms && !has_comm)
		return err_set(
			err, ERR_FAIL,
			"--comm: %s does not say the names of processes, other than as frames",
			first_file(s));
	return 0;
}

static int check_filter(const struct saved *s, const struct saved_filter *f, struct err *err)
{
	if (s->kinds & REPORT_EVENTS)
		return 0;
	if (s->kinds & (REPORT_COUNTS | REPORT_DISTS))
		return check_keys(s, f, err);
	return refuse_functions(s, f->n_comms ? "--comm" : "--pid", err) ?: check_known(s, f, err);
}

int saved_keep(struct saved *s, const struct saved_filter *f, struct err *err)
{
	struct saved_tables *t = s->tables;
	struct taking taking = { .filter = f };
	struct report *r;
	int ret = 0;

	if (!f->n_comms && !f->n_pids)
		return 0;
	ret = check_filter(s, f, err);
	if (ret)
		return ret;
	taking.globs = mem_alloc(f->n_comms + 1, sizeof(*taking.globs));
	taking.takes = mem_alloc(t->tasks.n + 1, sizeof(*taking.takes));
	for (size_t i = 0; i < f->n_comms && !ret; i++)
		if (!glob_read(view_of(f->comms[i]), &taking.globs[i]))
			ret = err_set(err, ERR_USAGE, "--comm '%s': the pattern is too long",
				      f->comms[i]);
	for (size_t i = 0; i < t->tasks.n && !ret; i++)
		taking.takes[i] = takes_task(&taking, &t->tasks.items[i]);
	if (!ret)
		vec_for_each(r, &s->reports)
			keep(r, &taking);
	if (!ret)
		keep_events(s, &taking);
	free(taking.globs);
	free(taking.takes);
	return ret;
}

/* Remove the kernel's or the user's part of every stack.  Folded stacks are refused, because they
 * do not separate the two. */
static int drop(struct saved *s, bool kernel, const char *option, struct err *err)
{
	struct stack_row *row;
	struct report *r;
	int ret = refuse_functions(s, option, err);

	if (ret)
		return ret;
	if (s->files.n && s->files.items[0].format == SAVED_FOLDED)
		return err_set(err, ERR_FAIL,
			       "%s: folded stacks do not keep the kernel's frames apart", option);
	vec_for_each(r, &s->reports)
		vec_for_each(row, &r->stacks)
			*(kernel ? &row->kernel : &row->user) = 0;
	return 0;
}

int saved_drop_kernel(struct saved *s, struct err *err)
{
	return drop(s, true, "-U", err);
}

int saved_drop_user(struct saved *s, struct err *err)
{
	return drop(s, false, "-K", err);
}

/* ---- names ---- */

size_t saved_rename(struct saved *s, void (*make)(void *ctx, const char *symbol, struct str *out),
		    void *ctx)
{
	struct str name = { 0 };
	struct frame *f;
	size_t n = 0;

	vec_for_each(f, &s->tables->frames) {
		if (!f->name || f->kind == FRAME_NOTE)
			continue;
		n += f->linkage != NULL;
		str_clear(&name);
		make(ctx, f->linkage ? f->linkage : f->name, &name);
		if (f->linkage && !strcmp(str_text(&name), f->linkage))
			f->linkage = NULL;
		f->name = intern(&s->strings, str_text(&name));
	}
	str_release(&name);
	return n;
}
