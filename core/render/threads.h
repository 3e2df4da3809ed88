/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Prints threads at one moment in text and JSON; called by the renderers. */
#ifndef RENDER_THREADS_H
#define RENDER_THREADS_H

#include "render/renderer.h"

void threads_text(struct render *out, const struct report *r);
void threads_json(struct render *out, const struct report *r);

#endif
