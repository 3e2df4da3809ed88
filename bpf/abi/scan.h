/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the task iterator (scan.bpf.h) writes of each thread, one record behind the other. */
#ifndef BPF_ABI_SCAN_H
#define BPF_ABI_SCAN_H

#include "stack.h"

struct scan_record {
	__u32 bytes; /* of the whole record */
	__u32 pid;   /* thread, in the initial PID namespace: the key of what the live path knows */
	__u32 tgid, tid;    /* as our own PID namespace numbers them */
	__u64 start_time;   /* task_struct.start_time */
	__u64 time_ns;	    /* CLOCK_MONOTONIC: when it was looked at */
	__u64 switches;	    /* nvcsw + nivcsw */
	__u64 utime, stime; /* ns, as the kernel accounts them */
	__u64 cgroup;
	__u64 pc, sp, fp; /* user registers at kernel entry; 0: a kernel thread, or it runs */
	__u32 state;	  /* as in sched_switch's prev_state; 0: runnable or running */
	__u32 flags;	  /* task_struct.flags */
	__u32 exec_id;
	__u32 cpu; /* that it is on, or was on last */
	__u32 pad;
	__u8 on_cpu; /* runs right now: neither stack nor registers */
	/*
	 * The kernel leaves out what lies in .sched.text (stack_trace_save_tsk): schedule,
	 * io_schedule, do_nanosleep, mutex_lock and the like are missing, wherever they are in the
	 * stack.
	 */
	__u8 n_kernel;
	__u8 in_iowait;	 /* the wait is accounted as I/O */
	__u8 word_bytes; /* 8, of a 32-bit program 4 */
	char comm[16];
	__u64 kernel[STACK_MAX_FRAMES]; /* leaf first; only n_kernel of them are written */
};

#define SCAN_HEADER_BYTES (sizeof(struct scan_record) - 8 * STACK_MAX_FRAMES)

#endif
