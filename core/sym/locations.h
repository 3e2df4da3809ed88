/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Locations: points in code or data, each stored once and numbered.  Two addresses have the same
 *location if these are equal:
 *
 *	in a file      file, offset, caller or not      (processes share it)
 *	data, futex    file, address in the file's own address space: data may have no offset
 *	without a file process's life, address, caller or not
 *	kernel         address, caller or not
 *	note           text
 *
 * and, with -A, the run-time address.  Knows identity; must not know how to symbolize.
 */
#ifndef SYM_LOCATIONS_H
#define SYM_LOCATIONS_H

#include "base/index.h"
#include "base/mem.h"
#include "model/frame.h"

enum location_space {
	LOC_FILE,    /* owner: a struct mapped; at: file offset */
	LOC_LIFE,    /* owner: a life's serial; at: address; code without a file */
	LOC_KERNEL,  /* at: address */
	LOC_NOTE,    /* at: the interned text */
	LOC_DATA,    /* like LOC_FILE, but not code */
	LOC_FUTEX,   /* the same, as a note that tells what a thread waits for */
	LOC_NOWHERE, /* owner: a life's serial; at: address; in no mapping */
};

struct loc {
	u64 at;
	u64 addr; /* run-time address if it is part of the identity, else 0 */
	u32 owner;
	enum location_space space;
	bool is_return;
	bool is_pending; /* may still be symbolized */
	bool is_costly;	 /* symbolizing it would cost too much */
	bool is_gone;	 /* the process ended before its mappings could be read */
};

struct locs {
	VEC(struct loc) list;
	VEC(struct frame) frames; /* same index as the locations */
	VEC(u32) pending;
	struct index index;
};

/* The location equal to `key`; *is_new tells whether it was created, with an empty frame. */
u32 locs_get(struct locs *l, const struct loc *key, bool *is_new);
/* Rebuild the index after the list has changed. */
void locs_reindex(struct locs *l);
void locs_release(struct locs *l);

static inline bool loc_is_in_file(const struct loc *l)
{
	return l->space == LOC_FILE || l->space == LOC_DATA || l->space == LOC_FUTEX;
}

/* The address to symbolize: for a caller, an address in the call itself, just before the return
 * address. */
static inline u64 loc_at(const struct loc *l)
{
	return l->at - (l->is_return && l->at);
}

#endif
