#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# A benchmark leaves no load, however it ends (tests/bench/guard.py).

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

need python3

# Starts loads in sessions of their own, as tests/bench/stackloads.py does, one by a parent that has ended.
cat >"$TMP/measure.py" <<'EOT'
import subprocess, sys, time
sys.dont_write_bytecode = True
sys.path.insert(0, "tests/bench")
from guard import guard
guard()
subprocess.run(["sh", "-c", "setsid sleep 1000 &"])
p = subprocess.Popen(["sh", "-c", "sleep 1000 & wait"], start_new_session=True)
try:
    print("ready", flush=True)
    time.sleep(float(sys.argv[1]))
finally:
    print("given back", flush=True)
sys.exit(3)
EOT

loads()
{
	grep -alFxz "BPERF_BENCH=$BPERF_TEST" /proc/[0-9]*/environ 2>/dev/null | wc -l
}

none_is_left()
{
	for ((i = 0; i < 600; i++)); do
		(($(loads))) || return 0
		snooze 0.1
	done
	fail "$(loads) processes are left"
}

# ends STATUS KILL...: KILL, with the group's leader as its last argument, ends the benchmark.
ends()
{
	local status=$1 pid got=0
	shift

	: >"$TMP/out"
	BPERF_BENCH=$BPERF_TEST setsid python3 -c 'import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler) # the shell has it ignored in the background
os.execvp("python3", ["python3"] + sys.argv[1:])' "$TMP/measure.py" "$seconds" >"$TMP/out" 2>"$TMP/err" &
	pid=$!
	for ((i = 0; i < 600; i++)); do
		grep -q ready "$TMP/out" && break
		snooze 0.1
	done
	grep -q ready "$TMP/out" || fail 'it does not start' "$(cat "$TMP/err")"
	[ "$(loads)" -ge 4 ] || fail "$(loads) processes before the end"
	"${@}" "$pid"
	wait "$pid" || got=$?
	[ "$got" = "$status" ] || fail "status $got, not $status" "$(cat "$TMP/err")"
	none_is_left
	grep -q 'given back' "$TMP/out" || fail 'nothing was given back'
}

to_group()
{
	kill -INT -- "-$1"
}

seconds=1000
check 'a benchmark that is killed leaves no load' ends 137 kill -KILL
check 'a benchmark that is ended leaves no load' ends 1 kill -TERM
check 'Ctrl-C of a benchmark leaves no load' ends 1 to_group
seconds=0.5
check 'a benchmark that is done leaves no load' ends 3 true
