/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A pattern of `x ~ "glob"` as an automaton whose states are bits of a word: what programs run
 * (gen/match.c) and what is done here with strings that they have saved.
 */
#ifndef BASE_GLOB_H
#define BASE_GLOB_H

#include "base/types.h"
#include "base/view.h"

/*
 * Bit i: the first i tokens have matched what was read.  A byte moves a bit on when the next token
 * takes it; a bit before a `*` stays.  63 tokens fit.
 */
#define GLOB_MAX_TOKENS 63

struct glob_token {
	u64 takes[4]; /* bytes */
};

struct glob {
	struct glob_token tokens[GLOB_MAX_TOKENS + 1];
	u32 n;
	u64 loop; /* states before a `*` */
};

/* false: too many tokens. */
bool glob_read(struct view pattern, struct glob *out);

/* Bits of the tokens that take byte c, one up: the states that it leads to. */
u64 glob_states_by(const struct glob *glob, u32 c);

/* Is it all of the text?  The text holds no NUL. */
bool glob_takes(const struct glob *glob, struct view text);

#endif
