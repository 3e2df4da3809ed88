// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/embed.h"

#include <zlib.h>

/* zlib's windowBits for a gzip stream. */
#define GZIP_WINDOW (MAX_WBITS + 16)
#define CHUNK	    8192

const struct embedded *embed_find(const char *name)
{
	for (const struct embedded *e = embedded_files; e->name; e++)
		if (!strcmp(e->name, name))
			return e;
	return NULL;
}

void embed_text(const struct embedded *e, struct str *out)
{
	z_stream z = { .avail_in = (uInt)(e->gz_end - e->gz) };
	int ret;

	z.next_in = (Bytef *)(uintptr_t)e->gz;
	if (inflateInit2(&z, GZIP_WINDOW) != Z_OK)
		return;
	do {
		z.next_out = (Bytef *)str_reserve(out, CHUNK);
		z.avail_out = CHUNK;
		ret = inflate(&z, Z_NO_FLUSH);
		out->n += CHUNK - z.avail_out;
	} while (ret == Z_OK);
	out->p[out->n] = '\0';
	inflateEnd(&z);
}
