#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The waker of a wait is the thread that called wake-up, or the interrupt, never the interrupted
# thread.
#
# kernels: 5.10 newest

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/accuracy/common.bash
. tests/accuracy/common.bash
# shellcheck source=tests/accuracy/waits.bash
. tests/accuracy/waits.bash
need awk jq

lock()
{
	watch wakeup '' lock 20 20 "$1"
	blocked_is "$(total "$TMP/w.folded" '^holder;.*;holder;release_lock;.*futex_wake.*;waiter ')" lock lock
	# The stack is the waker's: all of it, and no other frames.
	lacks "$TMP/w.folded" ';wait_for_lock;|bpf_|sched_waking'
	exactly "$(rows '.comm == "waiter" and any(.wakers[0].user[]?; .func == "release_lock")' count)" 20 \
		'locks waited for'
	jq -es "$jq_defs"' [.[] | stacks | select(any(.wakers[0].user[]?; .func == "release_lock"))] |
		length > 0 and all(.[]; .wakers[0].kind == "thread" and .wakers[0].comm == "holder")' \
		"$TMP/w.json" >/dev/null || fail 'wakers are not those' "$(jq -c 'select(.type == "stack")' "$TMP/w.json")"
}
check 'a lock: its holder is the waker' lock sleep
check 'a lock held by a thread that runs' lock burn
# Such a wake-up may be queued, and done by the CPU of the sleeper.
check 'a lock: its holder is the waker on another CPU too' lock apart

sleeps()
{
	watch wakeup '' naps 20 20
	slept_is "$(total "$TMP/w.folded" '^timer;.*;naps [0-9]+$')" naps
	lacks "$TMP/w.folded" '^naps;|nap_here|swapper|cpu_idle|do_idle'
}
check 'a sleep is ended by the timer' sleeps

# Every CPU spins: all that wakes the sleeper interrupts a spinner, or another thread that was on a CPU by
# chance.
spinners()
{
	watch wakeup '' spinners 1 5
	slept_is "$(total "$TMP/w.folded" '^timer;.*;sleeper [0-9]+$')" spinners
	lacks "$TMP/w.folded" '^spinner;.*;sleeper |spin_here.*;sleeper '
	# Nor may the interrupted task's frames be in it.
	lacks "$TMP/w.folded" '^timer;(.*;)?(spin_here|main|clone|start_thread)'
}
check 'spinners that the timer interrupts are never blamed' spinners

# A device's interrupt: that of virtio's random numbers, which a virtual machine always can have.
interrupts()
{
	modprobe -a virtio_pci virtio_rng 2>/dev/null
	grep -qs '^virtio' /sys/class/misc/hw_random/rng_current ||
		skip_because 'no /dev/hwrng whose interrupts are known'
	watch wakeup '' spinners 1 1 /dev/hwrng
	blocked_is "$(total "$TMP/w.folded" ';sleeper [0-9]+$')" spinners nap
	# A module that came late is not in the guests' copy of the symbols.
	has "$TMP/w.folded" '^irq:virtio[0-9]+-input;.*;(random_recv_done|\[virtio_rng\]);complete.*;sleeper '
	# This holds for all interrupted code.
	lacks "$TMP/w.folded" '^[^i].*;complete(;[^;]*)*;sleeper |^irq.*;(spin_here|main|clone)'
}
check 'the interrupt of a device has its name, no matter what it interrupted' interrupts

relay()
{
	watch wakeup '' relay 20 20 3
	blocked_is "$(total "$TMP/w.folded" '^relay-1;.*;main;run;relay_write;.*pipe_write.*;relay-2 ')" relay relay-2
	blocked_is "$(total "$TMP/w.folded" '^relay-2;.*;main;run;relay_write;.*pipe_write.*;relay-3 ')" relay relay-3
	in_bounds "$(total "$TMP/w.folded" '^timer;.*;relay-1 ')" "$((20 * 20000000))" \
		"$(truth relay relay-1_ns)" 20 'relay-1 ended by the timer'
}
check 'three processes in a pipe relay' relay

# The kernel delivers loopback messages in a softirq that runs in the sender's own context.
loopback()
{
	watch wakeup '' loopback 100 3
	blocked_is "$(total "$TMP/w.folded" '^tcp-server;.*;server_send;.*;tcp-client ')" loopback recv
	has "$TMP/w.folded" '^tcp-server;.*;serve;server_send;.*;softirq:net_rx;.*;tcp-client '
	lacks "$TMP/w.folded" '^(softirq|irq).*;tcp-client '
}
check "a softirq run inline is its task's wake-up" loopback

