// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "dump/threads.h"

#include <string.h>
#include <unistd.h>

#include "base/hash.h"

/* Rounds of scans.  The pauses between them double, from FIRST_US on. */
#define ROUNDS	 5
#define FIRST_US 2000

/* A person waits for all stacks rather than for some. */
#define LIMIT_NS (5 * NS_PER_SEC)
#define CFI_NS	 (3 * NS_PER_SEC)

struct dump_thread *dump_thread_find(const struct dump_threads *l, u32 tid)
{
	size_t at = 0;
	u32 i;

	while (l->v.items && index_next(&l->by_tid, hash_u64(tid), &at, &i))
		if (l->v.items[i].tid == tid)
			return &l->v.items[i];
	return NULL;
}

void dump_threads_release(struct dump_threads *l)
{
	vec_release(&l->v);
	index_release(&l->by_tid);
}

/* ---- one scan ---- */

struct taking {
	const struct take_conf *conf;
	struct dump_threads *list;
	bool is_first;
};

/* Each stack belongs to one thread, so its id need not be a hash of its frames. */
static u32 intern_stack(const struct take_conf *conf, const struct dump_thread *t,
			struct raw_stack *raw)
{
	raw->id[0] = hash_mix(t->tid, conf->store->entries.n);
	raw->id[1] = t->start_time;
	raw->tgid = t->tgid;
	raw->max_frames = conf->max_frames;
	raw->is_iowait = t->in_iowait;
	raw->is_lock = t->futex == STACK_FUTEX_LOCK;
	raw->is_condition = t->futex == STACK_FUTEX_CONDITION;
	memcpy(raw->comm, t->comm, sizeof(raw->comm));
	return store_intern(conf->store, raw);
}

static void settle(const struct take_conf *conf, struct dump_thread *t, const struct scan_thread *s)
{
	struct raw_stack raw = {
		.kernel = (const u64 *)s->rec->kernel,
		.n_kernel = s->rec->n_kernel,
		.has_gaps = true,
		.user = s->user,
		.n_user = s->n_user,
		.end = s->end,
		.is_user_missing = s->is_user_missing,
	};

	t->entry = intern_stack(conf, t, &raw);
	t->is_settled = true;
}

static void describe(struct dump_thread *t, const struct scan_thread *s)
{
	const struct scan_record *rec = s->rec;

	t->time_ns = rec->time_ns;
	t->switches = rec->switches;
	t->is_32bit = rec->word_bytes == 4;
	t->state = rec->state;
	t->flags = rec->flags;
	t->on_cpu = rec->on_cpu;
	t->in_iowait = rec->in_iowait;
	t->futex = rec->futex;
	memcpy(t->comm, rec->comm, sizeof(t->comm));
	memcpy(&t->more, s->more, sizeof(t->more));
}

static void add(struct dump_threads *l, const struct scan_record *rec)
{
	index_add(&l->by_tid, hash_u64(rec->tid), (u32)l->v.n);
	vec_push(&l->v, (struct dump_thread){ .tgid = rec->tgid,
					      .tid = rec->tid,
					      .start_time = rec->start_time,
					      .entry = STORE_NONE });
}

/* A thread that does not run belongs to the CPU on which it ran last. */
static bool is_cpu_wanted(const struct u32_list *cpus, u32 cpu)
{
	const u32 *wanted;

	vec_for_each(wanted, &cpus->v)
		if (*wanted == cpu)
			return true;
	return !cpus->v.n;
}

static void on_thread(void *ctx, const struct scan_thread *s)
{
	const struct taking *g = ctx;
	struct dump_thread *t;

	if (g->is_first && is_cpu_wanted(g->conf->cpus, s->rec->cpu))
		add(g->list, s->rec);
	t = dump_thread_find(g->list, s->rec->tid);
	if (!t || t->start_time != s->rec->start_time)
		return;
	t->is_seen = true;
	if (t->is_settled)
		return;
	describe(t, s);
	if (s->rec->on_cpu)
		t->is_settled = t->has_sample;
	else if (!s->is_moved)
		settle(g->conf, t, s);
}

static bool is_settled(void *ctx, const struct scan_record *rec)
{
	const struct taking *g = ctx;
	const struct dump_thread *t = dump_thread_find(g->list, rec->tid);

	return !g->is_first && (!t || t->is_settled);
}

/* ---- all of them ---- */

static u32 n_open(struct dump_threads *l)
{
	const struct dump_thread *t;
	u32 n = 0;

	vec_for_each(t, &l->v)
		n += !t->is_settled;
	return n;
}

/* After the last scan: threads that have ended are left out, and those whose stack was never taken
 * say so. */
static void close_open(const struct take_conf *conf, struct dump_threads *l)
{
	struct dump_threads kept = { 0 };
	struct dump_thread *t;

	vec_for_each(t, &l->v) {
		struct raw_stack raw = { .note = "[stack not taken]" };

		if (!t->is_settled && !t->is_seen)
			continue;
		if (t->entry == STORE_NONE)
			t->entry = intern_stack(conf, t, &raw);
		if (!t->is_settled && t->has_sample) {
			t->on_cpu = true;
			t->state = 0;
		}
		index_add(&kept.by_tid, hash_u64(t->tid), (u32)kept.v.n);
		vec_push(&kept.v, *t);
	}
	dump_threads_release(l);
	*l = kept;
}

void take_sample(const struct take_conf *conf, struct dump_threads *l, const struct raw_stack *raw)
{
	struct dump_thread *t = dump_thread_find(l, raw->tid);
	struct raw_stack own = *raw;

	if (!t || t->is_settled || t->start_time != raw->start_time)
		return;
	t->entry = intern_stack(conf, t, &own);
	t->has_sample = true;
}

int take_threads(const struct take_conf *conf, struct dump_threads *out, struct err *err)
{
	struct taking g = { .conf = conf, .list = out, .is_first = true };
	const struct scan_opts opts = {
		.want_kernel = true,
		.want_user = conf->want_user,
		.unwinder = conf->unwinder,
		.max_frames = conf->max_frames,
		.more_bytes = sizeof(struct dump_more),
		.skips = is_settled,
		.ctx = &g,
		.limit_ns = LIMIT_NS,
		.cfi_ns = CFI_NS,
	};
	struct dump_thread *t;
	int ret = 0;

	for (u32 i = 0; i < ROUNDS && !ret; i++, g.is_first = false) {
		vec_for_each(t, &out->v)
			t->is_seen = false;
		ret = scan_threads(conf->prog, &opts, on_thread, &g, err);
		if (ret || !n_open(out))
			break;
		usleep(FIRST_US << i);
		conf->drain(conf->ctx);
	}
	if (!ret)
		close_open(conf, out);
	return ret;
}

static void compare(void *ctx, const struct scan_thread *s)
{
	struct dump_thread *t = dump_thread_find(ctx, s->rec->tid);

	if (t && t->start_time == s->rec->start_time && t->switches == s->rec->switches &&
	    !s->rec->on_cpu && !s->is_moved)
		t->has_moved = false;
}

int take_again(const struct take_conf *conf, struct dump_threads *l, struct err *err)
{
	const struct scan_opts opts = { .max_frames = conf->max_frames,
					.more_bytes = sizeof(struct dump_more) };
	struct dump_thread *t;

	vec_for_each(t, &l->v)
		t->has_moved = true;
	return scan_threads(conf->prog, &opts, compare, l, err);
}
