#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Waits of known length: every one is counted, each once, with the stack it began in.
#
# long: waits of whole seconds, 37 s
# kernels: 5.10 newest

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/accuracy/common.bash
. tests/accuracy/common.bash
# shellcheck source=tests/accuracy/waits.bash
. tests/accuracy/waits.bash
need awk jq

sleeps_add_up()
{
	local n

	watch offcpu '' naps 20 20
	off_is "$(total "$TMP/w.folded" '^naps;.*;nap_here;')" naps nap
	exactly "$(rows 'has("nap_here")' value)" "$(total "$TMP/w.folded" ';nap_here;')" \
		'sum in JSON as in folded'
	n=$(rows 'has("nap_here")' count)
	between "$n" 20 "$((20 + $(truth naps forced)))" 'occurrences in nap_here'
	# The sleeper's own stack, from where it called down to the switch.
	has "$TMP/w.folded" '^naps;.*;main;nap_here;.*nanosleep.*;(__)?schedule '
	lacks "$TMP/w.folded" 'bpf_|sched_switch'
}
check 'twenty sleeps of 20 ms: their time, their number, their stack' sleeps_add_up

switches_are_counted()
{
	local n

	watch offcpu '-m 0' naps 200 1
	n=$(rows '.comm == "naps"' count)
	# The switches that the kernel counted in the loop, and those before and after it.
	between "$n" "$(($(truth naps voluntary) + $(truth naps forced)))" \
		"$(($(truth naps voluntary) + $(truth naps forced) + 40))" 'switches of the process'
}
check "as many intervals as the kernel's own switch counts" switches_are_counted

asleep_all_the_time()
{
	local us

	start naps 1 60000 60
	bp offcpu -q -p "$PID" -o "$TMP/w.folded" -o "$TMP/w.json" 1 2>"$TMP/err" || fail "exit status $?"
	us=$(window_us 0)
	whole "$(total "$TMP/w.folded" '^\[whole window\];naps;.*;main;nap_here;.*nanosleep')" "$us" 'main thread'
	whole "$(total "$TMP/w.folded" '^\[whole window\];forever;.*;forever;nap_forever;.*nanosleep')" "$us" 'second thread'
	exactly "$(total "$TMP/w.folded")" "$(total "$TMP/w.folded" nap_)" 'time of all'
	# The wait neither began nor ended inside the window.
	exactly "$(rows true count)" 0 occurrences
	exactly "$(rows true open)" 2 'waits that are not over'
	exactly "$(jq 'select(.type == "interval").open' "$TMP/w.json")" 2 'waits that are not over'
	exactly "$(rows .whole_window open)" 2 'rows that stand apart'
	exactly "$(jq -c 'select(.type == "interval").whole_window | [.open, .value]' "$TMP/w.json")" \
		"[2,$(rows .whole_window value)]" 'what stands apart'
}
check 'a sleep from before the start to after the end is the window, with its stack' asleep_all_the_time

# Idle threads are one row of the text, outside its percentages, unless asked for; --finished leaves
# them out, and reports how much.
idle_stands_apart()
{
	start naps 100000 20 60
	bp offcpu -p "$PID" 1 >"$TMP/out" 2>"$TMP/err" || fail "exit status $?"
	grep -A1 -F '[whole window]' "$TMP/out" |
		grep -Eq '^ +(999|100[0-9])\.[0-9]{3} ms  1 wait, not in the percentages; --whole-window lists them$' ||
		fail 'no row of the waits that stand apart:' "$(cat "$TMP/out")"
	lacks "$TMP/out" 'nap_forever'
	awk '$2 == "ms" && $4 == "%" { sum += $3 } END { exit !(sum > 99 && sum < 101) }' "$TMP/out" ||
		fail 'percentages are not of the rows:' "$(cat "$TMP/out")"
	has "$TMP/err" '^[0-9.,]+ ms, (999|1,00[0-9])\.[0-9]{3} ms of it \([0-9.]+ %\) in waits through the whole window, '
	bp offcpu --whole-window -p "$PID" 1 >"$TMP/out" 2>"$TMP/err" || fail "exit status $?"
	has "$TMP/out" 'nap_forever'
	lacks "$TMP/out" 'percentages'
	bp offcpu --finished -p "$PID" -o "$TMP/w.json" 1 2>"$TMP/err" || fail "exit status $?"
	exactly "$(rows true open)" 0 'waits that are not over'
	at_least "$(jq 'select(.type == "interval").left_out' "$TMP/w.json")" 999000 'time left out (us)'
	has "$TMP/err" 's of waits not over left out'
}
check 'waits of the whole window are apart, are listed or are left out' idle_stands_apart

