/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef RENDER_GZIP_H
#define RENDER_GZIP_H

#include <zlib.h>

#include "base/str.h"

/* Writes a gzip member in pieces, without name or time: equal input gives equal bytes. */
struct gzip {
	z_stream z;
	struct str *out; /* borrowed; can be emptied between calls */
};

void gzip_open(struct gzip *g, struct str *out);
void gzip_add(struct gzip *g, struct view in);
/* Finish the member and release g. */
void gzip_close(struct gzip *g);

#endif
