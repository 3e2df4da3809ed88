/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Locations: places in code, each once, numbered.  What makes two of them the same:
 *
 *	in a file      file, offset, caller or not      (processes share it)
 *	without a file process's life, address, caller or not
 *	kernel         address, caller or not
 *	note           text
 *
 * and with -A the run-time address everywhere.  Knows identity; must not know how to name.
 */
#ifndef SYM_LOCATIONS_H
#define SYM_LOCATIONS_H

#include "base/index.h"
#include "base/mem.h"
#include "model/frame.h"

enum space {
	SPACE_FILE,    /* owner: a struct mapped, at: file offset */
	SPACE_LIFE,    /* owner: a life's serial, at: address; code without a file */
	SPACE_KERNEL,  /* at: address */
	SPACE_NOTE,    /* at: the interned text */
	SPACE_NOWHERE, /* owner: a life's serial, at: address; in no mapping */
};

struct loc {
	u64 at;
	u64 addr; /* run-time address when it is part of the identity, else 0 */
	u32 owner;
	enum space space;
	bool is_return;
	bool is_pending; /* may still get a name */
	bool is_costly;	 /* its name would cost too much */
	bool is_gone;	 /* the process ended before its mappings could be read */
};

struct locs {
	VEC(struct loc) list;
	VEC(struct frame) frames; /* of the same index */
	VEC(u32) pending;
	struct index index;
};

/* The location like `key`; *is_new when it had to be made, with an empty frame. */
u32 locs_get(struct locs *l, const struct loc *key, bool *is_new);
/* The list has changed. */
void locs_reindex(struct locs *l);
void locs_release(struct locs *l);

/* The address to look up: of the call itself, which is before the return address. */
static inline u64 loc_at(const struct loc *l)
{
	return l->at - (l->is_return && l->at);
}

#endif
