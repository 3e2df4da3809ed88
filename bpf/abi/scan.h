/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Records of the task iterator (scan.bpf.h), one per thread, one after the other. */
#ifndef BPF_ABI_SCAN_H
#define BPF_ABI_SCAN_H

#include "stack.h"

struct scan_record {
	__u32 bytes;	    /* size of the record */
	__u32 pid;	    /* thread, in the initial PID namespace: the key of `wait_threads` */
	__u32 tgid, tid;    /* in our own PID namespace */
	__u64 start_time;   /* task_struct.start_time */
	__u64 time_ns;	    /* CLOCK_MONOTONIC: after state and on_cpu, before everything else */
	__u64 switches;	    /* nvcsw + nivcsw */
	__u64 utime, stime; /* ns, as the kernel accounts them */
	__u64 cgroup;
	/* User registers at kernel entry, as in struct cfi_registers; 0: a kernel thread, or
	 * running. */
	__u64 pc, sp, fp, other;
	__u32 state; /* as in sched_switch's prev_state; 0: runnable or running */
	__u32 flags; /* task_struct.flags */
	__u32 exec_id;
	__u32 cpu;     /* the CPU it is on, or was on last */
	__u8 futex;    /* STACK_FUTEX_LOCK, STACK_FUTEX_CONDITION; 0: no futex call, or not known */
	__u8 is_woken; /* a runnable thread that was woken or created, and has not run since */
	__u8 pad[2];
	__u8 on_cpu; /* running now: no stack and no registers */
	/*
	 * The kernel leaves out functions in .sched.text (stack_trace_save_tsk): schedule,
	 * io_schedule, do_nanosleep, mutex_lock and the like are missing wherever they are in the
	 * stack.
	 */
	__u8 n_kernel;
	__u8 in_iowait;	 /* the kernel accounts the wait as I/O */
	__u8 word_bytes; /* 8; 4 for a 32-bit program */
	char comm[16];
	__u64 kernel[STACK_MAX_FRAMES]; /* leaf first; only n_kernel of them are written */
};

#define SCAN_HEADER_BYTES (sizeof(struct scan_record) - 8 * STACK_MAX_FRAMES)

#endif
