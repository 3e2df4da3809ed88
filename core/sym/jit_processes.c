// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sym/jit_processes.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/num.h"
#include "base/procfile.h"
#include "sym/jit_hints.h"

/* The id in the process's own PID namespace, which is part of the map's name.
 * "NSpid:\t4711\t12" */
static u64 own_pid(u32 pid)
{
	_cleanup_(str_release) struct str status = { 0 };
	struct view numbers, number = { 0 };
	char path[64];
	u64 own = pid;

	snprintf(path, sizeof(path), "/proc/%u/status", pid);
	if (file_read(path, PROC_STATUS_BYTES, &status) ||
	    !proc_status_field(str_view(&status), "NSpid", &numbers))
		return pid;
	while (view_split(&numbers, '\t', &number))
		;
	num_parse_dec(number, &own);
	return own;
}

static bool has_perf_map(u32 pid)
{
	char path[96];

	snprintf(path, sizeof(path), "/proc/%u/root/tmp/perf-%llu.map", pid, own_pid(pid));
	return !file_is_missing(path);
}

static struct jit_runtime *find_runtime(struct jit_processes *j, int runtime)
{
	struct jit_runtime *r;

	vec_for_each(r, &j->runtimes)
		if (!strcmp(runtime_name(r->runtime), runtime_name(runtime)))
			return r;
	vec_push(&j->runtimes, (struct jit_runtime){ .runtime = runtime });
	return &j->runtimes.items[j->runtimes.n - 1];
}

static bool examine(void *ctx, u32 pid)
{
	struct jit_processes *j = ctx;
	struct jit_runtime *found;
	char link[64], exe[4096];
	ssize_t n;
	int runtime;

	snprintf(link, sizeof(link), "/proc/%u/exe", pid);
	n = readlink(link, exe, sizeof(exe) - 1);
	if (n < 0) {
		j->n_hidden += errno == EACCES || errno == EPERM;
		return true;
	}
	exe[n] = '\0';
	runtime = runtime_of_program(exe);
	if (runtime < 0)
		return true;
	found = find_runtime(j, runtime);
	found->n++;
	if (!has_perf_map(pid) && !found->n_without_map++)
		found->first = pid;
	return true;
}

void jit_processes_find(struct jit_processes *out)
{
	*out = (struct jit_processes){ 0 };
	proc_each_process("/proc", examine, out);
}

void jit_processes_release(struct jit_processes *j)
{
	vec_release(&j->runtimes);
}
