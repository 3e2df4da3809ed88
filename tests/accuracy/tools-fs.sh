#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Tools about file systems and the page cache report what happened: on an ext4 on a loop device.
#
# kernels: 5.10 newest

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/accuracy/tools.bash
. tests/accuracy/tools.bash
copied_symbols
# shellcheck source=tests/accuracy/ext4.bash
. tests/accuracy/ext4.bash

PY=(/usr/bin/python3 -I -S)

# on_ext4 TOOL ARGS...: while files.py runs
on_ext4()
{
	need_ext4
	tool "$@" -- "${PY[@]}" "$TMP/files.py"
}

# ---- operations -------------------------------------------------------------------------------

slow_ones() # TOOL ARGS...
{
	on_ext4 "$@"
	exactly "$(values t bytes off_kb filename | awk '$1 == "W" && $2 == 4096 && $4 == "there" { print $3 }' | xargs)" \
		"$(seq -s' ' 0 4 $((63 * 4)))" 'offsets of writes'
	exactly "$(values t bytes filename | grep -cx 'R 4096 there')" 32 reads
	exactly "$(values t filename | grep -cx 'S there')" 3 fsyncs
	exactly "$(values t filename | grep -cx 'O there')" 1 opens
}
check 'ext4slower: each operation, its place, its file' slow_ones ext4slower 0
check 'ext4slower: the same with -m' slow_ones ext4slower -m 0
check 'fsslower: each operation, its place, its file' slow_ones fsslower -t ext4 -m 0

none_of_a_minute()
{
	on_ext4 ext4slower 60000
	exactly "$(values t | wc -l)" 0 'operations of a minute'
	on_ext4 ext4slower -m 60000
	exactly "$(values t | wc -l)" 0 'operations of a minute, with -m'
	on_ext4 fileslower 60000
	exactly "$(values d | wc -l)" 0 'reads and writes of a minute'
}
check 'ext4slower: none that was faster' none_of_a_minute

commas()
{
	need_ext4
	"$BPERF" ext4slower -c 0 -- "${PY[@]}" "$TMP/files.py" >"$TMP/stdout" 2>"$TMP/err" || fail "$(cat "$TMP/err")"
	exactly "$(grep -cE '^[0-9:]+,"?python3"?,[0-9]+,"?R"?,4096,[0-9]+,[0-9.]+,"?there"?$' "$TMP/stdout")" 32 reads
}
check 'ext4slower: values separated by commas' commas

operations() # UNIT TOOL ARGS...
{
	local unit=$1

	shift
	on_ext4 "$@"
	exactly "$(got '[.[] | select(.type == "hist") | [.label, .count]] | sort')" \
		"[[\"fsync ($unit)\",3],[\"open ($unit)\",1],[\"read ($unit)\",32],[\"write ($unit)\",64]]" operations
}
check 'ext4dist: operations by kind' operations us ext4dist
check 'fsdist: operations by kind' operations ms fsdist -t ext4 -m

slow_files()
{
	on_ext4 fileslower 0
	exactly "$(values d bytes filename | grep ' there$' | sort | uniq -c | xargs)" '32 R 4096 there 64 W 4096 there' 'reads and writes'
}
check 'fileslower: each read and write of a file' slow_files

files()
{
	local numbers='[[32,128,64,256]]' all

	on_ext4 filetop 60
	exactly "$(got '[.[] | select(.type == "table" and .key.FILE == "there" and .key.T == "R") | .columns | [.READS, .R_Kb, .WRITES, .W_Kb]]')" \
		"$numbers" 'of the file'
	headed 'TID COMM READS WRITES R_Kb W_Kb T FILE'
	exactly "$(got '[.[] | select(.type == "table" and .key.T != "R")] | length')" 0 'what is no regular file'
	all='import os; r, w = os.pipe(); [os.write(w, b"xy") for i in range(7)]'
	tool filetop -a 60 -- "${PY[@]}" -c "$all"
	at_least "$(got '[.[] | select(.type == "table" and .key.T == "O") | .columns.WRITES] | add // 0')" 7 'writes to a pipe'
	mkdir -p "$TMP/in/deep" "$TMP/beside"
	all="
for name in '$TMP/in/deep/inside', '$TMP/beside/outside':
	with open(name, 'wb', buffering=0) as f: [f.write(b'xyz') for i in range(4)]
	with open(name, 'rb', buffering=0) as f: [f.read(1) for i in range(3)]"
	tool filetop -d "$TMP/in" 60 -- "${PY[@]}" -c "$all"
	exactly "$(got '[.[] | select(.type == "table" and .key != null) | [.key.FILE, .columns.READS, .columns.WRITES]]')" \
		'[["inside",3,4]]' 'files below a folder'
	tool filetop --read-only -d "$TMP/in" 60 -- "${PY[@]}" -c "$all"
	exactly "$(got '[.[] | select(.type == "table" and .key != null) | [.columns.READS, .columns.WRITES]]')" '[[3,null]]' reads
	tool filetop --write-only -d "$TMP/in" 60 -- "${PY[@]}" -c "$all"
	exactly "$(got '[.[] | select(.type == "table" and .key != null) | [.columns.READS, .columns.WRITES]]')" '[[null,4]]' writes
}
check 'filetop: reads and writes by file' files

