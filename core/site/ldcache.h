/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* /etc/ld.so.cache, where the loader finds libraries. */
#ifndef SITE_LDCACHE_H
#define SITE_LDCACHE_H

#include "base/str.h"

/* The path of the first library for this machine whose soname `is_it` takes for `prefix`, added to
 * `path`.  false: none. */
bool ldcache_find(struct view cache, const char *prefix,
		  bool (*is_it)(const char *soname, const char *prefix), struct str *path);

#endif
