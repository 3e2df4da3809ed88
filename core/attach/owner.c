// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The owner of an event in tracefs, from its group's name: "bperf_PID_START_NAMESPACE".  The PID
 * alone may have been reused, or may mean another process in another PID namespace.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attach/attach_int.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/num.h"
#include "base/procfile.h"
#include "host/tracefs.h"

/* The start time of a process, in clock ticks since boot; 0: it does not exist or is a zombie. */
static u64 started(u32 pid)
{
	_cleanup_(str_release) struct str text = { 0 };
	struct view state, field;
	char path[64];
	u64 start = 0;

	snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	if (file_read(path, PROC_STAT_BYTES, &text) ||
	    !proc_stat_field(str_view(&text), STAT_STATE, &state) || state.p[0] == 'Z' ||
	    state.p[0] == 'X' || !proc_stat_field(str_view(&text), STAT_START, &field))
		return 0;
	return num_parse_dec(field, &start) ? start : 0;
}

static u64 pid_namespace(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) ? 0 : st.st_ino;
}

void attach_owner_name(char *to, size_t size)
{
	u32 pid = (u32)getpid();

	snprintf(to, size, TRACEFS_GROUP_PREFIX "%u_%llu_%llu", pid, started(pid), pid_namespace());
}

bool attach_owner_is_dead(struct view group)
{
	u64 numbers[3];
	struct view part;

	if (!view_starts(group, TRACEFS_GROUP_PREFIX))
		return false;
	group.p += strlen(TRACEFS_GROUP_PREFIX);
	group.n -= strlen(TRACEFS_GROUP_PREFIX);
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		if (!view_split(&group, '_', &part) || !num_parse_dec(part, &numbers[i]))
			return false;
	if (group.n || !numbers[0] || numbers[0] > INT32_MAX || numbers[2] != pid_namespace())
		return false;
	return started((u32)numbers[0]) != numbers[1];
}