folders()
{
	local numbers='[[32,128,64,256]]'

	on_ext4 dirtop 60
	exactly "$(got "[.[] | select(.type == \"table\" and (.key.PATH | endswith(\"mounted\"))) | .columns | [.READS, .R_Kb, .WRITES, .W_Kb]]")" \
		"$numbers" 'of the folder'
	headed 'READS WRITES R_Kb W_Kb PATH'
	on_ext4 dirtop -d '*/mounted' 60
	exactly "$(got '[.[] | select(.type == "table") | .columns | [.READS, .R_Kb, .WRITES, .W_Kb]]')" "$numbers" 'of this folder alone'
}
check 'dirtop: reads and writes by folder' folders

# ---- the VFS ----------------------------------------------------------------------------------

# counted LABEL: the count in funccount's row with this label.
counted()
{
	got "[.[] | select(.type == \"count\" and .label == \"$1\") | .value] | add // 0"
}

calls()
{
	on_ext4 vfsstat 60
	at_least "$(counted _WRITE)" 64 writes
	at_least "$(counted _READ)" 32 reads
	exactly "$(got '[.[] | select(.type == "count" and .label == "_WRITE") | .per_s] == [.[] | select(.type == "columns") | .columns["WRITE/s"]]')" \
		true 'as many each second as were counted'
	at_least "$(counted _FSYNC)" 3 fsyncs
	tool vfsstat 60 -- "${PY[@]}" -c "
import os
for i in range(20): os.mkdir('$mounted/d%d' % i)
for i in range(20): os.rmdir('$mounted/d%d' % i)
for i in range(18): os.close(os.open('$mounted/f%d' % i, os.O_CREAT))
for i in range(18): os.unlink('$mounted/f%d' % i)"
	between "$(counted _MKDIR)" 20 25 'folders that were made'
	between "$(counted _RMDIR)" 20 25 'and removed'
	between "$(counted _UNLINK)" 18 23 'files that were deleted'
	on_ext4 vfscount
	at_least "$(got '[.[] | select(.type == "count" and .func == "vfs_write") | .value] | add')" 64 writes
}
check 'vfsstat: calls of the VFS, each second' calls
check 'vfscount: calls of the VFS by function' calls

# Names that were never looked up before, by functions that look twice for them.
cat >"$TMP/opens.py" <<EOF2
import os
open("/proc/self/comm", "w").write("opens")
for i in range(9):
	try: os.open("$mounted/missing-%d-%d" % (os.getpid(), i), os.O_RDONLY)
	except OSError: pass
for i in range(9):
	os.mkdir("$mounted/missing-1%d-%d" % (os.getpid(), i))
EOF2

lookups()
{
	on_ext4 dcsnoop
	exactly "$(values t file | grep -cE '^M missing-[0-9]+-[0-9]$')" 9 'names that are not there'
	tool dcsnoop -- "${PY[@]}" "$TMP/opens.py"
	exactly "$(values t file | grep -cE '^M missing-[0-9]+-[0-9]$')" 18 'names that open() and mkdir() do not find'
	on_ext4 dcsnoop -a
	at_least "$(values t file | grep -E '^R missing-[0-9]+-[0-9]$' | sort -u | wc -l)" 9 'names that were looked up'
}
check 'dcsnoop: each name that was not in the cache' lookups

lookup_counts()
{
	on_ext4 dcstat 60
	at_least "$(got '[.[] | select(.type == "columns") | .columns._MISSES] | add | floor')" 9 'names that are not there'
	at_least "$(counted _REFS)" 9 'look-ups'
	between "$(got '.[] | select(.type == "columns") | .columns["HIT%"]')" 0 100 'per cent'
	tool dcstat --comm opens 60 -- "${PY[@]}" "$TMP/opens.py"
	exactly "$(got '[.[] | select(.type == "columns") | .columns._MISSES] | add | floor')" 18 'names that open() and mkdir() do not find'
}
check 'dcstat: look-ups, and those that missed' lookup_counts

short_lives()
{
	need_ext4
	tool filelife -- "${PY[@]}" -c "
import os, time
for i in range(4):
	os.close(os.open('$mounted/short-%d' % i, os.O_CREAT | os.O_WRONLY))
	time.sleep(0.02)
	os.unlink('$mounted/short-%d' % i)
os.unlink('$mounted/there')"
	exactly "$(values file | sort | xargs)" 'short-0 short-1 short-2 short-3' 'files that lived'
	exactly "$(values age_ns | awk '$1 < 20000000' | wc -l)" 0 'ages below 20 ms'
}
check 'filelife: files that were made and deleted' short_lives

# ---- the page cache ---------------------------------------------------------------------------

# 50 pages that are not in the cache, far apart and without read-ahead; then 200 reads of two that are, by
# turns, since a read of the page that was read last does not count as an access.
cat >"$TMP/cache.py" <<EOF2
import os
fd = os.open("$mounted/cache", os.O_RDWR | os.O_CREAT)
if os.fstat(fd).st_size == 0:
	os.write(fd, b"x" * (50 << 16))
	os.fsync(fd)
else:
	os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
	os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_RANDOM)
	for i in range(50): os.pread(fd, 1, i << 16)
	for i in range(200): os.pread(fd, 1, (i % 2) << 16)
