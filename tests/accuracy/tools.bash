# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Functions that the tests of tools share.  Each tool of cmd/recipes has a line "check 'NAME: ..." in one of
# tests/accuracy/tools-*.sh (tests/cli/tools.sh looks for it).

# shellcheck source=tests/accuracy/common.bash
. tests/accuracy/common.bash
need jq python3
# shellcheck disable=SC2034 # for the scripts that include this
PY=(/usr/bin/python3 -I -S -c)

# tool NAME ARGS...: its result as JSON in $TMP/out.json, as text in $TMP/out.txt; what a program after -- prints
# in $TMP/stdout.
tool()
{
	local name=$1

	shift
	rm -f "$TMP/out.txt"
	timeout -s KILL 60 "$BPERF" "$name" --output "$TMP/out.json" --output "$TMP/out.txt" "$@" >"$TMP/stdout" 2>"$TMP/err" ||
		fail "status $? of: bperf $name $*" "$(cat "$TMP/err")"
}

# values NAME...: a line for each event, with these of its columns; of a number that has a name, the name.
values()
{
	local columns

	printf -v columns ',.%s' "$@"
	jq -r "select(.type == \"event\") | .args + (.names // {}) | [${columns#,}] | map(tostring) | join(\" \")" \
		"$TMP/out.json"
}

# got FILTER: over the list of all records, compact.
got()
{
	jq_values "$1" "$TMP/out.json"
}

has_kernel_functions()
{
	"$BPERF" funccount k:vfs_read -- true >/dev/null 2>&1
}

need_kernel_functions()
{
	has_kernel_functions || skip_because 'no functions of the kernel here'
}

# begin_tool NAME ARGS...: in the background, as $tool_pid; it traces by now.
begin_tool()
{
	: >"$TMP/err"
	tool "$1" -v "${@:2}" &
	tool_pid=$!
	until contains "$TMP/err" 'tracing after'; do
		kill -0 "$tool_pid" 2>/dev/null || fail 'it ended:' "$(cat "$TMP/err")"
		snooze 0.05
	done
}

# tool_beside NAME ARGS... // PROGRAM...: the tool sees all tasks, from before PROGRAM starts until
# it has ended; what PROGRAM prints goes to $TMP/program.
tool_beside()
{
	local args=() tool_pid

	while [ "$1" != // ]; do
		args+=("$1")
		shift
	done
	shift
	begin_tool "${args[@]}"
	"$@" >"$TMP/program" || fail "status $? of: $*"
	pkill -TERM -P "$tool_pid" # timeout of coreutils 9.10 ignores INT as a background job does
	wait "$tool_pid" || fail "$(cat "$TMP/err")"
}

# headed HEADING: the names of columns in the text of the last tool, in the order of bcc's.
headed()
{
	exactly "$(grep -v '^---' "$TMP/out.txt" | head -n 1 | xargs)" "$1" 'names of columns'
}

# headings TOOL OPTION HEADING
headings()
{
	tool "$1" ${2:+"$2"} -- true
	headed "$3"
}

# all_symbols: also those of variables and of BPF programs, which the copy does not have.
all_symbols()
{
	[ "$SYMBOLS" ] || return 0
	umount /proc/kallsyms
	later "mount --bind '$SYMBOLS' /proc/kallsyms"
}
