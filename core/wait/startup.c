// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "wait/startup.h"

#include <bpf/bpf.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/num.h"
#include "wait/object.h"
#include "wait/taskscan.h"

/* Room for threads that are created during the run, in addition to twice the current number. */
#define THREADS_MORE 16384
#define THREADS_MAX  (4 << 20)

#define PF_KTHREAD 0x00200000 /* include/linux/sched.h, for both macros */
#define TASK_IDLE  0x402

/* The same as in bpf/wait_state.bpf.h, for threads that were asleep before its hooks ran. */
static bool is_state_wanted(const struct wait_conf *conf, u32 state)
{
	if (!conf->filters_states)
		return true;
	if ((state & TASK_IDLE) == TASK_IDLE)
		return conf->want_idle;
	return state ? state & conf->state_mask : conf->want_ready;
}

static bool is_wanted(const struct wait_scan *s, const struct scan_record *rec)
{
	bool is_kernel = rec->flags & PF_KTHREAD;

	if ((s->conf->user_threads && is_kernel) || (s->conf->kernel_threads && !is_kernel))
		return false;
	return rec->start_time < s->attached_ns;
}

static bool is_cpu_wanted(const struct u32_list *cpus, u32 cpu)
{
	const u32 *wanted;

	vec_for_each(wanted, &cpus->v)
		if (*wanted == cpu)
			return true;
	return !cpus->v.n;
}

static bool is_wait_wanted(const struct wait_scan *s, const struct scan_record *rec)
{
	if (rec->on_cpu)
		return true;
	if (!is_cpu_wanted(&s->conf->collect.target.cpus, rec->cpu))
		return false;
	return is_state_wanted(s->conf, rec->state) && (rec->state || !s->mode->max_levels);
}

/* True if the kernel side knows the thread: it has run or was woken since the hooks were
 * attached. */
static bool is_in_table(const struct wait_scan *s, const struct scan_record *rec)
{
	union {
		struct wait_thread thread;
		char bytes[sizeof(struct wait_thread) + WAIT_MAX_LEVELS * sizeof(struct wait_link)];
	} value;

	return !bpf_map_lookup_elem(bpf_map__fd(s->threads), &rec->pid, &value) &&
	       value.thread.start_time == rec->start_time;
}

static void fill_stack(const struct wait_scan *s, const struct scan_thread *t,
		       struct raw_stack *out)
{
	if (!s->mode->has_waiter_stack)
		return;
	if (t->is_moved && !t->rec->on_cpu) {
		out->note = "[stack not taken]";
		return;
	}
	out->kernel = (const u64 *)t->rec->kernel;
	out->n_kernel = s->conf->collect.user_only ? 0 : t->rec->n_kernel;
	out->has_gaps = true;
	out->user = t->user;
	out->n_user = t->n_user;
	out->end = t->end;
	out->is_user_missing = t->is_user_missing;
	if (s->conf->objects && t->rec->state && !(t->rec->state & WAIT_HELD_STATES))
		wait_object_of_sleeper(t->rec->tgid, t->rec->tid, s->sockets, s->text, out);
}

static void on_thread(void *ctx, const struct scan_thread *t)
{
	const struct scan_record *rec = t->rec;
	const struct wait_scan *s = ctx;
	struct wait_sleeper sleeper = {
		.pid = rec->pid,
		.tid = rec->tid,
		.start_time = rec->start_time,
		.taken_ns = rec->time_ns,
		.utime = rec->utime,
		.stime = rec->stime,
		.is_ready = !rec->state,
		.is_woken = rec->is_woken,
		.is_running = rec->on_cpu,
		.is_known = is_in_table(s, rec),
		.is_unwanted = !is_wait_wanted(s, rec),
	};
	struct raw_stack raw = {
		.id = { hash_mix(rec->pid, rec->start_time), WAITS_ID_SCANNED },
		.tgid = rec->tgid,
		.tid = s->key & STACK_KEY_TID ? rec->tid : 0,
		.cgroup = s->key & STACK_KEY_CGROUP ? rec->cgroup : 0,
		.start_time = s->key & STACK_KEY_TID ? rec->start_time : 0,
		.max_frames = s->c->max_frames,
		.is_iowait = s->conf->state_table && rec->in_iowait,
		.is_running = rec->on_cpu,
		.is_lock = s->conf->state_table && rec->futex == STACK_FUTEX_LOCK,
		.is_condition = s->conf->state_table && rec->futex == STACK_FUTEX_CONDITION,
	};

	hidden_take(s->hidden, rec->tid);
	if (!is_wanted(s, rec))
		return;
	fill_stack(s, t, &raw);
	memcpy(raw.comm, rec->comm, sizeof(raw.comm));
	sleeper.entry = store_intern(&s->c->store, &raw);
	waits_add_sleeper(s->waits, &sleeper);
}

