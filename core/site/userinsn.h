/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Finds where instructions of a program begin, because a breakpoint inside an instruction corrupts
 * it. */
#ifndef SITE_USERINSN_H
#define SITE_USERINSN_H

#include "site/userfile_int.h"

enum insn_place {
	INSN_BEGINS,
	INSN_INSIDE,  /* inside an instruction: `before` and `after` are the nearest starts */
	INSN_UNKNOWN, /* unknown: the bytes at `before` cannot be decoded */
	INSN_FAR,     /* too far from a known start */
	INSN_FOREIGN, /* the file is for another architecture */
};

/* Does an instruction begin at `at`?  `start` is the start of an instruction at or before it. */
enum insn_place user_insn_at(const struct user_file *f, u64 start, u64 at, u64 *before, u64 *after);

/* The function that contains an address; if there is none, `start` is where decoding may begin:
 * after the previous function, or at the start of the section. */
struct user_place {
	u64 start;
	char name[256]; /* "": no function is known at this address */
};

bool user_place_of(const struct user_file *f, u64 at, struct user_place *out);

#endif
