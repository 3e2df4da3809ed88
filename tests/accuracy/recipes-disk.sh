#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Recipes about disks and file systems report what happened: on null_blk, whose requests take a known time,
# or else a loop device; on ext4 on a loop device, where functions of the kernel can be probed.
#
# kernels: 5.10 newest

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/accuracy/common.bash
. tests/accuracy/common.bash
# shellcheck source=tests/accuracy/recipes.bash
. tests/accuracy/recipes.bash
need jq python3

# ---- requests: $disk, each of which takes $least_ns or more -------------------------------------

least_ns=5000000
disk=''
# A null_blk that an earlier test has left takes another time.
modprobe -r null_blk 2>/dev/null
modprobe loop 2>/dev/null
if modprobe null_blk irqmode=2 completion_nsec=$least_ns 2>/dev/null && [ -b /dev/nullb0 ]; then
	disk=/dev/nullb0
	# With a scheduler (the default of 5.10) a worker issues what the program has asked for.
	echo none >/sys/block/nullb0/queue/scheduler
	at_exit+=('modprobe -r null_blk 2>/dev/null')
else
	dd if=/dev/zero of="$TMP/disk" bs=1M count=4 2>/dev/null
	disk=$(losetup -f --show "$TMP/disk" 2>/dev/null) && at_exit+=("losetup -d $disk")
	least_ns=1
fi
copied_symbols
N=50

# on_disk RECIPE: run it while a program reads N blocks of the disk; $told is the program's measurement.
on_disk()
{
	[ "$disk" ] || skip_because 'neither null_blk nor a loop device'
	recipe "$1" -- "$WORK/disk" "$disk" $N read
	told=$(sed -n 's/^disk_ns //p' "$TMP/stdout")
}

each_request()
{
	local lines

	on_disk biosnoop
	lines=$(texts | grep -E "^disk [0-9]+ ${disk#/dev/} R[A-Z]* [0-9]+ 4096 [0-9.]+\$")
	exactly "$(wc -l <<<"$lines")" $N 'requests of the program'
	exactly "$(cut -d' ' -f5 <<<"$lines" | sort -n | uniq -c | awk '{ print $2 }' | xargs)" \
		"$(seq -s' ' 0 8 120)" sectors
	exactly "$(cut -d' ' -f2 <<<"$lines" | sort -u)" "$(sed -n 's/^pid //p' "$TMP/stdout")" pid
	# Printed to the microsecond, each is rounded separately.
	awk -v told="$told" -v least="$least_ns" '{ n += $7 * 1e6; bad += $7 * 1e6 + 1000 < least }
		END { exit !(n <= told + NR * 1000 && !bad) }' <<<"$lines" ||
		fail "requests took other times than the program's $told ns:" "$lines"
}
check 'biosnoop: process, disk and latency of each request' each_request

# The requests are within the program's own waits: no longer than these, and each as long as the disk takes.
statistics()
{
	local row

	on_disk biolatpcts/'s,:u64:\$latency,:u64:$latency:$start(comm) == "disk",'
	row=$(got '[.[] | select(.type == "stats" and (.key.rwbs | startswith("R"))) | [.count, .sum, .min]] | .[0]')
	exactly "$(jq '.[0]' <<<"$row")" $N requests
	between "$(jq '.[1]' <<<"$row")" $((N * least_ns)) "$told" "nanoseconds, of the program's own"
	at_least "$(jq '.[2]' <<<"$row")" "$least_ns" 'nanoseconds of the shortest'
}
check "biolatpcts: as long as the program itself waited" statistics

