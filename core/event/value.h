/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Values of an event as text: by their type, or as a format requests.  Knows symbols and the names
 * of the kernel's numbers; must not know where the text is printed.
 */
#ifndef EVENT_VALUE_H
#define EVENT_VALUE_H

#include "base/str.h"
#include "event/unpack.h"
#include "expr/format.h"
#include "site/plan.h"
#include "sym/symbolizer.h"

struct show_env {
	struct symbolizer *sym;
	const struct probe_plan *plan; /* the plan whose sites SHOW_SITE indexes */
	u32 tgid;		       /* the process of SHOW_USYM's addresses */
	/* Text of a stack's frames by the stack's id; NULL: unknown. */
	const char *(*stack)(void *ctx, const u64 id[2]);
	void *ctx;
	/* Time that the search for symbol names may still take (negative: it took more than
	 * allowed), and the time at which it was last increased (0: not yet). */
	s64 naming_ns;
	u64 naming_since_ns;
};

/*
 * Find the names of all locations that were added to the symbolizer, if earlier searches have left
 * time for it: if each event has a new program that is costly to read, the other events must not be
 * delayed without limit.  Locations whose names are not found are shown as addresses, and counted.
 */
void show_find_names(struct show_env *s);

/* The elements of a list that are shown; *is_cut: further elements were left out. */
struct view show_elements(const struct value_view *v, bool *is_cut);

/* The number as it is printed without a format: signed, if it is the int of a failed call. */
u64 show_number(const struct value_view *v);

/* Append the name of a number to out.  Returns false if it has none. */
bool show_name(struct show_env *s, const struct value_view *v, struct str *out);

/* Append the value by its type; strings are quoted. */
void show_default(struct show_env *s, const struct value_view *v, struct str *out);

/* Append the value as text without quotes, as %s does. */
void show_plain(struct show_env *s, const struct value_view *v, struct str *out);

/* Append nanoseconds in the unit of %{ms}, as in a message but without padding. */
void show_ns(const struct format_piece *p, u64 ns, struct str *out);

/* Append a whole message. */
void show_format(struct show_env *s, const struct format *f, const struct value_view *values,
		 struct str *out);

#endif
