#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The effect of options of wakeup, offwake and chain on a wait.  The kernel does not matter to
# these; wakeup-wakers.sh, offwake-both.sh and chain-links.sh test on all kernels that the right
# wakers are found.
#
# long: a run for each option, 25 s
# kernels: none

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/accuracy/common.bash
. tests/accuracy/common.bash
# shellcheck source=tests/accuracy/waits.bash
. tests/accuracy/waits.bash
need awk jq

# A program after `--` is held until the hooks are attached: neither its wait for bperf nor its release by
# bperf is attributed to it, unless bperf itself is a target.
release_is_ours()
{
	local command

	for command in wakeup offwake chain offcpu; do
		bp "$command" -q -f -m 0 -- "$WORK/naps" 3 10 >"$TMP/w.folded" 2>"$TMP/err" || fail "exit status $?"
		has "$TMP/w.folded" naps
		lacks "$TMP/w.folded" '(^|;)bperf;|pipe_read|child_go|asleep before start'
	done
}
check 'the release of a program by bperf is no wake-up' release_is_ours

wakeup_by_target()
{
	local first

	start naps 100000 20
	first=$PID
	start lock 100000 20
	bp wakeup -q -f -p "$PID" 0.6 >"$TMP/w.folded" 2>"$TMP/err" || fail "exit status $?"
	has "$TMP/w.folded" ';release_lock;.*;waiter '
	lacks "$TMP/w.folded" ';naps '
	bp wakeup -q -f -u 0.6 >"$TMP/w.folded" 2>"$TMP/err" || fail "exit status $?"
	has "$TMP/w.folded" ';waiter '
	has "$TMP/w.folded" ';naps '
	lacks "$TMP/w.folded" ';(kworker/[^;]*|rcu_[^;]*|ksoftirqd/[0-9]+) [0-9]+$'
	kill -9 "$first" "$PID"
}
check 'wakeup: -p takes the woken process, -u user threads' wakeup_by_target

wakeup_bounds()
{
	watch wakeup '-m 15000' lock 20 20
	blocked_is "$(total "$TMP/w.folded" '^holder;.*;release_lock;.*;waiter ')" lock lock
	watch wakeup '-m 10000000' lock 5 20
	exactly "$(rows true value)" 0 'time of waits over ten seconds'
	watch wakeup '-M 10000' naps 10 20
	exactly "$(total "$TMP/w.folded" '^timer;.*;naps ')" 0 'naps below 10 ms'
}
check 'wakeup: -m and -M bound the blocked time' wakeup_bounds

wakeup_addresses()
{
	bp wakeup -q -v -- "$WORK/lock" 5 20 >"$TMP/out" 2>"$TMP/err" || fail "exit status $?"
	grep -Eq '0x[0-9a-f]{6,}|[0-9a-f]{12,}' "$TMP/out" || fail 'no addresses' "$(head -n 30 "$TMP/out")"
	bp wakeup -q -- "$WORK/lock" 5 20 >"$TMP/out" 2>"$TMP/err" || fail "exit status $?"
	has "$TMP/out" 'release_lock'
	has "$TMP/out" 'waiter'
	has "$TMP/out" 'holder'
}
check 'wakeup: -v shows addresses; text has both sides' wakeup_addresses

offwake_parts_of_stacks()
{
	watch offwake -U lock 5 20
	has "$TMP/w.folded" ';wait_for_lock;--;release_lock;.*;holder '
	lacks "$TMP/w.folded" 'syscall_64|do_futex|schedule'
	watch offwake -K lock 5 20
	has "$TMP/w.folded" '^waiter;.*futex_wait.*;--;.*futex_wake.*;holder '
	lacks "$TMP/w.folded" 'wait_for_lock|release_lock'
	watch offwake -d lock 5 20
	# In the sleeper's half only: after "--" flamegraph.pl would rename it.
	has "$TMP/w.folded" ';wait_for_lock;-;.*futex_wait.*;--;'
	lacks "$TMP/w.folded" ';--;.*;-;'
}
check 'offwake: -U, -K and -d' offwake_parts_of_stacks