# latencies RECIPE KEY VALUE: a histogram for the disk.  A bucket is as wide as its lower bound: the upper
# bound says less.
latencies()
{
	local buckets='.[] | select(.type == "hist") | .buckets[]'

	on_disk "$1"
	[ -z "$2" ] || buckets=".[] | select(.type == \"hist\" and (.key[\"$2\"] | startswith(\"$3\"))) | .buckets[]"
	at_least "$(got "[$buckets | .n] | add")" $N requests
	exactly "$(got "[$buckets | select(.n > 0 and .lo > $told) | .n] | length")" 0 \
		'requests longer than all of the program'
	((least_ns == 1)) || exactly "$(got "[$buckets | select(.n > 0 and .hi <= $least_ns)] | length")" 0 \
		'requests shorter than the disk takes'
}
check 'biolatency: by disk' latencies biolatency/'s,:u64:\$latency,:u64:$latency:$start(comm) == "disk",' dev "${disk#/dev/}"
check 'biolatency -D: by disk, of requests' latencies biolatency-disk 'disk(rq)' "${disk#/dev/}"
check 'biolatency -F: by kind of request' latencies \
	biolatency-flags/'s,:u64:\$latency,:u64:$latency:$start(comm) == "disk",' rwbs R

queued()
{
	[ "$disk" ] || skip_because 'neither null_blk nor a loop device'
	echo mq-deadline >"/sys/block/${disk#/dev/}/queue/scheduler" 2>/dev/null ||
		skip_because 'no scheduler to wait in'
	on_disk biolatency-queued/'s,/1ms,/1us,'
	at_least "$(got '[.[] | select(.type == "hist") | .count] | add')" $N requests
	echo none >"/sys/block/${disk#/dev/}/queue/scheduler"
}
check 'biolatency -Q: with the time in the queue' queued

by_interval()
{
	on_disk iolatency
	at_least "$(got '[.[] | select(.type == "hist") | .count] | add')" $N requests
}
check 'iolatency: each second' by_interval

by_process()
{
	on_disk biotop
	exactly "$(got '[.[] | select(.type == "table" and .key["start(comm)"] == "disk") | .columns |
		[.IO, .BYTES]]')" "[[$N,$((N * 4096))]]" 'requests and bytes'
	between "$(got '.[] | select(.type == "table" and .key["start(comm)"] == "disk") | .columns.MEAN')" \
		"$least_ns" $((told / N + 1)) 'their mean'
}
check 'biotop: requests, bytes and time by process' by_process

sizes()
{
	[ "$disk" ] || skip_because 'neither null_blk nor a loop device'
	recipe bitehist -- sh -c "dd if=$disk of=/dev/null iflag=direct bs=16k count=10 status=none
		dd if=$disk of=/dev/null iflag=direct bs=4k count=30 status=none"
	exactly "$(got '[.[] | select(.type == "hist" and .key.comm == "dd") | .buckets[] |
		select(.n > 0) | [.lo, .n]]')" '[[4096,30],[16384,10]]' 'sizes of requests'
}
check 'bitehist: sizes of requests' sizes

# ---- a file system ------------------------------------------------------------------------------

# shellcheck source=tests/accuracy/ext4.bash
. tests/accuracy/ext4.bash

on_ext4() # RECIPE
{
	need_ext4
	recipe "$1" -- /usr/bin/python3 -I -S "$TMP/files.py"
}

operations()
{
	on_ext4 ext4dist
	exactly "$(got '[.[] | select(.type == "hist" and .label != "open") | [.label, .count]] | sort')" \
		'[["fsync",3],["read",32],["write",64]]' operations
}
check 'ext4dist: operations by kind' operations

slow_ones()
{
	on_ext4 ext4slower/'s/> 1ms/> 0/g'
	exactly "$(texts | awk '$1 == "W" && $2 == 4096 && $5 == "there" { print $3 }' | xargs)" \
		"$(seq -s' ' 0 4096 $((63 * 4096)))" 'offsets of writes'
	exactly "$(texts | grep -cE '^R 4096 [0-9]+ [0-9.]+ there$')" 32 reads
	exactly "$(texts | grep -cE '^S [0-9.]+ there$')" 3 fsyncs
	on_ext4 ext4slower/'s/> 1ms/> 60s/g'
	exactly "$(texts | wc -l)" 0 'operations of a minute'
}
check 'ext4slower: each operation, its place, its file' slow_ones

