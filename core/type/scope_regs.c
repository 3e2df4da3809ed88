// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Where registers and arguments are.  x86-64: the psABI and asm/ptrace.h; arm64: AAPCS64 and
 * uapi/asm/ptrace.h.  These layouts are user ABI and do not change. */
#include "type/scope_parts.h"

#include <stdio.h>

struct reg {
	const char *name;     /* its name in the kernel's pt_regs */
	u8 word;	      /* in pt_regs */
	const char *names[6]; /* 8, 4, 2, 1 bytes, bits 8 to 15; others of 8 bytes */
};

static const struct reg x86_regs[] = {
	{ "r15", 0, { "r15", "r15d", "r15w", "r15b" } },
	{ "r14", 1, { "r14", "r14d", "r14w", "r14b" } },
	{ "r13", 2, { "r13", "r13d", "r13w", "r13b" } },
	{ "r12", 3, { "r12", "r12d", "r12w", "r12b" } },
	{ "bp", 4, { "rbp", "ebp", NULL, "bpl", NULL, "fp" } },
	{ "bx", 5, { "rbx", "ebx", NULL, "bl", "bh" } },
	{ "r11", 6, { "r11", "r11d", "r11w", "r11b" } },
	{ "r10", 7, { "r10", "r10d", "r10w", "r10b" } },
	{ "r9", 8, { "r9", "r9d", "r9w", "r9b" } },
	{ "r8", 9, { "r8", "r8d", "r8w", "r8b" } },
	{ "ax", 10, { "rax", "eax", NULL, "al", "ah" } },
	{ "cx", 11, { "rcx", "ecx", NULL, "cl", "ch" } },
	{ "dx", 12, { "rdx", "edx", NULL, "dl", "dh" } },
	{ "si", 13, { "rsi", "esi", NULL, "sil" } },
	{ "di", 14, { "rdi", "edi", NULL, "dil" } },
	{ "orig_ax", 15, { "orig_rax" } },
	{ "ip", 16, { "rip", "eip", NULL, NULL, NULL, "pc" } },
	{ "cs", 17, { NULL } },
	{ "flags", 18, { "eflags", "rflags" } },
	{ "sp", 19, { "rsp", "esp", NULL, "spl" } },
	{ "ss", 20, { NULL } },
};

static const u8 x86_args[] = { 14, 13, 12, 11, 9, 8 };
static const u8 x86_syscall_args[] = { 14, 13, 12, 7, 9, 8 };

static const struct reg arm64_regs[] = {
	{ "sp", 31, { NULL } },	     { "pc", 32, { "ip" } },  { "pstate", 33, { NULL } },
	{ "orig_x0", 34, { NULL } }, { "x29", 29, { "fp" } }, { "x30", 30, { "lr" } },
};

static const u8 arm64_args[] = { 0, 1, 2, 3, 4, 5, 6, 7 };

static const struct {
	const u8 *args, *syscall_args;
	u8 n_args, ret, sp;
	u8 caller;     /* register by which the return address is found at entry */
	u8 stack_skip; /* words between the stack pointer at entry and the first argument there */
} abis[] = {
	[ARCH_X86_64] = { x86_args, x86_syscall_args, 6, 10, 19, 19, 1 },
	[ARCH_ARM64] = { arm64_args, arm64_args, 8, 0, 31, 30, 0 },
};

enum scope_arch scope_host_arch(void)
{
#ifdef __aarch64__
	return ARCH_ARM64;
#else
	return ARCH_X86_64;
#endif
}

static bool find_row(const struct reg *rows, size_t n, const char *name, u32 *offset, u32 *size,
		     u32 *shift)
{
	static const u8 sizes[] = { 8, 4, 2, 1, 1, 8 };

	*shift = 0;
	for (size_t i = 0; i < n; i++) {
		*offset = rows[i].word * 8U;
		*size = 8;
		if (!strcmp(rows[i].name, name))
			return true;
		for (size_t j = 0; j < ARRAY_SIZE(sizes); j++)
			if (rows[i].names[j] && !strcmp(rows[i].names[j], name)) {
				*size = sizes[j];
				*shift = j == 4 ? 8 : 0;
				return true;
			}
	}
	return false;
}

/* x0 to x30, and w0 to w30, their low halves. */
static bool arm64_numbered(const char *name, u32 *offset, u32 *size)
{
	char text[8];

	for (u32 i = 0; i <= 30; i++)
		for (u32 half = 0; half < 2; half++) {
			snprintf(text, sizeof(text), "%c%u", half ? 'w' : 'x', i);
			*offset = i * 8;
			*size = half ? 4 : 8;
			if (!strcmp(text, name))
				return true;
		}
	return false;
}

