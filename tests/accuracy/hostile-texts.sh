#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Hostile names of processes, and hostile strings that programs pass to functions, in every command and
# every format that it writes (profile's are in profile-hostile.sh).  strict.py decides what each format may
# contain.
#
# long: a run for each place of a text, 20 s
# kernels: none
# shared: its counts do not depend on the CPU time that it gets

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/accuracy/common.bash
. tests/accuracy/common.bash
need python3 jq

PROBE=p:$WORK/names:name_path

# run NAME "FORMAT..." COMMAND ARGS...: run the names under COMMAND, and check each format.
under=() # the command that starts a program under a name
run()
{
	local name=$1 formats=$2 format files=()

	shift 2
	for format in $formats; do
		files+=(-o "$TMP/$name.$format")
	done
	timeout -s KILL 90 "$BPERF" "$1" -q "${files[@]}" "${@:2}" -- "${under[@]}" "$WORK/names" 0.3 \
		>"$TMP/$name.truth" || fail "exit status $?"
	for format in $formats; do
		python3 tests/accuracy/strict.py "$format" "$TMP/$name.$format" || fail "$name.$format"
	done
}

# The workload's names in hex: a comm holds 15 bytes of each.
wanted()
{
	awk '$1 == "hex" { print substr($2, 1, 30) }' "$1" | sort
}

# The names shown, from JSON: bytes that are not UTF-8 are in comm_hex.
shown()
{
	jq -r 'select(.type == "'"$2"'") | .comm_hex // (.comm | @json)' "$1" | python3 -c '
import json, sys
for line in sys.stdin:
	line = line.strip()
	print(json.loads(line).encode().hex() if line.startswith("\"") else line)' | sort -u
}

waits()
{
	run "$1" 'txt folded json svg pb.gz' "$1"
}
for command in offcpu wakeup offwake chain; do
	check "$command writes harmless names" waits "$command"
done

# in_cgroup NAME FORMATS COMMAND ARGS...: the same within a cgroup of a hostile name.
in_cgroup()
{
	local mount

	mount=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/self/mounts)
	CGROUP=$mount/$'bperf a;b <c> "d"\\ \e[1m\xff '$$
	[ "$mount" ] && mkdir "$CGROUP" 2>/dev/null || skip_because 'no cgroup can be made here'
	later 'rmdir "$CGROUP"'
	# shellcheck disable=SC2016 # of the other shell
	under=(bash -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$CGROUP")
	run "$@"
	grep -q 'bperf a' "$TMP/$1.txt" || fail 'the cgroup is not shown' "$(cat "$TMP/$1.txt")"
}
check 'profile writes harmless names of cgroups' in_cgroup cpu 'txt folded json svg pb.gz' profile -e cpu-clock -F 199 --by cgroup
check 'offcpu writes harmless names of cgroups' in_cgroup off 'txt folded json svg pb.gz' offcpu --by cgroup

events()
{
	run trace 'txt json' trace "$PROBE(char *path)"
	[ "$(wanted "$TMP/trace.truth")" = "$(shown "$TMP/trace.json" event)" ] ||
		fail 'other names' "$(shown "$TMP/trace.json" event)"
	# The message of one event is one line, whatever the string holds.
	[ "$(wc -l <"$TMP/trace.txt")" = $((1 + $(grep -c '^hex' "$TMP/trace.truth"))) ] ||
		fail 'not a line for each' "$(cat "$TMP/trace.txt")"
}
check 'trace writes harmless names and strings, a line for each' events

events_by_format()
{
	run format 'txt json' trace -U "$PROBE(char *path) \"%s\", path"
	[ "$(grep -c name_path "$TMP/format.txt")" = $((2 * $(grep -c '^hex' "$TMP/format.truth"))) ] ||
		fail 'not two lines for each' "$(cat "$TMP/format.txt")"
}
check 'trace writes harmless names with a format and stacks' events_by_format

by_key()
{
	local name=$1

	run "$@"
	# A row for each name, except that names whose bad bytes look the same share one.
	at_least "$(jq -s 'map(select(.key)) | length' "$TMP/$name.json")" 13 'rows'
}
check 'argdist writes harmless keys' by_key counts 'txt json' argdist -C "$PROBE(char *path):char*:path" --by '$comm'
check 'argdist writes harmless keys of histograms' by_key hists 'txt json' argdist \
	-H "r:$WORK/names:name_path():u64:\$retval" --by '$comm'
check 'funccount writes harmless keys' by_key funccount 'txt json' funccount --by '$comm' "$PROBE"
