/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The part of the filter that kernel and user space share.  The verifier removes each test whose
 * `has_` is 0 (rodata), so an unused filter costs nothing.
 */
#ifndef BPF_ABI_FILTER_H
#define BPF_ABI_FILTER_H

#ifndef __bpf__
#include <linux/types.h>
#endif

enum filter_bits {
	FILTER_WANTED = 1,   /* on the list */
	FILTER_UNWANTED = 2, /* on the list of exclusions */
	FILTER_FOLLOW = 4,   /* processes: children are watched, too */
	FILTER_MOVED = 8,    /* processes: exec removed their perf events (filter_on_exec) */
};

/*
 * Size of filter_slots, which is indexed by the number of a process, thread or user modulo this
 * size.  A slot of 0 means that the number is on no list; testing it is cheaper than a look-up in
 * the lists.  It is set before the list's own entry, and never cleared.
 */
#define FILTER_SLOTS 1024

/* Value of filter_tgids. */
struct filter_process {
	__u64 start_ns; /* task_struct.start_time; 0: named by the user, not seen yet */
	__u32 bits;
	__u32 pad;
};

/*
 * Globs over comm as one automaton for all patterns, one bit per state: the state after token i of
 * a pattern is i bits above its start bit.  A byte c moves each state to the next one if the next
 * token accepts c (bits in `step[c]`); states before a `*` stay (bits in `loop`).  64 bits hold 63
 * tokens, which is more than comm's 15 bytes need.
 */
struct filter_comm {
	__u64 step[256];
	__u64 loop;
	__u64 start;
	__u64 wanted, unwanted; /* accepting states */
};

struct filter_conf {
	__u32 self_tgid;     /* excluded; 0: none.  In our own PID namespace, like all ids */
	__u32 only_tgid;     /* the only process that passes; 0: use the lists */
	__u32 pidns_inum;    /* our PID namespace when it isn't the initial one, else 0 */
	__u32 cgroup_levels; /* bit n: a listed cgroup has level n */
	__s32 cgroup_subsys; /* controller whose hierarchy the cgroups are in; -1: cgroup v2 */
	__u8 include_idle;
	__u8 has_tgids, has_not_tgids, has_tids;
	__u8 has_cgroups, has_not_cgroups;
	__u8 has_uids, has_not_uids;
	__u8 has_comms, has_not_comms;
	__u8 has_cgroupmap, has_mntnsmap;
	__u8 follow;
	__u8 has_members; /* filter_tgids lists the processes in the cgroups, but does not decide */
	__u8 pad[2];
};

#endif
