#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The effect of options on a wait: bounds, filters, parts of its stack, windows, the end.  The
# kernel does not matter to these; offcpu-sleeps.sh and offcpu-states.sh test on all kernels that
# waits are counted right at all.
#
# long: a run for each option, 40 s
# kernels: none

# shellcheck disable=SC2119 # what may be left out
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/accuracy/common.bash
. tests/accuracy/common.bash
# shellcheck source=tests/accuracy/waits.bash
. tests/accuracy/waits.bash
need awk jq

ended_by_signal()
{
	local status=0

	start naps 1 60000
	timeout --preserve-status -s "$1" -k 30 "$(slow 1.5)" "$BPERF" offcpu -f -p "$PID" >"$TMP/w.folded" 2>"$TMP/err" </dev/null ||
		status=$?
	exactly "$status" 0 'exit status'
	between "$(total "$TMP/w.folded" ";main;nap_here;.*nanosleep")" 100000 9000000 'sleep up to the signal (us)'
	has "$TMP/err" 'lost: none|lost: '
}
check 'Ctrl-C ends it with the report' ended_by_signal INT
check 'SIGTERM ends it with the report' ended_by_signal TERM

# A busy host may keep bperf itself from running: here it is stopped where a window ends,
# for less than the next one and then for longer.
windows_end_on_time()
{
	local bperf i us

	start naps 100000 20 60
	"$BPERF" offcpu -q -j -p "$PID" 0.5 5 >"$TMP/w.json" 2>"$TMP/err" </dev/null &
	bperf=$!
	later "kill -9 $bperf 2>/dev/null"
	for i in 0.4 1.2; do
		sleep 0.3
		kill -STOP "$bperf"
		sleep "$i"
		kill -CONT "$bperf"
	done
	wait "$bperf" || fail "exit status $?" "$(cat "$TMP/err")"
	for i in 0 1 2 3 4; do
		us=$(window_us "$i")
		((us % 500000 < 2 || us % 500000 > 499998)) || fail "window $i has $us us"
		between "$(rows ".iv == $i and .comm == \"forever\" and has(\"nap_forever\")" value)" \
			"$((us - 1))" "$((us + 1))" "a sleep across all windows, in window $i (us)"
		between "$(rows ".iv == $i and .comm == \"naps\"" value)" "$((us * 3 / 4))" "$us" "short sleeps in window $i (us)"
		between "$(rows ".iv == $i and has(\"nap_here\")" count)" "$((us / 40000))" "$((us / 20000 + 1))" \
			"sleeps that ended in window $i"
	done
	exactly "$(window_us 0)" 500000 'the window whose end bperf has slept over (us)'
}
check 'windows end on time when bperf is late' windows_end_on_time

block_time_bounds()
{
	watch offcpu '-m 15000' naps 10 20
	off_is "$(rows 'has("nap_here")' value)" naps nap
	watch offcpu '-m 10000000' naps 10 20
	exactly "$(rows true value)" 0 'time of intervals over ten seconds'
	watch offcpu '-M 15000' naps 10 20
	# A nap can't be shorter; a preemption inside the function can.
	between "$(rows 'has("nap_here")' count)" 0 "$(truth naps forced)" 'intervals below 15 ms'
	watch offcpu '--min-block-time 15000 --max-block-time 60000000' naps 10 20
	off_is "$(rows 'has("nap_here")' value)" naps nap
	status_is 64 bp offcpu -m 10 -M 5 0.1
	status_is 64 bp offcpu -m x 0.1
}
check '-m and -M bound the length of an interval' block_time_bounds

# The bounds are on the interval, whatever part of it a window holds.
bounds_across_windows()
{
	start naps 1 60000 60
	bp offcpu -q -j -m 900000 -p "$PID" 0.3 6 >"$TMP/w.json" 2>"$TMP/err" || fail "exit status $?"
	whole "$(rows '.iv == 5 and .comm == "forever"' value)" "$(window_us 5)" \
		'the last window of an interval that is long enough'
}
check '-m is about the interval, not about its part in a window' bounds_across_windows

# 700 ms are reached in the third window of 300, when the first two are already printed.
bounds_reached_in_a_window()
{
	local i=0 us

	bp offcpu -q -m 700000 -o "$TMP/w.json" 0.3 5 -- "$WORK/naps" 1 3000 >"$TMP/naps.truth" 2>"$TMP/err" ||
		fail "exit status $?" "$(cat "$TMP/err")"
	kill -9 "$(truth naps pid)" 2>/dev/null

	exactly "$(rows '.iv == 0 and has("nap_here")' value)" 0 'the first window (us)'
	for i in 0 1 2 3 4; do
		us=$(window_us "$i")
		between "$(rows ".iv == $i and has(\"nap_here\")" value)" 0 "$((us + 2))" "in window $i (us)"
	done
	whole "$(rows '.iv == 4 and has("nap_here")' value)" "$us" 'the last window'
}
check '-m: no window shows more than itself' bounds_reached_in_a_window

