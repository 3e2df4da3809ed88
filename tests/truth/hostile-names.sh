#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Files that lie about their names: what they claim costs a bounded time and memory, names that are
# left out are counted with the file's name, and the names of others are there.
#
# kernels: 6.1

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/truth/common.bash
. tests/truth/common.bash
need jq
copied_symbols

fast=(-q -U -e cpu-clock -F 299)
bare=$(tmpdir)/bare
strip -s -o "$bare" "$WORK/shares" || exit 1

# bad KIND N: a program whose names lie.
bad()
{
	local dir

	dir=$(tmpdir)
	"$WORK/badelf" "$1" "$bare" "$dir/$1" "$2" || fail "badelf $1"
	echo "$dir/$1"
}

# cheap FILE: bperf's own part took no more than a loaded machine may make of it.
cheap()
{
	jq -es '.[-1].cost | .user_ms < 10000 and .rss_kb < 120000' "$1" >/dev/null ||
		fail "$(jq -cs '.[-1].cost' "$1")"
}

# place KIND N: its code is shown by its place, and is counted as what has no symbol.
place()
{
	local file

	file=$(bad "$1" "$2") || exit 1
	profile "${fast[@]}" -o "$TMP/p.txt" -o "$TMP/p.json" -- "$file" 0.4 >/dev/null || fail "exit status $?"
	has "$TMP/p.txt" "$1\\+0x[0-9a-f]+"
	cheap "$TMP/p.json"
}
check 'a table of symbols in a hole of 4 GB' place symtab 4096
check 'strings in a hole of 1 GB' place strtab 1024
check 'relocations in a hole of 100 GB' place rela 102400

# costly KIND N: the same, counted as too costly, with the file's name, in all that is written.
costly()
{
	local file

	file=$(bad "$1" "$2") || exit 1
	profile "${fast[@]:1}" -o "$TMP/c.txt" -o "$TMP/c.json" -o "$TMP/c.svg" -- "$file" 0.4 >/dev/null \
		2>"$TMP/err" || fail "exit status $?"
	has "$TMP/c.txt" "$1\\+0x[0-9a-f]+"
	has "$TMP/err" "warning: .*/$1: "
	has "$TMP/c.svg" 'places? without a name: too costly'
	jq -es --arg f "$file" '.[-1].symbols | .too_costly > 0 and (.too_costly_files | index($f))' \
		"$TMP/c.json" >/dev/null || fail "$(jq -cs '.[-1].symbols' "$TMP/c.json")"
	jq -es 'any(.[]; .type == "warn" and .code == "names-costly")' "$TMP/c.json" >/dev/null ||
		fail 'no warning in the JSON'
	cheap "$TMP/c.json"
}
check 'two million symbols in one place' costly aliases 2000000
check 'a debug file of 4 GB without a build id' costly link 4096
check 'a .gnu_debugdata of 1 GB' costly data 1024

# The honest programs on the same host have theirs, and the run ends.
beside()
{
	local file

	file=$(bad aliases 2000000) || exit 1
	"$file" 20 >/dev/null &
	later "kill -9 $! 2>/dev/null"
	"$WORK/shares" 20 >/dev/null &
	later "kill -9 $! 2>/dev/null"
	profile "${fast[@]}" -o "$TMP/b.folded" -o "$TMP/b.json" "$(slow 1)" >/dev/null || fail "exit status $?"
	has "$TMP/b.folded" '^aliases;.*\[aliases\]'
	has "$TMP/b.folded" '^shares;.*burn_hot'
	cheap "$TMP/b.json"
}
check 'a program beside it keeps its names' beside
