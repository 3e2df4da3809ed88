// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "agg/keytexts.h"

#include <bpf/bpf.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/memlimit.h"
#include "base/undisturbed.h"
#include "bpf/abi/keytext.h"

/* A call that takes longer, and began with a long string, may have that string cut. */
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

static bool find(const struct key_strings *s, const u64 id[2], struct view *out)
{
	size_t at = 0;
	u32 i;

	while (index_next(&s->by_id, id[0], &at, &i))
		if (!memcmp(s->v.items[i].id, id, sizeof(s->v.items[i].id))) {
			*out = s->v.items[i].text;
			return true;
		}
	return false;
}

static void add(struct key_strings *s, const u64 id[2], struct view text)
{
	struct key_string k = { .text = { arena_view(&s->arena, text), text.n } };

	memcpy(k.id, id, sizeof(k.id));
	index_add(&s->by_id, id[0], (u32)s->v.n);
	vec_push(&s->v, k);
}

/* A value of `bytes` bytes.  When memory is full, keys with its string are shown cut. */
static void add_value(struct key_texts *t, const u64 id[2], const void *value, u32 bytes)
{
	u32 max = bytes - (u32)sizeof(struct key_text);
	struct view text = { (const char *)value + sizeof(struct key_text), 0 }, known;
	u64 length;

	memcpy(&length, value, sizeof(length));
	text.n = length < max ? length : max;
	if (!find(&t->now, id, &known) && !mem_is_over())
		add(&t->now, id, text);
}

/* From string number `first` on; without room, a string is fetched again. */
static void make_known(struct key_texts *t, size_t first)
{
	_cleanup_(undisturbed_series_end) struct undisturbed_series calls = { 0 };
	const u32 one = 1;

	for (size_t i = first; i < t->now.v.n; i++) {
		undisturbed_call(&calls);
		if (bpf_map_update_elem(t->known_fd, t->now.v.items[i].id, &one, BPF_ANY))
			return;
	}
}

static void make_unknown(struct key_texts *t)
{
	_cleanup_(undisturbed_series_end) struct undisturbed_series calls = { 0 };
	const struct key_string *s;

	vec_for_each(s, &t->now.v) {
		undisturbed_call(&calls);
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
	size_t n = t->now.v.n;
	int ret = 0;

	for (u32 i = 0; i < t->n_tables && !ret; i++) {
		struct fetch f = { t, bpf_map__value_size(t->tables[i]) };
		const struct hash_source from = { .fd = bpf_map__fd(t->tables[i]),
						  .key_bytes = bpf_map__key_size(t->tables[i]),
						  .value_bytes = f.value_bytes,
						  .name = "of strings" };

		ret = hash_drain(&from, on_text, &f, err);
	}
	make_known(t, n);
	return ret;
}

void key_texts_end_window(struct key_texts *t, bool has_kept)
{
	u64 now = now_ns();

	if (has_kept && now < t->since_ns + KEPT_NS)
		return;
	t->since_ns = now;
	if (t->n_tables)
		make_unknown(t);
	release(&t->before);
	t->before = t->now;
	t->now = (struct key_strings){ 0 };
}

/* A program may put a string into the table after the fetch, and its cell before the cells are
 * read. */
static bool look_up(struct key_texts *t, const struct bpf_map *table, const u64 id[2])
{
	_cleanup_(free_p) u8 *value = mem_alloc(1, bpf_map__value_size(table));
	struct undisturbed u;
	int ret;

	undisturbed_begin(&u);
	ret = bpf_map_lookup_elem(bpf_map__fd(table), id, value);
	undisturbed_end(&u);
	if (!ret)
		add_value(t, id, value, bpf_map__value_size(table));
	return !ret;
}

static bool find_any(void *ctx, const u64 id[2], struct view *out)
{
	struct key_texts *t = ctx;
	bool is_found = find(&t->now, id, out) || find(&t->before, id, out);

	for (u32 i = 0; i < t->n_tables && !is_found; i++)
		is_found = look_up(t, t->tables[i], id) && find(&t->now, id, out);
	return is_found;
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
