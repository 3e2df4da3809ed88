// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "run/cpus.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/num.h"

/* NR_CPUS is at most 8192 in any distribution's kernel; one that has more can be asked for. */
#define MAX_CPU 65535

static void add_cpu(void *ctx, u64 cpu)
{
	struct cpus *c = ctx;

	vec_push(&c->v, (u32)cpu);
}

void cpus_online(struct cpus *out)
{
	_cleanup_(str_release) struct str text = { 0 };
	struct err err = { 0 };

	out->v.n = 0;
	if (!file_read("/sys/devices/system/cpu/online", 65536, &text)) {
		while (text.n && text.p[text.n - 1] == '\n')
			text.p[--text.n] = '\0';
		if (num_ranges(str_text(&text), MAX_CPU, "online CPUs", add_cpu, out, &err) > 0)
			return;
	}
	out->v.n = 0;
	for (long i = 0; i < sysconf(_SC_NPROCESSORS_ONLN); i++)
		vec_push(&out->v, (u32)i);
}

void cpus_release(struct cpus *c)
{
	vec_release(&c->v);
}

int cpus_check(const struct cpus *online, const u32 *cpus, size_t n, struct err *err)
{
	for (size_t i = 0; i < n; i++)
		if (!cpus_has(online, cpus[i]))
			return err_set(err, ERR_NOTARGET, "CPU %u is not online", cpus[i]);
	return 0;
}

bool cpus_has(const struct cpus *c, u32 cpu)
{
	for (size_t i = 0; i < c->v.n; i++)
		if (c->v.items[i] == cpu)
			return true;
	return false;
}
