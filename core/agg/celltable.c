// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "agg/celltable.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/no_preempt.h"
#include "run/mapread.h"
#include "run/prog.h"

/* ---- a table ------------------------------------------------------------------------------ */

static int make_map(enum bpf_map_type type, u32 key, u32 value, u32 n, int *fd, struct err *err)
{
	*fd = bpf_map_create(type, "counts", key, value, n, NULL);
	return *fd < 0 ? prog_explain(errno, "create", "the table of counters", err) : 0;
}

static int make_half(const struct cell_table_opts *opts, struct cell_half *h, struct err *err)
{
	enum bpf_map_type hash = opts->is_shared ? BPF_MAP_TYPE_HASH : BPF_MAP_TYPE_PERCPU_HASH;
	u32 value = cell_table_bytes(opts);
	int ret;

	if (!opts->key_bytes)
		return make_map(BPF_MAP_TYPE_PERCPU_ARRAY, sizeof(u32), value,
				opts->n_cells ? opts->n_cells : 1, &h->fd, err);
	ret = make_map(hash, opts->key_bytes, value, opts->max_keys, &h->fd, err);
	return ret ?: make_map(BPF_MAP_TYPE_PERCPU_ARRAY, sizeof(u32), value, 1, &h->other_fd, err);
}

int cell_table_init(struct cell_table *t, const struct cell_table_opts *opts, bool is_offline,
		    struct err *err)
{
	int ret = 0;

	*t = (struct cell_table){ .opts = *opts };
	for (u32 i = 0; i <= opts->has_windows && !ret; i++)
		if (is_offline)
			t->halves[i] = (struct cell_half){ -1, opts->key_bytes ? -1 : 0 };
		else
			ret = make_half(opts, &t->halves[i], err);
	return ret;
}

void cell_table_bind(const struct cell_table *t, struct gen_plan *plan)
{
	for (u32 i = 0; i < ARRAY_SIZE(t->halves); i++) {
		plan->maps.cells[i] = t->halves[i].fd;
		plan->maps.other[i] = t->halves[i].other_fd;
	}
}

void cell_table_release(struct cell_table *t)
{
	for (u32 i = 0; i < ARRAY_SIZE(t->halves); i++) {
		if (t->halves[i].fd > 0)
			close_p(&t->halves[i].fd);
		if (t->halves[i].other_fd > 0)
			close_p(&t->halves[i].other_fd);
	}
}

/* ---- reading ------------------------------------------------------------------------------ */

struct reading {
	struct cell_table *t;
	cell_take take; /* NULL: the half is emptied */
	void *ctx;
	u32 n_cpus;
	u64 *sum; /* one cell, merged from all CPUs */
	u64 n_events;
};

static const u64 *put_together(struct reading *r, const u64 *of_cpus, u32 n_cpus)
{
	const struct cell_layout *l = &r->t->opts.layout;

	if (n_cpus == 1)
		return of_cpus;
	memcpy(r->sum, of_cpus, l->n_words * sizeof(*r->sum));
	for (u32 cpu = 1; cpu < n_cpus; cpu++) {
		const u64 *cell = of_cpus + (size_t)cpu * l->n_words;

		for (u32 i = 0; i < l->n_words; i++)
			if (cell[i])
				cell_add_word(l, &r->sum[i], cell[i], i);
	}
	return r->sum;
}

static void on_cell(struct reading *r, const void *key, const u64 *cell)
{
	r->n_events += r->t->count(r->t->ctx, cell);
	if (r->take)
		r->take(r->ctx, key, cell);
}

static void on_key(void *ctx, const void *key, const void *value)
{
	struct reading *r = ctx;

	on_cell(r, key, put_together(r, value, r->t->opts.is_shared ? 1 : r->n_cpus));
}

