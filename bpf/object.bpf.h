/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Finds the file, socket or futex that the current task waits for, from its saved registers. */
#ifndef BPF_OBJECT_BPF_H
#define BPF_OBJECT_BPF_H

#include "bpf/abi/object.h"
#include "filter.bpf.h"
#include "scan.bpf.h"
#include "task.bpf.h"

/* By system call number: enum object_arg. */
const volatile u8 object_calls[OBJECT_CALLS] = {};

#define S_IFMT		    0170000 /* include/uapi/linux/stat.h */
#define S_IFSOCK	    0140000
#define S_IFIFO		    0010000
#define ANON_INODE_FS_MAGIC 0x09041934 /* include/uapi/linux/magic.h */
#define AF_UNIX		    1
#define AF_INET		    2
#define AF_INET6	    10

static __always_inline struct file *object_file(struct task_struct *task, u32 fd)
{
	struct fdtable *table = BPF_CORE_READ(task, files, fdt);
	struct file *file = NULL;

	if (fd >= BPF_CORE_READ(table, max_fds))
		return NULL;
	bpf_probe_read_kernel(&file, sizeof(file), BPF_CORE_READ(table, fd) + fd);
	return file;
}

/* The name that a unix socket is bound to, else that of its peer. */
static __always_inline void object_read_unix(struct sock *sk, struct wait_object *o)
{
	struct unix_sock *u = (void *)sk;
	struct unix_address *addr = BPF_CORE_READ(u, addr);

	if (!addr) {
		u = (void *)BPF_CORE_READ(u, peer);
		addr = BPF_CORE_READ(u, addr);
	}
	if (addr)
		bpf_probe_read_kernel_str(o->name, sizeof(o->name), &addr->name[0].sun_path);
}

static __always_inline void object_read_socket(struct file *file, struct wait_object *o)
{
	struct socket *socket = BPF_CORE_READ(file, private_data);
	struct sock *sk = BPF_CORE_READ(socket, sk);

	o->kind = OBJECT_SOCKET;
	o->type = BPF_CORE_READ(socket, type);
	o->family = BPF_CORE_READ(sk, __sk_common.skc_family);
	if (o->family == AF_UNIX) {
		object_read_unix(sk, o);
		return;
	}
	o->local_port = BPF_CORE_READ(sk, __sk_common.skc_num);
	o->peer_port = __builtin_bswap16(BPF_CORE_READ(sk, __sk_common.skc_dport));
	if (o->family == AF_INET) {
		BPF_CORE_READ_INTO((u32 *)o->local, sk, __sk_common.skc_rcv_saddr);
		BPF_CORE_READ_INTO((u32 *)o->peer, sk, __sk_common.skc_daddr);
	} else if (o->family == AF_INET6) {
		BPF_CORE_READ_INTO((struct in6_addr *)o->local, sk, __sk_common.skc_v6_rcv_saddr);
		BPF_CORE_READ_INTO((struct in6_addr *)o->peer, sk, __sk_common.skc_v6_daddr);
	}
}

static __always_inline void object_read_fd(struct task_struct *task, u32 fd, struct wait_object *o)
{
	struct file *file = object_file(task, fd);
	struct inode *inode;
	u32 mode;

	if (!file)
		return;
	inode = BPF_CORE_READ(file, f_inode);
	mode = BPF_CORE_READ(inode, i_mode) & S_IFMT;
	o->kind = OBJECT_FILE;
	o->fd = fd;
	o->id = BPF_CORE_READ(inode, i_ino);
	if (mode == S_IFSOCK) {
		object_read_socket(file, o);
		return;
	}
	bpf_probe_read_kernel_str(o->name, sizeof(o->name),
				  BPF_CORE_READ(file, f_path.dentry, d_name.name));
	if (mode == S_IFIFO && !o->name[0])
		o->kind = OBJECT_PIPE;
	else if (BPF_CORE_READ(inode, i_sb, s_magic) == ANON_INODE_FS_MAGIC)
		o->kind = OBJECT_ANON;
}

/*
 * True if the cgroup freezer stopped the thread in a system call: it waits to be thawed.  Version 2
 * has a bit for that and no state (do_freezer_trap); version 1 has had a state since 6.1.  Before
 * 6.1 such threads cannot be recognized.
 */
static __always_inline bool object_is_frozen(struct task_struct *task)
{
	if (bpf_core_field_exists(task->__state) && BPF_CORE_READ(task, __state) & TASK_FROZEN)
		return true;
	return bpf_core_field_exists(task->frozen) && BPF_CORE_READ_BITFIELD_PROBED(task, frozen);
}

/* Fill in `o`, which is zeroed; kind stays OBJECT_NONE if the call does not wait for one object. */
static __always_inline void object_read(struct task_struct *task, struct wait_object *o)
{
	struct pt_regs *regs;
	u64 nr, arg;

	if (TASK_READ(task, flags) & PF_KTHREAD || object_is_frozen(task))
		return;
	regs = regs_of(task);
#if defined(__TARGET_ARCH_arm64)
	nr = BPF_CORE_READ(regs, syscallno);
	arg = BPF_CORE_READ(regs, orig_x0);
	if (BPF_CORE_READ(regs, pstate) & PSR_MODE32)
		return;
#else
	nr = BPF_CORE_READ(regs, orig_ax);
	arg = BPF_CORE_READ(regs, di);
	if (BPF_CORE_READ(regs, cs) == USER32_CS)
		return;
#endif
	/*
	 * nr is -1 outside of system calls.  Without the barrier, if nr has 32 bits (arm64), clang
	 * compares one register and indexes with another, whose bounds 6.1's verifier does not
	 * know.
	 */
	asm volatile("" : "+r"(nr));
	if (nr >= OBJECT_CALLS)
		return;
	if (object_calls[nr] == OBJECT_ARG_FUTEX) {
		o->kind = OBJECT_FUTEX;
		o->id = arg;
	} else if (object_calls[nr] == OBJECT_ARG_FD) {
		object_read_fd(task, (u32)arg, o);
	}
}

#endif
