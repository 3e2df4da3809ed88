/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Prints distributions in text and JSON; called by the renderers. */
#ifndef RENDER_DIST_H
#define RENDER_DIST_H

#include "render/renderer.h"

void dists_text(struct render *out, const struct report *r);
void dists_json(struct render *out, const struct report *r);

#endif
