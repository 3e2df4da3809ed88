// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/keys.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>

#include "base/cleanup.h"
#include "base/hash.h"
#include "expr/parse.h"
#include "run/prog.h"

/* ---- --by --------------------------------------------------------------------------------- */

const char *key_name(struct arena *a, const struct text *t, struct span at)
{
	struct view v = span_view(t, span_trim(t, at));

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
		out->names[i] = key_name(a, &out->text, out->exprs[i]->at);
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
	*t = (struct key_table){ .opts = *opts, .fd = -1, .other_fd = -1 };
}

int key_table_init(struct key_table *t, const struct key_table_opts *opts, struct err *err)
{
	enum bpf_map_type hash = opts->is_shared ? BPF_MAP_TYPE_HASH : BPF_MAP_TYPE_PERCPU_HASH;
	u32 value = opts->cell_bytes;
	int ret;

	key_table_init_offline(t, opts);
	if (!opts->key_bytes)
		return make_map(BPF_MAP_TYPE_PERCPU_ARRAY, sizeof(u32), value, 1, &t->fd, err);
	ret = make_map(hash, opts->key_bytes, value, opts->max_keys, &t->fd, err);
	return ret ?: make_map(BPF_MAP_TYPE_PERCPU_ARRAY, sizeof(u32), value, 1, &t->other_fd, err);
}

void key_table_release(struct key_table *t)
{
	close_p(&t->fd);
	close_p(&t->other_fd);
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
	u64 *raw, *sum;
	u32 n_words, n_cpus;
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

/* The one cell of a map without keys. */
static int read_one(struct key_table *t, int fd, struct cells *c, u32 id, key_take take, void *ctx,
		    struct err *err)
{
	u32 zero = 0;

	if (bpf_map_lookup_elem(fd, &zero, c->raw))
		return err_errno(err, errno, "cannot read the counters");
	add_up(t, c, c->n_cpus);
	take(ctx, id, c->sum);
	return 0;
}

static int read_keys(struct key_table *t, struct cells *c, key_take take, void *ctx,
		     struct err *err)
{
	_cleanup_(free_p) u8 *key = mem_alloc(2, t->opts.key_bytes);
	u8 *next = key + t->opts.key_bytes;
	bool is_first = true;

	while (!bpf_map_get_next_key(t->fd, is_first ? NULL : key, next)) {
		is_first = false;
		memcpy(key, next, t->opts.key_bytes);
		if (bpf_map_lookup_elem(t->fd, key, c->raw))
			continue;
		add_up(t, c, t->opts.is_shared ? 1 : c->n_cpus);
		take(ctx, key_table_number(t, key), c->sum);
	}
	return read_one(t, t->other_fd, c, KEY_OTHER, take, ctx, err);
}

int key_table_read(struct key_table *t, key_take take, void *ctx, struct err *err)
{
	struct cells c = { .n_cpus = (u32)libbpf_num_possible_cpus(),
			   .n_words = t->opts.cell_bytes / (u32)sizeof(u64) };
	_cleanup_(free_p) u64 *raw = mem_alloc((size_t)c.n_cpus + 1, t->opts.cell_bytes);

	c.raw = raw;
	c.sum = raw + (size_t)c.n_cpus * c.n_words;
	if (!t->opts.key_bytes)
		return read_one(t, t->fd, &c, 0, take, ctx, err);
	return read_keys(t, &c, take, ctx, err);
}

/* ---- a key as text ------------------------------------------------------------------------ */

const char *key_text(struct show_env *show, struct arena *a, const struct shown *part)
{
	_cleanup_(str_release) struct str text = { 0 };

	show_plain(show, part, &text);
	return arena_view(a, str_view(&text));
}
