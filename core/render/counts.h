/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Counts in text and JSON; called by the renderers. */
#ifndef RENDER_COUNTS_H
#define RENDER_COUNTS_H

#include "render/renderer.h"

void counts_text(struct render *out, const struct report *r);
void counts_json(struct render *out, const struct report *r);

#endif
