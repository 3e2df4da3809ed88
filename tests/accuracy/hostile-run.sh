#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Nothing holds up a run: readers that do not read, FIFOs that nobody opens, programs that write faster than
# bperf reads, signals at any time.
#
# long: waits for runs that something holds up, a minute and a half
# kernels: none

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/accuracy/common.bash
. tests/accuracy/common.bash
need awk mkfifo

# A loose bound: a crowded machine is not a failure.  A run that hangs never ends.
SOON=15

# A pipe that nobody reads, open at both ends as descriptor 9.
deaf_pipe()
{
	mkfifo "$TMP/deaf.$BASHPID"
	exec 9<>"$TMP/deaf.$BASHPID"
	rm "$TMP/deaf.$BASHPID"
}

# ended SECONDS: wait for BG; STATUS.
ended()
{
	local i

	for ((i = 0; i < $1 * 20; i++)); do
		kill -0 "$BG" 2>/dev/null || break
		snooze 0.05
	done
	kill -0 "$BG" 2>/dev/null && { kill -9 "$BG"; fail "still running after $1 s" "$(tail -n 5 "$TMP/err")"; }
	STATUS=0
	wait "$BG" || STATUS=$?
}

# send SIGNAL
send()
{
	kill "-$1" "$BG"
}

# run ARGS...: bperf in the background, measuring when this returns; its output goes to descriptor 9.
run()
{
	env --default-signal=INT "$BPERF" "$@" >&9 2>"$TMP/err" &
	BG=$!
	later "kill -9 $BG 2>/dev/null"
	poll grep -Eq '(tracing|sampling) after' "$TMP/err"
	sleep 0.3
}


one_signal_and_nobody_reads()
{
	deaf_pipe
	dd if=/dev/zero of=/dev/null bs=1 2>/dev/null &
	later "kill -9 $!"
	run trace -v syscall:read -p $!
	sleep 2
	send "$1"
	ended $SOON
	exactly "$STATUS" 1 'exit status'
	has "$TMP/err" 'gave up writing to standard output: a signal arrived, and no process reads it'
}
check 'SIGTERM ends trace into a pipe whose reader does not read' one_signal_and_nobody_reads TERM
check 'SIGINT too' one_signal_and_nobody_reads INT
check 'SIGHUP too' one_signal_and_nobody_reads HUP

# A person who reads the first page in a pager has pressed Ctrl-C, and still wants the rest.
a_person_is_waited_for()
{
	have script
	deaf_pipe
	dd if=/dev/zero of=/dev/null bs=1 2>/dev/null &
	later "kill -9 $!"
	script -qec "$BPERF trace -v syscall:read -p $! >&9; echo status \$?" /dev/null >"$TMP/err" 2>&1 </dev/null &
	later "kill -9 $! 2>/dev/null"
	sleep 4
	BG=$(pgrep -n -f "^$BPERF trace -v syscall:read")
	send INT
	sleep 3
	kill -0 "$BG" || fail 'it did not wait' "$(tail -n 5 "$TMP/err")"
	has "$TMP/err" 'No process reads standard output: waiting'
	send INT
	sleep 3
	kill -0 "$BG" 2>/dev/null && fail 'it still waits' "$(tail -n 5 "$TMP/err")"
	has "$TMP/err" 'gave up writing to standard output'
}
check 'a person at a terminal is waited for until the second Ctrl-C' a_person_is_waited_for

# With a report every second, reports go on while nobody reads; a later reader gets all of them.
reports_go_on()
{
	local n

	deaf_pipe
	dd if=/dev/zero bs=1024 count=63 2>/dev/null | tr '\0' '\n' >&9
	run profile -v -e cpu-clock -F 49 1 4
	sleep 5
	timeout 3 cat <&9 >"$TMP/out"
	ended $SOON
	exactly "$STATUS" 0 'exit status'
	n=$(grep -c '^--- ' "$TMP/out")
	exactly "$n" 4 'reports'
	# Each window ended on time: within half a second, on any machine that runs this.
	awk '/^--- / && $2 ~ /^[0-9.]+$/ { d = $5 - $2; if (d > 1.5) bad = 1 } END { exit bad }' "$TMP/out" ||
		fail 'windows that did not end when they were due' "$(grep '^---' "$TMP/out")"
}
check 'reports at intervals do not wait for the reader of a pipe' reports_go_on