EOF2

cached()
{
	need_ext4
	"${PY[@]}" "$TMP/cache.py"
	tool "$@" -- "${PY[@]}" "$TMP/cache.py"
}

hits()
{
	local megabytes

	cached cachestat 60
	at_least "$(got '[.[] | select(.type == "columns") | .columns.MISSES] | add | floor')" 50 misses
	at_least "$(got '[.[] | select(.type == "columns") | .columns.HITS] | add | floor')" 190 hits
	between "$(got '.[] | select(.type == "columns") | .columns.HITRATIO')" 50 99.9 'per cent'
	megabytes=$(awk '/^Cached:/ { print int($2 / 1024) }' /proc/meminfo)
	between "$(got '[.[] | select(.type == "columns") | .columns.CACHED_MB] | last')" $((megabytes - 50)) $((megabytes + 50)) 'megabytes'
}
check 'cachestat: hits and misses' hits

hits_by_process()
{
	cached cachetop 60
	headed 'PID UID CMD HITS MISSES DIRTIES HIT%'
	at_least "$(got '[.[] | select(.type == "table" and (.key.CMD | startswith("python"))) | .columns.MISSES] | add | floor')" 50 misses
	at_least "$(got '[.[] | select(.type == "table" and (.key.CMD | startswith("python"))) | .columns.HITS] | add | floor')" 190 hits
}
check 'cachetop: hits and misses by process' hits_by_process

# A file of which half is read, and all of it is read ahead.
ahead()
{
	local table='.[] | select(.type == "table") | .columns'

	need_ext4
	tool readahead -- "${PY[@]}" -c "
import os
fd = os.open('$mounted/ahead', os.O_RDWR | os.O_CREAT)
os.write(fd, b'x' * (1 << 20))
os.fsync(fd)
os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
os.posix_fadvise(fd, 0, 1 << 20, os.POSIX_FADV_WILLNEED)
for i in range(0, 1 << 19, 4096): os.pread(fd, 4096, i)"
	at_least "$(got "[$table.USED] | add")" 1 'that were used'
	at_least "$(got "[$table.UNUSED] | add | floor")" 1 'that were not'
	exactly "$(got '[.[] | select(.type == "hist") | .count] | add')" "$(got "[$table.USED] | add")" ages
}
check 'readahead: what was used, and what was not' ahead
