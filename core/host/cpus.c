// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "host/cpus.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/log.h"
#include "base/num.h"

/* Distributions build kernels with NR_CPUS up to 8192; leave room for more. */
#define MAX_CPU 65535

static void add_cpu(void *ctx, u64 cpu)
{
	struct cpus *c = ctx;

	vec_push(&c->v, (u32)cpu);
}

/* Read a list such as "0-3,8" from /sys, else count CPUs by sysconf. */
static void read_list(struct cpus *out, const char *path, int sysconf_name)
{
	_cleanup_(str_release) struct str text = { 0 };
	struct err err = { 0 };

	out->v.n = 0;
	if (!file_read(path, 65536, &text)) {
		while (text.n && text.p[text.n - 1] == '\n')
			text.p[--text.n] = '\0';
		if (num_ranges(str_text(&text), MAX_CPU, "CPUs", add_cpu, out, &err) > 0)
			return;
	}
	out->v.n = 0;
	for (long i = 0; i < sysconf(sysconf_name); i++)
		vec_push(&out->v, (u32)i);
}

void cpus_online(struct cpus *out)
{
	read_list(out, "/sys/devices/system/cpu/online", _SC_NPROCESSORS_ONLN);
}

void cpus_release(struct cpus *c)
{
	vec_release(&c->v);
}

/* "0-3,8" */
static void add_ranges(struct str *text, const struct cpus *c)
{
	for (size_t i = 0, last; i < c->v.n; i = last + 1) {
		u32 first = c->v.items[i];

		for (last = i; last + 1 < c->v.n && c->v.items[last + 1] == c->v.items[last] + 1;)
			last++;
		str_addf(text, "%s%u", i ? "," : "", first);
		if (last > i)
			str_addf(text, "-%u", c->v.items[last]);
	}
}

static int no_such_cpu(u32 cpu, const struct cpus *possible, struct err *err)
{
	_cleanup_(str_release) struct str text = { 0 };

	add_ranges(&text, possible);
	err_set(err, ERR_NOTARGET, "there is no CPU %u", cpu);
	return err_hint(err, "CPUs here: %s", str_text(&text));
}

int cpus_check(const u32 *cpus, size_t n, struct err *err)
{
	_cleanup_(cpus_release) struct cpus possible = { 0 };
	_cleanup_(cpus_release) struct cpus online = { 0 };

	if (!n)
		return 0;
	read_list(&possible, "/sys/devices/system/cpu/possible", _SC_NPROCESSORS_CONF);
	for (size_t i = 0; i < n; i++)
		if (!cpus_has(&possible, cpus[i]))
			return no_such_cpu(cpus[i], &possible, err);
	cpus_online(&online);
	for (size_t i = 0; i < n; i++)
		if (!cpus_has(&online, cpus[i]))
			log_note("CPU %u is offline; it will be watched once it is online.",
				 cpus[i]);
	return 0;
}

bool cpus_has(const struct cpus *c, u32 cpu)
{
	for (size_t i = 0; i < c->v.n; i++)
		if (c->v.items[i] == cpu)
			return true;
	return false;
}
