#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Beginnings and ends: signals, targets that go, outputs that fail, nothing left behind.

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/truth/common.bash
. tests/truth/common.bash
need awk jq

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
		sleep 0.05
	done
	fail 'bperf does not start' "$(cat "$TMP/bg.err")"
}

# ended WANT: wait for BG, no longer than 20 s.
ended()
{
	local status=0 i

	for ((i = 0; i < 400; i++)); do
		kill -0 "$BG" 2>/dev/null || break
		sleep 0.05
	done
	kill -0 "$BG" 2>/dev/null && { kill -9 "$BG"; fail 'still running after 20 s'; }
	wait "$BG" || status=$?
	((status == $1)) || fail "exit status $status, want $1" "$(cat "$TMP/bg.err")"
}

signal_gives_report()
{
	start shares 30
	background -f -e cpu-clock -F 199 -p "$PID"
	sleep 0.5
	kill "-$1" "$BG"
	ended 0
	stop
	at_least "$(total "$TMP/bg.out" burn_)" 5 'samples reported'
}
for sig in INT TERM HUP; do
	check "SIG$sig ends the run with a report and status 0" signal_gives_report "$sig"
done

# Ctrl-C with a program: the report is made, the status is 0, the program is not ours to kill.
interrupted_program()
{
	background -f -e cpu-clock -F 199 -o "$TMP/ip.folded" -- "$WORK/shares" 30
	sleep 0.4
	kill -INT "$BG"
	ended 0
	at_least "$(total "$TMP/ip.folded" burn_)" 5 'samples reported'
	later "kill -9 $(awk '/^pid/ { print $2 }' "$TMP/bg.out") 2>/dev/null"
}
check 'SIGINT with a program gives a report and status 0' interrupted_program

snapshot()
{
	local first n

	start shares 30
	background -j -e cpu-clock -F 199 -p "$PID"
	sleep 0.4
	kill -USR1 "$BG"
	sleep 0.6
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

start_up_signals()
{
	local delay status

	for delay in 0 0.002 0.005 0.01 0.02 0.04; do
		"$BPERF" profile -f -F 99 >"$TMP/out" 2>"$TMP/err" &
		BG=$!
		later "kill -9 $BG 2>/dev/null"
		# Before its exec it is still this shell, which may take the signal for itself.
		until [ "$(cat "/proc/$BG/comm" 2>/dev/null)" = bperf ]; do sleep 0.001; done
		sleep "$delay"
		kill -TERM "$BG" 2>/dev/null
		status=0
		timeout 20 tail --pid="$BG" -f /dev/null || fail "hangs after a signal at $delay s"
		wait "$BG" || status=$?
		case $status in
		0 | 143) ;; # before the handlers are there, a signal just ends it
		*) fail "exit status $status after a signal at $delay s" "$(cat "$TMP/err")" ;;
		esac
	done
}
check 'a signal during the start ends it cleanly' start_up_signals

