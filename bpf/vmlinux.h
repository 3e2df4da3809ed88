/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The few kernel types that our programs read, kept by hand.  Field offsets are relocated against
 * the running kernel's BTF (CO-RE), so only names and types matter here, not order or gaps.
 * Constants are from the kernel's user API (uapi/linux/bpf.h), which never changes them.
 */
#ifndef BPF_VMLINUX_H
#define BPF_VMLINUX_H

typedef unsigned char __u8;
typedef unsigned short __u16;
typedef unsigned int __u32;
typedef unsigned long long __u64;
typedef signed char __s8;
typedef short __s16;
typedef int __s32;
typedef long long __s64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;
typedef __u8 u8;
typedef __u32 u32;
typedef __u64 u64;
typedef __s32 s32;
typedef __s64 s64;
typedef _Bool bool;

#define true 1
#define false 0
#define NULL ((void *)0)

enum bpf_map_type {
	BPF_MAP_TYPE_HASH = 1,
	BPF_MAP_TYPE_ARRAY = 2,
	BPF_MAP_TYPE_PERCPU_ARRAY = 6,
	BPF_MAP_TYPE_LRU_HASH = 9,
	BPF_MAP_TYPE_RINGBUF = 27,
};

enum {
	BPF_ANY,
	BPF_NOEXIST,
	BPF_EXIST
};

enum {
	BPF_F_USER_STACK = 1 << 8,
	BPF_RB_NO_WAKEUP = 1 << 0,
	BPF_RB_FORCE_WAKEUP = 1 << 1,
	BPF_RB_AVAIL_DATA = 0,
};

/* Asked for by name: what the running kernel's enumeration has, it has. */
enum bpf_func_id {
	BPF_FUNC_get_current_task_btf = 158,
};

#define PF_KTHREAD 0x00200000 /* include/linux/sched.h */

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

typedef struct {
	int counter;
} atomic_t;

typedef struct {
	u32 val;
} kuid_t;

struct ns_common {
	unsigned int inum;
};

struct pid_namespace {
	struct ns_common ns;
};

struct upid {
	int nr;
	struct pid_namespace *ns;
};

struct pid {
	unsigned int level;
	struct upid numbers[1];
};

struct kernfs_node {
	u64 id;
};

struct cgroup {
	struct kernfs_node *kn;
	int level;
	struct cgroup *ancestors[]; /* 6.1 */
};

struct cgroup___ids { /* before 6.1 */
	u64 ancestor_ids[1];
};

struct cgroup_subsys_state {
	struct cgroup *cgroup;
};

struct css_set {
	struct cgroup_subsys_state *subsys[16]; /* CGROUP_SUBSYS_COUNT is at most 14 so far */
	struct cgroup *dfl_cgrp;
};

struct cred {
	kuid_t uid;
};

struct signal_struct {
	atomic_t live;
};

struct mm_struct;

struct mnt_namespace {
	struct ns_common ns;
};

struct nsproxy {
	struct mnt_namespace *mnt_ns;
};

struct task_struct {
	unsigned int flags;
	int pid;
	int tgid;
	char comm[16];
	u64 start_time;
	u64 self_exec_id; /* 5.7; grows with each exec */
	struct mm_struct *mm;
	struct task_struct *group_leader;
	struct signal_struct *signal;
	struct pid *thread_pid;
	const struct cred *cred;
	struct css_set *cgroups;
	struct nsproxy *nsproxy;
};

#pragma clang attribute pop

struct bpf_perf_event_data; /* an opaque context here */
struct bpf_raw_tracepoint_args {
	__u64 args[0];
};

#endif
