/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The few kernel types that our programs read, kept by hand.  Field offsets are relocated against
 * the running kernel's BTF (CO-RE), so only names and types matter here, not their order or gaps.
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
typedef __u16 u16;
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
	BPF_MAP_TYPE_ARRAY_OF_MAPS = 12,
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
	BPF_RB_RING_SIZE = 1,
	BPF_F_MMAPABLE = 1 << 10,
	BPF_F_INNER_MAP = 1 << 12,
};

/* Looked up by name: a helper exists if the running kernel's enum has it. */
enum bpf_func_id {
	BPF_FUNC_get_current_task_btf = 158,
	BPF_FUNC_task_pt_regs = 175,
};

#define TASK_DEAD   0x00000080 /* all from include/linux/sched.h */
#define TASK_WAKING 0x00000200
#define TASK_IDLE   0x00000402
#define TASK_FROZEN 0x00008000 /* 6.1 */
#define PF_EXITING  0x00000004
#define PF_KTHREAD  0x00200000

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

typedef struct {
	int counter;
} atomic_t;

struct qspinlock {
	atomic_t val;
};

struct raw_spinlock {
	struct qspinlock raw_lock;
};

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

struct cgroup_root;

struct cgroup {
	struct kernfs_node *kn;
	int level;
	struct cgroup_root *root;
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

struct xol_area {
	unsigned long vaddr;
};

struct uprobes_state {
	struct xol_area *xol_area;
};

struct mm_struct {
	unsigned long start_code, start_stack;
	unsigned long task_size;
	struct uprobes_state uprobes_state; /* CONFIG_UPROBES */
};

struct mnt_namespace {
	struct ns_common ns;
};

struct nsproxy {
	struct mnt_namespace *mnt_ns;
};

struct qstr {
	const unsigned char *name;
};

struct dentry {
	struct dentry *d_parent;
	struct qstr d_name;
};

struct vfsmount {
	struct dentry *mnt_root;
};

struct mount {
	struct mount *mnt_parent;
	struct dentry *mnt_mountpoint;
	struct vfsmount mnt;
};

struct path {
	struct vfsmount *mnt;
	struct dentry *dentry;
};

struct fs_struct {
	struct path root;
};

struct rq {
	u64 clock;
};

struct cfs_rq {
	int throttled;
	int throttle_count;
	struct rq *rq;
};

struct thread_info {
	u32 cpu; /* 5.16 */
};

struct sched_entity {
	struct cfs_rq *cfs_rq;
	u64 exec_start;		     /* when its run time was last accounted, without interrupts */
	u64 sum_exec_runtime;	     /* ran so far */
	u64 prev_sum_exec_runtime;   /* at the last switch-in; fair threads only */
	unsigned char sched_delayed; /* 6.12: sleeps, but is still in the queue */
};

struct rt_rq {
	int rt_throttled; /* CONFIG_RT_GROUP_SCHED */
};

struct sched_rt_entity {
	struct rt_rq *rt_rq; /* CONFIG_RT_GROUP_SCHED */
};

struct sched_dl_entity {
	unsigned int dl_throttled : 1;
	unsigned int dl_yielded : 1;
};

struct sched_info {
	unsigned long long last_arrival; /* last switch-in, by the clock of the run queue */
	unsigned long long last_queued;	 /* since when it waits for a CPU; 0: it does not */
};

struct vm_struct {
	unsigned long size; /* with the guard page */
	unsigned int nr_pages;
};

#if defined(__TARGET_ARCH_arm64)
struct pt_regs {
	u64 regs[31];
	u64 sp;
	u64 pc;
	u64 pstate;
	u64 orig_x0;
	s32 syscallno;
};
#else
struct pt_regs {
	unsigned long bp;
	unsigned long r10;
	unsigned long r9;
	unsigned long r8;
	unsigned long dx;
	unsigned long si;
	unsigned long di;
	unsigned long orig_ax;
	unsigned long ip;
	u16 cs; /* unsigned long before 6.9 */
	unsigned long sp;
};
#endif

struct irqaction {
	const char *name;
};

struct super_block {
	unsigned long s_magic;
};

struct inode {
	unsigned short i_mode;
	struct super_block *i_sb;
	unsigned long i_ino;
};

struct file {
	struct path f_path;
	struct inode *f_inode;
	void *private_data;
};

struct fdtable {
	unsigned int max_fds;
	struct file **fd;
};

struct files_struct {
	struct fdtable *fdt;
};

struct in6_addr {
	u8 bytes[16];
};

struct sock_common {
	__be32 skc_daddr;
	__be32 skc_rcv_saddr;
	__be16 skc_dport;
	__u16 skc_num;
	unsigned short skc_family;
	struct in6_addr skc_v6_daddr;
	struct in6_addr skc_v6_rcv_saddr;
};

struct socket;

struct sock {
	struct sock_common __sk_common;
	struct socket *sk_socket;
};

struct socket {
	short type;
	struct file *file;
	struct sock *sk;
};

struct sockaddr_un {
	char sun_path[108];
};

struct unix_address {
	struct sockaddr_un name[0];
};

struct unix_sock {
	struct unix_address *addr;
	struct sock *peer;
};

struct return_instance {
	unsigned long stack;
	unsigned long orig_ret_vaddr;
	struct return_instance *next;
};

struct uprobe_task {
	struct return_instance *return_instances;
};

struct thread_struct { /* x86 */
	unsigned long fsbase;
};

struct task_struct {
	struct thread_info thread_info;
	struct uprobe_task *utask; /* CONFIG_UPROBES */
	struct files_struct *files;
	unsigned int __state; /* 5.14 */
	void *stack;
	unsigned int flags;
	int on_cpu;
	int on_rq;
	struct raw_spinlock pi_lock;
	int prio;
	struct sched_entity se;
	struct sched_rt_entity rt;
	struct sched_dl_entity dl;
	struct sched_info sched_info;
	int exit_state;
	unsigned int in_iowait : 1;
	unsigned int in_execve : 1;
	unsigned int frozen : 1; /* CONFIG_CGROUPS */
	u64 utime, stime;
	unsigned long nvcsw, nivcsw;
	struct vm_struct *stack_vm_area; /* CONFIG_VMAP_STACK */
	bool throttled;			 /* 6.18: its cgroup's bandwidth is used up */
	int pid;
	int tgid;
	char comm[16];
	u64 start_time;
	u64 self_exec_id; /* 5.7; grows with each exec */
	struct mm_struct *mm;
	struct perf_event_context *perf_event_ctxp; /* an array before 6.2 */
	struct task_struct *group_leader;
	struct task_struct *real_parent;
	struct fs_struct *fs;
	struct signal_struct *signal;
	struct pid *thread_pid;
	const struct cred *cred;
	struct css_set *cgroups;
	struct nsproxy *nsproxy;
	unsigned int kasan_depth; /* CONFIG_KASAN */
	struct thread_struct thread;
};

struct task_struct___old { /* before 5.14 */
	long state;
};

struct task_struct___cpu { /* before 5.16 */
	unsigned int cpu;
};

struct seq_file;

struct bpf_iter_meta {
	struct seq_file *seq;
};

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};

#pragma clang attribute pop

/* The context of programs at perf events: the kernel translates accesses by their offset. */
struct bpf_perf_event_data {
#if defined(__TARGET_ARCH_arm64)
	__u64 regs[34];
#else
	__u64 regs[21];
#endif
	__u64 sample_period;
};

struct bpf_raw_tracepoint_args {
	__u64 args[0];
};

#endif
