// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "unwind/address.h"

#if defined(__aarch64__)
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#define MOST_BITS    52
#define DEFAULT_BITS 48
#define LEAST_BITS   36

/* True if user addresses may have this many bits.  Below 52 bits, all processes have the same
 * number, so this one can try it.  The mapping takes no memory, because it is not accessed. */
static bool has_bits(u32 bits)
{
	size_t n = (size_t)sysconf(_SC_PAGESIZE);
	void *hint = (void *)(1ULL << (bits - 1)), *at;

	at = mmap(hint, n, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	if (at == MAP_FAILED)
		return errno == EEXIST;
	munmap(at, n);
	return at == hint;
}

static u64 find_mask(void)
{
	for (u32 bits = MOST_BITS; bits >= LEAST_BITS; bits--)
		if (has_bits(bits))
			return (1ULL << bits) - 1;
	return (1ULL << DEFAULT_BITS) - 1;
}

u64 unwind_address(u64 pc)
{
	static u64 mask;

	if (!mask)
		mask = find_mask();
	return pc & mask;
}
#endif
