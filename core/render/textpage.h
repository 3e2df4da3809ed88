/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A report as the text renderer writes it, in memory: for a screen that scrolls it. */
#ifndef RENDER_TEXTPAGE_H
#define RENDER_TEXTPAGE_H

#include "base/str.h"
#include "render/render.h"

/* Add the lines of a report, without colors, as on a terminal with this many columns. */
void text_page(const struct report *r, const struct render_opts *opts, u32 columns,
	       struct str *out);

#endif
