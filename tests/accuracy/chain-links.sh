#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Chains of wakers, down to an interrupt or to a thread that was not waiting.
#
# kernels: 5.10 newest

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/accuracy/common.bash
. tests/accuracy/common.bash
# shellcheck source=tests/accuracy/waits.bash
. tests/accuracy/waits.bash
need awk jq

# link COMM: how a relay's waker looks in a folded line.
relay_link()
{
	printf ';--;[^-]*pipe_write.*;relay_write;run;main;(.*;)?relay-%s' "$1"
}

relay()
{
	local third second

	watch chain '' relay 30 20 3
	third="^relay-3;.*;relay_read;.*pipe_read.*$(relay_link 2)$(relay_link 1);--;.*;timer [0-9]+$"
	second="^relay-2;.*;relay_read;.*pipe_read.*$(relay_link 1);--;.*;timer [0-9]+$"
	# A link may be missing where a process was late: its waker then was not waiting for it.
	blocked_is "$(total "$TMP/w.folded" '^relay-3;.*;relay_read;.*;--;.*;relay-2')" relay relay-3
	blocked_is "$(total "$TMP/w.folded" '^relay-2;.*;relay_read;.*;--;.*;relay-1')" relay relay-2
	at_least "$(total "$TMP/w.folded" "$third")" $(($(truth relay relay-3_ns) / 2000)) 'relay-3 down to the timer (us)'
	at_least "$(total "$TMP/w.folded" "$second")" $(($(truth relay relay-2_ns) / 2000)) 'relay-2 down to the timer (us)'
	in_bounds "$(total "$TMP/w.folded" '^relay-1;.*;relay_nap;.*nanosleep.*;--;.*;timer ')" "$((30 * 20000000))" \
		"$(truth relay relay-1_ns)" 30 'relay-1 to its timer'
	jq -es "$jq_defs"' [.[] | stacks | select(.comm == "relay-3" and has("relay_read"))] |
		max_by(.value) | .chain_end == "timer" and (.wakers | map(.kind)) == ["thread", "thread", "timer"] and
		(.wakers | map(.comm)) == ["relay-2", "relay-1", null]' "$TMP/w.json" >/dev/null ||
		fail "$(jq -c 'select(.type == "stack" and .comm == "relay-3")' "$TMP/w.json")"
}
check 'a pipe relay ends at the timer, two links down' relay

# depth 'OPTIONS' LINKS END: how a relay of 14 looks from its last process.
depth()
{
	local line

	watch chain "$1" relay 10 10 14
	line=$(grep '^relay-14;.*;relay_read;' "$TMP/w.folded" | sort -k1 | awk '{ print $NF, $0 }' | sort -n | tail -n 1)
	exactly "$(grep -o ';--;' <<<"$line" | wc -l)" "$2" 'links and end'
	grep -Eq "$3 [0-9]+$" <<<"$line" || fail "does not end in $3" "$line"
	blocked_is "$(total "$TMP/w.folded" '^relay-14;.*;relay_read;')" relay relay-14
}
check 'ten links are the default, then [depth]' depth '' 11 ';--;\[depth\]'
[ "${BPERF_SLOW-}" ] || check '--levels 3' depth '--levels 3' 4 ';--;\[depth\]'
check '--levels 32 goes all the way' depth '--levels 32' 14 ';timer'

# A full chain ends in [depth], however large the maximum number of links is.
most_levels()
{
	local n most='31 32'

	[ -z "${BPERF_SLOW-}" ] || most=32
	for n in $most; do
		watch chain "--levels $n -K" relay 5 10 36
		has "$TMP/w.folded" '^relay-36;.*;--;\[depth\] [0-9]+$'
		jq -es "$jq_defs"' [.[] | stacks | select(.comm == "relay-36" and (.wakers | length) == '"$n"')] |
			length > 0 and all(.[]; .chain_end == "depth")' "$TMP/w.json" >/dev/null ||
			fail "$n links end otherwise:" "$(jq -c 'select(.type == "stack" and .comm == "relay-36") |
				[(.wakers | length), .chain_end]' "$TMP/w.json")"
	done
}
check 'a chain that is full ends in [depth], with 32 links too' most_levels

lock_of_a_sleeper()
{
	watch chain '' lock 20 20 sleep
	blocked_is "$(total "$TMP/w.folded" \
		'^waiter;.*;wait_for_lock;.*;--;.*;release_lock;holder;.*;holder')" lock lock
	at_least "$(total "$TMP/w.folded" '^waiter;.*;wait_for_lock;.*;--;.*;release_lock;.*;holder;--;.*;timer ')" \
		"$(($(truth lock lock_ns) / 2000))" 'down to the timer of the holder (us)'
}
check 'a lock whose holder sleeps ends at the timer of its holder' lock_of_a_sleeper

lock_of_a_runner()
{
	local want='^waiter;.*;wait_for_lock;.*;--;.*;release_lock;holder;.*;holder;--;\[running\] '

	watch chain '' lock 20 20 burn
	# The holder was not waiting while the other thread was: an earlier wake-up of the holder is not a
	# cause.
	blocked_is "$(total "$TMP/w.folded" "$want")" lock lock
	lacks "$TMP/w.folded" ';wait_for_lock;.*;--;.*;--;.*(give_turn|;timer )'
	watch chain '--all-wakers' lock 20 20 burn
	# It was last woken by the thread that now waits for it or, if it never slept, by its
	# creator.
	lacks "$TMP/w.folded" ';wait_for_lock;.*;holder;--;\[running\] '
	has "$TMP/w.folded" ';wait_for_lock;.*;release_lock;.*;holder;--;(\[cycle\]|.*;clone3?;|.*wake_up_new_task;)'
	blocked_is "$(total "$TMP/w.folded" ';wait_for_lock;')" lock lock
}
check 'a lock whose holder runs ends with [running]; --all-wakers goes on' lock_of_a_runner

