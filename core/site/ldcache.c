// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Format: glibc's elf/cache.c and sysdeps/generic/dl-cache.h.  After an optional table in the old
 * format there is a header of 48 bytes, then entries whose strings are offsets from that header.
 */
#include "site/ldcache.h"

#include <limits.h>
#include <string.h>

#define OLD_MAGIC "ld.so-1.7.0"
#define NEW_MAGIC "glibc-ld.so.cache1.1"

/* FLAG_ELF_LIBC6 combined with the architecture. */
#ifdef __aarch64__
#define WANTED_FLAGS 0x0a03
#else
#define WANTED_FLAGS 0x0303
#endif

struct header {
	char magic[20];
	u32 n_entries, strings_bytes;
	u32 unused[5];
};

struct entry {
	s32 flags;
	u32 key, value, os_version;
	u64 hwcap;
};

#define OLD_HEADER_BYTES 16
#define OLD_ENTRY_BYTES	 12

static bool skip_old(struct view *v)
{
	u64 bytes;
	u32 n;

	if (!view_starts(*v, OLD_MAGIC))
		return true;
	if (v->n < OLD_HEADER_BYTES)
		return false;
	memcpy(&n, v->p + 12, sizeof(n));
	bytes = (OLD_HEADER_BYTES + (u64)n * OLD_ENTRY_BYTES + 7) / 8 * 8;
	if (bytes > v->n)
		return false;
	v->p += bytes;
	v->n -= bytes;
	return true;
}

/* Longer strings cannot be file names; searching their ends would take hours for a container's
 * cache of 60 MB that is all one string. */
#define MAX_SONAME NAME_MAX
#define MAX_PATH   PATH_MAX

/* NULL if the offset is invalid, or the string does not end within `max` bytes. */
static const char *string_at(struct view v, u32 at, size_t max)
{
	if (at >= v.n)
		return NULL;
	return memchr(v.p + at, '\0', v.n - at < max ? v.n - at : max) ? v.p + at : NULL;
}

bool ldcache_find(struct view v, const char *prefix,
		  bool (*is_it)(const char *soname, const char *prefix), struct str *path)
{
	struct header h;
	struct entry e;

	if (!skip_old(&v) || v.n < sizeof(h) || !view_starts(v, NEW_MAGIC))
		return false;
	memcpy(&h, v.p, sizeof(h));
	for (u64 i = 0; i < h.n_entries; i++) {
		u64 at = sizeof(h) + i * sizeof(e);
		const char *key, *value;

		if (at + sizeof(e) > v.n)
			return false;
		memcpy(&e, v.p + at, sizeof(e));
		key = e.flags == WANTED_FLAGS ? string_at(v, e.key, MAX_SONAME + 1) : NULL;
		if (!key || !is_it(key, prefix))
			continue;
		value = string_at(v, e.value, MAX_PATH);
		if (!value)
			continue;
		str_adds(path, value);
		return true;
	}
	return false;
}
