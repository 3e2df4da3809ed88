/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Does this kernel have a site?  For the conditions of recipes. */
#ifndef RECIPE_TOOLSITE_H
#define RECIPE_TOOLSITE_H

#include "base/types.h"

/* "t:block:block_io_start", "k:vfs_read", "syscall:openat2": does it exist, and can it be probed?
 * ctx is not used. */
bool tool_has_site(void *ctx, const char *site);
/* Free the data that was read to answer. */
void tool_site_end(void);

#endif
