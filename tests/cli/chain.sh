#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The options that chain accepts and refuses; it has offwake's options and some of its own.
# tests/accuracy tests the meaning of its numbers.

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
COMMAND=chain
# shellcheck source=tests/cli/waits.bash
. tests/cli/waits.bash

bad_words()
{
	common_states
	refuses 64 "a thread that is preempted is not blocked" --state R 1
	refuses 64 "a thread that is preempted is not blocked" --state 0 1
	refuses 64 "--levels: 33 is not in 1 to 32" --levels 33 1
	refuses 64 "--levels: 0 is not in 1 to 32" --levels 0 1
	refuses 64 "--path and --functions are two different tables" --path --functions 1
	refuses 64 "unknown option '--split'" --split 1
	refuses 64 "unknown option '--sample'" --sample 1/10 1
}
check 'options that do not go together are refused' bad_words
check_common

lines()
{
	runs_on --self
	runs 0.3
	runs -fu 0.3
	is_folded
	runs -m 1000 -M 1000000 0.3
	runs -p "$pid" -d 0.3
	runs -t "$pid" 0.3
	runs -k 0.3
	runs -U 0.3
	runs -K -s 0.3
	runs --state D 0.3
	runs --levels 1 0.3
	runs --levels 32 --all-wakers 0.3
	runs --path 0.3
	grep -q ' in all$' "$TMP/out" || fail "$(cat "$TMP/out")"
	runs --path -f 0.3
	is_folded
	runs --unit ms -A -T 0.3
	runs --by tid --callers do_syscall_64 -f -p "$pid" 0.3
	runs_into_files
}
check 'options run, together too' lines

# The shell waits for sleep, sleep for the timer: two links, and the end is an interrupt.
down_to_the_metal()
{
	runs -f -K -p "$pid" --state S 0.5
	is_folded
	grep -Eq '^bash;.*;--;.*;sleep;--;.*;timer [0-9]+$' "$TMP/out" || fail "$(cat "$TMP/out")"
	# One level is what offwake shows.
	runs -f -K -p "$pid" --levels 1 --state S 0.5
	! grep -q ';timer ' "$TMP/out" || fail "$(cat "$TMP/out")"
	grep -Eq ';sleep [0-9]+$' "$TMP/out" || fail "$(cat "$TMP/out")"
}
check 'a chain goes through the waker down to the timer' down_to_the_metal
check 'hidden kernel addresses are reported, not guessed' needs_addresses
