/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Values that a probe has sent, as text: by their type, or as a format asks.  Knows symbols,
 * names of the kernel's numbers; must not know where the text goes.
 */
#ifndef EVENT_VALUE_H
#define EVENT_VALUE_H

#include "base/str.h"
#include "bpf/abi/event.h"
#include "expr/format.h"
#include "site/plan.h"
#include "sym/symbolizer.h"
#include "type/tree.h"

/* One value of an event, taken out of its record (borrowed). */
struct shown {
	const struct type *type;
	bool is_absent, is_cut;
	bool is_frames;	  /* a stack, the event's own: neither number nor bytes */
	bool has_no_name; /* of a number: others are called what it would be */
	u64 number;
	struct view bytes;
};

struct show_env {
	struct symbolizer *sym;
	const struct probe_plan *plan; /* whose sites SHOW_SITE counts */
	u32 tgid;		       /* whose addresses SHOW_USYM means */
	/* The frames of a stack by its identity, as text; NULL: not known. */
	const char *(*stack)(void *ctx, const u64 id[2]);
	void *ctx;
	/* The event's own stacks as text. */
	struct view kernel_frames, user_frames;
};

/*
 * Take the values out of an event record of n bytes; false: it is shorter than it says.
 * `values` are the program's, in order.
 */
bool show_unpack(const struct event *e, size_t n, const struct tree *const *values, u32 n_values,
		 struct shown *out);

/* The same of a key (bpf/abi/event.h): values of full size, none absent. */
bool show_unpack_key(const void *key, size_t n, const struct tree *const *values, u32 n_values,
		     struct shown *out);

/* The elements of a list that are shown, without what is after them; is that something? */
struct view show_elements(const struct shown *v, bool *is_cut);

/* What a number is called, added to out; false: it has no name. */
bool show_name(struct show_env *s, const struct shown *v, struct str *out);

/* By its type; strings in quotes. */
void show_default(struct show_env *s, const struct shown *v, struct str *out);

/* As text without quotes: %s. */
void show_plain(struct show_env *s, const struct shown *v, struct str *out);

/* A whole message. */
void show_format(struct show_env *s, const struct format *f, const struct shown *values,
		 struct str *out);

#endif
