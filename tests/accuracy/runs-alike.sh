#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# All commands that measure begin a run, report and end it in the same way.
#
# long: runs each command several times, 36 s
# kernels: 5.10
# shared: its counts do not depend on the CPU time that it gets

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/accuracy/common.bash
. tests/accuracy/common.bash
need jq script

RUNS=(
	'profile -e cpu-clock'
	'offcpu'
	'wakeup'
	'offwake'
	'chain'
	'trace syscall:getppid'
	'funccount syscall:getppid'
	'argdist -H r:syscall:getppid'
)

# of_run RUN ARGS...: run it with JSON to $TMP/out; returns its exit status.
of_run()
{
	local run=$1

	shift
	# shellcheck disable=SC2086 # words
	"$BPERF" $run -j "$@" >"$TMP/out" 2>"$TMP/err" </dev/null
}

# ends RUN STATUS REASON PROGRAM...: the run ends so, and its stream is whole.
ends()
{
	local run=$1 status=0

	of_run "$1" -- "${@:4}" || status=$?
	exactly "$status" "$2" "exit status of $run" "$(cat "$TMP/err")"
	exactly "$(jq -s -c '[.[0].type, .[-1].type, .[-1].reason]' "$TMP/out")" \
		"[\"meta\",\"end\",\"$3\"]" "first and last record of $run, and why it ended"
}

missing_program()
{
	local run

	for run in "${RUNS[@]}"; do
		ends "$run" 66 error /nonexistent/program
		exactly "$(jq -s -c '[.[-1].intervals, (map(select(.type == "interval")) | length)]' "$TMP/out")" \
			'[0,0]' "reports of $run"
	done
}
check 'a program that cannot be run ends a run before its first report' missing_program

program_ends()
{
	local run

	for run in "${RUNS[@]}"; do
		ends "$run" 3 child_exit sh -c 'exit 3'
		exactly "$(jq_last '.intervals' "$TMP/out")" 1 "reports of $run"
	done
}
check 'the end of the program is the end of the run, with its status' program_ends

# If the kernel does not count losses, the result may be incomplete.
is_complete()
{
	local run

	for run in "${RUNS[@]}"; do
		of_run "$run" --strict -- true || :
		jq_last -e '.complete == (.lost | all(. == 0))' "$TMP/out" >/dev/null ||
			fail "$run:" "$(jq -c 'select(.type == "end")' "$TMP/out")"
		exactly "$(jq -s 'any(.[]; .type == "warn" and .code == "losses-unknown")' "$TMP/out")" \
			"$(jq_last '.lost.missed == null' "$TMP/out")" \
			"does $run --strict say that losses are not counted"
	done
}
check 'a result is complete if all losses were counted, and there were none' is_complete

terminal()
{
	local run

	for run in "${RUNS[@]}"; do
		script -qec "$BPERF $run -o $TMP/file.json -- sleep 1.2" /dev/null >"$TMP/tty" 2>&1 </dev/null ||
			fail "$run: exit status $?" "$(cat "$TMP/tty")"
		grep -q ': sleep and its children, Ctrl-C to end\.' "$TMP/tty" ||
			fail "$run has no banner" "$(cat "$TMP/tty")"
		# Events are lines on the terminal: only a file leaves room for progress.
		[[ $run == trace* ]] || grep -qE '[0-9]\.[0-9] s .* [0-9]+ lost' "$TMP/tty" ||
			fail "$run shows no progress" "$(cat "$TMP/tty")"
	done
}
check 'on a terminal each shows what it does, and its progress' terminal

piped()
{
	script -qec "$BPERF profile -j -- sleep 1.2 | cat >$TMP/out" /dev/null >"$TMP/tty" 2>&1 </dev/null ||
		fail "exit status $?" "$(cat "$TMP/tty")"
	grep -q '"type":"end"' "$TMP/out" || fail 'no result' "$(cat "$TMP/out")"
	grep -q 'Ctrl-C to end\.' "$TMP/tty" || fail 'no banner' "$(cat "$TMP/tty")"
	! grep -E '[0-9]\.[0-9] s .* [0-9]+ lost' "$TMP/tty" || fail 'progress on the screen of the reader'
}
check 'the screen is left to a program that reads the result' piped
