/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Find the ids of cgroups by path, glob or container id. */
#ifndef HOST_CGROUP_H
#define HOST_CGROUP_H

#include "base/err.h"
#include "base/mem.h"
#include "base/types.h"

struct cgroup_ref {
	u64 id;
	u32 level;  /* depth below the root of its hierarchy; UINT32_MAX: unknown (in a cgroup
		       namespace) */
	char *path; /* owned by the set, until someone takes it */
};

struct cgroup_set {
	VEC(struct cgroup_ref) v;
	char controller[32]; /* cgroup v1: the hierarchy of all of them; "": v2 */
};

/*
 * Add the cgroups that `spec` names: a path in the cgroup file system or relative to its mount, a
 * glob of such paths, or at least 8 hex digits of a container id.  ERR_NOTARGET if none is found.
 */
int cgroup_resolve(struct cgroup_set *set, const char *spec, struct err *err);
void cgroup_set_release(struct cgroup_set *set);

/* The path of a cgroup relative to the mount; NULL when it does not exist (any more).  The caller
 * frees it. */
char *cgroup_path(u64 id);

/* Index of controller `name` in css_set.subsys[], from kernel BTF; -1: unknown. */
int cgroup_subsys(const char *name);

#endif
