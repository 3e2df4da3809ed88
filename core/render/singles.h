/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The limit on files of single samples and waits (--max-file), for the formats that have them. */
#ifndef RENDER_SINGLES_H
#define RENDER_SINGLES_H

#include "render/renderer.h"

/* True, and one more is left out, if the file is full. */
bool singles_are_over(struct render *out);
/* At the end of a report: warn if any were left out, and set n_rows and has_left. */
void singles_end_report(struct render *out, const struct report *r);

#endif
