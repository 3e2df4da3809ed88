#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Tools about disks report what happened: on null_blk, whose requests take a known time, or else a loop
# device.
#
# kernels: 5.10 newest

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/accuracy/common.bash
. tests/accuracy/common.bash
# shellcheck source=tests/accuracy/tools.bash
. tests/accuracy/tools.bash
need jq python3

least_us=5000
disk=''
# A null_blk that an earlier test has left takes another time.
modprobe -r null_blk 2>/dev/null
modprobe loop 2>/dev/null
if modprobe null_blk irqmode=2 completion_nsec=${least_us}000 2>/dev/null && [ -b /dev/nullb0 ]; then
	disk=/dev/nullb0
	# With a scheduler (the default of 5.10) a worker issues what the program has asked for.
	echo none >/sys/block/nullb0/queue/scheduler
	at_exit+=('modprobe -r null_blk 2>/dev/null')
else
	dd if=/dev/zero of="$TMP/disk" bs=1M count=4 2>/dev/null
	disk=$(losetup -f --show "$TMP/disk" 2>/dev/null) && at_exit+=("losetup -d $disk")
	least_us=0
fi
copied_symbols
N=50

# on_disk TOOL ARGS...: run it while a program reads N blocks of the disk; $told is the program's
# measurement.
on_disk()
{
	[ "$disk" ] || skip_because 'neither null_blk nor a loop device'
	tool "$@" -- "$WORK/disk" "$disk" $N read
	told=$(sed -n 's/^disk_ns //p' "$TMP/stdout")
}

each_request()
{
	on_disk biosnoop -d "${disk#/dev/}"
	exactly "$(values comm disk t bytes | sed 's/ R[A-Z]* / R /' | sort | uniq -c | xargs)" \
		"$N disk ${disk#/dev/} R 4096" requests
	exactly "$(values sector | sort -n | uniq -c | awk '{ print $2 }' | xargs)" "$(seq -s' ' 0 8 120)" sectors
	between "$(values lat_ns | awk '{ n += $1 } END { printf "%d", n }')" $((N * least_us * 1000)) "$told" \
		"nanoseconds, of the program's own"
	on_disk biosnoop -Q -d "${disk#/dev/}"
	exactly "$(values comm disk t bytes | sed 's/ R[A-Z]* / R /' | sort | uniq -c | xargs)" \
		"$N disk ${disk#/dev/} R 4096" 'requests, with their time in the queue'
	exactly "$(values que_ns | awk '$1 < 0 || $1 == "null"' | wc -l)" 0 'that were negative times in the queue'
	between "$(values que_ns lat_ns | awk '{ n += $1 + $2 } END { printf "%d", n }')" $((N * least_us * 1000)) "$told" \
		"nanoseconds in the queue and after it, of the program's own"
	on_disk biosnoop -d 1:0
	exactly "$(values comm | wc -l)" 0 'of another disk'
}
check 'biosnoop: each request, who, where, how long' each_request