# Reports larger than the buffer for a reader: the window goes on, nothing waits, and each moment is in one
# report.
big_reports_go_on()
{
	have jq
	deaf_pipe
	"$WORK/churn" --descend 12 20 >/dev/null &
	later "kill -9 $! 2>/dev/null"
	run offcpu -v -j 0.2 10
	sleep 8
	cat <&9 >"$TMP/out" &
	later "kill -9 $! 2>/dev/null"
	ended $SOON
	exactly "$STATUS" 0 'exit status'
	jq -s 'map(select(.type == "end"))[0].elapsed < 7' "$TMP/out" | grep -qx true ||
		fail 'it waited for the reader' "$(grep '"type":"end"' "$TMP/out")"
	jq -s '[map(select(.type == "interval")) | . as $w | range(1; length) |
		$w[.].start == $w[. - 1].end] | all' "$TMP/out" | grep -qx true ||
		fail 'time that is in no report' "$(grep '"type":"interval"' "$TMP/out")"
}
check 'reports larger than the buffer for a reader do not hold up a run' big_reports_go_on

fifo_without_a_reader()
{
	deaf_pipe
	mkfifo "$TMP/fifo"
	env --default-signal=INT "$BPERF" "$@" -o "$TMP/fifo" >&9 2>"$TMP/err" &
	BG=$!
	later "kill -9 $BG 2>/dev/null"
	sleep 1.5
	send TERM
	ended $SOON
	((STATUS != 0 || $(wc -c <"$TMP/err") > 0)) || fail 'nothing was said'
	rm "$TMP/fifo"
}
check 'a signal ends the wait for the reader of a FIFO: profile' fifo_without_a_reader profile --format json 1
check 'a signal ends the wait for the reader of a FIFO: trace' fifo_without_a_reader trace --format json \
	t:sched:sched_process_fork

fifo_of_a_stranger()
{
	deaf_pipe
	mkfifo "$TMP/fifo"
	chown 65534 "$TMP/fifo"
	env --default-signal=INT "$BPERF" "$@" -o "$TMP/fifo" >&9 2>"$TMP/err" &
	BG=$!
	later "kill -9 $BG 2>/dev/null"
	ended $SOON
	exactly "$STATUS" 77 'exit status'
	has "$TMP/err" 'is a FIFO of another user \(uid 65534\), and is not written to'
	rm "$TMP/fifo"
}
check 'a FIFO that another user planted is refused: profile' fifo_of_a_stranger profile --format json 1
check 'a FIFO that another user planted is refused: funccount' fifo_of_a_stranger funccount --format json \
	-d 1 t:sched:sched_process_fork

fifo_of_our_own()
{
	mkfifo "$TMP/fifo"
	cat "$TMP/fifo" >"$TMP/through" &
	status_is 0 timeout 60 "$BPERF" profile -e cpu-clock --format json -o "$TMP/fifo" 1
	wait
	has "$TMP/through" '"type":"end"'
	status_is 0 timeout 60 "$BPERF" profile -e cpu-clock --format json -o >(cat >"$TMP/through") 1
	sleep 1
	has "$TMP/through" '"type":"end"'
	rm "$TMP/fifo"
}
check 'our own FIFO, and a >(...) of the shell, are written to' fifo_of_our_own

# Programs that send more new stacks than a starved reader can take.
starved_reader()
{
	start paths 60 6
	later "pkill -9 -P $PID"
	exec 9>"$TMP/out"
	run offcpu -v "$@"
	renice -n 19 "$BG" >/dev/null
	# bperf runs a fifth of the time, until it ends.
	while kill -STOP "$BG" 2>/dev/null; do
		snooze 0.08
		kill -CONT "$BG" 2>/dev/null
		snooze 0.02
	done &
}

