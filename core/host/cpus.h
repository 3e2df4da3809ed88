/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which CPUs there are, read from /sys each time: CPUs come and go. */
#ifndef HOST_CPUS_H
#define HOST_CPUS_H

#include "base/err.h"
#include "base/mem.h"
#include "base/types.h"

struct cpus {
	VEC(u32) v; /* ascending */
};

/* CPUs online now.  Never empty: a host whose /sys is hidden is asked through sysconf. */
void cpus_online(struct cpus *out);
void cpus_release(struct cpus *c);
/* An error that names the first of `cpus` that this host can't have.  One that is offline may come:
 * that is a note. */
int cpus_check(const u32 *cpus, size_t n, struct err *err);
bool cpus_has(const struct cpus *c, u32 cpu);

#endif
