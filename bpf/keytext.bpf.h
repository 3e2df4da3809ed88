/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Strings that are parts of keys, kernel side.  Knows the parts; must not know cells. */
#ifndef BPF_KEYTEXT_BPF_H
#define BPF_KEYTEXT_BPF_H

#include "bpf/abi/keytext.h"
#include "hash.bpf.h"
#include "probe_count.bpf.h"

const volatile u32 key_text_max = 0; /* bytes of the longest string, with its NUL */

/* Strings that user space has not fetched yet; the real sizes are set before loading. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__uint(key_size, 2 * sizeof(u64));
	__uint(value_size, KEY_TEXT_VALUE(KEY_TEXT_MEDIUM));
} key_texts SEC(".maps"), key_texts_long SEC(".maps");

struct hash_ids key_texts_known SEC(".maps");

struct any_word {
	u64 v;
} __attribute__((packed));

/* false: there is no room. */
static __always_inline bool put_text(void *table, const u64 *id, const struct key_text *text)
{
	return bpf_map_lookup_elem(table, id) || !bpf_map_update_elem(table, id, text, BPF_ANY);
}

/* Where there is no room, the string is kept when it occurs again, or is shown cut: after
 * KEY_TEXT_MEDIUM bytes as long as they find room. */
static __always_inline void put_apart(struct scratch *s, struct key_text_part *part,
				      struct key_text *text)
{
	u64 id[2];

	for (u32 i = 0; i < sizeof(part->head); i += sizeof(u32))
		*(u32 *)&part->head[i] = *(u32 *)&text->bytes[i];
	hash_words((const u64 *)text->bytes, (u32)(s->used + 7) / 8, (key_text_max + 7) / 8,
		   stack_seed[0], stack_seed[1] + s->used, id);
	part->id[0] = id[0];
	part->id[1] = id[1];
	if (bpf_map_lookup_elem(&key_texts_known, id))
		return;
	text->length = s->used;
	if (s->used <= KEY_TEXT_MEDIUM || !put_text(&key_texts_long, id, text))
		put_text(&key_texts, id, text);
}

FIXED_FN u64 fixed_text(struct scratch *s, u32 to, u32 from, u32 length, u32 size)
{
	struct key_text_part *part;
	struct key_text *text;
	u32 cut = 0;

	if (!s)
		return 0;
	part = (void *)&s->event + to;
	text = (void *)s + from;
	if (length > size) {
		length = size;
		cut = EVENT_CUT;
	}
	length--;
	/* The verifier would track a different number for each round of the loop. */
	s->used = length;
	part->length = length | cut;
	if (length <= KEY_TEXT_BYTES) {
		bpf_probe_read_kernel(part->head, length, text->bytes);
		return 0;
	}
	if (length >= key_text_max)
		return 0;
	((struct any_word *)&text->bytes[length])->v = 0;
	put_apart(s, part, text);
	return 0;
}

#endif
