#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Where a run cannot begin, and where its output cannot go.
#
# long: a run for each place to which output cannot go, 20 s
# kernels: none
# shared: its counts do not depend on the CPU time that it gets

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/accuracy/common.bash
. tests/accuracy/common.bash
need awk jq
copied_symbols

start_up_signals()
{
	local delay status

	for delay in 0 0.002 0.005 0.01 0.02 0.04; do
		"$BPERF" profile -f -F 99 >"$TMP/out" 2>"$TMP/err" &
		BG=$!
		later "kill -9 $BG 2>/dev/null"
		# Before its exec it is still this shell, which may take the signal for itself.
		until [ "$(cat "/proc/$BG/comm" 2>/dev/null)" = bperf ]; do snooze 0.001; done
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
check 'a write to /dev/full is reported as an error' full_device

full_file_beside_others()
{
	[ -c /dev/full ] || skip_because 'no /dev/full'
	local when

	ln -s /dev/full "$TMP/full.folded"
	ln -s /dev/full "$TMP/full.json"
	# The write that fails is that of the header, of an interval's report, or of the only report.
	for when in 'full.json 0.3' 'full.folded 0.2 5' 'full.folded 0.3'; do
		# shellcheck disable=SC2086 # words
		status_is 1 profile -F 99 -I -o "$TMP/beside.json" -o "$TMP/"$when
		has "$TMP/err" 'No space left'
		jq_last -e '.type == "end" and .reason == "error"' "$TMP/beside.json" >/dev/null ||
			fail "no end beside $when" "$(tail -n 1 "$TMP/beside.json")"
		[ "$when" = 'full.json 0.3' ] && continue
		at_least "$(jq -s '[.[] | select(.type == "stack") | .value] | add // 0' \
			"$TMP/beside.json")" 1 "samples beside $when"
	done
}
check 'an output that fails does not affect the others' full_file_beside_others

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
	# Nothing may be written into a file that got stdout's descriptor number.
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
