// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "out/renderer.h"
static void none(struct render *out, const struct report *r)
{
	(void)out;
	(void)r;
}
static const char *const jx[] = { ".json", ".jsonl", NULL },
			 *const px[] = { ".pb.gz", ".pprof", NULL }, *const sx[] = { ".svg", NULL };
const struct renderer json_renderer = {
	.name = "json", .extensions = jx, .kinds = REPORT_STACKS | REPORT_FUNCS, .report = none
};
const struct renderer pprof_renderer = { .name = "pprof",
					 .extensions = px,
					 .kinds = REPORT_STACKS,
					 .is_single = true,
					 .is_binary = true,
					 .report = none };
const struct renderer svg_renderer = {
	.name = "svg", .extensions = sx, .kinds = REPORT_STACKS, .is_single = true, .report = none
};