starved_run_ends()
{
	starved_reader 3
	ended 60
	((STATUS == 0)) || fail "exit status $STATUS" "$(cat "$TMP/err")"
	grep -Eq 'watched for [0-9.]+ s' "$TMP/err" || fail 'no span' "$(cat "$TMP/err")"
	between "$(sed -n 's/.*watched for \([0-9.]*\) s.*/\1/p' "$TMP/err")" 2.9 5 'seconds watched'
}
check 'a starved reader ends its window beside writers that do not rest' starved_run_ends

starved_run_obeys()
{
	starved_reader 300
	sleep 6
	send INT
	ended 60
	((STATUS == 0)) || fail "exit status $STATUS" "$(cat "$TMP/err")"
	has "$TMP/err" 'watched for'
}
check 'a starved reader obeys SIGINT' starved_run_obeys

# The third signal ends any step of a run: bperf prints a message, and dies of the signal.
third_signal()
{
	deaf_pipe
	dd if=/dev/zero of=/dev/null bs=1 2>/dev/null &
	later "kill -9 $!"
	run trace -v syscall:read -p $!
	sleep 2
	send INT
	snooze 0.1
	send INT
	snooze 0.1
	send INT
	ended $SOON
	((STATUS == 130 || STATUS == 1)) || fail "exit status $STATUS"
	[ -s "$TMP/err" ] || fail 'nothing was said'
	((STATUS == 1)) || has "$TMP/err" 'ended by a further signal: output not written yet is lost'
}
check 'three signals end a run with a message' third_signal

# A signal at any time of a start: the run ends, with a message or with a report of what it has.
signals_at_start()
{
	local ms

	deaf_pipe
	for ms in 5 20 60 150 300 600; do
		env --default-signal=INT "$BPERF" "$@" >"$TMP/out" 2>"$TMP/err" &
		BG=$!
		later "kill -9 $BG 2>/dev/null"
		# Until env runs bperf, SIGINT is ignored, as in all background jobs of a script.
		until [ "/proc/$BG/exe" -ef "$BPERF" ] || [ ! -e "/proc/$BG/exe" ]; do :; done
		sleep "$(printf '0.%03d' "$ms")"
		send INT
		ended $SOON
		((STATUS == 130 || STATUS == 0)) || fail "after $ms ms: exit status $STATUS" "$(cat "$TMP/err")"
		((STATUS == 130)) || [ -s "$TMP/err" ] || [ -s "$TMP/out" ] || fail "after $ms ms: no word"
	done
}
check 'a signal while it starts: offcpu' signals_at_start offcpu 30
check 'a signal while it starts: trace' signals_at_start trace t:sched:sched_process_fork
check 'a signal while it starts: funccount of a held program' signals_at_start funccount c:malloc -- sleep 0.1
check 'a signal while it lists' signals_at_start list
check 'a signal while doctor looks' signals_at_start doctor

# Programs whose names take longer to find than a window lasts: windows end on time, and so does a run that
# gets a signal.
costly_names()
{
	local bare=$TMP/bare kind

	strip -s -o "$bare" "$WORK/shares" || fail 'no strip'
	for kind in aliases names; do
		"$WORK/badelf" "$kind" "$bare" "$TMP/$kind" 200000 || fail "badelf $kind"
		"$TMP/$kind" 60 >/dev/null &
		later "kill -9 $! 2>/dev/null; rm -f $TMP/$kind"
	done
	exec 9>"$TMP/out"
	run profile -v -e cpu-clock -U -F 199 1 4
	ended 60
	exactly "$STATUS" 0 'exit status'
	exactly "$(grep -c '^--- ' "$TMP/out")" 4 'reports'
	awk '/^--- / && $5 - $2 > 1.8 { exit 1 }' "$TMP/out" || fail "$(grep '^---' "$TMP/out")"
	run profile -v -e cpu-clock -U -F 199 1
	sleep 1.5
	send TERM
	ended $SOON
	exactly "$STATUS" 0 'exit status'
	has "$TMP/err" 'watched for'
}
check 'expensive names delay neither windows nor signals' costly_names
