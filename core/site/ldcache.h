/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reads /etc/ld.so.cache, in which the loader looks up libraries. */
#ifndef SITE_LDCACHE_H
#define SITE_LDCACHE_H

#include "base/str.h"

/* Append to `path` the path of the first library for this machine whose soname `is_it` accepts for
 * `prefix`.  Returns false if there is none. */
bool ldcache_find(struct view cache, const char *prefix,
		  bool (*is_it)(const char *soname, const char *prefix), struct str *path);

#endif
