/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Prints counts in text and JSON; called by the renderers. */
#ifndef RENDER_COUNTS_H
#define RENDER_COUNTS_H

#include "render/renderer.h"

void counts_text(struct render *out, const struct report *r);
void counts_json(struct render *out, const struct report *r);

/* Parts of a row, for all formats: the text of key `i`, "[other]" if there was no room for the key;
 * and the rate in the report's window. */
const char *counts_key(const struct count_row *row, u32 i);
double counts_per_second(const struct report *r, u64 value);

#endif
