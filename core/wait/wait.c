// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "wait/wait_int.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/no_preempt.h"
#include "run/forgotten.h"
#include "run/handlers.h"
#include "run/mapread.h"
#include "run/prog.h"
#include "sym/landmarks.h"
#include "wait/kernel.h"
#include "wait/object.h"
#include "wait/startup.h"

/* ---- reading the kernel side's maps ------------------------------------------------------ */

static void take_sum(void *ctx, const void *key, const void *value)
{
	struct wait *w = ctx;

	if (waits_take_sum(&w->waits, key, value, w->parities))
		return;
	engine_drain_all(&w->c->engine);
	if (waits_take_sum(&w->waits, key, value, w->parities))
		return;
	if (!waits_adopt(&w->waits, key) || !waits_take_sum(&w->waits, key, value, w->parities))
		w->waits.n_unknown++;
}

static void take_path(void *ctx, const void *key, const void *value)
{
	struct wait *w = ctx;

	waits_take_path(&w->waits, key, value, w->parities);
}

/* The switch-out was missed (some hosts hide tasks): without this check a sleeping thread would be
 * counted as running forever. */
static bool is_off_unseen(const struct wait *w, u32 pid, const struct wait_thread *t)
{
	union {
		struct wait_thread thread;
		char bytes[sizeof(struct wait_thread) + WAIT_MAX_LEVELS * sizeof(struct wait_link)];
	} now;

	if (!(t->flags & WAIT_WANTED) || t->off_ns || !t->on_ns || hidden_is_runnable(t->tid))
		return false;
	/* If this fails, the thread has gone to sleep since the map was read. */
	return !bpf_map_lookup_elem(bpf_map__fd(w->skel->maps.wait_threads), &pid, &now) &&
	       now.thread.start_time == t->start_time && !now.thread.off_ns &&
	       now.thread.on_ns == t->on_ns;
}

static void add_life(struct wait *w, const struct wait_thread *t, u64 born_ns, u64 exit_ns)
{
	states_add_thread(&w->states, &(struct states_life){ .tgid = t->tgid,
							     .tid = t->tid,
							     .start_time = t->start_time,
							     .born_ns = born_ns,
							     .exit_ns = exit_ns,
							     .comm = t->comm });
}

/* A thread has ended, or does not match the filter any more. */
static void add_exit(struct wait *w, u32 pid, const struct wait_thread *t, u64 exit_ns)
{
	if (w->conf->state_table)
		add_life(w, t, waits_leave(&w->waits, pid, t), exit_ns);
	else
		waits_add_exit(&w->waits, t->tid, t->start_time, exit_ns);
}

/* The thread's exit record did not fit in the ring. */
static void take_left(struct wait *w, u32 pid, const struct wait_thread *t)
{
	add_exit(w, pid, t, t->off_ns);
	bpf_map_delete_elem(bpf_map__fd(w->skel->maps.wait_threads), &pid);
}

static void credit_thread(void *ctx, const void *key, const void *value)
{
	const struct wait_thread *t = value;
	struct wait *w = ctx;
	u64 born_ns;
	u32 pid;

	memcpy(&pid, key, sizeof(pid));
	if (t->has_left) {
		take_left(w, pid, t);
		return;
	}
	if (w->conf->state_table && is_off_unseen(w, pid, t)) {
		struct wait_thread unseen = *t;

		unseen.flags = 0;
		w->waits.n_unseen++;
		waits_credit_thread(&w->waits, pid, &unseen);
	} else {
		waits_credit_thread(&w->waits, pid, t);
	}
	born_ns = waits_born(&w->waits, pid, t);
	if (w->conf->state_table && t->flags & WAIT_WANTED && born_ns != UINT64_MAX)
		add_life(w, t, born_ns, UINT64_MAX);
}

/* ---- callbacks for stack/collect --------------------------------------------------------- */

/* Without wakers, landmarks only trim stacks, so the start need not wait for them. */
static void need_landmarks(struct wait *w)
{
	struct err ignored = { 0 };

	if (w->has_landmarks)
		return;
	if (wait_read_landmarks(w, &ignored))
		err_clear(&ignored);
}

static void take_exit(struct wait *w, const struct wait_record *rec)
{
	struct wait_thread t = { .start_time = rec->start_time,
				 .born_ns = rec->on_ns,
				 .tgid = rec->tgid,
				 .tid = rec->tid,
				 .is_begun = rec->is_begun };

	memcpy(t.comm, rec->comm, sizeof(t.comm));
	add_exit(w, rec->pid, &t, rec->off_ns);
}

