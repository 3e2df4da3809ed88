#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Start and end of a run: signals, targets that exit, nothing left running.
#
# long: a run for each way to end, 11 s
# kernels: 5.10

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/accuracy/common.bash
. tests/accuracy/common.bash
need awk jq
copied_symbols

# is_sampling PID: it holds perf events.
is_sampling()
{
	local fd

	for fd in "/proc/$1/fd/"*; do
		[ "$(readlink "$fd")" = 'anon_inode:[perf_event]' ] && return
	done
	return 1
}

# background ARGS...: bperf profile, sampling when this returns (BG).
background()
{
	local i

	# A shell without job control starts it with SIGINT ignored, and what is ignored stays so.
	env --default-signal=INT "$BPERF" profile "$@" >"$TMP/bg.out" 2>"$TMP/bg.err" &
	BG=$!
	later "kill -9 $BG 2>/dev/null"
	for ((i = 0; i < 200; i++)); do
		is_sampling "$BG" && sleep 0.2 && return
		snooze 0.05
	done
	fail 'bperf does not start' "$(cat "$TMP/bg.err")"
}

# ended WANT: wait for BG, no longer than 20 s.
ended()
{
	local status=0 i

	for ((i = 0; i < 400; i++)); do
		kill -0 "$BG" 2>/dev/null || break
		snooze 0.05
	done
	kill -0 "$BG" 2>/dev/null && { kill -9 "$BG"; fail 'still running after 20 s'; }
	wait "$BG" || status=$?
	((status == $1)) || fail "exit status $status, want $1" "$(cat "$TMP/bg.err")"
}

signal_gives_report()
{
	start shares 30
	background -f -U -e cpu-clock -F 199 -p "$PID"
	sleep 0.5
	kill "-$1" "$BG"
	ended 0
	stop
	at_least "$(total "$TMP/bg.out" burn_)" 5 'samples reported'
}
# Kernels do not differ in this: on a slow machine one signal is enough.
signals=(INT TERM HUP)
[ "${BPERF_SLOW-}" ] && signals=(INT)
for sig in "${signals[@]}"; do
	check "SIG$sig ends the run with a report and status 0" signal_gives_report "$sig"
done

# Ctrl-C with a program: there is a report, the status is 0, and bperf does not kill the program.
interrupted_program()
{
	background -f -U -e cpu-clock -F 199 -o "$TMP/ip.folded" -- "$WORK/shares" 30
	sleep 0.4
	kill -INT "$BG"
	ended 0
	at_least "$(total "$TMP/ip.folded" burn_)" 5 'samples reported'
	later "kill -9 $(awk '/^pid/ { print $2 }' "$TMP/bg.out") 2>/dev/null"
}
check 'SIGINT with a program gives a report and status 0' interrupted_program

snapshot()
{
	local first n i

	start shares 30
	background -j -U -e cpu-clock -F 199 -p "$PID"
	sleep 0.4
	kill -USR1 "$BG"
	for ((i = 0; i < 400; i++)); do # its last line
		grep -q '"snapshot":true' "$TMP/bg.out" && break
		snooze 0.05
	done
	first=$(jq -s '[.[] | select(.type == "stack") | .value] | add // 0' "$TMP/bg.out")
	at_least "$first" 3 'samples in the report asked for'
	sleep 0.3
	kill -INT "$BG"
	ended 0
	stop
	n=$(jq -s '[.[] | select(.type == "stack") | .value] | add // 0' "$TMP/bg.out")
	# The snapshot does not reset: the last report holds its samples again.
	at_least "$((n - first))" "$first" 'samples of the last report'
}
check 'SIGUSR1 gives a report at once and the run goes on' snapshot

target_exit()
{
	local began=$SECONDS

	start shares "$(slow 0.5)"
	profile -f -e cpu-clock -F 199 -p "$PID" 60 >"$TMP/t.folded" 2>"$TMP/err" || fail "exit status $?"
	((SECONDS - began < 40)) || fail 'it waited for the whole minute'
	at_least "$(total "$TMP/t.folded" burn_)" 5 samples
	has "$TMP/err" "$PID|exit|ended|gone"
}
check 'the end of the target ends a -p run, with a note' target_exit

no_such_pid()
{
	status_is 66 profile -p 4194303 1
	has "$TMP/err" 4194303
	exactly "$(wc -c <"$TMP/out")" 0 'bytes on stdout'
	status_is 66 profile -L 4194303 1
	status_is 66 profile -p "$$,4194303" 1
}
check 'a pid that does not exist is status 66 and is named' no_such_pid

killed()
{
	local before i

	have bpftool
	before=$(attached)
	background -F 99
	(($(attached) > before)) || fail 'no program is attached while it runs'
	kill -9 "$BG"
	wait "$BG" 2>/dev/null
	for ((i = 0; i < 100; i++)); do
		(($(attached) <= before)) && return
		snooze 0.1
	done
	fail 'BPF programs are left after kill -9' "$(bpftool prog show | tail -n 20)"
}
check 'kill -9 leaves nothing attached' killed

child_of_killed()
{
	# The program that was started must not be killed with bperf, and must not stay stopped.
	local pid state

	background -F 99 -o "$TMP/k.folded" -- "$WORK/shares" 30
	pid=$(truth_pid "$TMP/bg.out")
	[ "$pid" ] || fail 'the program has not said its pid' "$(cat "$TMP/bg.out")"
	later "kill -9 $pid 2>/dev/null"
	kill -9 "$BG"
	wait "$BG" 2>/dev/null
	sleep 0.2
	state=$(awk '{ print $3 }' "/proc/$pid/stat" 2>/dev/null)
	[[ $state == [RS] ]] || fail "the program is left in state '$state'"
}
truth_pid()
{
	awk '/^pid/ { print $2; exit }' "$1"
}
check 'kill -9 does not leave the program stopped' child_of_killed

sleeper()
{
	sleep 30 &
	later "kill $! 2>/dev/null"
	profile -f -e cpu-clock -F 199 -p $! 0.3 >"$TMP/s.folded" 2>"$TMP/err" || fail "exit status $?"
	(($(total "$TMP/s.folded") <= 3)) || fail "samples of a process that sleeps: $(cat "$TMP/s.folded")"
	profile -j -e cpu-clock -F 199 -p $! 0.3 >"$TMP/s.json" 2>"$TMP/err" || fail "exit status $?"
	jq_last -e '.type == "end"' "$TMP/s.json" >/dev/null || fail 'no end'
	profile -e cpu-clock -F 199 -p $! 0.3 >"$TMP/s.txt" 2>"$TMP/err" || fail "exit status $?"
	profile -q -e cpu-clock -o "$TMP/s.svg" -o "$TMP/s.pb.gz" -p $! 0.3 >"$TMP/s.txt" 2>"$TMP/err" || fail "exit status $?"
}
check 'a process that sleeps gives an empty, valid report' sleeper
