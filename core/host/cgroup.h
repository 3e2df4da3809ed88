/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Cgroups by path, glob or container id, to the ids that the kernel compares. */
#ifndef HOST_CGROUP_H
#define HOST_CGROUP_H

#include "base/err.h"
#include "base/mem.h"
#include "base/types.h"

struct cgroup_ref {
	u64 id;
	u32 level; /* below the root of its hierarchy; UINT32_MAX: not known (a cgroup namespace) */
};

struct cgroup_set {
	VEC(struct cgroup_ref) v;
	char controller[32]; /* cgroup v1: the hierarchy all of them are in; "": v2 */
};

/*
 * Add what `spec` names: a path in the cgroup file system or below its mount, a glob of such
 * paths, or 8 or more hex digits of a container's id.  Nothing found is ERR_NOTARGET.
 */
int cgroup_resolve(struct cgroup_set *set, const char *spec, struct err *err);

/* Path below the mount for an id; NULL when there is none (any more).  Caller frees. */
char *cgroup_path(u64 id);

/* Number of controller `name` in css_set.subsys[], from kernel BTF; -1: unknown. */
int cgroup_subsys(const char *name);

#endif