ring()
{
	watch chain '' relay 30 10 5 ring
	at_least "$(total "$TMP/w.folded" ';relay_read;.*;--;\[cycle\] ')" 1 'time in chains that come back to where they began'
	# No process is twice in a chain.
	awk '{
		sub(/ [0-9]+$/, ""); n = split($0, part, ";--;"); delete seen
		for (i = 2; i <= n; i++) {
			m = split(part[i], f, ";")
			if (f[m] ~ /^relay-/ && seen[f[m]]++) bad = $0
		}
	} END { if (bad) { print bad; exit 1 } }' "$TMP/w.folded" || fail 'the same thread twice in a chain'
	blocked_is "$(total "$TMP/w.folded" '^relay-3;.*;relay_read;')" relay relay-3
}
check 'processes that wait for each other in a circle' ring

spinners()
{
	watch chain '' spinners 1 5
	slept_is "$(total "$TMP/w.folded" '^sleeper;.*;nap_here;.*;--;.*;timer ')" spinners
	lacks "$TMP/w.folded" '^sleeper;.*;--;.*(spin_here|;spinner)'
}
check 'spinners that the timer interrupts are never blamed' spinners

# Through the sender's inline softirq to what the sender waited for.
loopback()
{
	watch chain '' loopback 100 3
	blocked_is "$(total "$TMP/w.folded" '^tcp-client;.*;client_recv;.*;--;.*;server_send;.*;tcp-server')" loopback recv
	at_least "$(total "$TMP/w.folded" \
		'^tcp-client;.*;client_recv;.*;--;.*softirq:net_rx;.*;server_send;.*;tcp-server;--;.*;timer ')" \
		"$(($(truth loopback recv_ns) / 2000))" 'down to the timer of the server (us)'
}
check 'a chain goes on through a softirq run inline' loopback

page_faults()
{
	can_run uffd
	watch chain '' uffd 50 5
	blocked_is "$(total "$TMP/w.folded" '^handler;.*;handler_wait;.*;--;.*;touch_page;.*;toucher')" uffd handler
	at_least "$(total "$TMP/w.folded" '^handler;.*;handler_wait;.*;--;.*;touch_page;.*;toucher;--;.*;timer ')" \
		"$(($(truth uffd handler_ns) / 2000))" 'down to the timer of who faults (us)'
}
check 'a page fault is a link, not an end' page_faults

open_waits()
{
	start naps 1 60000 60
	bp chain -q -p "$PID" -o "$TMP/w.folded" -o "$TMP/w.json" 1 2>"$TMP/err" || fail "exit status $?"
	whole "$(total "$TMP/w.folded" '^\[whole window\];naps;.*;main;nap_here;.*nanosleep.*;--;\[not over\] ')" "$(window_us 0)" 'main thread'
}
check 'a sleep of the whole window is listed apart, as not over' open_waits

path()
{
	bp chain -q --path -- "$WORK/relay" 30 20 3 >"$TMP/out" 2>"$TMP/err" ||
		fail "exit status $?" "$(cat "$TMP/err")"
	awk '
		/^relay-3 .* waited in .*relay_read/ { inside = 1; step = 0; next }
		/^$/ { if (inside && step == 4) good = 1; inside = 0 }
		inside && / in all$/ && step == 0 { step = 1 }
		inside && / on relay-2 .*relay_write/ && step == 1 { step = 2 }
		inside && / on relay-1 .*relay_write/ && step == 2 { step = 3 }
		inside && / on timer/ && step == 3 { step = 4 }
		END { exit !(good || (inside && step == 4)) }' "$TMP/out" ||
		fail 'relay-3 is not led down to the timer:' "$(cat "$TMP/out")"
	watch chain --path relay 30 20 3
	# The parts of each wait add up to the wait, and nearly all of this one is due to the timer.
	jq -es "$jq_defs"' [.[] | stacks | select(.wakers | length > 0)] | length > 0 and
		all(.[]; ([.wakers[].us] | add) as $sum | $sum <= .value + 1 and
			(.chain_end == "running" or .chain_end == "cycle" or .chain_end == "unknown" or .chain_end == "open" or
			.chain_end == "depth" or $sum >= .value - 1 - (.wakers | length)))' "$TMP/w.json" >/dev/null ||
		fail 'parts are not the whole:' "$(jq -c 'select(.type == "stack") | [.value, .chain_end, [.wakers[].us]]' "$TMP/w.json")"
	jq -es "$jq_defs"' [.[] | stacks | select(.comm == "relay-3" and has("relay_read") and .chain_end == "timer")] |
		(map(.wakers[-1].us) | add) >= (map(.value) | add) * 0.5' "$TMP/w.json" >/dev/null ||
		fail 'the timer has less than half of it:' "$(jq -c 'select(.type == "stack" and .comm == "relay-3") |
			[.value, [.wakers[].us]]' "$TMP/w.json")"
}
check '--path splits a wait at its links, down to the timer' path