offwake_filters()
{
	local first

	start naps 100000 20
	first=$PID
	start lock 100000 20
	bp offwake -q -f -p "$PID" 0.6 >"$TMP/w.folded" 2>"$TMP/err" || fail "exit status $?"
	has "$TMP/w.folded" ';wait_for_lock;'
	lacks "$TMP/w.folded" nap_here
	bp offwake -q -f -t "$first" 0.6 >"$TMP/w.folded" 2>"$TMP/err" || fail "exit status $?"
	has "$TMP/w.folded" nap_here
	lacks "$TMP/w.folded" lock
	bp offwake -q -f -p "$first,$PID,$$,1,2,$PPID" 0.6 >"$TMP/w.folded" 2>"$TMP/err" || fail "exit status $?"
	has "$TMP/w.folded" nap_here
	has "$TMP/w.folded" wait_for_lock
	bp offwake -q -f -u 0.6 >"$TMP/w.folded" 2>"$TMP/err" || fail "exit status $?"
	has "$TMP/w.folded" nap_here
	lacks "$TMP/w.folded" '^(kworker/|rcu_|ksoftirqd)'
	bp offwake -q -f -k 0.6 >"$TMP/w.folded" 2>"$TMP/err" || fail "exit status $?"
	lacks "$TMP/w.folded" '^(naps|waiter|holder);'
	at_least "$(wc -l <"$TMP/w.folded")" 1 'kernel threads'
	kill -9 "$first" "$PID"
}
check 'offwake: -p (more than five), -t, -u and -k' offwake_filters

# bcc checks the state of the woken thread, which is already runnable: it never finds a waker.
offwake_states()
{
	watch offwake '--state S' lock 10 20
	blocked_is "$(total "$TMP/w.folded" '^waiter;.*;wait_for_lock;.*;--;.*;release_lock;.*;holder ')" lock lock
	watch offwake '--state D' lock 10 20
	exactly "$(rows 'has("wait_for_lock")' value)" 0 'time in an uninterruptible sleep'
	watch offwake '--state 1 -m 1000 -M 60000000' naps 10 20
	in_bounds "$(total "$TMP/w.folded" '^naps;.*;nap_here;.*;--;.*;timer ')" "$(truth naps nominal_ns)" \
		"$(truth naps nap_ns)" 10 naps
}
check 'offwake: --state is about the waiting thread' offwake_states

offwake_text_shape()
{
	bp offwake -q -- "$WORK/lock" 5 20 >"$TMP/out" 2>"$TMP/err" || fail "exit status $?"
	has "$TMP/out" 'release_lock'
	has "$TMP/out" 'wait_for_lock'
	has "$TMP/out" '--'
	has "$TMP/out" 'holder \([0-9]+\)'
	has "$TMP/out" 'waiter \([0-9]+\)'
}
check 'offwake: text has both sides with their pids' offwake_text_shape

chain_bad_levels()
{
	local bad

	for bad in 0 33 x -1 1.5; do
		status_is 64 bp chain --levels "$bad" 0.1
	done
}
check 'chain: --levels is from 1 to 32' chain_bad_levels

# The widths add up to all blocked time, each wait once.
chain_widths()
{
	start relay 100000 10 4
	bp chain -q --comm 'relay*' -o "$TMP/c.json" -o "$TMP/c.folded" 1 2>"$TMP/err" || fail "exit status $?"
	awk 'BEGIN { FS = ";" } { if ($0 !~ /;--;/) bad = $0 } END { if (bad) { print bad; exit 1 } }' "$TMP/c.folded" ||
		fail 'a line without a waker or an end'
	exactly "$(total "$TMP/c.folded")" "$(rows true value "$TMP/c.json")" 'folded as JSON'
	stop
}
check 'chain: every width has an end, folded and JSON agree' chain_widths

# In a cycle of two threads, both wait for each other.
chain_path_of_threads()
{
	start joined 60 futex
	bp chain -q --path -p "$PID" -o "$TMP/w.txt" 1 2>"$TMP/err" || fail "exit status $?"
	has "$TMP/w.txt" "^worker \\($PID/[0-9]+\\) waited in "
}
check 'chain: --path names threads' chain_path_of_threads