static void on_record(void *ctx, const struct stack_record *rec, size_t size)
{
	const struct wait_record *wait = (const void *)rec;
	struct wait *w = ctx;
	struct raw_stack raw;

	/* All records have their kind where a stack record of other commands has its window. */
	if (rec->window == WAIT_REC_STACK) {
		if (collect_raw_stack(w->c->max_frames, rec, size, &raw)) {
			need_landmarks(w);
			wait_object_of_record(rec, &w->text, &raw);
			store_intern(&w->c->store, &raw);
		}
		return;
	}
	if (size < WAIT_RECORD_FIXED_BYTES || wait->n_links > WAIT_MAX_LEVELS ||
	    size < WAIT_RECORD_FIXED_BYTES + wait->n_links * sizeof(struct wait_link))
		return;
	w->waits.generation = *w->c->kernel.generation;
	if (wait->kind == WAIT_REC_INTERVAL)
		waits_add_record(&w->waits, wait);
	else if (wait->kind == WAIT_REC_EXIT)
		take_exit(w, wait);
}

static void set_window(struct wait *w, const struct wait_window *window)
{
	struct wait_bpf__data *data = w->skel->data;
	u32 at = (w->skel->bss->wait_window_at + 1) % WAIT_WINDOWS;

	data->wait_windows[at].since = window->since;
	data->wait_windows[at].until = window->until;
	data->wait_windows[at].number = window->number;
	data->wait_windows[at].next = window->next;
	__atomic_store_n(&w->skel->bss->wait_window_at, at, __ATOMIC_SEQ_CST);
}

/* First turn every interval into a record, then read the time: even if bperf does not run in
 * between, no interval that ends after this time is summed. */
static u64 stop_sums(struct wait *w)
{
	set_window(w, &(struct wait_window){ .since = UINT64_MAX, .until = UINT64_MAX });
	return now_ns();
}

static void begin_window(struct wait *w, const struct wait_window *window)
{
	struct wait_window next = *window;

	if (session_is_last(&w->c->engine.session, next.number))
		next.next = WAIT_NEXT_DROP;
	/* A sum has no times: every interval is sent as a record. */
	if (w->conf->collect.wants_waits)
		next.since = UINT64_MAX;
	w->due_ns = next.until;
	set_window(w, &next);
}

/* The window before the current one has been read, so the kernel side may sum for the next one. */
static void allow_next(struct wait *w)
{
	const struct wait_bpf__data *data = w->skel->data;
	struct wait_window window = {
		.since = data->wait_windows[w->skel->bss->wait_window_at].since,
		.until = data->wait_windows[w->skel->bss->wait_window_at].until,
		.number = data->wait_windows[w->skel->bss->wait_window_at].number,
	};

	begin_window(w, &window);
}

/*
 * At the due time, the kernel side has moved to the next window by itself: this is the cut, no
 * matter how late user space is.  The kernel side does not know yet when that window will end, and
 * sums intervals that end until now, so the window must not end before now.
 */
static void cut(void *ctx, struct session_window *window)
{
	struct wait *w = ctx;
	bool is_due = !window->is_snapshot;
	u64 now;

	wait_faults_sleep(w->faults.cut_delay_ms);
	now = stop_sums(w);
	if (is_due)
		window->next_due_ns = session_next_cut(&w->c->engine.session, now);
	wait_faults_sleep(w->faults.cut_delay_ms);
	window->end_ns = is_due || now > window->due_ns ? window->due_ns : now;
	begin_window(w, &(struct wait_window){
				.since = window->end_ns,
				.until = is_due ? window->next_due_ns : window->due_ns,
				.number = window->index + is_due,
				.next = WAIT_NEXT_RECORD,
			});
	waits_cut(&w->waits, window->end_ns, w->due_ns);
}

/* A sleeper whose exit record was lost because the ring was full must not stay asleep forever. */
static void drop_dead_sleepers(struct wait *w)
{
	struct wait_sleeper *s;

	vec_for_each(s, &w->waits.sleepers)
		if (!s->is_known && syscall(SYS_tkill, s->tid, 0) && errno == ESRCH)
			s->is_known = true;
}

/* Credit the intervals that are open at the cut: of the threads that the kernel side knows, then of
 * those that have not moved since the start. */
