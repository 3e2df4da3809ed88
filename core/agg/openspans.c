// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * --open: puts spans that have not ended into cells, as the kernel does with those that have.  Only
 * the values saved at their start are known, and their age.
 */
#include <stddef.h>
#include <string.h>

#include "agg/dist.h"
#include "base/cleanup.h"
#include "bpf/abi/cells.h"
#include "bpf/abi/keytext.h"
#include "bpf/abi/span.h"
#include "expr/eval.h"
#include "run/mapread.h"

/* ---- checks ------------------------------------------------------------------------------- */

static bool is_known(const struct tree *leaf)
{
	return (leaf->kind == TREE_SAVED || leaf->kind == TREE_LATENCY) && leaf->of_span;
}

static int check_known(const struct text *t, const struct tree *value, struct err *err)
{
	const struct tree *unknown = eval_unknown(value, is_known);

	if (!unknown)
		return 0;
	text_error(t, unknown->at, err,
		   "--open: this is not known, because an open span has not ended");
	return err_hint(err, "$start(expression) and $latency, its age, are known");
}

/* The programs at span ends only remove the spans. */
int dist_bind_open(struct dists *d, const struct probe *probe, struct probe_group *g,
		   struct err *err)
{
	const struct text *t = &probe->spec.text;
	int ret = g->gen.work.value ? check_known(t, g->gen.work.value, err) : 0;

	if (!probe->spec.span)
		return text_error(t, probe->spec.site, err,
				  "--open needs a span: span(START ; END)");
	if (!ret && g->predicate)
		ret = check_known(t, g->predicate, err);
	for (u32 i = 0; i < g->gen.work.n_key && !ret; i++)
		ret = check_known(i < d->agg.by.n ? &d->agg.by.text : t, g->gen.work.key[i], err);
	g->gen.work.action = GEN_END;
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

/* False: the value could not be read when the span started. */
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

/* Write the string in the form that a program uses (bpf/abi/event.h, keytext.h). */
static bool put_string(const struct open_span *s, const struct tree *t, struct key_texts *apart,
		       u8 *to)
{
	const struct eval_leaves leaves = leaves_of(s);
	struct view text;
	u32 length, marked;
	u64 id[2];

	if (!eval_string(t, &leaves, &text))
		return false;
	length = text.n < t->type->size ? (u32)text.n : t->type->size - 1;
	marked = length | (length < text.n ? EVENT_CUT : 0);
	memset(to, 0, gen_key_bytes(&t, 1));
	memcpy(to, &marked, sizeof(marked));
	if (!t->type->is_apart || length <= KEY_TEXT_BYTES) {
		memcpy(to + sizeof(length), text.p, length);
		return true;
	}
	key_texts_add(apart, (struct view){ text.p, length }, id);
	memcpy(to + offsetof(struct key_text_part, id), id, sizeof(id));
	return true;
}

static bool put_part(const struct open_span *s, const struct tree *t, struct key_texts *apart,
		     u8 *to)
{
	const struct eval_leaves leaves = leaves_of(s);
	u64 number;

	if (type_is_scalar(t->type)) {
		if (!eval_number(t, &leaves, &number))
			return false;
		memcpy(to, &number, sizeof(number));
		return true;
	}
	if (t->kind != TREE_SAVED || t->type->is_apart)
		return put_string(s, t, apart, to);
	memcpy(to, saved_at(s, t), gen_key_bytes(&t, 1));
	return !(s->record->absent >> t->index & 1);
}

static void make_key(const struct open_span *s, struct agg_table *t, u8 *key)
{
	u64 absent = 0;

	for (u32 i = 0; i < t->n_key; i++) {
		u8 *to = key + gen_fixed_at(t->key, t->n_key, i);

		if (put_part(s, t->key[i], &t->agg->apart, to))
			continue;
		memset(to, 0, gen_key_bytes(&t->key[i], 1));
		absent |= 1ULL << i;
	}
	if (gen_key_has_bits(t->key, t->n_key))
		memcpy(key + gen_key_bytes(t->key, t->n_key), &absent, sizeof(absent));
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

/* ---- all spans ---------------------------------------------------------------------------- */

struct reading {
	struct agg_table *table;
	const struct gen_kept *kept;
	u64 end_ns, least_age_ns;
	u8 *key;
	u64 *cell;
};

static void take_span(struct reading *to, const struct open_span *s)
{
	struct agg_table *t = to->table;
	const struct dist_cells *c = dist_cells_of(t);
	u32 n = t->cells.opts.layout.n_words, only = 0;
	const struct eval_leaves leaves = leaves_of(s);
	u64 value = 0;

	/* All ends have the same filter on the start. */
	if (!passes(s, t->probe->groups.items[0]->predicate) ||
	    (c->open_value && !eval_number(c->open_value, &leaves, &value)))
		return;
	make_key(s, t, to->key);
	memset(to->cell, 0, n * sizeof(*to->cell));
	put_into(dist_result_of(t), value, c->value && c->value->is_signed, to->cell, n);
	agg_take(t, t->n_key ? (const void *)to->key : &only, to->cell);
}

static void on_span(void *ctx, const void *key, const void *value)
{
	struct reading *to = ctx;
	struct open_span s = { .kept = to->kept, .record = value };

	(void)key;
	/* Detaching takes a while: leave out spans that started after the window. */
	if (s.record->start_ns > to->end_ns)
		return;
	s.age_ns = to->end_ns - s.record->start_ns;
	if (s.age_ns >= to->least_age_ns)
		take_span(to, &s);
}

/* Several tables of one result may belong to ends of the same span: its starts are read only
 * once. */
static bool is_read(const struct agg_table *t)
{
	struct agg_table *const *other = t->agg->tables.items;

	while (*other != t && (*other)->rows != t->rows)
		other++;
	return *other != t;
}

int dist_make_open(struct agg_table *t, struct err *err)
{
	const struct dists *d = dist_cells_of(t)->dists;
	const struct gen_plan *start = &t->probe->start_groups.items[0]->gen,
			      *end = &t->probe->groups.items[0]->gen;
	_cleanup_(free_p) u8 *key = mem_alloc(t->cells.opts.key_bytes + 1, 1);
	_cleanup_(free_p) u64 *cell = mem_alloc(t->cells.opts.layout.n_words, sizeof(*cell));
	struct reading to = {
		.table = t,
		.kept = &end->spans.kept,
		.end_ns = d->end_ns,
		.least_age_ns = d->opts.open_ns,
		.key = key,
		.cell = cell,
	};
	const struct hash_source spans = {
		.fd = t->probe->span_fd,
		.key_bytes = start->spans.by == GEN_SPAN_KEY
				     ? gen_key_bytes(start->spans.key, start->spans.n_key)
				     : (u32)sizeof(u64),
		.value_bytes = gen_saved_bytes(end->spans.kept.values, end->spans.kept.n),
		.name = "of open spans",
	};

	return is_read(t) ? 0 : hash_read(&spans, on_span, &to, err);
}
