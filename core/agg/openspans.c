// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * --open: the spans that have not ended, put into cells as the kernel puts those that have.  What
 * is known of them is what their start saved, and their age.
 */
#include <string.h>

#include <bpf/bpf.h>

#include "agg/dist.h"
#include "base/cleanup.h"
#include "bpf/abi/cells.h"
#include "bpf/abi/span.h"
#include "expr/eval.h"

/* ---- what is asked of them ---------------------------------------------------------------- */

static bool is_known(const struct tree *leaf)
{
	return (leaf->kind == TREE_SAVED || leaf->kind == TREE_LATENCY) && leaf->of_span;
}

static int check_known(const struct text *t, const struct tree *value, struct err *err)
{
	const struct tree *unknown = eval_unknown(value, is_known);

	if (!unknown)
		return 0;
	text_error(t, unknown->at, err, "--open: an open span has not come to its end");
	return err_hint(err, "$start(expression) and $latency, its age, are known");
}

/* Their ends only end them. */
int dist_bind_open(struct dists *d, const struct probe *probe, struct probe_group *g,
		   struct err *err)
{
	const struct text *t = &probe->spec.text;
	int ret = g->gen.value ? check_known(t, g->gen.value, err) : 0;

	if (!probe->spec.span)
		return text_error(t, probe->spec.site, err,
				  "--open is about spans: span(START ; END)");
	if (!ret && g->predicate)
		ret = check_known(t, g->predicate, err);
	for (u32 i = 0; i < g->gen.n_key && !ret; i++)
		ret = check_known(i < d->by.n ? &d->by.text : t, g->gen.key[i], err);
	g->gen.action = GEN_END;
	return ret;
}

/* ---- one span ----------------------------------------------------------------------------- */

struct open_span {
	const struct gen_kept *kept;
	const struct span_record *record;
	u64 age_ns;
};

static const u8 *saved_at(const struct open_span *s, const struct tree *t)
{
	return (const u8 *)(s->record + 1) + gen_fixed_at(s->kept->values, s->kept->n, t->index);
}

/* False: it could not be read when the span started. */
static bool number_of(const void *ctx, const struct tree *leaf, u64 *out)
{
	const struct open_span *s = ctx;

	if (leaf->kind == TREE_LATENCY) {
		*out = s->age_ns;
		return true;
	}
	memcpy(out, saved_at(s, leaf), sizeof(*out));
	return !(s->record->absent >> leaf->index & 1);
}

static bool string_of(const void *ctx, const struct tree *leaf, struct view *out)
{
	const struct open_span *s = ctx;
	const u8 *at = saved_at(s, leaf);
	u32 length;

	memcpy(&length, at, sizeof(length));
	*out = (struct view){ (const char *)at + sizeof(length), length & ~EVENT_CUT };
	return !(s->record->absent >> leaf->index & 1);
}

static struct eval_leaves leaves_of(const struct open_span *s)
{
	return (struct eval_leaves){ .number = number_of, .string = string_of, .ctx = s };
}

static bool passes(const struct open_span *s, const struct tree *predicate)
{
	const struct eval_leaves leaves = leaves_of(s);
	u64 is_true;

	return !predicate || (eval_number(predicate, &leaves, &is_true) && is_true);
}

/* As a program puts it there: bpf/abi/event.h. */
static bool put_string(const struct open_span *s, const struct tree *t, u8 *to)
{
	const struct eval_leaves leaves = leaves_of(s);
	struct view text;
	u32 length;

	if (!eval_string(t, &leaves, &text))
		return false;
	length = text.n < t->type->size ? (u32)text.n : t->type->size;
	memset(to, 0, gen_key_bytes(&t, 1));
	memcpy(to, &length, sizeof(length));
	memcpy(to + sizeof(length), text.p, length);
	return true;
}

static bool put_part(const struct open_span *s, const struct tree *t, u8 *to)
{
	const struct eval_leaves leaves = leaves_of(s);
	u64 number;

	if (type_is_scalar(t->type)) {
		if (!eval_number(t, &leaves, &number))
			return false;
		memcpy(to, &number, sizeof(number));
		return true;
	}
	if (t->kind != TREE_SAVED)
		return put_string(s, t, to);
	memcpy(to, saved_at(s, t), gen_key_bytes(&t, 1));
	return !(s->record->absent >> t->index & 1);
}

static bool make_key(const struct open_span *s, const struct dist_cells *c, u8 *key)
{
	for (u32 i = 0; i < c->n_key; i++)
		if (!put_part(s, c->key[i], key + gen_fixed_at(c->key, c->n_key, i)))
			return false;
	return true;
}

