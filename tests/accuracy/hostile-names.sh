#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Files that lie about their names: reading them takes a bounded time and little memory, names that are left
# out are counted with the file's name, and other files keep their names.
#
# long: a program for each kind of lie, 16 s
# kernels: 6.1

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/accuracy/common.bash
. tests/accuracy/common.bash
need jq perl python3
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

# cheap FILE: bperf itself took little CPU time and memory, with bounds that hold on a loaded machine.
cheap()
{
	jq_last -e '.cost | .user_ms < 10000 and .rss_kb < 120000' "$1" >/dev/null ||
		fail "$(jq_last -c '.cost' "$1")"
}

# place KIND N: its code is shown as file and offset, and counted as code without a symbol.
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

# costly KIND N: the same, counted as too costly, with the file's name, in every output.
costly()
{
	local file

	file=$(bad "$1" "$2") || exit 1
	profile "${fast[@]:1}" -o "$TMP/c.txt" -o "$TMP/c.json" -o "$TMP/c.svg" -- "$file" 0.4 >/dev/null \
		2>"$TMP/err" || fail "exit status $?"
	has "$TMP/c.txt" "$1\\+0x[0-9a-f]+"
	has "$TMP/err" "warning: .*/$1: "
	has "$TMP/c.svg" 'places? without a name: too costly'
	jq_last -e --arg f "$file" '.symbols | .too_costly > 0 and (.too_costly_files | index($f))' \
		"$TMP/c.json" >/dev/null || fail "$(jq_last -c '.symbols' "$TMP/c.json")"
	jq -es 'any(.[]; .type == "warn" and .code == "names-costly")' "$TMP/c.json" >/dev/null ||
		fail 'no warning in the JSON'
	cheap "$TMP/c.json"
}
check 'two million symbols in one place' costly aliases 2000000
check 'a debug file of 4 GB without a build id' costly link 4096
check 'a .gnu_debugdata of 1 GB' costly data 1024

# Honest programs on the same host keep their names, and the run ends.
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

# The owner of a process may write anything into its perf map.
costly_map()
{
	local file

	"$WORK/jit" 30 nomap >/dev/null &
	file=/tmp/perf-$!.map
	later "kill -9 $! 2>/dev/null; rm -f $file"
	"$@" "$file" || fail 'no map'
	profile "${fast[@]:1}" -p $! -o "$TMP/j.txt" -o "$TMP/j.json" "$(slow 0.5)" >/dev/null 2>"$TMP/err" ||
		fail "exit status $?"
	at_least "$(jq_last '.symbols | .too_costly + .jit_no_map' "$TMP/j.json")" 1 'places without a name'
	cheap "$TMP/j.json"
}

one_line()
{
	truncate -s 256M "$1"
}

many_lines()
{
	yes '10000 b some_name' | head -c 256M >"$1"
}
check 'a perf map of 256 MB without a line' costly_map one_line
check 'a perf map of 256 MB of lines' costly_map many_lines

# Commands that look for probes: they end soon, use little memory, and say why.
notes()
{
	local file

	file=$(bad notes 600000) || exit 1
	timeout -s KILL 60 "$BPERF" list "u:$file:*" >/dev/null 2>"$TMP/err" && fail 'no error'
	has "$TMP/err" 'too many symbols or notes to read'
}
check '600,000 notes of user probes' notes

# resident KB COMMAND...: its peak memory was at most KB.
resident()
{
	local kb=$1 peak

	shift
	peak=$(timeout -s KILL 60 python3 -c '
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$@") || fail "no end: $*"
	[ "$peak" -le "$kb" ] || fail "$peak KB resident: $*"
}

strings()
{
	local file

	file=$(bad "$1" 1024) || exit 1
	resident 100000 "$BPERF" list "p:$file:*"
	resident 100000 "$BPERF" funccount -d 0.2 "p:$file:none"
}
check 'probes in a file with strings in a hole of 1 GB' strings strtab
check 'probes in a file with 1 GB of .BTF' strings btf

# An absolute link in a process's root is followed within that root.
inside()
{
	local root folder

	root=$(tmpdir)
	folder=/lib/$(uname -m)-linux-gnu
	mkdir -p "$root/lib" "$root/only-there"
	ln -s /only-there "$root$folder"
	cp "$WORK/plug.so" "$root/only-there/libonlythere.so.1" || fail 'plug.so'
	perl -e 'chroot shift or die; sleep 60' "$root" &
	later "kill -9 $! 2>/dev/null"
	sleep 0.5
	timeout 60 "$BPERF" list -p $! 'p:onlythere:*' >"$TMP/out" 2>&1 || fail "$(cat "$TMP/out")"
	has "$TMP/out" 'p:onlythere:'
}
check 'a folder that is an absolute link in the root of a process' inside

# A server that never answers costs a second, once, and is named.
deaf()
{
	local dir from took

	dir=$(tmpdir)
	"$WORK/badelf" link "$bare" "$dir/link" 1 || fail 'badelf'
	rm "$dir/link.debug"
	mkdir "$dir/.debug"
	"$WORK/deaf" "$dir/.debug" 60 >"$TMP/deaf.out" &
	later "kill -9 $! 2>/dev/null; umount -l '$dir/.debug' 2>/dev/null"
	sleep 0.5
	grep -q '^pid' "$TMP/deaf.out" || skip_because 'no FUSE here'
	from=$SECONDS
	profile "${fast[@]:1}" -o "$TMP/d.txt" -- "$dir/link" 0.4 >/dev/null 2>"$TMP/err" || fail "exit status $?"
	took=$((SECONDS - from))
	has "$TMP/d.txt" 'link\+0x[0-9a-f]+'
	has "$TMP/err" '\.debug does not answer'
	[ "$took" -lt 20 ] || fail "it took $took s"
}
check 'a .debug folder whose server never answers' deaf

# Probes do not wait either for a server with the folder of a process's libraries.
deaf_root()
{
	local root pid from took

	root=$(tmpdir)
	mkdir "$root/lib"
	perl -e 'chroot shift or die; sleep 60' "$root" &
	pid=$!
	later "kill -9 $pid 2>/dev/null"
	"$WORK/deaf" "$root/lib" 60 >"$TMP/deaf.out" &
	later "kill -9 $! 2>/dev/null; umount -l '$root/lib' 2>/dev/null"
	sleep 0.5
	grep -q '^pid' "$TMP/deaf.out" || skip_because 'no FUSE here'
	from=$SECONDS
	timeout -k 1 30 "$BPERF" trace -p "$pid" onlythere:x >"$TMP/out" 2>"$TMP/err" && fail 'it says that all is well'
	took=$((SECONDS - from))
	has "$TMP/err" "the files of process $pid did not answer"
	[ "$took" -lt 20 ] || fail "it took $took s"
}
check 'libraries of a process on a server that never answers' deaf_root