parts_of_stacks()
{
	watch offcpu -U naps 3 20
	has "$TMP/w.folded" '^naps;.*;main;nap_here [0-9]+$'
	lacks "$TMP/w.folded" 'schedule|nanosleep'
	watch offcpu -K naps 3 20
	has "$TMP/w.folded" '^naps;.*nanosleep.*;(__)?schedule [0-9]+$'
	lacks "$TMP/w.folded" 'nap_here|main'
	watch offcpu -d naps 3 20
	has "$TMP/w.folded" ';nap_here;-;.*nanosleep'
	bp offcpu -q -s -- "$WORK/naps" 3 20 >"$TMP/out" 2>"$TMP/err" || fail "exit status $?"
	has "$TMP/out" 'nap_here\+0x[0-9a-f]+'
	has "$TMP/out" 'nanosleep.*\+0x[0-9a-f]+'
}
check '-U, -K, -d and -s' parts_of_stacks

kinds_of_threads()
{
	# All sleeping threads are in the report, so kernel threads always are.
	bp offcpu -q -f -k 0.3 >"$TMP/k.folded" 2>"$TMP/err" || fail "exit status $?"
	has "$TMP/k.folded" '^(\[whole window\];)?(kthreadd|ksoftirqd/0|rcu_[a-z]+|kworker/[^;]*);'
	start naps 1 60000
	has "$TMP/k.folded" 'kthread'
	lacks "$TMP/k.folded" 'syscall_64|el0_svc|nanosleep'
	bp offcpu -q -f -u 0.3 >"$TMP/u.folded" 2>"$TMP/err" || fail "exit status $?"
	has "$TMP/u.folded" '^(\[whole window\];)?naps;.*;nap_here;'
	lacks "$TMP/u.folded" '^(\[whole window\];)?(kthreadd|ksoftirqd/|rcu_|kworker/|swapper)'
	status_is 64 bp offcpu -k -U 0.1
	status_is 64 bp offcpu -k -u 0.1
	status_is 64 bp offcpu -p "$PID" -t "$PID" 0.1
}
check '-u and -k take user and kernel threads' kinds_of_threads

# A process matches under one of its names only: it is forgotten when it takes another, and watched when it
# takes that one.
watched_by_name()
{
	local name

	for name in old new exec; do
		watch offcpu "--comm $name-name" renamed 10 20
		off_is "$(total "$TMP/w.folded" "^$name-name;.*;${name}_nap;")" renamed "$name-name"
		exactly "$(total "$TMP/w.folded" '_nap;')" "$(total "$TMP/w.folded" "^$name-name;.*;${name}_nap;")" \
			"all naps in a run with --comm $name-name"
	done
	watch offcpu '--not-comm new-name' renamed 10 20
	off_is "$(total "$TMP/w.folded" ';old_nap;')" renamed old-name
	off_is "$(total "$TMP/w.folded" ';exec_nap;')" renamed exec-name
	lacks "$TMP/w.folded" ';new_nap;'
	watch wakeup '--comm new-name' renamed 10 20
	in_bounds "$(total "$TMP/w.folded" '^timer;.*;new-name ')" 200000000 "$(truth renamed new-name_ns)" 10 \
		'naps ended by the timer'
	lacks "$TMP/w.folded" ';(old|exec)-name [0-9]+$'
}
check '--comm: a process that changes its name is watched while it has that name' watched_by_name

threads_and_processes()
{
	local first second

	start naps 100000 20
	first=$PID
	start joined 60
	second=$PID
	bp offcpu -q -f --by pid -p "$first,$second" 0.5 >"$TMP/p.folded" 2>"$TMP/err" || fail "exit status $?"
	has "$TMP/p.folded" "^naps-$first;"
	has "$TMP/p.folded" "^(\[whole window\];)?joined-$second;"
	bp offcpu -q -f -p "$second" 0.5 >"$TMP/p.folded" 2>"$TMP/err" || fail "exit status $?"
	lacks "$TMP/p.folded" nap_here
	bp offcpu -q -f --tid "$first,$second" 0.5 >"$TMP/p.folded" 2>"$TMP/err" || fail "exit status $?"
	has "$TMP/p.folded" nap_here
	lacks "$TMP/p.folded" worker
	status_is 66 bp offcpu -p 4194304 0.1
	status_is 66 bp offcpu -t 4194304 0.1
	kill -9 "$first" "$second"
}
check '-p and -t take those processes and threads' threads_and_processes

