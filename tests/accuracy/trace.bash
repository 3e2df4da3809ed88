# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Shared by the accuracy tests of trace, in addition to common.bash: a run over
# tests/workloads/calls.c, and queries of its JSON.

# shellcheck disable=SC2034 # for who sources this
CALLS=$WORK/calls

# trace ARGS...: JSON Lines to $TMP/trace.json, what the program prints elsewhere.
trace()
{
	timeout -s KILL 120 "$BPERF" trace -q -o "$TMP/trace.json" "$@" >"$TMP/stdout" 2>"$TMP/err" ||
		fail "status $?" "$(cat "$TMP/err")"
}

# of_probe N FIELD: a counter of the end record.
of_probe()
{
	jq_last ".probes[$1].$2" "$TMP/trace.json"
}

events()
{
	jq -r "select(.type == \"event\") | $1" "$TMP/trace.json"
}

# hits N [PROBE...]: each of these probes (0: the first) has N hits, each of them shown or counted as lost.
hits()
{
	local n=$1 IFS=,

	shift
	exactly "$(jq_last -c "[.probes[${*:-0}] | select(.hits != $n or .shown + .ring_full != $n)]" "$TMP/trace.json")" \
		'[]' "probes without $n hits, or without $n that are shown or lost"
}
