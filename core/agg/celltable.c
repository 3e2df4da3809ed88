// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "agg/celltable.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/memlimit.h"
#include "run/prog.h"
#include "syntax/parse.h"

/* ---- --by --------------------------------------------------------------------------------- */

const char *key_name(struct arena *a, const struct text *t, const struct ast *e)
{
	struct view v = span_view(t, e->label.n ? e->label : span_trim(t, e->at));

	if (view_starts(v, "args->")) {
		v.p += 6;
		v.n -= 6;
	} else if (v.n > 1 && v.p[0] == '$') {
		v.p++;
		v.n--;
	}
	return arena_view(a, v);
}

int key_exprs_parse(struct arena *a, const char *words, u32 max, struct key_exprs *out,
		    struct err *err)
{
	int ret;

	*out = (struct key_exprs){ .text = text_of(words) };
	ret = parse_exprs(a, &out->text, span_all(&out->text), &out->exprs, &out->n, err);
	if (ret)
		return ret;
	if (!out->n)
		return err_set(err, ERR_USAGE, "--by: an expression is missing");
	if (out->n > max)
		return text_error(&out->text, out->exprs[max]->at, err, "--by: more than %u keys",
				  max);
	out->names = arena_alloc(a, out->n, sizeof(*out->names));
	for (u32 i = 0; i < out->n; i++)
		out->names[i] = key_name(a, &out->text, out->exprs[i]);
	return 0;
}

/* ---- a table ------------------------------------------------------------------------------ */

static int make_map(enum bpf_map_type type, u32 key, u32 value, u32 n, int *fd, struct err *err)
{
	*fd = bpf_map_create(type, "counts", key, value, n, NULL);
	return *fd < 0 ? prog_explain(errno, "create", "the table of counters", err) : 0;
}

void key_table_init_offline(struct key_table *t, const struct key_table_opts *opts)
{
	*t = (struct key_table){ .opts = *opts };
	for (u32 i = 0; i <= opts->has_windows; i++)
		t->halves[i] = (struct key_half){ -1, opts->key_bytes ? -1 : 0 };
}

static int make_half(const struct key_table_opts *opts, struct key_half *h, struct err *err)
{
	enum bpf_map_type hash = opts->is_shared ? BPF_MAP_TYPE_HASH : BPF_MAP_TYPE_PERCPU_HASH;
	u32 value = opts->cell_bytes;
	int ret;

	if (!opts->key_bytes)
		return make_map(BPF_MAP_TYPE_PERCPU_ARRAY, sizeof(u32), value, 1, &h->fd, err);
	ret = make_map(hash, opts->key_bytes, value, opts->max_keys, &h->fd, err);
	return ret ?: make_map(BPF_MAP_TYPE_PERCPU_ARRAY, sizeof(u32), value, 1, &h->other_fd, err);
}

int key_table_init(struct key_table *t, const struct key_table_opts *opts, struct err *err)
{
	int ret = 0;

	*t = (struct key_table){ .opts = *opts };
	for (u32 i = 0; i <= opts->has_windows && !ret; i++)
		ret = make_half(opts, &t->halves[i], err);
	return ret;
}

void key_table_bind(const struct key_table *t, struct gen_plan *plan)
{
	for (u32 i = 0; i < ARRAY_SIZE(t->halves); i++) {
		plan->cells_fd[i] = t->halves[i].fd;
		plan->other_fd[i] = t->halves[i].other_fd;
	}
}

void key_table_forget(struct key_table *t)
{
	index_release(&t->by_key);
	free(t->keys);
	t->keys = NULL;
	t->n = t->cap = 0;
}

void key_table_release(struct key_table *t)
{
	for (u32 i = 0; i < ARRAY_SIZE(t->halves); i++) {
		if (t->halves[i].fd > 0)
			close_p(&t->halves[i].fd);
		if (t->halves[i].other_fd > 0)
			close_p(&t->halves[i].other_fd);
	}
	free(t->keys);
	index_release(&t->by_key);
}