slow_files()
{
	on_ext4 fileslower/'s/> 10ms/> 0/g'
	exactly "$(texts | grep -cE '^W 4096 [0-9.]+ there$')" 64 writes
	exactly "$(texts | grep -cE '^R 4096 [0-9.]+ there$')" 32 reads
}
check 'fileslower: each read and write of a file' slow_files

files()
{
	on_ext4 filetop
	exactly "$(got '[.[] | select(.type == "table" and (.key | to_entries | any(.value == "there"))) | .columns |
		[.READS, .R_BYTES, .WRITES, .W_BYTES]]')" "[[32,$((32 * 4096)),64,$((64 * 4096))]]" 'of the file'
}
check 'filetop: reads and writes by file' files

folders()
{
	on_ext4 dirtop
	exactly "$(got "[.[] | select(.type == \"table\" and (.key | to_entries | any(.value | endswith(\"mounted\")))) |
		.columns | [.READS, .R_BYTES, .WRITES, .W_BYTES]]")" \
		"[[32,$((32 * 4096)),64,$((64 * 4096))]]" 'of the folder'
}
check 'dirtop: reads and writes by folder' folders

# fsyncs FILTER: how often; the compiler may have inlined the function into fsync(2) (7.3), and then only
# others call it.
fsyncs()
{
	local n

	n=$(got "[.[] | select(.type == \"count\" and $1) | .value] | add // 0")
	[ "$n" = 0 ] || exactly "$n" 3 fsyncs
}

vfs()
{
	on_ext4 vfsstat
	fsyncs '.label == "FSYNC"'
	on_ext4 vfsstat/'s,k:vfs_fsync_range#,k:ext4_sync_file#,'
	exactly "$(got '[.[] | select(.type == "count" and .label == "FSYNC") | .value] | add')" 3 'fsyncs of ext4'
	at_least "$(got '[.[] | select(.type == "count" and .label == "WRITE") | .value] | add')" 64 writes
	on_ext4 vfscount
	fsyncs '.func == "vfs_fsync_range"'
	at_least "$(got '[.[] | select(.type == "count" and .func == "vfs_write") | .value] | add')" 64 writes
}
check 'vfsstat and vfscount: calls of the VFS' vfs

lookups()
{
	on_ext4 dcsnoop
	exactly "$(texts | grep -E '^M missing-[0-9]+-[0-9]$' | sort -u | wc -l)" 9 'names that are not there'
}
check 'dcsnoop: each name that was not in the cache' lookups

# An fentry program on a function of a module names the module's BTF; vmlinux has another type by that number.
# LOOP_GET_STATUS64, which fails where no file is attached, but is a call all the same.
cat >"$TMP/loop.py" <<EOF2
import fcntl, os
fd = os.open("/dev/loop0", os.O_RDONLY)
for i in range(7):
	try: fcntl.ioctl(fd, 0x4C05, bytearray(512))
	except OSError: pass
EOF2
by_fentry()
{
	[ -e /dev/loop0 ] || skip_because 'no loop device here'
	[ -e /sys/kernel/btf/loop ] || skip_because 'no BTF of the module loop here'
	has_kernel_functions || skip_because 'no functions of the kernel here'
	"$BPERF" funccount -q -j --attach fentry 'k:lo_ioctl' 'kr:lo_ioctl' \
		-- /usr/bin/python3 -I -S "$TMP/loop.py" >"$TMP/f.json" 2>"$TMP/err" || fail "$(cat "$TMP/err")"
	exactly "$(jq -s -c '[.[] | select(.type == "count") | .count // .value]' "$TMP/f.json")" '[7,7]' calls
}
check 'fentry counts the function of a module' by_fentry
