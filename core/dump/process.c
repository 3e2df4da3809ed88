// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "dump/process.h"

#include <stdio.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/num.h"
#include "base/procfile.h"
#include "base/str.h"

#define COMM_BYTES     64
#define CHILDREN_BYTES (1 << 20)

const char *process_comm(u32 pid, struct intern *strings)
{
	_cleanup_(str_release) struct str text = { 0 };
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/comm", pid);
	if (file_read(path, COMM_BYTES, &text) || !text.n)
		return NULL;
	return intern_n(strings, text.p, text.n - 1);
}

/* NSpid has the numbers from our namespace to the innermost one. */
u32 process_inner(u32 pid)
{
	_cleanup_(str_release) struct str text = { 0 };
	struct view list, number;
	char path[64];
	u64 n = 0;

	snprintf(path, sizeof(path), "/proc/%u/status", pid);
	if (file_read(path, PROC_STATUS_BYTES, &text) ||
	    !proc_status_field(str_view(&text), "NSpid", &list))
		return 0;
	while (view_split(&list, '\t', &number))
		if (!num_parse_dec(number, &n))
			return 0;
	return (u32)n;
}

void process_children(u32 tgid, u32 tid, struct pid_list *out)
{
	_cleanup_(str_release) struct str text = { 0 };
	struct view rest, number;
	char path[64];
	u64 pid;

	snprintf(path, sizeof(path), "/proc/%u/task/%u/children", tgid, tid);
	if (file_read(path, CHILDREN_BYTES, &text))
		return;
	rest = str_view(&text);
	while (view_split(&rest, ' ', &number))
		if (num_parse_dec(number, &pid))
			vec_push(&out->v, (u32)pid);
}
