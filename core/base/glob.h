/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The pattern of `x ~ "glob"` as an automaton whose states are bits of a word.  Generated BPF
 * programs run it (gen/match.c), and user space runs it on strings that programs have recorded.
 */
#ifndef BASE_GLOB_H
#define BASE_GLOB_H

#include "base/types.h"
#include "base/view.h"

/*
 * State bit i: the first i tokens have matched the text so far.  A byte moves a bit up by one when
 * the next token accepts it; a bit before a `*` also stays.  63 tokens fit into a word.
 */
#define GLOB_MAX_TOKENS 63

struct glob_token {
	u64 takes[4]; /* bitmap of accepted bytes */
};

struct glob {
	struct glob_token tokens[GLOB_MAX_TOKENS + 1];
	u32 n;
	u64 loop; /* bitmap of the states before a `*` */
};

/* false: the pattern has too many tokens. */
bool glob_read(struct view pattern, struct glob *out);

/* The states that byte c leads to: the bits of the tokens that accept it, shifted up by one. */
u64 glob_states_by(const struct glob *glob, u32 c);

/* true if the pattern matches the whole text, which must not contain a NUL. */
bool glob_takes(const struct glob *glob, struct view text);

#endif
