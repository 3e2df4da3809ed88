# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Shared by the tests of recipes: the rows of recipes.tsv, with substitutes for programs that are
# not installed.

RECIPES=tests/accuracy/recipes.tsv

# A database's probes are replaced by our own.
stand_in()
{
	sed "s,u:mysqld:mysql:query__start,u:$WORK/usdt:places,; s,u:mysqld:mysql:query__done,u:$WORK/usdt:twice,
		s,\$latency > 1ms) \"%{ms} %s\"\, \$latency\, \$start((char \*)arg1),\$latency > 0) \"%{ms} %s\"\, \$latency\, \$start((char *)arg2),"
}

# recipe NAME ARGS...: its command with more words after it; JSON in $TMP/out.json.  NAME may have a sed
# script after a slash: the changes to the row that the test needs.
recipe()
{
	local name=${1%%/*} script='' row

	[[ $1 != */* ]] || script=${1#*/}
	shift
	row=$(sed -n "s/^$name	//p" "$RECIPES" | stand_in | sed -E "$script")
	[ "$row" ] || fail "no row $name"
	eval "set -f; set -- $row -o '$TMP/out.json' \"\$@\""
	timeout -s KILL 120 "$BPERF" "$@" >"$TMP/stdout" 2>"$TMP/err" ||
		fail "status $? of: bperf $row" "$(cat "$TMP/err")"
}

# texts: those of trace's events
texts()
{
	jq -r 'select(.type == "event") | .text' "$TMP/out.json"
}

# got FILTER: FILTER's result for the list of all records, compact.
got()
{
	jq_values "$1" "$TMP/out.json"
}

# Functions of the kernel can be probed.
has_kernel_functions()
{
	"$BPERF" funccount k:vfs_read -- true >/dev/null 2>&1
}

need_kernel_functions()
{
	has_kernel_functions || skip_because 'no functions of the kernel here'
}

# recipe_beside NAME PROGRAM...: the recipe sees all tasks, from before PROGRAM starts until it has
# ended; what PROGRAM prints goes to $TMP/program.
recipe_beside()
{
	local name=$1 pid

	shift
	: >"$TMP/err"
	recipe "$name" -v &
	pid=$!
	until contains "$TMP/err" 'tracing after'; do
		kill -0 $pid 2>/dev/null || fail 'it ended:' "$(cat "$TMP/err")"
		snooze 0.05
	done
	"$@" >"$TMP/program" || fail "status $? of: $*"
	pkill -TERM -P $pid # timeout of coreutils 9.10 ignores INT as a background job does
	wait $pid || fail "$(cat "$TMP/err")"
}
