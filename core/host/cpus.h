/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The host's CPUs, read from /sys at each call because CPUs can be hotplugged. */
#ifndef HOST_CPUS_H
#define HOST_CPUS_H

#include "base/err.h"
#include "base/mem.h"
#include "base/types.h"

struct cpus {
	VEC(u32) v; /* ascending */
};

/* The CPUs that are online.  Never empty: sysconf is used when /sys is hidden. */
void cpus_online(struct cpus *out);
void cpus_release(struct cpus *c);
/* Returns an error that names the first of `cpus` that this host cannot have.  An offline CPU is
 * only noted: it may come online. */
int cpus_check(const u32 *cpus, size_t n, struct err *err);
bool cpus_has(const struct cpus *c, u32 cpu);

#endif
