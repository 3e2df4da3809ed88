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
	z_stream z = { .avail_in = (uInt)(embedded_gz_end - embedded_gz) };
	char skipped[CHUNK];
	int ret = Z_OK;

	z.next_in = (Bytef *)(uintptr_t)embedded_gz;
	if (inflateInit2(&z, GZIP_WINDOW) != Z_OK)
		return;
	while (ret == Z_OK && z.total_out < e->start + e->n) {
		bool skips = z.total_out < e->start;
		size_t left = e->start + (skips ? 0 : e->n) - z.total_out;
		uInt room = (uInt)(left < CHUNK ? left : CHUNK);

		z.next_out = (Bytef *)(skips ? skipped : str_reserve(out, room));
		z.avail_out = room;
		ret = inflate(&z, Z_NO_FLUSH);
		if (!skips)
			out->n += room - z.avail_out;
	}
	*str_reserve(out, 0) = '\0';
	inflateEnd(&z);
}