bool scope_register(enum scope_arch arch, const char *name, u32 *offset, u32 *size, u32 *shift)
{
	if (arch == ARCH_X86_64)
		return find_row(x86_regs, ARRAY_SIZE(x86_regs), name, offset, size, shift);
	return find_row(arm64_regs, ARRAY_SIZE(arm64_regs), name, offset, size, shift) ||
	       arm64_numbered(name, offset, size);
}

void scope_offer_registers(enum scope_arch arch, struct nearest *near)
{
	if (arch == ARCH_X86_64)
		for (size_t i = 0; i < ARRAY_SIZE(x86_regs); i++)
			nearest_offer(near, x86_regs[i].name);
	else
		for (size_t i = 0; i < ARRAY_SIZE(arm64_regs); i++)
			nearest_offer(near, arm64_regs[i].name);
}

u32 scope_n_register_args(const struct scope *s)
{
	return s->ctx == SCOPE_REGS_INNER || scope_is_syscall(s) ? 6 : abis[s->arch].n_args;
}

/* A word of the pt_regs that hold the arguments: ctx itself, or what its first argument points
 * to. */
static const struct tree *arg_word(struct scope *s, u32 word)
{
	if (s->ctx != SCOPE_REGS_INNER)
		return tree_ctx_word(s->types, word * 8);
	return tree_load(s->types, tree_ctx_word(s->types, abis[s->arch].args[0] * 8U), word * 8,
			 type_int(s->types, 8, false), SPACE_KERNEL, (struct text_range){ 0 });
}

static const struct tree *typed_word(struct scope *s, u32 i)
{
	const struct type *word = type_int(s->types, 8, false);
	const struct tree *ctx;

	if (i >= 64 || !(s->hidden_words >> i & 1))
		return tree_ctx_word(s->types, i * 8);
	ctx = tree_new(s->arena, TREE_CTX_ADDR, word, (struct text_range){ 0 });
	return tree_load(s->types, ctx, i * 8, word, SPACE_KERNEL, (struct text_range){ 0 });
}

const struct tree *scope_arg_word(struct scope *s, u32 i)
{
	u32 n = scope_n_register_args(s);
	enum space space = s->is_user ? SPACE_USER : SPACE_KERNEL;

	if (s->ctx == SCOPE_WORDS)
		return typed_word(s, i);
	if (scope_is_syscall(s))
		return scope_syscall_arg(s, i);
	if (s->ctx == SCOPE_REGS_INNER)
		return arg_word(s, abis[s->arch].syscall_args[i < n ? i : 0]);
	if (i < n)
		return arg_word(s, abis[s->arch].args[i]);
	return tree_load(s->types, tree_ctx_word(s->types, abis[s->arch].sp * 8U),
			 (i - n + abis[s->arch].stack_skip) * 8, type_int(s->types, 8, false),
			 space, (struct text_range){ 0 });
}

const struct tree *scope_return_word(struct scope *s)
{
	if (scope_is_syscall(s))
		return scope_syscall_result(s);
	return tree_ctx_word(s->types, abis[s->arch].ret * 8U);
}

const struct tree *scope_stack_pointer(struct scope *s)
{
	const struct type *word = type_int(s->types, 8, false);

	if (scope_is_syscall(s))
		return tree_const(s->types, 0, word, (struct text_range){ 0 });
	if (s->ctx == SCOPE_WORDS)
		return tree_new(s->arena, TREE_CTX_ADDR, word, (struct text_range){ 0 });
	/*
	 * Not on arm64: there return_to_handler() passes kprobe.multi no stack pointer (7.3), only
	 * the caller's frame pointer.  Kernel code always has one, and it is the same at entry.
	 */
	if (s->arch == ARCH_ARM64 && !s->is_user)
		return tree_ctx_word(s->types, 29 * 8);
	/* At a return, the return address that x86-64's call pushed has been popped. */
	return tree_offset(s->types, tree_ctx_word(s->types, abis[s->arch].sp * 8U),
			   s->side == SIDE_RETURN ? -8 * abis[s->arch].stack_skip : 0);
}

const struct tree *scope_caller(struct scope *s)
{
	return tree_ctx_word(s->types, abis[s->arch].caller * 8U);
}
