#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Under a seccomp profile that denies bpf(2), perf events or new processes: a run reports what it lacks,
# goes on without it where it can, and ends.
#
# kernels: 6.1
# shared: its counts do not depend on the CPU time that it gets

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/accuracy/common.bash
. tests/accuracy/common.bash

# without CALL ARGS...: bperf where CALL fails with EPERM.
without()
{
	local call=$1

	shift
	timeout -s KILL 90 "$WORK/seccomp" "$call" -- "$BPERF" "$@"
}

says_seccomp()
{
	status_is 77 without bpf "$@"
	has "$TMP/err" 'the kernel refuses \(EPERM\)'
	has "$TMP/err" 'a seccomp profile filters our system calls'
	lacks "$TMP/err" 'locked memory'
}
check 'a denied bpf(2) is called a seccomp profile, not locked memory: profile' says_seccomp profile 0.3
check 'a denied bpf(2): offcpu' says_seccomp offcpu 0.3
check 'a denied bpf(2): trace' says_seccomp trace -M 1 t:sched:sched_switch
check 'a denied bpf(2): funccount' says_seccomp funccount -d 0.3 t:sched:sched_switch

no_perf_events()
{
	status_is 77 without perf_event_open profile -e cpu-clock 0.3
	has "$TMP/err" 'seccomp'
	status_is 0 without perf_event_open offcpu 0.3
	has "$TMP/err" 'watched for'
}
check 'denied perf events end profile, which names the reason; offcpu goes on' no_perf_events

ends_without_processes()
{
	status_is 0 without clone "$@"
	has "$TMP/err" 'watched for'
}
check 'where no process can be made a run ends: profile' ends_without_processes profile -e cpu-clock 0.5
check 'where no process can be made a run ends: offcpu' ends_without_processes offcpu 0.5
check 'where no process can be made a run ends: funccount' ends_without_processes funccount -d 0.5 c:malloc
check 'where no process can be made a run ends: trace' ends_without_processes trace -U -M 3 t:sched:sched_switch

helpers_are_missed()
{
	status_is 0 without clone offcpu 0.5
	has "$TMP/err" 'user stacks of threads that are already asleep are not read.* \(Operation not permitted\)'
}
check 'stacks that only another process could read are reported as missing' helpers_are_missed

slow_end_is_said()
{
	status_is 0 without clone funccount --attach uprobe -d 0.3 'c:str*'
	has "$TMP/err" 'detaching the probes takes a while'
}
check 'a message says that removing many probes one by one takes a while' slow_end_is_said

no_program()
{
	status_is 77 without clone profile 0.5 -- true
	has "$TMP/err" "cannot start 'true': Operation not permitted"
}
check 'a program that cannot be started is an error' no_program
