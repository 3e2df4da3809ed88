// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "wait/fpwalk.h"

#include <errno.h>

#include "unwind/address.h"
#include "wait/memwindow.h"

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
		out[n++] = unwind_address(ret_addr);
		if (next <= fp)
			break;
		fp = next;
	}
	return (int)n;
}