/* The tables for the stacks of sleeping threads take a tenth of a second on an ordinary host. */
static void make_room(void *ctx)
{
	const struct wait_scan *s = ctx;

	engine_set_aside(&s->c->engine);
}

/* True if all threads of the processes given with -p are watched. */
static bool is_all_wanted(const struct wait_scan *s)
{
	const struct filter_conf *f = &s->c->engine.filter.conf;

	return !(f->has_tids || f->has_not_tgids || f->has_comms || f->has_not_comms ||
		 f->has_cgroups || f->has_not_cgroups || f->has_uids || f->has_not_uids ||
		 f->has_cgroupmap || f->has_mntnsmap || s->conf->user_threads ||
		 s->conf->kernel_threads);
}

void wait_scan(const struct wait_scan *s)
{
	const struct collect_conf *conf = &s->conf->collect;
	const struct scan_opts opts = {
		.want_kernel = !conf->user_only && s->mode->has_waiter_stack,
		.want_user =
			!conf->kernel_only && s->mode->has_waiter_stack && !s->conf->state_table,
		.max_frames = s->c->max_frames,
		.unwinder = s->c->unwinding.unwinder,
		.meanwhile = make_room,
		.ctx = (void *)(uintptr_t)s,
	};
	struct err err = { 0 };
	const u32 *pid;

	if (is_all_wanted(s))
		vec_for_each(pid, &conf->target.pids.v)
			hidden_add_process(s->hidden, *pid);
	if (!scan_threads(s->prog, &opts, on_thread, (void *)(uintptr_t)s, &err)) {
		s->waits->is_scanned = true;
		hidden_say(s->hidden);
		return;
	}
	log_warn("not-scanned",
		 "threads that are already asleep are known only when they wake up: %s", err.what);
	err_clear(&err);
}

static void take_clock(void *ctx, const struct scan_thread *t)
{
	const struct scan_record *rec = t->rec;

	waits_add_clock(ctx,
			&(struct wait_clock){ rec->pid, rec->start_time, rec->utime, rec->stime });
}

void wait_scan_clocks(struct bpf_program *prog, struct waits *waits)
{
	const struct scan_opts opts = { .max_frames = 1 };
	struct err ignored = { 0 };

	if (scan_threads(prog, &opts, take_clock, waits, &ignored))
		err_clear(&ignored);
}

/* Parses "0.20 0.18 0.12 1/80 11206": running threads / all threads. */
u64 wait_n_threads(void)
{
	_cleanup_(str_release) struct str text = { 0 };
	struct view rest, word = { "", 0 };
	u64 n = 0;

	if (file_read("/proc/loadavg", 256, &text))
		return 0;
	rest = str_view(&text);
	for (u32 i = 0; i < 3; i++)
		view_split(&rest, ' ', &word);
	view_split(&rest, '/', &word);
	view_split(&rest, ' ', &word);
	return num_parse_dec(word, &n) ? n : 0;
}

u64 wait_threads_max(void)
{
	u64 n = 2 * wait_n_threads() + THREADS_MORE;

	return n < THREADS_MAX ? n : THREADS_MAX;
}
