// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sym/jit_processes.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/num.h"
#include "sym/jit_hints.h"

#define MAX_STATUS (64 << 10)

/* The id in the process's own PID namespace, which is part of the map's name.
 * "NSpid:\t4711\t12" */
static u64 own_pid(u32 pid)
{
	_cleanup_(str_release) struct str status = { 0 };
	struct view rest, line, number;
	char path[64];
	u64 own = pid;

	snprintf(path, sizeof(path), "/proc/%u/status", pid);
	if (file_read(path, MAX_STATUS, &status))
		return pid;
	rest = str_view(&status);
	while (view_cut(&rest, '\n', &line)) {
		if (!view_starts(line, "NSpid:"))
			continue;
		while (view_cut(&line, '\t', &number))
			;
		num_parse_dec(number, &own);
	}
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

static void examine(struct jit_processes *j, u32 pid)
{
	struct jit_runtime *found;
	char link[64], exe[4096];
	ssize_t n;
	int runtime;

	snprintf(link, sizeof(link), "/proc/%u/exe", pid);
	n = readlink(link, exe, sizeof(exe) - 1);
	if (n < 0) {
		j->n_hidden += errno == EACCES || errno == EPERM;
		return;
	}
	exe[n] = '\0';
	runtime = runtime_of_program(exe);
	if (runtime < 0)
		return;
	found = find_runtime(j, runtime);
	found->n++;
	if (!has_perf_map(pid) && !found->n_without_map++)
		found->first = pid;
}

void jit_processes_find(struct jit_processes *out)
{
	DIR *proc = opendir("/proc");
	struct dirent *d;
	u64 pid;

	*out = (struct jit_processes){ 0 };
	while (proc && (d = readdir(proc)))
		if (num_parse_dec(view_of(d->d_name), &pid))
			examine(out, (u32)pid);
	if (proc)
		closedir(proc);
}

void jit_processes_release(struct jit_processes *j)
{
	vec_release(&j->runtimes);
}
