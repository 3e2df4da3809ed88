/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * plt [N]: plt_calls calls a function of libc, tolower, N times (300) through the PLT, and each
 * call faults on the PLT's page, which was given back to the kernel before.  A jump of the PLT
 * takes no time on many CPUs: no timer would sample it.
 */
#include <ctype.h>
#include <stdint.h>
#include <sys/mman.h>

#include "work.h"

#undef tolower

/* At the beginning of the text, on the page of the PLT, which follows it. */
extern void _init(void);

/* On pages of its own, so that the code that it runs is not given back. */
NOINLINE __attribute__((aligned(65536))) int plt_calls(u64 n);
NOINLINE __attribute__((aligned(65536))) int plt_calls(u64 n)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	void *text = (void *)((uintptr_t)_init & ~(page - 1));
	int sum = 0;

	for (u64 i = 0; i < n; i++) {
		if (madvise(text, page, MADV_DONTNEED))
			return -1;
		sum += tolower((int)(i & 63));
	}
	barrier();
	return sum;
}

int main(int argc, char **argv)
{
	return plt_calls(arg_u64(argc, argv, 1, 300)) == -1;
}