u32 key_table_number(struct key_table *t, const u8 *key)
{
	u64 hash = hash_bytes(key, t->opts.key_bytes);
	size_t at = 0;
	u32 id;

	while (index_next(&t->by_key, hash, &at, &id))
		if (!memcmp(key_table_key(t, id), key, t->opts.key_bytes))
			return id;
	if (mem_is_over())
		return KEY_OTHER;
	if (t->n == t->cap) {
		t->cap = t->cap ? 2 * t->cap : 64;
		t->keys = mem_realloc(t->keys, t->cap, t->opts.key_bytes);
	}
	memcpy(t->keys + (size_t)t->n * t->opts.key_bytes, key, t->opts.key_bytes);
	index_add(&t->by_key, hash, t->n);
	return t->n++;
}

/* Where cells are read to: as the kernel hands them out, and their sum. */
struct cells {
	u64 *raw, *sum; /* raw: of each CPU */
	u32 n_words, n_cpus;
	u8 *key, *next;
};

static void add_up(const struct key_table *t, struct cells *c, u32 n_cpus)
{
	memcpy(c->sum, c->raw, t->opts.cell_bytes);
	for (u32 cpu = 1; cpu < n_cpus; cpu++)
		for (u32 i = 0; i < c->n_words; i++) {
			u64 v = c->raw[cpu * c->n_words + i];

			if (!t->opts.is_extreme || !t->opts.is_extreme(t->opts.ctx, i))
				c->sum[i] += v;
			else if (v > c->sum[i])
				c->sum[i] = v;
		}
}

struct reading {
	struct key_table *t;
	struct cells cells;
	key_take take;
	void *ctx;
	bool empties; /* and nobody takes */
	u64 n_events;
};

static void give(struct reading *r, u32 id)
{
	r->n_events += r->t->opts.count(r->t->opts.ctx, r->cells.sum);
	if (!r->empties)
		r->take(r->ctx, id, r->cells.sum);
}

/* The one cell of a map without keys. */
static int read_one(struct reading *r, int fd, u32 id, struct err *err)
{
	struct cells *c = &r->cells;
	u32 zero = 0;

	if (bpf_map_lookup_elem(fd, &zero, c->raw))
		return err_errno(err, errno, "cannot read the counters");
	add_up(r->t, c, c->n_cpus);
	give(r, id);
	if (!r->empties)
		return 0;
	memset(c->raw, 0, (size_t)c->n_cpus * c->n_words * sizeof(*c->raw));
	if (bpf_map_update_elem(fd, &zero, c->raw, BPF_ANY))
		return err_errno(err, errno, "cannot empty the counters");
	return 0;
}

static void read_key(struct reading *r, int fd)
{
	struct cells *c = &r->cells;
	struct key_table *t = r->t;
	u32 id;

	if (bpf_map_lookup_elem(fd, c->key, c->raw))
		return;
	add_up(t, c, t->opts.is_shared ? 1 : c->n_cpus);
	if (r->empties) {
		give(r, KEY_OTHER);
		return;
	}
	id = key_table_number(t, c->key);
	if (id == KEY_OTHER)
		t->n_folded += t->opts.count(t->opts.ctx, c->sum);
	give(r, id);
}

static int read_keys(struct reading *r, int fd)
{
	struct cells *c = &r->cells;
	u32 bytes = r->t->opts.key_bytes;
	bool has_key = false;

	/* What is emptied is gone: the next one is the first. */
	while (!bpf_map_get_next_key(fd, has_key ? c->key : NULL, c->next)) {
		memcpy(c->key, c->next, bytes);
		read_key(r, fd);
		has_key = !r->empties;
		if (r->empties && bpf_map_delete_elem(fd, c->key))
			return errno;
	}
	return 0;
}

static int read_half(struct reading *r, const struct key_half *h, struct err *err)
{
	int ret;

	if (!r->t->opts.key_bytes)
		return read_one(r, h->fd, 0, err);
	ret = read_keys(r, h->fd);
	if (ret)
		return err_errno(err, ret, "cannot empty the counters");
	return read_one(r, h->other_fd, KEY_OTHER, err);
}

