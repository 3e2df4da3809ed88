/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads the current task in the cheapest way: by plain loads through a pointer whose type the
 * verifier knows (bpf_get_current_task_btf, 5.11), otherwise through the read helper.  In a
 * sampling program every helper is cold code: two fewer reads save some 200 ns of 3000.
 */
#ifndef BPF_TASK_BPF_H
#define BPF_TASK_BPF_H

static __always_inline bool task_is_typed(void)
{
	return bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_get_current_task_btf);
}

static __always_inline struct task_struct *task_current(void)
{
	if (task_is_typed())
		return bpf_get_current_task_btf();
	return (void *)bpf_get_current_task();
}

/* Read a field of a task: by a plain load if the verifier knows the task's type (tp_btf). */
#define READ(typed, task, field) ((typed) ? (task)->field : BPF_CORE_READ(task, field))

/* Read a field of the task that task_current() returned. */
#define TASK_READ(task, field) READ(task_is_typed(), task, field)

/*
 * When the current process began: the start time of its first thread.
 *
 * No plain load of a pointer in a task: for each, the verifier searches all types of the kernel by
 * name, up to four times (btf_nested_type_is_trusted in kernel/bpf/btf.c of 6.18), which takes 1.5
 * ms.  The two reads take 60 ns.
 */
static __always_inline u64 task_process_start(void)
{
	struct task_struct *task = task_current();

	if (TASK_READ(task, pid) == TASK_READ(task, tgid))
		return TASK_READ(task, start_time);
	return BPF_CORE_READ(task, group_leader, start_time);
}

/* True if the current task has user memory, and so a user stack: it is not a kernel thread, nor has
 * it released its memory in exit. */
__noinline bool task_has_user_memory(void);
__noinline bool task_has_user_memory(void)
{
	struct task_struct *task = task_current();

	return !(TASK_READ(task, flags) & PF_KTHREAD) && BPF_CORE_READ(task, mm);
}

/* True while exec loads a program: the current task has that program's memory already, but the
 * registers of the one that called exec.  load_elf_binary() sets start_code last. */
static __always_inline bool task_is_being_loaded(void)
{
	struct task_struct *task = task_current();

	if (!bpf_core_field_exists(task->in_execve))
		return false;
	if (!(task_is_typed() ? BPF_CORE_READ_BITFIELD(task, in_execve)
			      : BPF_CORE_READ_BITFIELD_PROBED(task, in_execve)))
		return false;
	return !BPF_CORE_READ(task, mm, start_code);
}

/* False: the current task has no user stack.  True does not ask for the memory of a task that is
 * not in exit: that read would cost the verifier or each call too much.  Only the kernel's helper
 * processes before their exec have none then, and they have no user registers. */
static __always_inline bool task_may_have_user_stack(void)
{
	struct task_struct *task = task_current();

	return !(TASK_READ(task, flags) & PF_KTHREAD) &&
	       (!(TASK_READ(task, flags) & PF_EXITING) || task_has_user_memory()) &&
	       !task_is_being_loaded();
}

/* Copy all 16 bytes of the comm of a task whose type the verifier knows; `comm` is aligned to 8
 * bytes.  Bytes after the NUL are undefined. */
static __always_inline void task_copy_comm(struct task_struct *task, char comm[16])
{
	u64 *out = (u64 *)comm;

	out[0] = *(u64 *)&task->comm[0];
	out[1] = *(u64 *)&task->comm[8];
}

/* The same for the task that task_current() returned. */
static __always_inline void task_comm(struct task_struct *task, char comm[16])
{
	if (task_is_typed())
		task_copy_comm(task, comm);
	else
		bpf_get_current_comm(comm, 16);
}

#endif