# latencies ARGS...: a histogram of the disk's.
latencies()
{
	on_disk "$@" -d "${disk#/dev/}"
	exactly "$(got '[.[] | select(.type == "hist") | .count] | add')" $N requests
	exactly "$(got "[.[] | select(.type == \"hist\") | .buckets[] | select(.n > 0 and (.lo * 1000 > $told or .hi <= $least_us))] | length")" \
		0 'requests longer than all of the program, or shorter than the disk takes'
}

summary()
{
	latencies biolatency -e
	exactly "$(got '[.[] | select(.type == "stats") | .count] | add')" $N 'requests of the summary'
	between "$(got '[.[] | select(.type == "stats") | .sum] | add')" $((N * least_us)) $((told / 1000)) \
		"microseconds, of the program's own"
}
check 'biolatency: number, sum and mean' summary
check 'biolatency: of one disk' latencies biolatency
check 'biolatency: by disk' latencies biolatency -D
check 'biolatency: by kind of request' latencies biolatency -F
check 'biolatency: with the time in the queue' latencies biolatency -Q

statistics()
{
	on_disk biolatpcts "${disk#/dev/}" 60
	exactly "$(got '[.[] | select(.type == "stats") | .count] | add')" $N requests
	between "$(got '[.[] | select(.type == "stats") | .sum] | add')" $((N * least_us * 1000)) "$told" \
		"nanoseconds, of the program's own"
}
check 'biolatpcts: as long as the program itself waited' statistics

by_process()
{
	on_disk biotop 60
	exactly "$(got '[.[] | select(.type == "table" and .key.COMM == "disk") | .columns | [.IO, .BYTES]]')" \
		"[[$N,$((N * 4096))]]" 'requests and bytes'
	between "$(got '.[] | select(.type == "table" and .key.COMM == "disk") | .columns.AVG_us')" \
		"$least_us" $((told / 1000 / N + 1)) 'their mean'
	on_disk biotop -s time 60
	between "$(got '.[] | select(.type == "table" and .key.COMM == "disk") | .columns._NS')" $((N * least_us * 1000)) "$told" \
		'nanoseconds, by which rows are sorted'
}
check 'biotop: requests, bytes and time by process' by_process

sizes()
{
	[ "$disk" ] || skip_because 'neither null_blk nor a loop device'
	dd if=/dev/null of=/dev/null status=none # its own file is in memory then
	tool bitehist -- sh -c "dd if=$disk of=/dev/null iflag=direct bs=16k count=10 status=none
		dd if=$disk of=/dev/null iflag=direct bs=4k count=30 status=none"
	exactly "$(got '[.[] | select(.type == "hist" and .key.COMM == "dd") | .buckets[] |
		select(.n > 0) | [.lo, .n]]')" '[[4096,30],[16384,10]]' 'sizes of requests'
}
check 'bitehist: sizes of requests' sizes

by_interval()
{
	on_disk iolatency
	at_least "$(got '[.[] | select(.type == "hist") | .count] | add')" $N requests
}
check 'iolatency: each second' by_interval

kilobytes()
{
	[ "$disk" ] || skip_because 'neither null_blk nor a loop device'
	tool bitesize -d "$disk" -- sh -c "dd if=$disk of=/dev/null iflag=direct bs=16k count=10 status=none
		dd if=$disk of=/dev/null iflag=direct bs=4k count=30 status=none"
	exactly "$(got '[.[] | select(.type == "hist" and .key.COMM == "dd") | .buckets[] |
		select(.n > 0) | [.lo, .n]]')" '[[4,30],[16,10]]' 'sizes of requests'
	tool bitesize -c dd -d "$disk" -- sh -c "dd if=$disk of=/dev/null iflag=direct bs=8k count=7 status=none"
	exactly "$(got '[.[] | select(.type == "hist") | [.key.COMM, .count]]')" '[["dd",7]]' 'of one program, on one disk'
	tool bitesize -d 1:0 -- sh -c "dd if=$disk of=/dev/null iflag=direct bs=8k count=7 status=none"
	exactly "$(got '[.[] | select(.type == "hist")]')" '[]' 'on another disk'
}
check 'bitesize: kilobytes of requests by program' kilobytes

by_stack()
{
	on_disk biostacks -d "${disk#/dev/}"
	exactly "$(got '[.[] | select(.type == "hist" and .key.COMM == "disk") | .count] | add')" $N requests
	exactly "$(got "[.[] | select(.type == \"hist\") | .buckets[] | select(.n > 0 and (.lo * 1000 > $told or .hi <= $least_us))] | length")" \
		0 'requests longer than all of the program, or shorter than the disk takes'
	exactly "$(got '[.[] | select(.type == "hist" and .key.COMM == "disk") | .kernel | length > 3] | unique')" '[true]' 'whole stacks'
}
check 'biostacks: latency by the stack that asked' by_stack
