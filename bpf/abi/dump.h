/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The data that follows each record of the task iterator for `bperf dump` (bpf/dump.bpf.c). */
#ifndef BPF_ABI_DUMP_H
#define BPF_ABI_DUMP_H

#include "object.h"
#include "scan.h"

struct dump_more {
	/* The system call that the thread is in, with its arguments; -1: none, or a 32-bit one. */
	__s64 call;
	__u64 args[6];
	/* Times by the clock of the run queues, which is not CLOCK_MONOTONIC.  0: not known. */
	__u64 clock_ns;	  /* now; up to a tick old */
	__u64 arrived_ns; /* last switch-in */
	__u64 queued_ns;  /* since when it waits for a CPU */
	__u64 ran_ns;	  /* how long it has run since its last switch-in */
	__u64 counted_ns; /* last time that its run time was counted, less time in interrupts */
	__u64 peer;	  /* a unix socket: inode number of the socket at the other end; 0: none */
	__u32 inner_tid;  /* as the thread's own PID namespace numbers it */
	__u8 is_frozen;	  /* stopped by the freezer of its cgroup */
	__u8 pad[3];
	char process[16]; /* name of the process's first thread */
	struct wait_object object;
};

#endif