static int credit_open(struct wait *w, struct err *err)
{
	int ret;

	if (w->conf->state_table) {
		w->skel->bss->scan_only_running = true;
		wait_scan_clocks(w->skel->progs.scan_task, &w->waits);
	}
	ret = hash_read_map(w->skel->maps.wait_threads, credit_thread, w, err);
	if (ret)
		return ret;
	drop_dead_sleepers(w);
	waits_credit_sleepers(&w->waits);
	if (w->conf->state_table)
		states_add_sleepers(&w->states);
	return 0;
}

/* Sums are last: the records that tell what their ids stand for have been drained by then. */
static int read_sums(struct wait *w, u32 parities, struct err *err)
{
	int ret;

	w->parities = parities;
	ret = hash_read_map(w->skel->maps.wait_sums, take_sum, w, err);
	if (!ret && w->conf->path)
		ret = hash_read_map(w->skel->maps.wait_paths, take_path, w, err);
	return ret;
}

static int read_waits(void *ctx, const struct session_window *window, bool is_last, struct err *err)
{
	struct wait *w = ctx;
	int ret;

	if (is_last)
		wait_say_unwound(
			bpf_map__fd(w->skel->maps.unwind_cpus), w->skel->bss->unwind_n_checked,
			w->skel->bss->lost[BPF_LOST_STACK_WRONG] / w->skel->rodata->unwind_check);
	ret = credit_open(w, err);
	if (ret)
		return ret;
	engine_drain_all(&w->c->engine);
	ret = read_sums(w, store_parities(window->index, is_last), err);
	if (!is_last)
		allow_next(w);
	w->c->n_unknown = w->waits.n_unknown;
	w->c->n_missed = w->waits.n_unseen;
	return ret;
}

static bool has_losses(const struct wait *w)
{
	u64 sum = w->waits.n_unseen + prog_recursion_misses(w->skel->obj);

	for (u32 i = 0; i < BPF_LOST_N; i++)
		sum += w->skel->bss->lost[i];
	return sum;
}

static void report(void *ctx, const struct store_view *view, struct report *out)
{
	struct wait *w = ctx;

	w->states.has_losses = has_losses(w);
	if (w->conf->state_table)
		states_report(&w->states, view, out);
	else
		waits_report(&w->waits, view, out);
	waits_end_report(&w->waits, view->is_snapshot);
	waits_due(&w->waits, w->due_ns);
}

/* ---- forgetting ---- */

static void forget(void *ctx, u32 generation)
{
	_cleanup_(forgotten_release) struct forgotten stacks = { 0 }, sums = { 0 };
	struct wait *w = ctx;
	u32 *moved = store_forget(&w->c->store, generation, forgotten_add, &stacks);

	waits_forget(&w->waits, moved, generation, forgotten_add, &sums);
	free(moved);
	forgotten_delete(&stacks, bpf_map__fd(w->skel->maps.stack_seen));
	forgotten_delete(&sums, bpf_map__fd(w->skel->maps.wait_sums));
	if (w->conf->path)
		forgotten_delete(&sums, bpf_map__fd(w->skel->maps.wait_paths));
}

static u64 taken(void *ctx)
{
	_cleanup_(free_p) struct wait_cpu *cpus = NULL;
	_cleanup_(no_preempt_end) struct no_preempt guard = { .policy = -1 };
	int n_cpus = libbpf_num_possible_cpus();
	struct wait *w = ctx;
	u32 zero = 0;
	u64 sum = 0;

	if (n_cpus <= 0)
		return 0;
	cpus = mem_alloc((size_t)n_cpus, sizeof(*cpus));
	no_preempt_begin(&guard);
	if (bpf_map_lookup_elem(bpf_map__fd(w->skel->maps.wait_cpus), &zero, cpus))
		return 0;
	for (int i = 0; i < n_cpus; i++)
		sum += cpus[i].n_taken;
	return sum;
}

/* ---- the run ----------------------------------------------------------------------------- */

static int load(void *ctx, struct err *err)
{
	return wait_load(ctx, err);
}

