/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Copies user stacks for user space to walk. */
#ifndef BPF_COPY_BPF_H
#define BPF_COPY_BPF_H

#include "bpf/abi/stack.h"
#include "cfi.bpf.h"

#define COPY_PAGE_BYTES 4096
#define COPY_PAGES	(COPY_BYTES / COPY_PAGE_BYTES + 1)

/* COPY_BYTES: the most that is copied; a power of two.  The file that includes this one defines it.
 */

/* The buffer for copy `number`, with room for COPY_BYTES and one page more: as far as the
 * verifier knows, the last read may be a whole page.  NULL: there is none.  The file that includes
 * this one defines it. */
static __always_inline u8 *copy_place(u32 number);

/* The functions below are global, because global functions are verified once, not for each call. */

#ifdef __TARGET_ARCH_x86
/* If the trampoline of return_instance `instance` is among the n bytes copied from `from` on, put
 * the true return address in its place.  Returns the next instance. */
__noinline u64 copy_unhide_one(u64 instance, u64 from, u32 n, u32 number);
__noinline u64 copy_unhide_one(u64 instance, u64 from, u32 n, u32 number)
{
	struct return_instance *r = (void *)instance;
	u8 *to = copy_place(number);
	u64 at, *slot;

	if (!to || !bpf_core_field_exists(r->orig_ret_vaddr))
		return 0;
	at = BPF_CORE_READ(r, stack) - from;
	if (at < n && n - at >= sizeof(u64) && !(at & 7)) {
		slot = (u64 *)&to[at & (COPY_BYTES - 8)];
		if (!(*slot & 0xfff))
			*slot = BPF_CORE_READ(r, orig_ret_vaddr);
	}
	return (u64)BPF_CORE_READ(r, next);
}
#else
/* The function has saved its link register, which had the trampoline's address, somewhere in its
 * frame: below what was the stack pointer at its entry.  Signed, perhaps. */
#define COPY_FRAME_WORDS 512

__noinline u64 copy_unhide_one(u64 instance, u64 from, u32 n, u32 number);
__noinline u64 copy_unhide_one(u64 instance, u64 from, u32 n, u32 number)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	u64 trampoline = regs_trampoline(task), mask = regs_address_mask(task), end, *word;
	struct return_instance *r = (void *)instance;
	u8 *to = copy_place(number);

	if (!to || !trampoline || !bpf_core_field_exists(r->orig_ret_vaddr))
		return 0;
	end = BPF_CORE_READ(r, stack) - from;
	for (u32 at = 8; at <= 8 * COPY_FRAME_WORDS; at += 8) {
		if (end > n || at > end)
			break;
		word = (u64 *)&to[(end - at) & (COPY_BYTES - 8)];
		if ((*word & mask) != trampoline)
			continue;
		*word = BPF_CORE_READ(r, orig_ret_vaddr);
		break;
	}
	return (u64)BPF_CORE_READ(r, next);
}
#endif

/* Replace uretprobes' trampolines by the true return addresses, which the kernel knows and user
 * space does not (cfi_hidden_return()). */
static __always_inline void copy_unhide(u64 from, u32 n, u32 number)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	u64 instance;

	if (!bpf_core_field_exists(task->utask))
		return;
	instance = (u64)BPF_CORE_READ(task, utask, return_instances);
	for (u32 i = 0; instance && i < CFI_RETURN_INSTANCES; i++)
		instance = copy_unhide_one(instance, from, n, number);
}

#ifdef __TARGET_ARCH_x86
/* C libraries put a thread's own data, which %fs points to, above its stack. */
static __always_inline u64 copy_thread_end(struct task_struct *task)
{
	return BPF_CORE_READ(task, thread.fsbase);
}
#else
static __always_inline u64 copy_thread_end(struct task_struct *task)
{
	return 0;
}
#endif

/* A program's first thread begins at start_stack; arguments and environment are above it. */
static __always_inline u32 copy_bytes_wanted(u64 from)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	u64 bytes = BPF_CORE_READ(task, mm, start_stack) + 64 - from;
	u64 end = copy_thread_end(task);

	if (end > from && end - from < bytes)
		bytes = end - from;
	return bytes < COPY_BYTES ? bytes & ~7ULL : COPY_BYTES;
}

#define COPY_UNREADABLE 0x80000000U

/* Copy what follows the first n bytes, up to the end of its page.  Returns the number of bytes,
 * with COPY_UNREADABLE if they could not be read. */
__noinline u32 copy_page(u64 from, u32 n, u32 number);
__noinline u32 copy_page(u64 from, u32 n, u32 number)
{
	u32 bytes = COPY_PAGE_BYTES - ((from + n) & (COPY_PAGE_BYTES - 1));
	u8 *to = copy_place(number);

	if (!to || n >= COPY_BYTES)
		return 0;
	asm volatile("" : "+r"(bytes)); /* the verifier must know the bound of this register */
	if (bytes > COPY_PAGE_BYTES)
		return 0;
	if (bpf_probe_read_user(&to[n], bytes, (void *)(from + n)))
		bytes |= COPY_UNREADABLE;
	return bytes;
}

/* Copy user memory from `from` on, page by page, up to the last page that can be read.  Pages that
 * the program has not touched yet, in a large array on the stack, can't, and become zeros as they
 * would for the program.  Returns the number of bytes. */
__noinline u32 copy_user_pages(u64 from, u32 number);
__noinline u32 copy_user_pages(u64 from, u32 number)
{
	u32 n = 0, end = 0, wanted = copy_bytes_wanted(from), page, is_read;

	for (u32 i = 0; i < COPY_PAGES && n < wanted; i++) {
		page = copy_page(from, n, number);
		n += page & ~COPY_UNREADABLE;
		/* Without a branch: the verifier would walk the rest of the loop for both ways. */
		is_read = (page >> 31) - 1;
		asm volatile("" : "+r"(is_read));
		end = (n & is_read) | (end & ~is_read);
	}
	n = end < wanted ? end : wanted;
	copy_unhide(from, n, number);
	return n;
}

#endif
