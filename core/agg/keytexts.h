/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Long strings of keys (bpf/abi/keytext.h): fetches them from the kernel's tables, so that they do
 * not fill up, and finds them by the ids in keys.
 *
 * A program puts a string into a table only if it is not there, nor known, which strings are until
 * their window ends.  A cell may therefore have the id of a string that was fetched in its window
 * or in the one before.  Only a call that a string was kept for may last longer (KEPT_NS).
 */
#ifndef AGG_KEYTEXTS_H
#define AGG_KEYTEXTS_H

#include "base/arena.h"
#include "base/index.h"
#include "base/mem.h"
#include "event/unpack.h"
#include "run/mapread.h"

struct key_string {
	u64 id[2];
	struct view text;
	bool is_cut;   /* there was no room for all of it */
	bool is_known; /* the kernel knows that we have it */
};

struct key_strings {
	VEC(struct key_string) v;
	struct index by_id;
	struct arena arena;
};

/* Zero-initialize. */
struct key_texts {
	const struct bpf_map *tables[2]; /* borrowed */
	u32 n_tables;			 /* 0: no key has strings that are kept apart */
	int known_fd;			 /* the ids of `now`; borrowed */
	struct key_strings now, before;	 /* this window's; those of the one before it */
	u64 since_ns;			 /* when `now` began */
};

/* Add one of the tables of bpf/abi/keytext.h, and tell that of known ids. */
void key_texts_open(struct key_texts *t, const struct bpf_map *table, int known_fd);
void key_texts_release(struct key_texts *t);

/* Fetch all strings that are in the table.  Call it from time to time, and before cells are read.
 */
int key_texts_fetch(struct key_texts *t, struct err *err);
/* Call it when a window's cells have been read.  `has_kept`: entries of calls keep ids, too. */
void key_texts_end_window(struct key_texts *t, bool has_kept);

/* For unpack_key. */
struct unpack_texts key_texts_finder(struct key_texts *t);

/* Add a string that user space puts into a key; it gets an id. */
void key_texts_add(struct key_texts *t, struct view text, u64 id[2]);

#endif
