/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Symbolization in a separate process, for files whose server may be dead: any process that touches
 * such a file can hang and become unkillable, which must not happen to bperf itself.
 */
#ifndef SYM_REMOTE_H
#define SYM_REMOTE_H

#include "sym/mapped.h"
#include "sym/objfile.h"
#include "sym/perfmap.h"

/* Like objfile_name, but opens the file (with this id) in the helper.  Returns -ETIMEDOUT if it is
 * not done after a second: the helper is then killed, but not waited for. */
int remote_name(struct files *f, u32 id, struct objfile *o, struct wants *w);

/* The same for perfmap_read. */
int remote_perfmap(int root_fd, const char *path, const struct perfmap_owner *owner,
		   struct wants *w);

#endif
