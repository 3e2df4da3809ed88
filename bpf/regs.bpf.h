/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* User registers of tasks: those that the kernel saved when the task entered it, and those that a
 * signal has put on the stack. */
#ifndef BPF_REGS_BPF_H
#define BPF_REGS_BPF_H

#include "bpf/abi/cfi.h"
#include "task.bpf.h"

/* The size of kernel stacks without VMAP_STACK: 16 KB on x86-64, and on arm64 with pages of 4
 * KB. */
#define REGS_STACK_BYTES (16 << 10)

static __always_inline u64 regs_stack_bytes(struct task_struct *task)
{
	struct vm_struct *area;
	u64 size, n_pages;

	if (!bpf_core_field_exists(task->stack_vm_area))
		return REGS_STACK_BYTES;
	area = BPF_CORE_READ(task, stack_vm_area);
	size = BPF_CORE_READ(area, size);
	n_pages = BPF_CORE_READ(area, nr_pages);
	/* The area has one guard page in addition to its pages, but does not contain the size of a
	 * page. */
	return n_pages ? size - size / (n_pages + 1) : REGS_STACK_BYTES;
}

/* A thread's user registers, which the kernel saved at the very top of its kernel stack. */
static __always_inline struct pt_regs *regs_of(struct task_struct *task)
{
	void *stack;

	if (bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_task_pt_regs)) /* 5.15 */
		return (void *)bpf_task_pt_regs(task);
	stack = BPF_CORE_READ(task, stack);
	return stack + regs_stack_bytes(task) - bpf_core_type_size(struct pt_regs);
}

#if defined(__TARGET_ARCH_arm64)
#define PSR_MODE_MASK 0x0f /* arch/arm64/include/uapi/asm/ptrace.h */
#define PSR_MODE32    0x10

#define REGS_ADDRESS_BITS 48

/* Return addresses may be signed, in bits that addresses do not use: those above the size of the
 * process's address space (`mask`), except for bit 55. */
static __always_inline u64 regs_address_mask(struct task_struct *task)
{
	u64 size = BPF_CORE_READ(task, mm, task_size);

	return size ? size - 1 : (1ULL << REGS_ADDRESS_BITS) - 1;
}

static __always_inline u64 regs_address(u64 pc, u64 mask)
{
	return pc & mask;
}

/* Where functions return to whose return is probed (kernel/events/uprobes.c); 0: there is none. */
static __always_inline u64 regs_trampoline(struct task_struct *task)
{
	struct mm_struct *mm = BPF_CORE_READ(task, mm);

	if (!bpf_core_field_exists(mm->uprobes_state))
		return 0;
	return BPF_CORE_READ(mm, uprobes_state.xol_area, vaddr);
}

/* The link register, unless a uretprobe has replaced it: then the true return address. */
static __always_inline u64 regs_link(struct task_struct *task, u64 link)
{
	struct return_instance *r = NULL;

	if (!bpf_core_field_exists(task->utask) || !bpf_core_field_exists(r->orig_ret_vaddr))
		return link;
	r = BPF_CORE_READ(task, utask, return_instances);
	if (!r || regs_address(link, regs_address_mask(task)) != regs_trampoline(task))
		return link;
	return BPF_CORE_READ(r, orig_ret_vaddr);
}

/* False: the task does not run 64-bit user code. */
static __always_inline bool regs_of_task(struct task_struct *task, struct cfi_registers *out)
{
	struct pt_regs *regs = regs_of(task);

	if (BPF_CORE_READ(regs, pstate) & (PSR_MODE_MASK | PSR_MODE32))
		return false;
	out->pc = BPF_CORE_READ(regs, pc);
	out->sp = BPF_CORE_READ(regs, sp);
	out->fp = BPF_CORE_READ(regs, regs[29]);
	out->other = regs_link(task, BPF_CORE_READ(regs, regs[30]));
	return out->pc;
}

/* True if the task's cfi_registers.other is its return address. */
static __always_inline bool regs_have_return(struct task_struct *task)
{
	return true;
}

/* struct rt_sigframe (arch/arm64/kernel/signal.c): 128 bytes of siginfo, then a ucontext with
 * regs[31] at 184. */
#define REGS_SIGNAL 312

static __always_inline long regs_of_signal(u64 sp, struct cfi_registers *out)
{
	u64 r[4]; /* regs[29], regs[30], sp, pc */

	if (bpf_probe_read_user(r, sizeof(r), (void *)(sp + REGS_SIGNAL + 29 * 8)))
		return -1;
	*out = (struct cfi_registers){ .pc = r[3], .sp = r[2], .fp = r[0], .other = r[1] };
	return 0;
}
#else
#define USER32_CS	  0x23 /* arch/x86/include/asm/segment.h */

static __always_inline u64 regs_address_mask(struct task_struct *task)
{
	return ~0ULL;
}

static __always_inline u64 regs_address(u64 pc, u64 mask)
{
	return pc;
}

/* vfork() of C libraries has its return address in rdi while it waits for the child. */
static __always_inline bool regs_in_vfork(struct pt_regs *regs)
{
	return BPF_CORE_READ(regs, orig_ax) == 58;
}

/* cfi_registers.other */
static __always_inline u64 regs_other(struct pt_regs *regs)
{
	return regs_in_vfork(regs) ? BPF_CORE_READ(regs, di) : BPF_CORE_READ(regs, r10);
}

static __always_inline bool regs_of_task(struct task_struct *task, struct cfi_registers *out)
{
	struct pt_regs *regs = regs_of(task);
	u16 cs = BPF_CORE_READ(regs, cs);

	if ((cs & 3) != 3 || cs == USER32_CS)
		return false;
	out->pc = BPF_CORE_READ(regs, ip);
	out->sp = BPF_CORE_READ(regs, sp);
	out->fp = BPF_CORE_READ(regs, bp);
	out->other = regs_other(regs);
	return true;
}

/* True if the task's cfi_registers.other is its return address. */
static __always_inline bool regs_have_return(struct task_struct *task)
{
	return regs_in_vfork(regs_of(task));
}

/* struct rt_sigframe (arch/x86/include/asm/sigframe.h): at sp there is a ucontext, which has r8 to
 * r15, rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp and rip from 40 on.  They are read in three parts,
 * because compiled probes leave little of the BPF stack. */
#define REGS_SIGNAL	  40
#define REGS_SIGNAL_AT(i) ((void *)(sp + REGS_SIGNAL + (i)*8))

static __always_inline long regs_of_signal(u64 sp, struct cfi_registers *out)
{
	u64 r10, rbp, r[2]; /* r: rsp, rip */

	if (bpf_probe_read_user(&r10, sizeof(r10), REGS_SIGNAL_AT(2)) ||
	    bpf_probe_read_user(&rbp, sizeof(rbp), REGS_SIGNAL_AT(10)) ||
	    bpf_probe_read_user(r, sizeof(r), REGS_SIGNAL_AT(15)))
		return -1;
	*out = (struct cfi_registers){ .pc = r[1], .sp = r[0], .fp = rbp, .other = r10 };
	return 0;
}
#endif

#endif
