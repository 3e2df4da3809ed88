/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Settings of the wait commands, the current window, and the tables that user space reads. */
#ifndef BPF_WAIT_CONF_BPF_H
#define BPF_WAIT_CONF_BPF_H

#include "bpf/abi/wait.h"

const volatile u32 wait_levels = 0; /* levels of wakers; 0: wakers are not recorded */
const volatile u32 wait_key = 0;    /* enum stack_key */
const volatile bool want_kernel = true;
const volatile bool want_user = true;
const volatile bool want_waiter_stack = true;
const volatile bool want_running = false; /* count time on CPUs too (--states) */
const volatile bool want_kind = false;	  /* tell what a blocked thread waits for: I/O, a lock */
const volatile u64 sample_ns = 0;	  /* time that one CPU sample stands for (--with-cpu) */
const volatile bool want_objects = false; /* record the object that is waited for (--waits) */
const volatile bool want_path = false;
const volatile bool want_all_wakers = false; /* include wakers that cannot have caused the wait */
const volatile bool user_threads_only = false;
const volatile bool kernel_threads_only = false;
const volatile bool filter_may_change = false; /* in a thread's life, by comm, cgroup or user */
const volatile bool has_cpus = false; /* count only waits that begin on the CPUs in cpu_mask */
const volatile u64 cpu_mask[WAIT_CPU_WORDS] = {};
const volatile bool has_prev_state = false; /* sched_switch has a prev_state argument (5.18) */
const volatile u64 min_ns = 0, max_ns = ~0ULL;
const volatile bool filters_states = false; /* count only waits in these states: */
const volatile bool want_ready = false;	    /* state 0: runnable */
const volatile bool want_idle = false;	    /* TASK_IDLE (both of its bits) */
const volatile u32 state_mask = 0;	    /* any of these bits */
const volatile u32 sample_below = 0;	/* share of waits that are counted, times 2^32; 0: all */
const volatile bool want_split = false; /* one sum of squares per part (--split) */

/* The current window.  Before the first window begins, every interval is sent as a record. */
struct wait_window wait_windows[WAIT_WINDOWS] = { { .since = ~0ULL, .until = ~0ULL } };
u32 wait_window_at = 0;

/* The program after `--`, while it is held until all hooks are attached; 0: none. */
u32 wait_held_tid = 0;

/* Threads that started after this time were seen at birth; 0: not known yet. */
u64 wait_attached_ns = 0;

/* User space has finished filling the filter's lists. */
bool wait_settled = false;

/* Nonzero if a thread with this PID (modulo WAIT_SLOTS) has or had an entry in `wait_threads`. */
#define WAIT_SLOTS 4096
u8 wait_slots[WAIT_SLOTS] = {};

/* The value size is set before loading, to fit the number of links in use. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(u32));
	__uint(value_size, sizeof(struct wait_thread) + WAIT_MAX_LEVELS * sizeof(struct wait_link));
} wait_threads SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, struct stack_id);
	__type(value, struct wait_sum);
} wait_sums SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, struct stack_id);
	__type(value, struct wait_path);
} wait_paths SEC(".maps");

/* Stacks that user space already has. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, struct stack_id);
	__type(value, u8);
} stack_seen SEC(".maps");

#endif