page_faults()
{
	can_run uffd
	watch wakeup '' uffd 50 5
	blocked_is "$(total "$TMP/w.folded" '^toucher;.*;toucher;touch_page;.*;handler ')" uffd handler
	# On two CPUs the toucher sometimes is served before it sleeps.
	has "$TMP/w.folded" '^handler;.*;handler;handler_fill;.*;toucher '
	lacks "$TMP/w.folded" '^(irq|ipi|softirq)[^;]*;.*;handler '
	has "$TMP/w.folded" '^toucher;.*;touch_page;.*(handle_mm_fault|handle_userfault|do_user_addr_fault|fault).*;handler '
}
check 'a page fault is a wake-up by the thread that faults' page_faults

signals()
{
	watch wakeup '' signals 50 5
	blocked_is "$(total "$TMP/w.folded" '^sig-sender;.*;main;send_signal;.*;sig-waiter ')" signals signal
}
check 'a signal is a wake-up by its sender' signals

# A thread that is killed while it runs exits where the interrupt returns to it.
killed_by_alarm()
{
	watch wakeup '' victims 20 10
	blocked_is "$(total "$TMP/w.folded" '^victim;.*;do_exit;.*;victims ')" victims victim
	lacks "$TMP/w.folded" '^(timer|irq|ipi|softirq)[^;]*;.*;do_exit;'
}
check 'a task that dies on its way back from an interrupt ends its parent'"'"'s wait itself' killed_by_alarm

thread_end()
{
	watch wakeup '' joined 0.6 futex
	in_bounds "$(total "$TMP/w.folded" '^worker;.*;worker;worker_done;.*;joined ')" \
		"$(truth joined join_blocked)" "$(truth joined join_ns)" 5 'main in its futex'
}
check 'the end of a thread wakes the thread that joins it' thread_end

# New threads wait for a CPU, and that is no blocked time.
newborns()
{
	can_run births
	watch wakeup '' births 20 10
	exactly "$(rows '.comm == "newborn" and any(.wakers[0].user[]?; .func == "make_thread")' value)" 0 \
		'blocked time of threads before their first run'
}
check 'a new thread has no blocked time' newborns

# Peers keep the waker of the last wake-up seen, also one that had nothing to end.
late_wakers()
{
	watch wakeup '' messages 1 10 100
	# Every woken member of a group was waiting for data or for room.
	lacks "$TMP/w.folded" '^(timer|irq|ipi)[^;]*;.*;msg-(sender|receiver) '
	has "$TMP/w.folded" '^msg-sender;.*;send_all;.*;msg-receiver '
}
if [ -z "${BPERF_SLOW-}" ]; then
	check 'threads that wake each other all the time have wakers of their own kind' late_wakers
fi

# ROOT: cgroups of either version.  The waiting thread is not the one that runs when its cgroup is looked
# up.
below_cgroup()
{
	local dir=$1/bperf-test-$$ inside outside

	[ "$1" ] || skip_because 'no such cgroups are mounted'
	mkdir -p "$dir/inner" 2>/dev/null || skip_because "cannot make a cgroup in $1"
	later "rmdir '$dir/inner' '$dir' 2>/dev/null"
	start naps 100000 10
	inside=$PID
	start naps 100000 10
	outside=$PID
	echo "$inside" >"$dir/inner/cgroup.procs" || skip_because 'cannot move a process'
	bp wakeup -q -o "$TMP/w.json" --cgroup "$dir" 0.5 2>"$TMP/err" || fail "exit status $?"
	at_least "$(rows ".pid == $inside" count)" 5 'wake-ups inside'
	exactly "$(rows ".pid != $inside" count)" 0 'wake-ups outside'
	bp wakeup -q -o "$TMP/w.json" --not-cgroup "$dir" 0.5 2>"$TMP/err" || fail "exit status $?"
	at_least "$(rows ".pid == $outside" count)" 5 'wake-ups outside'
	exactly "$(rows ".pid == $inside" count)" 0 'wake-ups inside'
	kill -9 "$inside" "$outside"
	wait "$inside" "$outside" 2>/dev/null
	rmdir "$dir/inner" "$dir"
}
check '--cgroup and --not-cgroup apply to the woken thread' below_cgroup "$(cgroup_root)"
check 'the same with cgroups of version 1' below_cgroup \
	"$(awk '$3 == "cgroup" && $4 ~ /(^|,)cpuacct(,|$)/ { print $2; exit }' /proc/mounts)"

# Still blocked when the report is made: there is no waker yet.
open_waits()
{
	local us

	start naps 1 60000
	bp wakeup -q -p "$PID" -o "$TMP/w.folded" -o "$TMP/w.json" 1 2>"$TMP/err" || fail "exit status $?"
	us=$(window_us 0)
	whole "$(total "$TMP/w.folded" '^\[whole window\];\[not over\];naps ')" "$us" 'main thread'
	exactly "$(rows true count)" 0 'occurrences'
}
check 'a sleep of the whole window is listed apart, as not over' open_waits
