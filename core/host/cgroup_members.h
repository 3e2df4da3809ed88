/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The processes that are in a cgroup now. */
#ifndef HOST_CGROUP_MEMBERS_H
#define HOST_CGROUP_MEMBERS_H

#include "base/types.h"

/* Call take() with each process in the cgroup at `path` and in those below it, by its id in our PID
 * namespace.  false: not all could be read, as in threaded cgroups, whose members are threads. */
bool cgroup_each_member(const char *path, void (*take)(void *ctx, u32 tgid), void *ctx);

#endif
