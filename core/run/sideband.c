// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "run/sideband.h"

static void apply(struct symbolizer *sym, const struct perf_side *side)
{
	const struct sym_mmap mmap = {
		.tgid = side->tgid,
		.start = side->start,
		.len = side->len,
		.pgoff = side->pgoff,
		.maj = side->maj,
		.min = side->min,
		.ino = side->ino,
		.path = side->path,
	};

	switch (side->kind) {
	case SIDEBAND_MMAP:
		symbolizer_on_mmap(sym, &mmap);
		break;
	case SIDEBAND_FORK:
		symbolizer_on_fork(sym, side->tgid, side->parent_tgid);
		break;
	case SIDEBAND_EXEC:
		symbolizer_on_exec(sym, side->tgid);
		break;
	case SIDEBAND_EXIT:
		symbolizer_on_exit(sym, side->tgid);
		break;
	case SIDEBAND_KSYMBOL:
		symbolizer_on_ksymbol(sym, side->start, (u32)side->len, side->path);
		break;
	}
}

void side_apply(struct perfev *p, struct symbolizer *sym, u64 until_ns)
{
	const struct perf_side *side;

	while ((side = perfev_next_side(p, until_ns)))
		apply(sym, side);
}