static int read_keys(struct reading *r, int fd, struct err *err)
{
	const struct cell_table_opts *o = &r->t->opts;
	const struct hash_source from = {
		.fd = fd,
		.key_bytes = o->key_bytes,
		.value_bytes = cell_table_bytes(o) * (o->is_shared ? 1 : r->n_cpus),
		.name = "of counters",
	};

	return r->take ? hash_read(&from, on_key, r, err) : hash_drain(&from, on_key, r, err);
}

/* Read cells without keys, by their number, or the cell of all keys that did not fit. */
static int read_array(struct reading *r, int fd, u32 n, bool is_other, struct err *err)
{
	size_t bytes = (size_t)r->n_cpus * cell_table_bytes(&r->t->opts);
	_cleanup_(free_p) u64 *cells = mem_alloc(1, bytes);
	_cleanup_(no_preempt_series_end) struct no_preempt_series calls = { 0 };

	for (u32 i = 0; i < n; i++) {
		no_preempt_call(&calls);
		if (bpf_map_lookup_elem(fd, &i, cells))
			return err_errno(err, errno, "cannot read the counters");
		on_cell(r, is_other ? NULL : &i, put_together(r, cells, r->n_cpus));
		if (r->take)
			continue;
		memset(cells, 0, bytes);
		if (bpf_map_update_elem(fd, &i, cells, BPF_ANY))
			return err_errno(err, errno, "cannot empty the counters");
	}
	return 0;
}

static int read_half(struct reading *r, u32 half, struct err *err)
{
	const struct cell_table_opts *o = &r->t->opts;
	const struct cell_half *h = &r->t->halves[half];
	_cleanup_(free_p) u64 *sum = mem_alloc(o->layout.n_words, sizeof(*sum));

	r->sum = sum;
	r->n_cpus = (u32)libbpf_num_possible_cpus();
	if (!o->key_bytes)
		return read_array(r, h->fd, o->n_cells, false, err);
	return read_keys(r, h->fd, err) ?: read_array(r, h->other_fd, 1, true, err);
}

int cell_table_read(struct cell_table *t, u32 half, cell_take take, void *ctx, struct err *err)
{
	struct reading r = { .t = t, .take = take, .ctx = ctx };
	int ret = read_half(&r, half, err);

	t->n_read += r.n_events;
	return ret;
}

/* ---- windows ------------------------------------------------------------------------------ */

/* Programs that sleep (probes_may_sleep) may be preempted between reading the window's number and
 * writing the cell. */
#define OLD_NS (100 * NS_PER_MS)

void cell_windows_release(struct cell_windows *w)
{
	vec_release(&w->tables);
}

static int empty_old(struct cell_windows *w, struct err *err)
{
	struct cell_table **at;
	int ret = 0;

	if (!w->has_old)
		return 0;
	vec_for_each(at, &w->tables) {
		struct reading r = { .t = *at };

		ret = ret ?: read_half(&r, w->old, err);
		w->n_late += r.n_events - (*at)->n_reported;
		(*at)->n_reported = 0;
	}
	w->has_old = ret != 0;
	return ret;
}

int cell_windows_begin(struct cell_windows *w, struct probes *p, bool is_snapshot, u32 *half,
		       struct err *err)
{
	bool is_cut = w->is_used && !is_snapshot;
	int ret = is_cut ? empty_old(w, err) : 0;
	struct cell_table **at;

	if (ret)
		return ret;
	*half = probes_window(p);
	if (is_cut) {
		w->old = *half = probes_next_window(p);
		w->has_old = true;
		w->since_ns = now_ns();
	}
	vec_for_each(at, &w->tables)
		(*at)->n_read = 0;
	return 0;
}

void cell_windows_end(struct cell_windows *w, bool is_snapshot)
{
	struct cell_table **at;

	if (!w->is_used || is_snapshot)
		return;
	vec_for_each(at, &w->tables)
		(*at)->n_reported = (*at)->n_read;
}

void cell_windows_tidy(struct cell_windows *w, u64 now)
{
	struct err ignored = { 0 };

	if (w->has_old && now >= w->since_ns + OLD_NS)
		empty_old(w, &ignored);
}
