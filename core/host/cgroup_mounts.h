/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where cgroup file systems are mounted, from /proc/self/mountinfo. */
#ifndef HOST_CGROUP_MOUNTS_H
#define HOST_CGROUP_MOUNTS_H

#include "base/lines.h"
#include "base/mem.h"

struct cgroup_mount {
	char *path;	   /* mount point */
	char options[256]; /* super options: "rw,cpu,cpuacct" on v1 */
	bool is_v2;
};

struct cgroup_mounts {
	VEC(struct cgroup_mount) v;
};

/* Those of this process. */
void cgroup_mounts_read(struct cgroup_mounts *m);
/* Those in a text of the same form. */
void cgroup_mounts_add(struct cgroup_mounts *m, struct lines *text);
void cgroup_mounts_release(struct cgroup_mounts *m);

/* The mount that contains the path; NULL: none. */
const struct cgroup_mount *cgroup_mount_of(const struct cgroup_mounts *m, const char *path);

/* The first controller of a v1 hierarchy, which identifies it: "rw,cpu,cpuacct" -> cpu; "" on v2.
 */
void cgroup_controller_of(const struct cgroup_mount *m, char *out, size_t size);

#endif
