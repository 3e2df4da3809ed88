/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Strings in the key of a cell.  The kernel hashes and compares all bytes of a key, so a key with
 * room for a long string costs every event (4000 bytes: 0.8 us).  A string of at most
 * KEY_TEXT_BYTES is therefore in the key; of a longer one the key has the beginning and an id, and
 * the string itself is in a table until user space fetches it: in `key_texts`, or in
 * `key_texts_long`, which has room for fewer, if it has more than KEY_TEXT_MEDIUM bytes.  The ids
 * of strings that user space has are in `key_texts_known`: where many different strings come at
 * once, those that found no room are not kept out by others when they come again.
 */
#ifndef BPF_ABI_KEYTEXT_H
#define BPF_ABI_KEYTEXT_H

#include "event.h"

#define KEY_TEXT_BYTES	60
#define KEY_TEXT_MEDIUM 256

struct key_text_part {
	__u32 length;			/* without a NUL; with EVENT_CUT as in an event */
	__u8 head[KEY_TEXT_BYTES - 16]; /* the beginning of the string */
	union {
		__u8 tail[16]; /* a short string's, with zeros after it */
		__u64 id[2];
	};
};

/* The value under an id in these tables. */
struct key_text {
	__u64 length; /* more than there is room for: only the beginning */
	__u8 bytes[];
};

/* Bytes of such a value for strings of `max` bytes with their NUL: one more is read, to tell
 * whether the string is longer, and the last word is hashed with zeros after the string. */
#define KEY_TEXT_VALUE(max) ((__u32)sizeof(struct key_text) + (((max) + 16) & ~7U))

_Static_assert(sizeof(struct key_text_part) == 64, "no padding");

#endif
