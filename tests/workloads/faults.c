/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * faults [N]: exact numbers of page faults: N in fault_few, 3 N in fault_many.  Also prints the CPU
 * time of one.
 */
#include <sys/mman.h>

#include "work.h"

static volatile char *region;
static size_t page_bytes;

NOINLINE void fault_few(u64 n);
NOINLINE void fault_few(u64 n)
{
	for (u64 i = 0; i < n; i++)
		region[i * page_bytes] = 1;
	barrier();
}

NOINLINE void fault_many(u64 n);
NOINLINE void fault_many(u64 n)
{
	for (u64 i = 0; i < 3 * n; i++)
		region[i * page_bytes] = 1;
	barrier();
}

int main(int argc, char **argv)
{
	u64 n = arg_u64(argc, argv, 1, 1000), used;
	size_t bytes;

	if (!n || n > 1000000)
		return 64;
	page_bytes = sysconf(_SC_PAGESIZE);
	bytes = 3 * n * page_bytes;
	region = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (region == MAP_FAILED)
		return 1;
	madvise((void *)region, bytes, MADV_NOHUGEPAGE);
	say_pid();
	fault_few(n);
	madvise((void *)region, bytes, MADV_DONTNEED);
	used = cpu_ns();
	fault_many(n);
	used = cpu_ns() - used;
	printf("faults fault_few %llu\nfaults fault_many %llu\n", (unsigned long long)n,
	       (unsigned long long)(3 * n));
	printf("fault_ns %.1f\n", (double)used / (3 * n));
	return 0;
}
