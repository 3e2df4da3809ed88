#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The command lines that people know from bcc's offcputime, and those that offcpu refuses. tests/accuracy
# tests the meaning of its numbers.

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
COMMAND=offcpu
# shellcheck source=tests/cli/waits.bash
. tests/cli/waits.bash

bad_words()
{
	common_states
	refuses 64 "--sample: '5' is not a share" --sample 5 1
	refuses 64 "--sample: '1/0' is not a share" --sample 1/0 1
	refuses 64 "1/N takes one wait in N" --sample 1/x 1
	refuses 64 "-P needs --states" -P 1
	refuses 64 "conflicts with --split" --states --split 1
	refuses 64 "conflicts with --sample" --states --sample 1/10 1
	refuses 64 "conflicts with --by" --states --by comm 1
	refuses 64 "conflicts with --state" --states --state D 1
	refuses 64 "states can't be written as folded, only as: text, json" --states -f 1
	refuses 64 "states can't be written as svg, only as: text, json, html" --states -o "$TMP/a.svg" 1
	refuses 64 "unknown option '--levels'" --levels 3 1
}
check 'options that do not go together are refused' bad_words
check_common

peers_lines()
{
	runs_on -K
	runs_on -K -p "$pid"
	runs -K -p "$pid" 0.3
	runs -K -f 0.3
	is_folded
	runs_on
	runs 0.3
	runs -f 0.3
	is_folded
	runs -s 0.3
	runs_with_filters
	runs -p "$pid,$$" 0.3
	runs -t "$pid,$$" 0.3
	runs -d -p "$pid" 0.3
	runs -df -p "$pid" 0.3
	is_folded
	runs --state 2 0.3
	runs --state 0 0.3
	runs --stack-storage-size 2048 0.3
}
check "the lines of bcc's examples run" peers_lines

more_lines()
{
	runs --split --waits -p "$pid" 0.3
	grep -Fq '[blocked]' "$TMP/out" || fail "$(cat "$TMP/out")"
	runs --with-cpu 0.3
	runs --with-cpu --sample 1/10 -f 0.3
	runs --sample 1/100 -f 0.3
	runs --states 0.3
	grep -Eq '^ +wall +' "$TMP/out" || fail "$(cat "$TMP/out")"
	runs --states -P -u 0.3
	runs --functions -p "$pid" 0.3
	runs --unit ms -p "$pid" -A -T 0.3
	runs --by cgroup -f 0.3
	is_folded
	runs --state SD -m 10 -M 100000000 --by tid -f 0.3
	is_folded
	runs_into_files
}
check 'options of our own run, together too' more_lines

# bperf exits with the program's status, and measures the program's whole life: it sleeps once.
of_a_program()
{
	local status=0

	timeout 20 "$BPERF" offcpu -q -f -U --by none -- sh -c 'sleep 0.3; exit 3' >"$TMP/out" \
		2>"$TMP/err" </dev/null || status=$?
	((status == 3)) || fail "exit status $status" "$(cat "$TMP/err")"
	awk '{ sum += $NF } END { exit !(sum >= 300000) }' "$TMP/out" || fail "$(cat "$TMP/out")"
}
check 'a program is run, and its status is passed on' of_a_program

# A host may have thousands of processes, whose files take 25 us each to read.  Those that fork meanwhile
# are looked at.
reads_few_other_processes()
{
	local read all

	command -v strace >/dev/null || skip_because 'no strace here'
	all=$(find /proc -maxdepth 1 -name '[0-9]*' | wc -l)
	timeout 60 strace -f -qq -e trace=openat -o "$TMP/opened" "$BPERF" offcpu -q -o "$TMP/out.txt" -- true ||
		fail "exit status $?"
	read=$(grep -oE '"/proc/[0-9]+/status"' "$TMP/opened" | sort -u | wc -l)
	((read >= 1 && read <= all / 2)) || fail "read $read of $all processes"
}
check 'a program is run without reading most other processes' reads_few_other_processes
