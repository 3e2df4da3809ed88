/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Keys: parses the expressions of --by, names keys, and gives them to programs. */
#ifndef AGG_KEYS_H
#define AGG_KEYS_H

#include "probe/run.h"

/* Expressions separated by commas, as typed. */
struct key_exprs {
	struct text text; /* the parsed text; positions in exprs refer to it */
	struct ast **exprs;
	const char **names; /* "$comm" is comm */
	u32 n;
};

/* Parse at most `max` expressions.  `words` must outlive *out, the rest lives in the arena.
 * Returns 0 or -code. */
int key_exprs_parse(struct arena *a, const char *words, u32 max, struct key_exprs *out,
		    struct err *err);

/* "NAME=x" is NAME, "$comm" is comm, "args->len" is len; anything else is itself. */
const char *column_of_key(struct arena *a, const struct text *t, const struct ast *e);

/* Check all expressions of --by for a group; their trees are stored in key[0..n]. */
int key_exprs_check(const struct key_exprs *by, const struct probe_group *g,
		    const struct tree **key, struct err *err);

/* Set the key of the group's program; `key` must live as long as the group. */
void key_bind(struct probe_group *g, const struct tree **key, u32 n);

/* Is any part of a key a user address that is shown by its symbol?  If so, mappings are needed. */
bool keys_have_user_symbols(const struct probes *p);

/* Call it before a report: addresses are then also found in mappings of processes that have
 * ended. */
void keys_find_mappings(struct proberun *run);

static inline bool key_is_stack(const struct tree *part)
{
	return part->type->kind == TYPE_STACK;
}

#endif
