// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "wait/fpwalk.h"

#include <errno.h>

#include "wait/memwindow.h"

/* arm64 return addresses may be signed, in bits that addresses do not use.  Addresses have 48 bits,
 * unless the program requested more, which the pc shows because it is not signed. */
static u64 address_of(u64 ret, u64 pc)
{
#if defined(__aarch64__)
	return ret & ((1ULL << (pc >> 48 ? 52 : 48)) - 1);
#else
	(void)pc;
	return ret;
#endif
}

int fpwalk(const struct fpwalk *start, u64 *out, u32 max)
{
	const u32 word = start->word_bytes == 4 ? 4 : 8;
	struct memwindow w = { .tid = start->tid };
	u64 fp = start->fp, next, ret_addr;
	u32 n = 0;

	out[n++] = start->pc;
	if (fp < start->sp)
		return (int)n;
	while (n < max && fp && fp % word == 0 && fp <= UINT64_MAX - 2 * word) {
		int ret;

		next = ret_addr = 0;
		ret = memwindow_read(&w, fp, &next, word)
			      ?: memwindow_read(&w, fp + word, &ret_addr, word);
		if (ret == -EPERM || ret == -ESRCH)
			return ret;
		if (ret)
			break;
		out[n++] = address_of(ret_addr, start->pc);
		if (next <= fp)
			break;
		fp = next;
	}
	return (int)n;
}
