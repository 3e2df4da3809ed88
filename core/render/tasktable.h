/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Samples by process (or what else --by asks for), in text. */
#ifndef RENDER_TASKTABLE_H
#define RENDER_TASKTABLE_H

#include "render/renderer.h"

/* Add the table above the stacks or functions of a report of samples; nothing if all samples are of
 * one task. */
void tasks_text(struct render *out, const struct report *r);

#endif