static int attach(void *ctx, struct err *err)
{
	struct wait *w = ctx;
	struct perf_spec spec = { .period = WAIT_SAMPLE_NS };
	int ret = wait_set_irq_ranges(w, err);

	if (ret)
		return ret;
	/* Send every interval as a record until the first window begins. */
	stop_sums(w);
	w->skel->bss->wait_held_tid = (u32)w->c->engine.child.pid;
	bpf_program__set_autoattach(w->skel->progs.wait_sample, false);
	bpf_program__set_autoattach(w->skel->progs.scan_task, false);
	if (!w->conf->with_cpu) {
		perfev_listen(&w->c->engine.perf);
		collect_prepare_targets(w->c);
	}
	ret = wait_bpf__attach(w->skel);
	if (ret)
		return prog_explain(-ret, "attach", "the scheduler hooks", err);
	w->attached_ns = w->skel->bss->wait_attached_ns = now_ns();
	perf_spec_parse("cpu-clock", &spec, err);
	if (w->conf->with_cpu)
		return perfev_open(&w->c->engine.perf, &spec, w->conf->collect.target.cpus.v.items,
				   w->conf->collect.target.cpus.v.n, w->skel->progs.wait_sample,
				   err);
	return 0;
}

static void describe(void *ctx, char *out, size_t size)
{
	const struct wait *w = ctx;

	snprintf(out, size, "Tracing %s time", w->levels ? "blocked" : "off-CPU");
}

/* From now on, intervals that end arrive as records, and are divided at the end of the last
 * window. */
static void detach(void *ctx)
{
	struct wait *w = ctx;
	struct session *s = &w->c->engine.session;
	u64 now = stop_sums(w);
	bool is_due = session_is_last(s, s->window.index) && s->window.due_ns <= now;

	s->window.end_ns = is_due ? s->window.due_ns : now;
	waits_cut(&w->waits, s->window.end_ns, UINT64_MAX);
	handlers_detach(w->skel->skeleton);
	perfev_detach(&w->c->engine.perf);
}

/* The first window begins: from now on intervals are counted. */
static void begin(void *ctx, u64 now)
{
	struct wait *w = ctx;

	waits_begin(&w->waits, now);
	begin_window(w, &(struct wait_window){ .since = now,
					       .until = w->c->engine.session.window.due_ns });
	waits_due(&w->waits, w->due_ns);
}

static void scan(void *ctx)
{
	_cleanup_(sockets_release) struct sockets sockets = { 0 };
	struct wait *w = ctx;

	w->skel->bss->wait_settled = true;
	/* The program after `--` was released: its wake-ups in bperf's context count like others
	 * from now on. */
	w->skel->bss->wait_held_tid = 0;
	/* On a busy host, the scan takes long: records must not fill the ring meanwhile. */
	for (u64 ms = 0; ms < w->faults.scan_delay_ms; ms += 5) {
		wait_faults_sleep(5);
		engine_set_aside(&w->c->engine);
	}
	wait_scan(&(struct wait_scan){
		.conf = w->conf,
		.mode = w->mode,
		.c = w->c,
		.waits = &w->waits,
		.hidden = &w->hidden,
		.sockets = &sockets,
		.text = &w->text,
		.key = wait_stack_key(w),
		.prog = w->skel->progs.scan_task,
		.threads = w->skel->maps.wait_threads,
		.attached_ns = w->attached_ns,
	});
}

static const struct collect_source source = {
	.begin = begin,
	.settle = scan,
	.take = on_record,
	.cut = cut,
	.read = read_waits,
	.report = report,
	.forget = forget,
	.taken = taken,
};

static const struct collect_programs programs = {
	.load = load,
	.attach = attach,
	.detach = detach,
	.describe = describe,
};

/* The run is released first, because it still reads the programs' maps. */
static void release_wait(struct wait *w)
{
	collect_release(w->c);
	states_release(&w->states);
	waits_release(&w->waits);
	symtext_release(&w->kallsyms);
	landmarks_release(&w->landmarks);
	hidden_release(&w->hidden);
	str_release(&w->text);
	wait_bpf__destroy(w->skel);
}

int wait_run(const struct wait_mode *mode, const struct wait_conf *conf, int argc, char **argv,
	     int *status, struct err *err)
{
	struct collect c = {
		.conf = &conf->collect,
		.programs = &programs,
		.source = &source,
		.engine.info.run = {
			.command = mode->command,
			.title = mode->title,
			.value_name = mode->value_name,
			.unit = UNIT_NS,
			.shape = mode->shape,
			.event = "sched_switch",
			.opens_whole = conf->whole_window,
			.colors_off_cpu = conf->color_by == WAIT_COLOR_OFF_CPU,
		},
	};

	_cleanup_(release_wait) struct wait w = {
		.mode = mode,
		.conf = conf,
		.c = &c,
		.levels = conf->levels < mode->max_levels ? conf->levels : mode->max_levels,
		.faults = wait_faults_read(),
	};

	c.programs_ctx = c.source_ctx = &w;
	return collect_run(&c, argc, argv, status, err);
}
