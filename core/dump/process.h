/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Facts about processes from /proc that the dump of a thread mentions. */
#ifndef DUMP_PROCESS_H
#define DUMP_PROCESS_H

#include "base/index.h"
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

struct process_thread {
	u32 tgid, tid;
	u32 inner; /* its number in its own PID namespace; 0: all threads of tgid are listed */
};

/* Threads of processes; a process is read when the first of its threads is looked for. */
struct process_threads {
	VEC(struct process_thread) v;
	struct index by_inner;
};

/* The thread with this number in its own PID namespace; 0: there is none. */
u32 process_thread_find(struct process_threads *p, u32 tgid, u32 inner);
void process_threads_release(struct process_threads *p);

#endif
