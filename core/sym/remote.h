/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Naming in a process of its own, for files whose server may be dead: whoever touches those can
 * hang beyond killing, and that must not be us.
 */
#ifndef SYM_REMOTE_H
#define SYM_REMOTE_H

#include "sym/mapped.h"
#include "sym/objfile.h"
#include "sym/perfmap.h"

/* As objfile_name, but opens the file (of this id) in the helper.  -ETIMEDOUT when it isn't done
 * after a second: it is killed, and not waited for. */
int remote_name(struct files *f, u32 id, struct objfile *o, struct wants *w);

/* The same for perfmap_read. */
int remote_perfmap(int root_fd, const char *path, const struct perfmap_owner *owner,
		   struct wants *w);

#endif
