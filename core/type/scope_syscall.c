// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * System calls by the raw tracepoints sys_enter(regs, number) and sys_exit(regs, result): where the
 * registers that regs points to hold what user space passed.
 *
 * They still hold it at sys_exit, because arguments are in registers other than the result's
 * (x86-64) or saved (arm64's orig_x0).  Only execve and rt_sigreturn replace them.
 *
 * Or by the call's own tracepoints, which 32-bit calls do not reach
 * (ARCH_TRACE_IGNORE_COMPAT_SYSCALLS). Their record, struct syscall_tp_t of
 * kernel/trace/trace_syscalls.c, has the number, an int, in its second word, and after it the
 * arguments or the result.
 */
#include "type/lookup.h"
#include "type/scope_parts.h"

/* Words of struct pt_regs.  Calls of a 32-bit task have other numbers: on x86-64 its code segment
 * is __USER32_CS, on arm64 PSR_MODE32_BIT is set.  If the task_struct shows the kind of call, that
 * is used instead: it is also right for int 0x80 in 64-bit code. */
static const struct row {
	u8 args[6];
	u8 number, number_bytes; /* at exit */
	u8 mode;
	u64 mode_mask, mode_32;
} rows[] = {
	[ARCH_X86_64] = { { 14, 13, 12, 7, 9, 8 }, 15, 8, 17, 0xffff, 0x23 },
	[ARCH_ARM64] = { { 34, 1, 2, 3, 4, 5 }, 35, 4, 33, 0x10, 0x10 },
};

static const struct tree *reg(struct scope *s, u32 word, const struct type *type)
{
	return tree_load(s->types, tree_ctx_word(s->types, 0), word * 8, type, SPACE_KERNEL,
			 (struct text_range){ 0 });
}

/* The same of the task's registers, wherever the program is attached (5.15). */
static const struct tree *task_reg(struct scope *s, u32 word, const struct type *type)
{
	struct tree *value = tree_new(s->arena, TREE_BUILTIN, type, (struct text_range){ 0 });

	value->builtin = BUILTIN_SYSCALL;
	value->offset = word * 8U;
	return value;
}

/* Words of the record after the number are not initialized if the call has fewer arguments. */
const struct tree *scope_syscall_arg(struct scope *s, u32 i)
{
	u32 word = rows[s->arch].args[i < 6 ? i : 0];
	const struct type *type = type_int(s->types, 8, false);

	if (s->ctx == SCOPE_SYSCALL)
		return reg(s, word, type);
	if (s->side != SIDE_RETURN && i < s->n_record_args)
		return tree_ctx_word(s->types, (2 + i) * 8);
	return task_reg(s, word, type);
}

const struct tree *scope_syscall_result(struct scope *s)
{
	return tree_ctx_word(s->types, s->ctx == SCOPE_SYSCALL ? 8 : 16);
}

/* The number at exit, from the task's registers.  The helper that returns a pointer whose type the
 * verifier knows (5.15) avoids a copy. */
static const struct tree *number_at_exit(struct scope *s)
{
	const struct row *row = &rows[s->arch];
	const struct type *type = type_int(s->types, row->number_bytes, true);
	u64 helper;

	if (!type_enumerator(s->types, "BPF_FUNC_task_pt_regs", &helper))
		return reg(s, row->number, type);
	return task_reg(s, row->number, type);
}

static const struct tree *number(struct scope *s)
{
	const struct type *type = type_int(s->types, 8, true);

	if (s->ctx == SCOPE_SYSCALL_EVENT)
		return tree_cast(s->types,
				 tree_cast(s->types, tree_ctx_word(s->types, 8),
					   type_int(s->types, 4, true)),
				 type);
	if (s->side != SIDE_RETURN)
		return tree_cast(s->types, tree_ctx_word(s->types, 8), type);
	return tree_cast(s->types, number_at_exit(s), type);
}

/* A member of `size` bytes of a task_struct's thread_info. */
static bool find_info(struct types *t, const char *name, u32 size, u32 *offset)
{
	const struct type *task = type_by_name(t, "struct task_struct", SPACE_KERNEL);
	struct type_member info, member;

	if (!task || !type_find_member(t, task, "thread_info", SPACE_KERNEL, &info) ||
	    !type_find_member(t, info.type, name, SPACE_KERNEL, &member) ||
	    member.type->size != size)
		return false;
	*offset = info.offset + member.offset;
	return true;
}

/* Find thread_info.status, which shows on x86-64 that the task is in a 32-bit system call. */
static bool find_status(struct types *t, u32 *offset)
{
	return find_info(t, "status", sizeof(u32), offset);
}

/* Nonzero if the current task's system call is a 32-bit one.  It is read through the helper that
 * returns a pointer whose type the verifier knows (5.11), which avoids a copy: 11 ns less. */
static const struct tree *compat(struct scope *s, u32 offset)
{
	struct types *t = s->types;
	const struct type *type = type_int(t, 4, false);
	struct tree *task;
	u64 helper;

	if (type_enumerator(t, "BPF_FUNC_get_current_task_btf", &helper)) {
		task = tree_new(s->arena, TREE_BUILTIN, type, (struct text_range){ 0 });
		task->builtin = BUILTIN_COMPAT;
		task->offset = offset;
		return task;
	}
	task = tree_new(s->arena, TREE_BUILTIN, type_int(t, 8, false), (struct text_range){ 0 });
	task->builtin = BUILTIN_TASK;
	return tree_binary(t, TREE_BAND, type,
			   tree_load(t, task, offset, type, SPACE_KERNEL, task->at),
			   tree_const(t, TS_COMPAT, type, task->at));
}

/* The same on arm64, where whole processes are 32-bit ones. */
static const struct tree *is_aarch32(struct scope *s, u32 offset)
{
	struct types *t = s->types;
	const struct type *word = type_int(t, 8, false);
	struct tree *task = tree_new(s->arena, TREE_BUILTIN, word, (struct text_range){ 0 });

	task->builtin = BUILTIN_TASK;
	return tree_binary(t, TREE_BAND, word,
			   tree_load(t, task, offset, word, SPACE_KERNEL, task->at),
			   tree_const(t, TIF_32BIT, word, task->at));
}

void scope_knows_compat(struct scope *s)
{
	u32 offset;

	if (s->arch == ARCH_X86_64 && find_status(s->types, &offset))
		s->compat = compat(s, offset);
	else if (s->arch == ARCH_ARM64 && find_info(s->types, "flags", sizeof(u64), &offset))
		s->compat = is_aarch32(s, offset);
}

static const struct tree *is_64(struct scope *s)
{
	struct types *t = s->types;
	const struct row *row = &rows[s->arch];
	const struct type *truth = type_int(t, 4, true), *word = type_int(t, 8, false);
	const struct tree *mode;
	u32 offset;

	if (s->arch == ARCH_X86_64 && find_status(t, &offset)) {
		mode = compat(s, offset);
		return tree_binary(t, TREE_EQ, truth, mode, tree_const(t, 0, mode->type, mode->at));
	}
	mode = reg(s, row->mode, word);
	mode = tree_binary(t, TREE_BAND, word, mode, tree_const(t, row->mode_mask, word, mode->at));
	return tree_binary(t, TREE_NE, truth, mode, tree_const(t, row->mode_32, word, mode->at));
}

void scope_syscall(struct scope *s, u32 nr)
{
	struct types *t = s->types;
	const struct type *truth = type_int(t, 4, true);
	struct tree *both;

	s->number = number(s);
	if (s->ctx == SCOPE_SYSCALL_EVENT)
		return;
	s->guard = s->any_guard = is_64(s);
	if (nr == SCOPE_ANY_SYSCALL)
		return;
	both = tree_new(s->arena, TREE_AND, truth, s->number->at);
	both->a = tree_binary(t, TREE_EQ, truth, s->number,
			      tree_const(t, nr, s->number->type, s->number->at));
	both->b = s->guard;
	s->guard = both;
}
