#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Tools about disks report what happened: on null_blk, whose requests take a known time, or else a loop
# device.
#
# kernels: 5.10 6.1 newest

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/accuracy/tools.bash
. tests/accuracy/tools.bash

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

# With a scheduler, a worker may hand requests to the disk.
with_scheduler()
{
	local name=${disk#/dev/} scheduler

	scheduler=/sys/block/$name/queue/scheduler
	grep -qs mq-deadline "$scheduler" || modprobe mq-deadline 2>/dev/null || true
	grep -qs mq-deadline "$scheduler" || skip_because 'the kernel has no mq-deadline'
	echo mq-deadline >"$scheduler"
	at_exit+=("echo none >$scheduler")
	on_disk biosnoop -d "$name" --comm disk
	exactly "$(values comm bytes | sort | uniq -c | xargs)" "$N disk 4096" requests
	on_disk biotop --comm disk 60
	exactly "$(got '[.[] | select(.type == "table") | [.key.COMM, .columns.IO]]')" "[[\"disk\",$N]]" requests
	echo none >"$scheduler"
	on_disk biosnoop -d "$name" --comm another
	exactly "$(values comm | wc -l)" 0 'requests of another name'
	on_disk biolatency -d "$name" --comm another
	exactly "$(got '[.[] | select(.type == "hist") | .count] | add // 0')" 0 'requests of another name'
}
check 'biosnoop and biotop: who asks, with a scheduler and with a filter' with_scheduler

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
	exactly "$(got '[.[] | select(.type == "table" and .key.COMM == "disk") | .columns | [.IO, .Kbytes]]')" \
		"[[$N,$((N * 4))]]" 'requests and kilobytes'
	headed 'PID COMM D DISK IO Kbytes AVGms'
	between "$(got '.[] | select(.type == "table" and .key.COMM == "disk") | .columns.AVGms * 1000')" \
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

# A disk with a cache: after each of five writes, fsync has the kernel flush it.
on_cached_disk()
{
	dd if=/dev/zero of="$TMP/cached" bs=1M count=4 2>/dev/null
	cached=$(losetup -f --show "$TMP/cached" 2>/dev/null) || skip_because 'no loop device'
	later "losetup -d $cached"
	grep -q 'write back' "/sys/block/${cached#/dev/}/queue/write_cache" || skip_because 'a loop device without a cache'
	tool "$@" -- python3 -I -S -c "
import os, time
fd = os.open('$cached', os.O_RDWR)
start = time.monotonic_ns()
for i in range(5):
	os.pwrite(fd, b'x' * 4096, i * 8192)
	os.fsync(fd)
print('ns', time.monotonic_ns() - start)"
	told=$(sed -n 's/^ns //p' "$TMP/stdout")
}

flushes()
{
	local cached

	on_cached_disk biosnoop
	exactly "$(values disk t sector bytes | grep "^${cached#/dev/} " | sort | uniq -c | sed 's/ WS* / W /' | LC_ALL=C sort -k3,3 -k4,4n | xargs)" \
		"5 ${cached#/dev/} FF 0 0 1 ${cached#/dev/} W 0 4096 1 ${cached#/dev/} W 16 4096 1 ${cached#/dev/} W 32 4096 1 ${cached#/dev/} W 48 4096 1 ${cached#/dev/} W 64 4096" \
		'flushes and writes'
	on_cached_disk biotop 60
	# Several threads of the kernel may issue them: a row for each.
	exactly "$(got "[.[] | select(.type == \"table\" and .key.DISK == \"${cached#/dev/}\" and .key.D == \"F\") | .columns] |
		[(map(.IO) | add), (map(._BYTES) | add), all(._NS < $told)]")" '[5,0,true]' 'flushes by process'
	on_cached_disk biolatency -D -F
	exactly "$(got "[.[] | select(.type == \"hist\" and .key.DISK == \"${cached#/dev/}\" and .key.FLAGS == \"FF\") | .count]")" '[5]' \
		'flushes by kind'
}
check 'biosnoop: flushes of a cache, as flushes' flushes

# Four processes that read at the same time, from a disk that does one thing at a time and has a request for one
# more, which waits in the queue for 5 ms.
queues()
{
	local program='
import mmap, os
room = mmap.mmap(-1, 4096)
ready, go = os.pipe(), os.pipe()
for i in range(4):
	if os.fork(): continue
	fd = os.open("/dev/nullb0", os.O_RDONLY | os.O_DIRECT)
	os.write(ready[1], b"x")
	os.read(go[0], 1)
	for j in range(10): os.preadv(fd, [room], 4096 * (10 * i + j))
	os._exit(0)
for i in range(4): os.read(ready[0], 1)
os.write(go[1], b"xxxx")
for i in range(4): os.wait()'

	[ "$disk" = /dev/nullb0 ] || skip_because 'no null_blk'
	modprobe -r null_blk && modprobe null_blk irqmode=2 completion_nsec=5000000 submit_queues=1 hw_queue_depth=1
	echo mq-deadline >/sys/block/nullb0/queue/scheduler || skip_because 'no scheduler'
	tool biosnoop -Q -d nullb0 -- python3 -I -S -c "$program"
	exactly "$(values t | wc -l)" 40 requests
	at_least "$(values que_ns | awk '{ n += $1 } END { printf "%d", n }')" 150000000 'nanoseconds in the queue, of 38 times 5 ms'
	tool biolatency -Q -e -d nullb0 -- python3 -I -S -c "$program"
	at_least "$(got '[.[] | select(.type == "stats") | .sum] | add')" 350000 'microseconds in the queue and on the disk'
	tool iolatency -Q 60 -- python3 -I -S -c "$program"
	at_least "$(got '[.[] | select(.type == "hist") | .buckets[] | select(.hi > 8) | .n] | add // 0')" 10 'requests of more than 8 ms, of 5 on the disk'
	tool biolatpcts -w after-rq-alloc nullb0 60 -- python3 -I -S -c "$program"
	at_least "$(got '[.[] | select(.type == "stats") | .sum] | add')" 350000000 'nanoseconds since the requests were made'
}
check 'biolatpcts: with the time in the queue' queues

# Twenty blocks one after the other, and twenty that are seven apart; the first of each has another before it,
# or none.
pattern()
{
	local program="
import mmap, os
room = mmap.mmap(-1, 4096)
fd = os.open('$disk', os.O_RDONLY | os.O_DIRECT)
for i in range(20): os.preadv(fd, [room], 4096 * i)
for i in range(20): os.preadv(fd, [room], 4096 * (400 + 7 * i))"

	[ "$disk" ] || skip_because 'neither null_blk nor a loop device'
	tool biopattern -d "$disk" -- python3 -I -S -c "$program"
	exactly "$(got '[.[] | select(.type == "table" and .key != null) | [.key.DISK] + (.columns | [._SEQ, ._COUNT, .KBYTES])]')" \
		"[[\"${disk#/dev/}\",19,39,156]]" 'sequential requests, all, and their kilobytes'
	between "$(got '.[] | select(.type == "table" and .key != null) | .columns."%RND"')" 51 52 'per cent that are random'
}
check 'biopattern: sequential and random requests' pattern
