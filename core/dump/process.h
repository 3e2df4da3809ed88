/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Facts about processes from /proc that the dump of a thread mentions. */
#ifndef DUMP_PROCESS_H
#define DUMP_PROCESS_H

#include "base/intern.h"
#include "base/mem.h"
#include "base/types.h"

struct pid_list {
	VEC(u32) v;
};

/* Its name, interned; NULL: it is gone. */
const char *process_comm(u32 pid, struct intern *strings);
/* Its number, or a thread's, in the innermost PID namespace that it is in; 0: it is gone. */
u32 process_inner(u32 pid);
/* The children of a thread. */
void process_children(u32 tgid, u32 tid, struct pid_list *out);

#endif
