#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The command lines that people know from bcc's wakeuptime, and those that wakeup refuses. tests/accuracy
# tests the meaning of its numbers.

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
COMMAND=wakeup
# shellcheck source=tests/cli/waits.bash
. tests/cli/waits.bash

bad_words()
{
	common_states
	refuses 64 "a thread that is preempted is not blocked" --state R 1
	refuses 64 "a thread that is preempted is not blocked" --state 0 1
	refuses 64 "conflicts with" --useronly -k 1
	refuses 64 "unknown option '--split'" --split 1
	refuses 64 "unknown option '--levels'" --levels 3 1
}
check 'options of other commands are refused' bad_words
check_common

peers_lines()
{
	runs_on
	runs_on -p "$pid"
	runs -p "$pid" 0.3
	runs -f 0.3
	is_folded
	runs 0.3
	runs -u 0.3
	runs --useronly 0.3
	runs -v -p "$pid" 0.3
	runs -m 1000 -M 1000000 0.3
	runs --stack-storage-size 2048 0.3
}
check "the lines of bcc's examples run" peers_lines

# The waker is the root of a folded line, the target its leaf.
more_lines()
{
	runs -f -p "$pid" 0.5
	is_folded
	grep -Eq '^[^;]+(;[^;]+)*;bash [0-9]+$' "$TMP/out" || fail "$(cat "$TMP/out")"
	runs -K -f --comm sleep 0.5
	grep -Eq '^timer;.*;sleep [0-9]+$' "$TMP/out" || fail "$(cat "$TMP/out")"
	runs -U -d -p "$pid" 0.3
	runs --functions 0.3
	runs -k --state DI 0.3
	runs -s --cpu 0 -p "$pid" 0.3
	runs --unit ms -A -T 0.3
	runs_into_files
}
check 'options of our own run, together too' more_lines
check 'hidden kernel addresses are reported, not guessed' needs_addresses
