# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Shared by the tests of dump.

# dump ARGS...: bounded, so that a hang is a failure and not a wait.
dump()
{
	timeout -s KILL 90 "$BPERF" dump "$@"
}

# take ARGS...: a dump into $TMP/d.json.
take()
{
	dump -q -j "$@" >"$TMP/d.json" 2>"$TMP/err" || fail "exit status $?" "$(cat "$TMP/err")"
	jq_last -e '.type == "end" and .complete' "$TMP/d.json" >/dev/null ||
		fail 'not complete' "$(tail -n 1 "$TMP/d.json")"
}

# thread NAME FILTER: of the one thread with this name.
thread()
{
	jq -r --arg name "$1" "select(.type == \"thread\" and .comm == \$name) | $2" "$TMP/d.json"
}

# list FILTER: the same for all threads, each in a line after its name; listed NAME FILE: that of one of them.
# A call of jq for each thread would read the whole dump as often, for seconds where CPUs are emulated.
list()
{
	jq -r "select(.type == \"thread\") | .comm + \"\t\" + ($1 | tostring)" "$TMP/d.json"
}

listed()
{
	awk -v name="$1" 'index($0, name "\t") == 1 { print substr($0, length(name) + 2) }' "$2"
}
