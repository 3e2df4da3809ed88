/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The formats that can be written, in the order of messages; each has a NAME_renderer in
 * core/render. */
#ifndef OPT_FORMATS_H
#define OPT_FORMATS_H

/* clang-format off */
#define OUTPUT_FORMATS(X) \
	X(text) X(folded) X(json) X(pprof) X(svg) X(html) X(perf) X(pftrace)
/* clang-format on */

#endif
