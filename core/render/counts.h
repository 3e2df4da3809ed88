/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Counts in text and in JSON: rows of the renderers' tables. */
#ifndef RENDER_COUNTS_H
#define RENDER_COUNTS_H

#include "render/renderer.h"

void counts_text(struct render *out, const struct report *r);
void counts_json(struct render *out, const struct report *r);

#endif