# The question that people ask first, and that no other tool answers.
joined_all_the_time()
{
	local us

	start joined 60 "$@"
	bp offcpu -q -t "$PID" -o "$TMP/w.folded" -o "$TMP/w.json" 1 2>"$TMP/err" || fail "exit status $?"
	us=$(window_us 0)
	whole "$(total "$TMP/w.folded" '^\[whole window\];joined;.*futex_wait')" "$us" 'main thread'
	[ -z "${1-}" ] || whole "$(total "$TMP/w.folded" '^\[whole window\];joined;.*;main;wait_for_worker;.*futex_wait')" "$us" \
		'main in wait_for_worker'
	lacks "$TMP/w.folded" 'worker_'
	bp offcpu -q -p "$PID" -o "$TMP/w.folded" -o "$TMP/w.json" 1 2>"$TMP/err" || fail "exit status $?"
	whole "$(total "$TMP/w.folded" '^\[whole window\];joined;.*futex_wait')" "$(window_us 0)" 'main thread beside its worker'
	has "$TMP/w.folded" '^worker;.*;worker;worker_nap;.*nanosleep'
}
check 'main in pthread_join for the whole run' joined_all_the_time
check 'main in a futex for the whole run, with its user stack' joined_all_the_time futex

asleep_before_start()
{
	local us

	start naps 1 "$(slow 1500)"
	bp offcpu -q -p "$PID" -o "$TMP/w.folded" -o "$TMP/w.json" 20 2>"$TMP/err" || fail "exit status $?"
	# Up to the end of the sleep; the program then takes a moment to print and exit, and bperf to
	# notice.
	us=$(rows 'has("nap_here")' value)
	between "$us" 100000 "$(($(truth naps nap_ns) / 1000))" 'the part inside the window (us)'
	exactly "$(rows 'has("nap_here")' count)" 1 'occurrences, where it ended'
	has "$TMP/w.folded" ';main;nap_here;.*nanosleep'
}
check 'a sleep that began before the start has its part, and its stack' asleep_before_start

# The kernel shows the stacks of others without the functions that put threads to sleep.
one_stack_for_both()
{
	local options

	start naps 100000 "$(slow 300)" 60
	for options in '' '--waits' '--split'; do
		# shellcheck disable=SC2086 # words
		bp offcpu -q $options -t "$PID" -o "$TMP/w.folded" "$(slow 1)" 2>"$TMP/err" || fail "exit status $?"
		has "$TMP/w.folded" ';nap_here;.*;do_nanosleep;(.*;)?__schedule'
		lacks "$TMP/w.folded" ';(hrtimer_nanosleep|common_nsleep[a-z_]*)(;\[[a-z ]*\])? [0-9]+$'
	done
}
check 'a sleep that began before the start and those after it have one stack' one_stack_for_both

# The rivals are on the last CPU; main, which waits for them, may be on any.
by_cpu()
{
	local last i

	(($(nproc) > 1)) || skip_because 'one CPU only'
	last=$(($(sed 's/.*[-,]//' /sys/devices/system/cpu/online)))
	watch offcpu "--by tid --cpu $last" contend 0.5
	at_least "$(rows ".tid == $(truth contend tid-0) and has(\"rival_burn\")" value)" \
		"$((($(truth contend wall-0) - $(truth contend ran-0)) * 98 / 100000 - 5000))" 'the rival off its CPU (us)'
	watch offcpu '--by tid --cpu 0' contend 0.5
	exactly "$(rows 'has("rival_burn")' value)" 0 'off CPU 0 (us)'
	# A sleeper is on the CPU that it ran on last.
	start contend 20
	bp offcpu -q -t "$PID" --cpu "0-$last" -f "$(slow 0.5)" >"$TMP/w.folded" 2>"$TMP/err" || fail "exit status $?"
	has "$TMP/w.folded" ';contend_nap;'
	for i in $(seq 0 "$last"); do
		bp offcpu -q -t "$PID" --cpu "$i" -f "$(slow 0.5)" 2>"$TMP/err" || fail "exit status $?"
	done >"$TMP/w.folded"
	exactly "$(grep -c ';contend_nap;' "$TMP/w.folded")" 1 'CPUs that it sleeps on'
}
check '--cpu: waits that began there' by_cpu

