/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where instructions of a program begin: a breakpoint inside of one makes another of it. */
#ifndef SITE_USERINSN_H
#define SITE_USERINSN_H

#include "site/userfile.h"

enum insn_place {
	INSN_BEGINS,
	INSN_INSIDE,  /* of one: `before` and `after` are the nearest that begin */
	INSN_UNKNOWN, /* nothing can be said: the bytes at `before` are no instruction known here */
	INSN_FAR,     /* too many are before it to be counted */
	INSN_FOREIGN, /* of a machine that isn't known here */
};

/* Does one begin at `at`?  One does at `start`. */
enum insn_place user_insn_at(const struct user_file *f, u64 start, u64 at, u64 *before, u64 *after);

/*
 * Would the kernel do something else than the instruction says?  It takes the opcode after a VEX
 * or EVEX prefix for that of a jump, a call or a return (branch_setup_xol_ops,
 * arch_uprobe_analyze_insn; measured on 6.18: vpcmpeqd and vpsubsb do nothing): the program goes on
 * with wrong values, or crashes.
 */
bool user_insn_is_misread(const struct user_file *f, u64 file_offset);

/* The function that an address is in; without one, `start` is where counting may begin: after the
 * function before it, or with its section. */
struct user_place {
	u64 start;
	char name[256]; /* "": there is no function there, as far as the file tells */
};

bool user_place_of(const struct user_file *f, u64 at, struct user_place *out);

#endif
