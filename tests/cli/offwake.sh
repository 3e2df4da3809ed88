#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The command lines that people know from bcc's offwaketime, and those that offwake refuses. tests/accuracy
# tests the meaning of its numbers.

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
COMMAND=offwake
# shellcheck source=tests/cli/waits.bash
. tests/cli/waits.bash

bad_words()
{
	common_states
	refuses 64 "a thread that is preempted is not blocked" --state R 1
	refuses 64 "a thread that is preempted is not blocked" --state 0 1
	refuses 64 "unknown option '--split'" --split 1
	refuses 64 "unknown option '--levels'" --levels 3 1
	refuses 64 "unknown option '--path'" --path 1
}
check 'options that do not go together are refused' bad_words
check_common

peers_lines()
{
	runs 0.3
	runs -fu 0.3
	is_folded
	runs_on --self
	runs -f 0.3
	is_folded
	runs_with_filters
	runs -K 0.3
	runs -d -p "$pid" 0.3
	runs --state 2 0.3
	runs --stack-storage-size 2048 0.3
}
check "the lines of bcc's examples run" peers_lines

# Two stacks, the waker's upside down; never a single dash, nor a mark after the first "--".
more_lines()
{
	runs -f -a -d -p "$pid" 0.5
	is_folded
	grep -q '^bash;.*;--;.*;.* [0-9]*$' "$TMP/out" || fail "$(cat "$TMP/out")"
	! grep -E ';--;(.*;)?-;|;--;.*_\[k\]' "$TMP/out" || fail 'after -- there is what tools trip over'
	runs -f -K --comm sleep 0.5
	grep -Eq '^sleep;.*;--;.*;timer [0-9]+$' "$TMP/out" || fail "$(cat "$TMP/out")"
	runs --state SD -s --unit ms -T -p "$pid" 0.3
	runs --by pid 0.3
	runs --functions 0.3
	runs_into_files
}
check 'options of our own run, together too' more_lines
check 'hidden kernel addresses are reported, not guessed' needs_addresses
