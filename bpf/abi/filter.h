/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Who is watched: the part of the filter that kernel and user space share.  Each test is compiled
 * out by the verifier when its `has_` is 0 (rodata), so an unused filter costs nothing.
 */
#ifndef BPF_ABI_FILTER_H
#define BPF_ABI_FILTER_H

#ifndef __bpf__
#include <linux/types.h>
#endif

enum filter_bits {
	FILTER_WANTED = 1,   /* on the list */
	FILTER_UNWANTED = 2, /* on the list of exclusions */
	FILTER_FOLLOW = 4,   /* processes: children join */
	FILTER_MOVED = 8,    /* processes: another thread is the first one since; filter_on_exec */
};

/*
 * What is on the lists of processes, threads and users, by number modulo this: a slot that is 0
 * says of most others that they are not, for less than a look at the lists.  Set before the list's
 * own entry, and never cleared.
 */
#define FILTER_SLOTS 1024

/* Value of filter_tgids. */
struct filter_process {
	__u64 start_ns; /* task_struct.start_time; 0: named by the user and not seen yet */
	__u32 bits;
	__u32 pad;
};

/*
 * Globs over comm as one automaton that takes all patterns at once, a bit per state: the state
 * after token i of a pattern is bit i behind its start bit.  A byte c moves every state one on
 * where the next token accepts c (bits in `step[c]`), and states before a `*` stay (bits in
 * `loop`).  64 bits hold 63 tokens, which is more than comm's 15 bytes need.
 */
struct filter_comm {
	__u64 step[256];
	__u64 loop;
	__u64 start;
	__u64 wanted, unwanted; /* accepting states */
};

struct filter_conf {
	__u32 self_tgid;     /* left out; 0: nobody is.  In our own PID namespace, as all ids */
	__u32 only_tgid;     /* all others are out, without a look at the list; 0: look there */
	__u32 pidns_inum;    /* our PID namespace when it isn't the initial one, else 0 */
	__u32 cgroup_levels; /* bit n: some listed cgroup has level n */
	__s32 cgroup_subsys; /* controller whose hierarchy the cgroups are in; -1: cgroup v2 */
	__u8 include_idle;
	__u8 has_tgids, has_not_tgids, has_tids;
	__u8 has_cgroups, has_not_cgroups;
	__u8 has_uids, has_not_uids;
	__u8 has_comms, has_not_comms;
	__u8 has_cgroupmap, has_mntnsmap;
	__u8 follow;
	__u8 pad[3];
};

#endif