# One process is given by its id, the other is a program to run: both are watched.
program_beside_process()
{
	start naps 100000 20
	bp offcpu -q -p "$PID" -o "$TMP/w.json" -- "$WORK/storm" 5 50 >"$TMP/storm.truth" 2>"$TMP/err" || fail "exit status $?"
	at_least "$(rows ".pid == $PID and has(\"nap_here\")" value)" 20000 'the process of -p (us)'
	at_least "$(rows 'has("storm_nap")' value)" 200000 'the program and its children (us)'
	exactly "$(rows ".pid != $PID and (.comm | startswith(\"storm\") | not) and .comm != \"bperf\"" value)" 0 'others (us)'
}
check '-p beside a program watches both' program_beside_process

text_shape()
{
	bp offcpu -q -- "$WORK/naps" 3 20 >"$TMP/out" 2>"$TMP/err" || fail "exit status $?"
	awk '
		/^    -                naps \([0-9]+\)$/ { named = 1 }
		/nanosleep/ && !user { kernel = 1 }
		/^    nap_here$/ { user = kernel }
		/ [0-9]+\.[0-9][0-9][0-9] ms +[0-9.]+ %/ { if (named && user) good = 1 }
		END { exit !good }' "$TMP/out" || fail 'no stack of the naps:' "$(cat "$TMP/out")"
}
check 'text has the leaf first, the name, milliseconds and percent' text_shape

# The process "mixed" has a main thread and these, and all live longer than a run.
MIXED='mixed mx-child mx-cond mx-feeder mx-futex mx-lock mx-net mx-pipe mx-poll mx-sleep mx-system mx-user'
N_MIXED=$(wc -w <<<"$MIXED")

# all_walls FILTER WINDOW: thread-seconds, since all threads exist all the time.
all_walls()
{
	local us

	us=$(window_us "$2")
	between "$(state .wall "$1")" "$((us * N_MIXED - us / 100))" "$((us * N_MIXED + N_MIXED))" \
		"wall time of $N_MIXED threads in window $2 (us)"
}

per_process()
{
	local n

	start mixed 300
	bp offcpu -q --states -p "$PID" -o "$TMP/w.json" 1 2>"$TMP/err" || fail "exit status $?" "$(cat "$TMP/err")"
	states_add_up
	exactly "$(state 1 true)" 1 'rows of one process'
	exactly "$(state .threads true)" "$N_MIXED" threads
	all_walls true 0
	bp offcpu -q --states -P -p "$PID" -o "$TMP/w.json" 1 2>"$TMP/err" || fail "exit status $?" "$(cat "$TMP/err")"
	states_add_up
	exactly "$(state 1 true)" "$N_MIXED" 'rows of its threads'
	n=$(jq -s '[.[] | select(.type == "state").tid] | unique | length' "$TMP/w.json")
	exactly "$n" "$N_MIXED" 'different threads'
	# By the names that they have, and not by those they were born with.
	exactly "$(jq -r 'select(.type == "state").comm' "$TMP/w.json" | sort | paste -sd ' ')" "$MIXED" 'names of the threads'
}
check '--states has a row for a process, -P for each thread' per_process

windows_of_states()
{
	local i

	start mixed 300
	bp offcpu -q -j --states --threads -p "$PID" 0.5 3 >"$TMP/w.json" 2>"$TMP/err" || fail "exit status $?"
	states_add_up
	for i in 0 1 2; do
		all_walls ".iv == $i" "$i"
	done
}
check '--states in windows' windows_of_states

# As on a host where bperf gets no CPU for longer than a window lasts, while it begins the next one.
late_windows_of_states()
{
	local i n

	start mixed 300
	BPERF_WAIT_FAULTS=cut-delay=350 bp offcpu -q -j --states --threads -p "$PID" 0.3 3 >"$TMP/w.json" 2>"$TMP/err" ||
		fail "exit status $?"
	states_add_up
	n=$(jq -s 'map(select(.type == "interval")) | length' "$TMP/w.json")
	exactly "$n" 3 windows
	for i in 0 1 2; do
		all_walls ".iv == $i" "$i"
	done
}
check '--states in windows, when bperf is late for each' late_windows_of_states

# The kernel's names tell the states, and take longer to read than a window lasts.  The naps that had
# begun before the run may have no stack; they are over by the twentieth window.
states_in_short_windows()
{
	local late='.iv >= 20 and (.comm == "mx-sleep" or .comm == "mx-feeder")'

	start mixed 300
	bp offcpu -q -j --states --threads -p "$PID" 0.005 40 >"$TMP/w.json" 2>"$TMP/err" || fail "exit status $?"
	at_least "$(state .states.sleep "$late")" 1000 'sleep (us)'
	exactly "$(state .states.other "$late")" 0 'unknown states (us)'
}
check '--states knows the states in windows shorter than it takes to find names' states_in_short_windows

# If no thread matches, a message says so, and there is no heading without rows.
states_of_nobody()
{
	bp offcpu --states --comm no-such-thread 0.2 >"$TMP/out" 2>"$TMP/err" || fail "exit status $?"
	has "$TMP/out" '^no thread was seen$'
	lacks "$TMP/out" 'wall'
}
check '--states without rows prints a message' states_of_nobody