static int run_reading(struct reading *r, u32 half, struct err *err)
{
	const struct key_table_opts *o = &r->t->opts;
	struct cells *c = &r->cells;
	u32 n_cpus = (u32)libbpf_num_possible_cpus();
	_cleanup_(free_p) u64 *raw = mem_alloc((size_t)n_cpus + 1, o->cell_bytes);
	_cleanup_(free_p) u8 *key = mem_alloc(2, (size_t)o->key_bytes + 1);

	c->n_cpus = n_cpus;
	c->n_words = o->cell_bytes / (u32)sizeof(u64);
	c->raw = raw;
	c->sum = raw + (size_t)n_cpus * c->n_words;
	c->key = key;
	c->next = key + o->key_bytes;
	return read_half(r, &r->t->halves[half], err);
}

int key_table_read(struct key_table *t, u32 half, key_take take, void *ctx, struct err *err)
{
	struct reading r = { .t = t, .take = take, .ctx = ctx };
	int ret = run_reading(&r, half, err);

	t->n_read += r.n_events;
	return ret;
}

/* ---- windows ------------------------------------------------------------------------------ */

/* Programs that sleep (probes_may_sleep) may be preempted between the window's word and the cell.
 */
#define OLD_NS (100 * NS_PER_MS)

void key_windows_release(struct key_windows *w)
{
	vec_release(&w->tables);
}

static int empty_old(struct key_windows *w, struct err *err)
{
	struct key_table **at;
	int ret = 0;

	if (!w->has_old)
		return 0;
	vec_for_each(at, &w->tables) {
		struct reading r = { .t = *at, .empties = true };

		ret = ret ?: run_reading(&r, w->old, err);
		w->n_late += r.n_events - (*at)->n_reported;
		(*at)->n_reported = 0;
	}
	w->has_old = ret != 0;
	return ret;
}

int key_windows_begin(struct key_windows *w, struct probes *p, bool is_snapshot, u32 *half,
		      struct err *err)
{
	bool is_cut = w->is_used && !is_snapshot;
	int ret = is_cut ? empty_old(w, err) : 0;
	struct key_table **at;

	if (ret)
		return ret;
	*half = probes_window(p);
	if (is_cut) {
		w->old = *half = probes_next_window(p);
		w->has_old = true;
		w->since_ns = now_ns();
	}
	vec_for_each(at, &w->tables) {
		key_table_forget(*at);
		(*at)->n_read = (*at)->n_folded = 0;
	}
	return 0;
}

u64 key_windows_folded(const struct key_windows *w)
{
	struct key_table **at;
	u64 n = 0;

	vec_for_each(at, &w->tables)
		n += (*at)->n_folded;
	return n;
}

void key_windows_end(struct key_windows *w, bool is_snapshot)
{
	struct key_table **at;

	if (!w->is_used || is_snapshot)
		return;
	vec_for_each(at, &w->tables)
		(*at)->n_reported = (*at)->n_read;
	w->n_folded += key_windows_folded(w);
}

void key_windows_tidy(struct key_windows *w, u64 now)
{
	struct err ignored = { 0 };

	if (w->has_old && now >= w->since_ns + OLD_NS)
		empty_old(w, &ignored);
}

void key_windows_ledger(const struct key_windows *w, struct ledger *l)
{
	l->lost[LOST_map_full] += w->n_late + (w->is_used ? w->n_folded : key_windows_folded(w));
	if (w->n_late)
		log_warn("events-lost", "%llu events came when their report was made already",
			 w->n_late);
}

/* ---- a key as text ------------------------------------------------------------------------ */

const char *key_text(struct show_env *show, struct arena *a, const struct shown *part)
{
	_cleanup_(str_release) struct str text = { 0 };

	/* As it is: what of it can't be printed is each format's to say. */
	if (!part->is_absent && part->type->kind == TYPE_STRING)
		return arena_view(a, part->bytes);
	show_plain(show, part, &text);
	return arena_view(a, str_view(&text));
}