asleep_at_the_end()
{
	start naps 100000 1
	snooze 0.1
	# Its pid is known; next it sleeps, for longer than the run lasts.
	stop
	bp offcpu -q -o "$TMP/w.folded" -o "$TMP/w.json" 1.5 -- "$WORK/naps" 1 30000 >"$TMP/naps.truth" \
		2>"$TMP/err" || fail "exit status $?" "$(cat "$TMP/err")"
	later "kill -9 $(truth naps pid) 2>/dev/null"
	between "$(total "$TMP/w.folded" ';main;nap_here;.*nanosleep')" 300000 "$(window_us 0)" \
		'the part inside the window (us)'
	exactly "$(rows 'has("nap_here")' count)" 0 'occurrences, which are where a wait ends'
}
check 'a sleep that has not ended is in the report, up to the end' asleep_at_the_end

windows_add_up()
{
	local i us sum=0 short

	start naps 100000 20 60
	bp offcpu -q -j -p "$PID" 0.5 4 >"$TMP/w.json" 2>"$TMP/err" || fail "exit status $?"
	exactly "$(jq -s '[.[] | select(.type == "interval")] | length' "$TMP/w.json")" 4 windows
	jq -es '[.[] | select(.type == "interval")] as $w | all(range(3); $w[. + 1].start == $w[.].end)' \
		"$TMP/w.json" >/dev/null || fail 'windows are not contiguous' "$(grep '"interval"' "$TMP/w.json")"
	for i in 0 1 2 3; do
		us=$(window_us "$i")
		between "$(rows ".iv == $i and .comm == \"forever\" and has(\"nap_forever\")" value)" \
			"$((us - 1))" "$((us + 1))" "a sleep across all windows, in window $i (us)"
		short=$(rows ".iv == $i and .comm == \"naps\"" value)
		between "$short" "$((us / 2))" "$us" "short sleeps in window $i (us)"
		between "$(rows ".iv == $i and has(\"nap_here\")" count)" 1 "$((us / 20000 + 2))" \
			"sleeps that ended in window $i"
		sum=$((sum + us))
	done
	between "$sum" 1900000 30000000 'all windows (us)'
}
check 'windows are contiguous, and cut waits that span them exactly' windows_add_up

states()
{
	local state asleep='S 1 SD 3 0x1' others='D 2 T' runnable='R 0'

	# Other spellings of the same states behave alike on every kernel.
	[ -z "${BPERF_SLOW-}" ] || asleep='SD' others='D' runnable='R'
	for state in $asleep; do
		watch offcpu "--state $state" naps 5 20
		# Without the time for which it may have been preempted in that function.
		in_bounds "$(rows 'has("nap_here")' value)" "$(truth naps nominal_ns)" "$(truth naps nap_ns)" 5 naps
	done
	for state in $others; do
		watch offcpu "--state $state" naps 5 20
		exactly "$(rows 'has("nap_here")' value)" 0 "sleeps among those in state $state"
	done
	for state in $runnable; do
		watch offcpu "--state $state" contend 0.5
		at_least "$(rows 'has("rival_burn")' value)" 100000 "preempted time with --state $state (us)"
		# The sleep takes 500,000; on its way there main may have been preempted.
		between "$(rows 'has("contend_nap")' value)" 0 50000 "sleeps with --state $state (us)"
	done
	status_is 64 bp offcpu --state Q 0.1
	status_is 64 bp offcpu --state '' 0.1
	status_is 64 bp offcpu --state 1x 0.1
}
check '--state by letters and as a mask' states

