// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "agg/keytexts.h"

#include <bpf/bpf.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/memlimit.h"
#include "base/no_preempt.h"
#include "bpf/abi/keytext.h"

/* If a call that began with a long string takes longer than this, the string may be shown cut. */
#define KEPT_NS (60 * NS_PER_SEC)

void key_texts_open(struct key_texts *t, const struct bpf_map *table, int known_fd)
{
	t->known_fd = known_fd;
	if (t->n_tables < ARRAY_SIZE(t->tables))
		t->tables[t->n_tables++] = table;
}

static void release(struct key_strings *s)
{
	vec_release(&s->v);
	index_release(&s->by_id);
	arena_release(&s->arena);
	*s = (struct key_strings){ 0 };
}

void key_texts_release(struct key_texts *t)
{
	release(&t->now);
	release(&t->before);
}

static struct key_string *find(const struct key_strings *s, const u64 id[2])
{
	size_t at = 0;
	u32 i;

	while (index_next(&s->by_id, id[0], &at, &i))
		if (!memcmp(s->v.items[i].id, id, sizeof(s->v.items[i].id)))
			return &s->v.items[i];
	return NULL;
}

static struct key_string *add(struct key_strings *s, const u64 id[2], struct view text)
{
	struct key_string k = { .text = { arena_view(&s->arena, text), text.n } };

	memcpy(k.id, id, sizeof(k.id));
	index_add(&s->by_id, id[0], (u32)s->v.n);
	vec_push(&s->v, k);
	return &s->v.items[s->v.n - 1];
}

/* A value of `bytes` bytes.  When memory is full, keys with its string are shown cut. */
static void add_value(struct key_texts *t, const u64 id[2], const void *value, u32 bytes)
{
	u32 max = bytes - (u32)sizeof(struct key_text);
	struct view text = { (const char *)value + sizeof(struct key_text), 0 };
	struct key_string *known = find(&t->now, id);
	u64 length;
	bool is_cut;

	memcpy(&length, value, sizeof(length));
	is_cut = length > max;
	text.n = is_cut ? max : length;
	if ((known && (is_cut || !known->is_cut)) || mem_is_over())
		return;
	if (known)
		known->text = (struct view){ arena_view(&t->now.arena, text), text.n };
	else
		known = add(&t->now, id, text);
	known->is_cut = is_cut;
}

/* Without room, a string is fetched again. */
static void make_known(struct key_texts *t)
{
	_cleanup_(no_preempt_series_end) struct no_preempt_series calls = { 0 };
	const u32 one = 1;
	struct key_string *s;

	vec_for_each(s, &t->now.v) {
		if (s->is_known || s->is_cut)
			continue;
		no_preempt_call(&calls);
		if (bpf_map_update_elem(t->known_fd, s->id, &one, BPF_ANY))
			return;
		s->is_known = true;
	}
}

static void make_unknown(struct key_texts *t)
{
	_cleanup_(no_preempt_series_end) struct no_preempt_series calls = { 0 };
	const struct key_string *s;

	vec_for_each(s, &t->now.v) {
		if (!s->is_known)
			continue;
		no_preempt_call(&calls);
		bpf_map_delete_elem(t->known_fd, s->id);
	}
}

struct fetch {
	struct key_texts *texts;
	u32 value_bytes;
};

static void on_text(void *ctx, const void *key, const void *value)
{
	const struct fetch *f = ctx;
	u64 id[2];

	memcpy(id, key, sizeof(id));
	add_value(f->texts, id, value, f->value_bytes);
}

int key_texts_fetch(struct key_texts *t, struct err *err)
{
	int ret = 0;

	for (u32 i = 0; i < t->n_tables && !ret; i++) {
		struct fetch f = { t, bpf_map__value_size(t->tables[i]) };
		const struct hash_source from = { .fd = bpf_map__fd(t->tables[i]),
						  .key_bytes = bpf_map__key_size(t->tables[i]),
						  .value_bytes = f.value_bytes,
						  .name = "of strings" };

		ret = hash_drain(&from, on_text, &f, err);
	}
	if (t->n_tables)
		make_known(t);
	return ret;
}

void key_texts_end_window(struct key_texts *t, bool has_kept)
{
	u64 now = now_ns();

	if (has_kept && now < t->since_ns + KEPT_NS)
		return;
	t->since_ns = now;
	make_unknown(t);
	release(&t->before);
	t->before = t->now;
	t->now = (struct key_strings){ 0 };
}

/* A program may put a string into the table after the fetch, and its cell before the cells are
 * read. */
static void look_up(struct key_texts *t, const struct bpf_map *table, const u64 id[2])
{
	_cleanup_(free_p) u8 *value = mem_alloc(1, bpf_map__value_size(table));
	struct no_preempt u;
	int ret;

	no_preempt_begin(&u);
	ret = bpf_map_lookup_elem(bpf_map__fd(table), id, value);
	no_preempt_end(&u);
	if (!ret)
		add_value(t, id, value, bpf_map__value_size(table));
}

static bool find_any(void *ctx, const u64 id[2], struct view *out, bool *is_cut)
{
	struct key_texts *t = ctx;
	const struct key_string *s = find(&t->now, id) ?: find(&t->before, id);

	for (u32 i = t->n_tables; i-- > 0 && !s;) {
		look_up(t, t->tables[i], id);
		s = find(&t->now, id);
	}
	if (!s)
		return false;
	*out = s->text;
	*is_cut = s->is_cut;
	return true;
}

struct unpack_texts key_texts_finder(struct key_texts *t)
{
	return (struct unpack_texts){ find_any, t };
}

/* Ids need not be those of programs: equal strings make one row. */
void key_texts_add(struct key_texts *t, struct view text, u64 id[2])
{
	id[0] = t->now.v.n;
	id[1] = 0;
	add(&t->now, id, text);
}
