// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "out/renderer.h"
static void none(struct render *out, const struct report *r)
{
	(void)out;
	(void)r;
}
static const char *const sx[] = { ".svg", NULL };
const struct renderer svg_renderer = {
	.name = "svg", .extensions = sx, .kinds = REPORT_STACKS, .is_single = true, .report = none
};