interrupt_from_a_terminal()
{
	python3 - "$BPERF" <<'PY' || exit 1
import signal, subprocess, sys, time
for delay in (0.0, 0.003, 0.01, 0.03, 0.5):
    p = subprocess.Popen([sys.argv[1], "profile", "-f", "-F", "99"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    time.sleep(delay)
    p.send_signal(signal.SIGINT)
    try:
        p.communicate(timeout=20)
    except subprocess.TimeoutExpired:
        p.kill()
        sys.exit("hangs after SIGINT at %s s" % delay)
    ok = (0,) if delay >= 0.5 else (0, -2)
    if p.returncode not in ok:
        sys.exit("status %s after SIGINT at %s s" % (p.returncode, delay))
PY
}
check 'SIGINT at any moment of the start is safe' interrupt_from_a_terminal

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

garbage()
{
	local bad

	for bad in '-p abc' '-p 1x' '-p 99999999999999999999' '-p -5' '-F 0' '-F 1e9' '-F' '-c 0' '-c -1' '0' '-1' '1 0' '1s2' \
		'1 2 3' '--nonsense' '-e nonsense' '--by nonsense' '-C x' '-C 99999' '-F 49 -c 100' '-p 1 -L 1' \
		'--top x' '-O nonsense' '--uid no-such-user-here' '-o x.nonsense 1' '--names x' '1h1' '5 xyz' '-Z'; do
		# shellcheck disable=SC2086 # words
		status_is 64 profile $bad
		exactly "$(wc -c <"$TMP/out")" 0 "bytes on stdout with $bad"
		at_least "$(wc -c <"$TMP/err")" 10 "bytes on stderr with $bad"
		(($(wc -l <"$TMP/err") <= 4)) || fail "more than four lines for $bad" "$(cat "$TMP/err")"
	done
	status_is 64 profile --folow 1
	has "$TMP/err" '--follow'
}
check 'garbage options and numbers are usage errors' garbage

full_device()
{
	[ -c /dev/full ] || skip_because 'no /dev/full'
	local status=0

	timeout 30 "$BPERF" profile -f -F 99 -I 0.3 >/dev/full 2>"$TMP/err" || status=$?
	exactly "$status" 1 'exit status'
	has "$TMP/err" 'No space left'
	status_is 1 profile -F 99 -I -O folded -o /dev/full 0.3
	has "$TMP/err" '/dev/full'
}
check '/dev/full is an error that is told' full_device

full_file_beside_others()
{
	[ -c /dev/full ] || skip_because 'no /dev/full'
	local when

	ln -s /dev/full "$TMP/full.folded"
	ln -s /dev/full "$TMP/full.json"
	# When its header, an interval's report, or the only report is written.
	for when in 'full.json 0.3' 'full.folded 0.2 5' 'full.folded 0.3'; do
		# shellcheck disable=SC2086 # words
		status_is 1 profile -F 99 -I -o "$TMP/beside.json" -o "$TMP/"$when
		has "$TMP/err" 'No space left'
		jq -es '.[-1] | .type == "end" and .reason == "error"' "$TMP/beside.json" >/dev/null ||
			fail "no end beside $when" "$(tail -n 1 "$TMP/beside.json")"
		[ "$when" = 'full.json 0.3' ] && continue
		at_least "$(jq -s '[.[] | select(.type == "stack") | .value] | add // 0' \
			"$TMP/beside.json")" 1 "samples beside $when"
	done
}
check 'an output that fails takes no other with it' full_file_beside_others

unwritable()
{
	status_is 1 profile -o "$TMP/no/such/folder/x.folded" 5
	has "$TMP/err" 'no/such/folder'
}
check 'an output that cannot be opened is an error before the run' unwritable

closed_stdout()
{
	local status=0

	timeout 30 "$BPERF" profile -f -F 99 -I 0.3 >&- 2>"$TMP/err" || status=$?
	# Nothing may be written into a file that took the number of stdout.
	((status == 1 || status == 0)) || fail "exit status $status" "$(cat "$TMP/err")"
	status=0
	timeout 30 "$BPERF" profile -F 99 -I -o "$TMP/c.folded" 0.3 >&- 2>&- <&- || status=$?
	exactly "$status" 0 'exit status with all three closed'
	LC_ALL=C grep -Evn '^[^;]+(;[^;]+)* [1-9][0-9]*$' "$TMP/c.folded" && fail 'foreign bytes in the output'
	at_least "$(total "$TMP/c.folded")" 1 samples
}
check 'closed standard streams do no harm' closed_stdout

broken_pipe()
{
	local status

	status=$(
		{ timeout 30 "$BPERF" profile -f -F 99 -I 0.2 20 2>"$TMP/err"; echo "$?" >"$TMP/status"; } |
			head -n 1 >/dev/null
		cat "$TMP/status"
	)
	[ "$status" = 0 ] || [ "$status" = 141 ] || fail "exit status $status" "$(cat "$TMP/err")"
	lacks "$TMP/err" '[Bb]roken pipe|EPIPE|error'
}
check 'a reader that goes away ends it quietly' broken_pipe

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
		sleep 0.1
	done
	fail 'BPF programs are left after kill -9' "$(bpftool prog show | tail -n 20)"
}
check 'kill -9 leaves nothing attached' killed

child_of_killed()
{
	# The program that was started is not ours to take down with us, but must not be stuck.
	background -F 99 -o "$TMP/k.folded" -- "$WORK/shares" "$(slow 0.5)"
	kill -9 "$BG"
	wait "$BG" 2>/dev/null
	sleep 0.2
	local pid state
	pid=$(truth_pid "$TMP/bg.out")
	[ "$pid" ] || return 0
	state=$(awk '{ print $3 }' "/proc/$pid/stat" 2>/dev/null)
	[[ $state != [Tt] ]] || { kill -9 "$pid"; fail 'the program is left stopped'; }
	kill -9 "$pid" 2>/dev/null
	return 0
}
truth_pid()
{
	awk '/^pid/ { print $2; exit }' "$1"
}
check 'kill -9 does not leave the program stopped' child_of_killed

intervals_flush()
{
	# Reports must arrive when they are made, into a pipe too.
	python3 - "$BPERF" <<'PY' || exit 1
import subprocess, sys, time
p = subprocess.Popen([sys.argv[1], "profile", "-q", "-j", "-I", "-F", "99", "-e", "cpu-clock", "0.5", "40"],
                     stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
seen = 0
for line in p.stdout:
    if b'"type":"interval"' in line:
        seen += 1
        if seen == 2:
            break
running = p.poll() is None
p.terminate()
p.communicate(timeout=20)
if seen < 2 or not running:
    sys.exit("reports came only at the end")
PY
}
check 'each report is flushed when it is made' intervals_flush

streams()
{
	profile -f -I -F 99 0.3 >"$TMP/s.folded" 2>"$TMP/err" || fail "exit status $?"
	LC_ALL=C grep -Evn '^[^;]+(;[^;]+)* [1-9][0-9]*$' "$TMP/s.folded" && fail 'something else on stdout'
	profile -q -f -I -F 99 0.3 2>&1 >/dev/null | grep . && fail '-q is not quiet'
	return 0
}
check 'stdout is the result and nothing else' streams

sleeper()
{
	sleep 30 &
	later "kill $! 2>/dev/null"
	profile -f -e cpu-clock -F 199 -p $! 0.3 >"$TMP/s.folded" 2>"$TMP/err" || fail "exit status $?"
	(($(total "$TMP/s.folded") <= 3)) || fail "samples of a process that sleeps: $(cat "$TMP/s.folded")"
	profile -j -e cpu-clock -F 199 -p $! 0.3 >"$TMP/s.json" 2>"$TMP/err" || fail "exit status $?"
	jq -es '.[-1].type == "end"' "$TMP/s.json" >/dev/null || fail 'no end'
	profile -e cpu-clock -F 199 -p $! 0.3 >"$TMP/s.txt" 2>"$TMP/err" || fail "exit status $?"
	profile -q -e cpu-clock -o "$TMP/s.svg" -o "$TMP/s.pb.gz" -p $! 0.3 >"$TMP/s.txt" 2>"$TMP/err" || fail "exit status $?"
}
check 'a process that sleeps gives an empty, valid report' sleeper
