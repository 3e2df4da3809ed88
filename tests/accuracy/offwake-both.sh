#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Both sides of a wait: the waiting thread with its own stack, and its waker with the waker's.
#
# long: runs both commands beside each other, 30 s
# kernels: 5.10

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/accuracy/common.bash
. tests/accuracy/common.bash
# shellcheck source=tests/accuracy/waits.bash
. tests/accuracy/waits.bash
need awk jq

lock()
{
	local want='^waiter;.*;waiter;wait_for_lock;.*futex_wait.*;--;.*futex_wake.*;release_lock;holder;.*;holder [0-9]+$'

	watch offwake '' lock 20 20 "$1"
	blocked_is "$(total "$TMP/w.folded" "$want")" lock lock
	# All of it has that waker, and none of it the other one's frames.
	exactly "$(total "$TMP/w.folded" ';wait_for_lock;.*;--;')" "$(total "$TMP/w.folded" "$want")" 'time in wait_for_lock'
	lacks "$TMP/w.folded" ';wait_for_lock;.*;--;.*wait_for_lock'
	lacks "$TMP/w.folded" 'bpf_|sched_switch|sched_waking'
	jq -es "$jq_defs"' [.[] | stacks | select(has("wait_for_lock"))] | length > 0 and
		all(.[]; .comm == "waiter" and (.wakers | length) == 1 and .wakers[0].comm == "holder" and
			any(.wakers[0].user[]; .func == "release_lock"))' "$TMP/w.json" >/dev/null ||
		fail "$(jq -c 'select(.type == "stack")' "$TMP/w.json" | grep wait_for_lock)"
}
check 'a lock: both stacks, from where each called' lock sleep
check 'a lock held by a thread that runs' lock burn
check 'a lock held by a thread on another CPU' lock apart

sleeps()
{
	watch offwake '' naps 20 20
	slept_is "$(total "$TMP/w.folded" '^naps;.*;nap_here;.*nanosleep.*;--;.*;timer [0-9]+$')" naps
	exactly "$(total "$TMP/w.folded" ';nap_here;.*nanosleep')" \
		"$(total "$TMP/w.folded" ';nap_here;.*nanosleep.*;--;.*;timer ')" 'time in nap_here'
	lacks "$TMP/w.folded" ';--;.*(nap_here|do_idle|cpu_startup)'
}
check 'a sleep is ended by the timer' sleeps

spinners()
{
	watch offwake '' spinners 1 5
	slept_is "$(total "$TMP/w.folded" '^sleeper;.*;nap_here;.*;--;.*;timer ')" spinners
	lacks "$TMP/w.folded" '^sleeper;.*;--;.*(spin_here|;spinner )'
}
check 'spinners that the timer interrupts are never blamed' spinners

loopback()
{
	watch offwake '' loopback 100 3
	blocked_is "$(total "$TMP/w.folded" '^tcp-client;.*;client_recv;.*;--;.*;server_send;serve;.*;tcp-server ')" loopback recv
	has "$TMP/w.folded" ';client_recv;.*;--;.*;softirq:net_rx;.*;server_send;.*;tcp-server '
}
check "a softirq run inline is its task's wake-up" loopback

page_faults()
{
	can_run uffd
	watch offwake '' uffd 50 5
	blocked_is "$(total "$TMP/w.folded" '^handler;.*;handler_wait;.*;--;.*;touch_page;toucher;.*;toucher ')" uffd handler
}
check 'a page fault is a wake-up by the thread that faults' page_faults

# Asleep before the start and woken inside; asleep at the end.
open_waits()
{
	local us

	start naps 1 60000 60
	bp offwake -q -p "$PID" -o "$TMP/w.folded" -o "$TMP/w.json" 1 2>"$TMP/err" || fail "exit status $?"
	us=$(window_us 0)
	whole "$(total "$TMP/w.folded" '^\[whole window\];naps;.*;main;nap_here;.*nanosleep.*;--;\[not over\] ')" "$us" 'main thread'
	start naps 1 "$(slow 1500)"
	bp offwake -q -p "$PID" -o "$TMP/w.folded" -o "$TMP/w.json" 20 2>"$TMP/err" || fail "exit status $?"
	between "$(total "$TMP/w.folded" '^naps;.*;nap_here;.*nanosleep.*;--;.*;timer ')" 100000 \
		"$(($(truth naps nap_ns) / 1000))" 'the part inside the window (us)'
}
check 'waits that began before the start or have not ended' open_waits

# Where the kernel has no types of its own the hooks are raw tracepoints, and read tasks by helpers.
types_from_a_file()
{
	local want='^waiter;.*;wait_for_lock;.*futex_wait.*;--;.*futex_wake.*;release_lock;holder;.*;holder'

	cp /sys/kernel/btf/vmlinux "$TMP/kernel.btf"
	watch offwake "--btf $TMP/kernel.btf" lock 20 20
	blocked_is "$(total "$TMP/w.folded" "$want ")" lock lock
	exactly "$(total "$TMP/w.folded" ';wait_for_lock;')" "$(total "$TMP/w.folded" "$want ")" 'time in wait_for_lock'
	watch chain "--btf $TMP/kernel.btf" lock 20 20
	blocked_is "$(total "$TMP/w.folded" "$want")" lock lock
	at_least "$(total "$TMP/w.folded" "$want;--;.*;timer ")" "$(($(truth lock lock_ns) / 2000))" 'down to the timer (us)'
	watch offcpu "--btf $TMP/kernel.btf --comm waiter --uid $(id -u)" lock 20 20
	off_is "$(total "$TMP/w.folded" '^waiter;.*;wait_for_lock;')" lock lock
	lacks "$TMP/w.folded" '^holder;|bpf_|sched_switch'
	watch offcpu "--btf $TMP/kernel.btf --states --threads" lock 20 20
	jq -es '[.[] | select(.type == "state")] | length > 0 and
		all(.[]; (([.states[]] | add) - .wall) as $d | $d * $d <= pow(.wall * 0.01 + 20; 2))' "$TMP/w.json" >/dev/null ||
		fail 'states are not the wall time' "$(grep '"state"' "$TMP/w.json")"
}
check 'the same by raw tracepoints, with types from a file' types_from_a_file

# One wait in eight is taken: five sigma of the number are 30 %, and lengths differ.
sampled()
{
	local name us

	for name in wakeup offwake; do
		bp "$name" -q --sample 1/8 -o "$TMP/w.json" -o "$TMP/w.folded" -- "$WORK/naps" 2000 1 \
			>"$TMP/naps.truth" 2>"$TMP/err" || fail "exit status $?" "$(cat "$TMP/err")"
		jq -es "$jq_defs"' [.[] | stacks | select(.comm == "naps" and .count > 200)] |
			length > 0 and all(.[]; .stderr > 0)' "$TMP/w.json" >/dev/null ||
			fail "$name: no standard error" "$(jq -c 'select(.type == "stack") | [.value, .count, .stderr]' "$TMP/w.json")"
		us=$(total "$TMP/w.folded" '(^timer;.*;naps|^naps;.*;nap_here;.*;timer) [0-9]+$')
		between "$us" "$(($(truth naps nap_off) * 55 / 100000))" "$(($(truth naps nap_ns) * 150 / 100000))" \
			"$name: scaled time (us)"
	done
}
check '--sample 1/8 scales the waits that wakers ended' sampled