# Letters are those of ps: a thread in TASK_IDLE (I) has a bit in common with one that waits for a disk (D).
idle_is_not_disk()
{
	bp offcpu -q -f -k --state I 0.5 >"$TMP/i.folded" 2>"$TMP/err" || fail "exit status $?"
	# For threads that sleep during the whole run, the kernel does not show schedule().
	has "$TMP/i.folded" '^(\[whole window\];)?kworker/[^;]*;.*;worker_thread[; ]'
	bp offcpu -q -f -k --state D 0.5 >"$TMP/d.folded" 2>"$TMP/err" || fail "exit status $?"
	lacks "$TMP/d.folded" '^(\[whole window\];)?kworker/[^;]*;.*;worker_thread( |;(__)?schedule[; ])'
	lacks "$TMP/i.folded" '^[^;]*;.*(io_schedule|nap_here)'
}
check '--state D is no TASK_IDLE, --state I is' idle_is_not_disk

# Peers keep all idle threads under one key, or under that of a real process.
idle_is_no_wait()
{
	# shellcheck disable=SC2016 # for the inner shell
	timeout -s KILL 60 bash -c 'echo $$ >"$1"; exec "$BPERF" offcpu -q -f --by pid 1' - "$TMP/self" \
		>"$TMP/i.folded" 2>"$TMP/err" || fail "exit status $?"
	lacks "$TMP/i.folded" '^swapper|cpu_startup_entry|do_idle'
	has "$TMP/i.folded" '^[^;]+;'
	lacks "$TMP/i.folded" "^bperf-$(cat "$TMP/self");"
	# No thread waited for longer than the window.
	bp offcpu -q -j --by tid 1 >"$TMP/w.json" 2>"$TMP/err" || fail "exit status $?"
	jq -es '([.[] | select(.type == "interval")][0] | (.end - .start) * 1e6) as $w |
		[.[] | select(.type == "stack")] | group_by(.tid) | map(map(.value) | add) | max <= $w + 2' \
		"$TMP/w.json" >/dev/null || fail 'a thread waited for longer than the window'
	# shellcheck disable=SC2016 # for the inner shell
	timeout -s KILL 60 bash -c 'echo $$ >"$1"; exec "$BPERF" offcpu -q -f --self --by pid 1' - "$TMP/self" \
		>"$TMP/i.folded" 2>"$TMP/err" || fail "exit status $?"
	has "$TMP/i.folded" "^bperf-$(cat "$TMP/self");"
}
check 'no idle threads, no bperf, no thread above the window' idle_is_no_wait

names_change()
{
	local name

	watch offcpu '' renamed 10 20
	for name in old new exec; do
		off_is "$(total "$TMP/w.folded" "^$name-name;.*;${name}_nap;")" renamed "$name-name"
		exactly "$(total "$TMP/w.folded" ";${name}_nap;.*nanosleep")" \
			"$(total "$TMP/w.folded" "^$name-name;.*;${name}_nap;.*nanosleep")" "all of ${name}_nap"
	done
}
check 'a process that changes its name, and its program, has each for its time' names_change

pid_namespace()
{
	local us

	unshare -pf --mount-proc true 2>/dev/null || skip_because 'no PID namespaces'
	# shellcheck disable=SC2016 # for the inner shell
	unshare -pf --mount-proc bash -c '
		"$WORK/naps" 100000 20 >/dev/null & inner=$!
		"$WORK/naps" 100000 20 >/dev/null & other=$!
		sleep 0.2
		timeout -s KILL 60 "$BPERF" offcpu -q --by pid -p $inner -o "$1/w.folded" -o "$1/w.json" 1
		status=$?
		echo "inner $inner other $other" >&2
		kill -9 $inner $other
		exit $status' - "$TMP" 2>"$TMP/err" || fail "exit status $?" "$(cat "$TMP/err")"
	us=$(window_us 0)
	between "$(total "$TMP/w.folded" "^naps-$(awk '/^inner/ { print $2 }' "$TMP/err");.*nap_here")" \
		"$((us / 2))" "$((us + 10000))" 'sleeps inside (us)'
	lacks "$TMP/w.folded" "^naps-$(awk '/^inner/ { print $4 }' "$TMP/err");"
}
check 'inside a PID namespace pids are those of the namespace' pid_namespace
