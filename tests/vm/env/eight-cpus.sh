#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# More CPUs than the host machine has.
#
# kernel: 6.1
# cpus: 8

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../../lib.sh"
# shellcheck source=tests/vm/env/common.bash
. tests/vm/env/common.bash

eight()
{
	exactly "$(nproc)" 8 CPUs
	all_work
	profile -q -f -I -e cpu-clock -F 49 --by cpu 2 >"$TMP/cpus.folded" || fail "exit status $?"
	exactly "$(cut -d';' -f1 "$TMP/cpus.folded" | sort -u | wc -l)" 8 'CPUs seen'
}
check 'eight CPUs are all seen' eight

# The last CPU goes and comes back, again and again, while it is sampled.
comes_and_goes()
{
	local file=/sys/devices/system/cpu/cpu7/online i pid

	timeout -s KILL 120 "$BPERF" profile -q -f -I -e cpu-clock -F 49 --by cpu 6 >"$TMP/out" 2>"$TMP/err" &
	pid=$!
	for i in 1 2 3; do
		sleep 0.5
		echo 0 >"$file" || fail 'cpu7 does not go'
		sleep 0.5
		echo 1 >"$file" || fail 'cpu7 does not come back'
	done
	wait "$pid" || fail "exit status $?" "$(cat "$TMP/err")"
	has "$TMP/out" '^cpu_0*7;'
}
check 'a CPU that comes and goes is sampled while it is there' comes_and_goes

# Offline from the start, then brought online.
comes_late()
{
	local file=/sys/devices/system/cpu/cpu6/online pid

	echo 0 >"$file" || fail 'cpu6 does not go'
	timeout -s KILL 120 "$BPERF" profile -q -f -I -e cpu-clock -F 49 --by cpu 4 >"$TMP/out" 2>"$TMP/err" &
	pid=$!
	sleep 1
	echo 1 >"$file"
	wait "$pid" || fail "exit status $?" "$(cat "$TMP/err")"
	has "$TMP/out" '^cpu_0*6;'
}
check 'a CPU that comes online during the run is sampled' comes_late

offline_may_come()
{
	local file=/sys/devices/system/cpu/cpu5/online pid

	echo 0 >"$file" || fail 'cpu5 does not go'
	timeout -s KILL 120 "$BPERF" profile -f -I -e cpu-clock -F 49 --by cpu -C 5 4 >"$TMP/out" 2>"$TMP/err" &
	pid=$!
	sleep 1
	echo 1 >"$file"
	wait "$pid" || fail "exit status $?" "$(cat "$TMP/err")"
	has "$TMP/err" 'CPU 5 is offline; it will be watched once it is online'
	has "$TMP/out" '^cpu_0*5;'
}
check 'an offline CPU that is asked for is reported as offline, and sampled when it comes online' offline_may_come

absent_is_no_target()
{
	status_is 66 profile -C 8191 0.2
	has "$TMP/err" 'there is no CPU 8191'
}
check 'a CPU that this host cannot have is an error' absent_is_no_target
