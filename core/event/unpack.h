/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The values in an event's record, or in a key of a table, as programs of gen/ write them. */
#ifndef EVENT_UNPACK_H
#define EVENT_UNPACK_H

#include "bpf/abi/event.h"
#include "type/tree.h"

/* One value of an event; points into its record. */
struct value_view {
	const struct type *type;
	bool is_absent, is_cut;
	bool has_dots;			/* is_cut: the bytes end in "..." (join(), quoted()) */
	bool is_frames;			/* a stack of the event itself: neither number nor bytes */
	bool has_no_name;		/* print the number without its name */
	const struct type_names *names; /* the number's: the type's, or those chosen among them */
	u64 number;
	struct view bytes;
};

/* The dots after the text of a value that was cut, unless it has its own. */
static inline const char *value_dots(const struct value_view *v)
{
	return v->is_cut && !v->has_dots ? "..." : "";
}

/*
 * Decode the values of an event record of n bytes.  Returns false if the record is shorter than its
 * header claims.  `values` are the program's, in order.
 */
bool unpack_event(const struct event *e, size_t n, const struct tree *const *values, u32 n_values,
		  struct value_view *out);

/* Finds a string that is kept apart from keys (bpf/abi/keytext.h); false: it is not known. */
struct unpack_texts {
	bool (*find)(void *ctx, const u64 id[2], struct view *out, bool *is_cut);
	void *ctx;
};

/* The same for the key of a cell (gen_cell_key_bytes): values have their full size.  A string that
 * `texts` does not find is cut. */
bool unpack_key(const void *key, size_t n, const struct tree *const *values, u32 n_values,
		const struct unpack_texts *texts, struct value_view *out);

#endif
