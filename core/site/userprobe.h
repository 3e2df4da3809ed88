/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Instructions of x86-64 programs on which the kernel cannot place a uprobe. */
#ifndef SITE_USERPROBE_H
#define SITE_USERPROBE_H

#include "site/userfile_int.h"

enum insn_probe {
	INSN_PROBE_OK,
	/* The kernel refuses it.  If no process that is traced has mapped the file yet, it does so
	 * when the file is mapped, without an error: nothing would be counted. */
	INSN_PROBE_REFUSED,
	/* The kernel would execute another instruction: the program continues with wrong values, or
	 * crashes (6.18: vpcmpeqd and vpsubsb do nothing). */
	INSN_PROBE_DAMAGES,
};

enum insn_probe user_probe_on(const struct user_file *f, u64 file_offset);

/*
 * For a function that begins with such an instruction: the distance from `start` to one that can be
 * probed instead.  All instructions before it write only vector registers and memory, so that the
 * arguments are still in place, and no jump leads to it, so that each call passes it once.  0: the
 * start is fine, or there is no such place.
 */
u32 user_probe_distance(const struct user_file *f, u64 start);

#endif