static bool is_in(const struct dist_bucket *b, u64 v, bool is_signed)
{
	u64 at = cell_order(v, is_signed);

	return (b->is_first || at >= cell_order(b->from, is_signed)) &&
	       (b->is_end || at <= cell_order(b->last, is_signed));
}

static void put_into(const struct dist_result *r, u64 v, bool is_signed, u64 *cell, u32 n)
{
	struct cell_stats *stats = (struct cell_stats *)(void *)cell;

	if (r->cell == CELL_COUNT) {
		cell[0] = 1;
	} else if (r->cell == CELL_STATS) {
		stats->count = 1;
		stats->sum = v;
		stats->greatest = cell_order(v, is_signed);
		stats->least = ~stats->greatest;
		cell[dist_fine_word(dist_fine_bucket(v, is_signed))] = 1;
	} else {
		for (u32 i = 0; i < n; i++) {
			struct dist_bucket b = dist_bucket_at(&r->shown.scale, is_signed, i);

			if (!is_in(&b, v, is_signed))
				continue;
			cell[i] = 1;
			return;
		}
	}
}

/* ---- all of them -------------------------------------------------------------------------- */

struct reading {
	const struct dist_result *result;
	struct dist_cells *cells;
	u8 *key;
	u64 *cell;
	key_take take;
	void *ctx;
};

static void take_span(struct reading *to, const struct open_span *s)
{
	struct dist_cells *c = to->cells;
	u32 n = dist_cell_words(c);
	const struct eval_leaves leaves = leaves_of(s);
	u64 value = 0;

	/* What is asked of a span's start is the same at all of its ends. */
	if (!passes(s, c->probe->groups.items[0]->predicate) || !make_key(s, c, to->key) ||
	    (c->open_value && !eval_number(c->open_value, &leaves, &value)))
		return;
	memset(to->cell, 0, n * sizeof(*to->cell));
	put_into(to->result, value, c->value && c->value->is_signed, to->cell, n);
	to->take(to->ctx, c->n_key ? key_table_number(&c->table, to->key) : 0, to->cell);
}

/* When an end takes the span away that we are at, the walk begins anew: keys may come twice. */
static u32 read_keys(int fd, u32 bytes, u32 max, u8 **keys)
{
	u32 n = 0, cap = 0;

	for (;; n++) {
		if (n == cap) {
			cap = cap ? 2 * cap : 1024;
			*keys = mem_realloc(*keys, cap, bytes);
		}
		if (n >= max || bpf_map_get_next_key(fd, n ? *keys + (size_t)(n - 1) * bytes : NULL,
						     *keys + (size_t)n * bytes))
			return n;
	}
}

static int compare_keys(const void *a, const void *b, void *bytes)
{
	return memcmp(a, b, *(const u32 *)bytes);
}

void dist_read_open(struct dists *d, struct dist_cells *c, key_take take, void *ctx)
{
	const struct probe *probe = c->probe;
	const struct gen_plan *start = &probe->start_groups.items[0]->gen,
			      *end = &probe->groups.items[0]->gen;
	u32 key_bytes = start->span == GEN_SPAN_KEY
				? gen_key_bytes(start->span_key, start->n_span_key)
				: (u32)sizeof(u64);
	_cleanup_(free_p) u8 *keys = NULL, *key = mem_alloc(c->table.opts.key_bytes + 1, 1);
	_cleanup_(free_p) u64 *cell = mem_alloc(1, c->table.opts.cell_bytes);
	_cleanup_(free_p) struct span_record *record =
		mem_alloc(1, gen_saved_bytes(end->span_kept.values, end->span_kept.n));
	struct reading to = { .result = &d->results.items[c->result],
			      .cells = c,
			      .key = key,
			      .cell = cell,
			      .take = take,
			      .ctx = ctx };
	u32 n = read_keys(probe->span_fd, key_bytes, 2 * SPANS_MAX, &keys);

	qsort_r(keys, n, key_bytes, compare_keys, &key_bytes);
	for (u32 i = 0; i < n; i++) {
		const u8 *at = keys + (size_t)i * key_bytes;
		struct open_span s = { &end->span_kept, record, 0 };

		if (i && !memcmp(at, at - key_bytes, key_bytes))
			continue;
		/* Of the window alone: it takes a while until probes are gone. */
		if (bpf_map_lookup_elem(probe->span_fd, at, record) || record->start_ns > d->end_ns)
			continue;
		s.age_ns = d->end_ns - record->start_ns;
		if (s.age_ns >= d->opts.open_ns)
			take_span(&to, &s);
	}
}
