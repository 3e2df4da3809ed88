// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "agg/keytexts.h"

#include <stddef.h>

#include "bpf/abi/keytext.h"
#include "gen/program.h"
#include "test.h"

static struct key_texts texts;

static bool is_known(const u64 id[2], const char *want)
{
	struct unpack_texts finder = key_texts_finder(&texts);
	struct view got;
	bool is_cut = true;

	return finder.find(finder.ctx, id, &got, &is_cut) && view_eq(got, want) && !is_cut;
}

TEST(strings_live_for_a_window_more)
{
	u64 a[2], b[2];

	key_texts_add(&texts, view_of("a long string"), a);
	key_texts_add(&texts, view_of("another"), b);
	CHECK(is_known(a, "a long string") && is_known(b, "another"));
	key_texts_end_window(&texts, false);
	CHECK(is_known(a, "a long string"));
	key_texts_end_window(&texts, false);
	CHECK(!is_known(a, "a long string"));
	key_texts_release(&texts);
}

/* For at least a minute. */
TEST(strings_that_calls_keep_live_longer)
{
	u64 id[2];

	texts = (struct key_texts){ 0 };
	key_texts_add(&texts, view_of("kept"), id);
	for (u32 i = 0; i < 10; i++)
		key_texts_end_window(&texts, true);
	CHECK(is_known(id, "kept"));
	key_texts_release(&texts);
}

static const struct type apart = { .kind = TYPE_STRING, .size = 4001, .is_apart = true };
static const struct tree text = { .kind = TREE_TEXT, .type = &apart };

/* Unpacks a key of one string; the result points into `part`. */
static struct value_view unpacked(const struct key_text_part *part)
{
	const struct unpack_texts finder = key_texts_finder(&texts);
	const struct tree *const parts[] = { &text };
	struct value_view v;

	CHECK_U64(gen_cell_key_bytes(parts, 1), sizeof(*part));
	CHECK(unpack_key(part, sizeof(*part), parts, 1, &finder, &v));
	return v;
}

TEST(short_strings_are_in_the_key)
{
	struct key_text_part part = { .length = KEY_TEXT_BYTES };

	memset(part.head, 'x', KEY_TEXT_BYTES);
	CHECK_U64(unpacked(&part).bytes.n, KEY_TEXT_BYTES);
	CHECK(!unpacked(&part).is_cut);
	part.length |= EVENT_CUT;
	CHECK(unpacked(&part).is_cut);
	part = (struct key_text_part){ 0 };
	CHECK_U64(unpacked(&part).bytes.n, 0);
}

TEST(long_strings_are_found_by_their_id)
{
	struct key_text_part part = { 0 };
	char words[301] = { 0 };

	memset(words, 'w', sizeof(words) - 1);
	key_texts_add(&texts, view_of(words), part.id);
	part.length = sizeof(words) - 1;
	CHECK(view_eq(unpacked(&part).bytes, words));
	CHECK(!unpacked(&part).is_cut);
	part.length |= EVENT_CUT;
	CHECK(unpacked(&part).is_cut);
	key_texts_release(&texts);
}

/* Only its beginning is known then. */
TEST(a_string_that_is_not_found_is_cut)
{
	struct key_text_part part = { .length = 300, .id = { 1, 2 } };

	memset(part.head, 'h', sizeof(part.head));
	CHECK_U64(unpacked(&part).bytes.n, sizeof(part.head));
	CHECK(unpacked(&part).is_cut);
}
