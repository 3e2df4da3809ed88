# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Shared by the command line tests of offcpu, wakeup, offwake and chain.  Sourced after ../lib.sh;
# $COMMAND is the command.

# refuses STATUS TEXT ARGS...: exits with the status and says the text; nothing on stdout.
refuses()
{
	local want=$1 text=$2 status=0

	shift 2
	timeout 20 "$BPERF" "$COMMAND" "$@" >"$TMP/out" 2>"$TMP/err" </dev/null || status=$?
	[ "$status" = "$want" ] || fail "exit status $status, want $want, of: $*" "$(cat "$TMP/err")"
	[ ! -s "$TMP/out" ] || fail "a result in spite of the error: $*"
	grep -qF -- "$text" "$TMP/err" || fail "not said: $text" "$(cat "$TMP/err")"
}

# Without a duration they run until Ctrl-C; with one they end by themselves.  $TMP/out is the result.
runs()
{
	local status=0

	timeout -s INT -k 20 "${RUN_SECONDS:-20}" "$BPERF" "$COMMAND" "$@" >"$TMP/out" \
		2>"$TMP/err" </dev/null || status=$?
	case $status in
	0) ;;
	124) [ "${RUN_SECONDS-}" ] || fail "it did not end: $COMMAND $*" ;;
	*) fail "exit status $status of: $COMMAND $*" "$(cat "$TMP/err")" ;;
	esac
	# On a slow host the signal may come before the start is over.
	[ -z "${RUN_SECONDS-}" ] || ! grep -q 'nded by a signal before' "$TMP/err" || return 0
	grep -Eq '^[0-9,.]+ (s|ms|us)[,;].*lost: ' "$TMP/err" ||
		fail "no last line of: $COMMAND $*" "$(cat "$TMP/err")"
}

# The same, until Ctrl-C.
runs_on()
{
	RUN_SECONDS=1.5 runs "$@"
}

# The filters that all of these commands' peers have, one by one.
runs_with_filters()
{
	runs -m 1000 0.3
	runs -M 10000 0.3
	runs -p "$pid" 0.3
	runs -t "$pid" 0.3
	runs -u 0.3
	runs -k 0.3
	runs -U 0.3
}

# One run, every format of a file.
runs_into_files()
{
	local extension files=()

	for extension in svg html pb.gz json txt; do
		files+=(-o "$TMP/a.$extension")
	done
	runs "${files[@]}" 0.3
	for extension in svg html pb.gz json txt; do
		[ -s "$TMP/a.$extension" ] || fail "nothing in a.$extension"
	done
}

# Columns of numbers in folded output, and nothing else.
is_folded()
{
	[ -s "$TMP/out" ] || fail 'nothing waited'
	! grep -Evn '^[^;]+(;[^;]+)* [1-9][0-9]*$|^$' "$TMP/out" || fail 'these lines are not folded'
}

# sleeper: pid of a process that sleeps, is woken by the end of another, and sleeps again, all the time.
sleeper()
{
	bash -c 'while :; do sleep 0.05; done' &
	pid=$!
	at_exit+=("kill $pid 2>/dev/null")
}

# Arguments that all four refuse.
common_words()
{
	refuses 64 "-m: 'abc' is not a whole number" -m abc 1
	refuses 64 "-m: '1ms' is not a whole number" -m 1ms 1
	refuses 64 "-M: -1 is not in 0 to 18446744073709551" -M -1 1
	refuses 64 "-m 5 is more than -M 4" -m 5 -M 4 1
	refuses 64 "is not a time" 5x
	refuses 64 "0 " 0
	refuses 64 "-K" -U -K 1
	refuses 64 "'x' is not" --by x 1
	refuses 64 "is not a" -p 1,x 1
	refuses 64 "conflicts with" -p 1 -t 1 1
	refuses 64 "'x' is not a CPU number" --cpu x 1
	refuses 64 "unknown option '-F'" -F 99 1
	refuses 64 "%i" -o "$TMP/a.svg" 1 5
	refuses 64 "is not one of us, ms, s, ns" --unit h 1
	refuses 64 "did you mean '--min-block-time'" --min-blok-time 5 1
	refuses 64 "--stack-storage-size: 0 is not in" --stack-storage-size 0 1
}

common_absences()
{
	refuses 66 "there is no process 4194304" -p 4194304 1
	refuses 66 "there is no thread 4194304" -t 4194304 1
	refuses 66 "no cgroup" --cgroup /no/such/cgroup 1
	refuses 66 "there is no CPU 8190" --cpu 8190 1
	refuses 66 "cannot run '/no/such/program'" -- /no/such/program
}

common_states()
{
	refuses 64 "--state Q: there is no such state" --state Q 1
	refuses 64 "--state X: there is no such state" --state X 1
	refuses 64 "letters R (preempted), S" --state Q 1
	refuses 64 "the argument is empty" --state '' 1
	refuses 64 "no such state" --state 0xg 1
	refuses 64 "no such state" --state 4294967296 1
	refuses 64 "conflicts with" -u -k 1
	refuses 64 "kernel threads have no user stacks" -k -U 1
	refuses 64 "conflicts with" -s -f 1
}

# Data that a format cannot express, and filters that match nothing.
empty_report()
{
	runs --comm no-such-thread 0.2
	[ ! -s "$TMP/out" ] || fail "$(cat "$TMP/out")"
	grep -q '^0' "$TMP/err" || fail "$(cat "$TMP/err")"
}

# The window's number, its separator and its parts: two reports of one run.
two_windows()
{
	runs -j -p "$1" 0.3 2
	[ "$(jq -s 'map(select(.type == "interval")) | length' "$TMP/out")" = 2 ] ||
		fail "$(jq -c 'select(.type == "interval")' "$TMP/out")"
	jq -c 'select(.type == "stack") | select(.value < 1 or .count + .open < 1)' "$TMP/out" >"$TMP/odd"
	jq -se 'map(select(.type == "stack")) | length > 0' "$TMP/out" >/dev/null || fail 'nothing waited'
	[ ! -s "$TMP/odd" ] || fail "$(cat "$TMP/odd")"
	runs -f -p "$1" 0.3 2
	is_folded
	[ "$(grep -c '^$' "$TMP/out")" = 1 ] || fail 'no empty line between two blocks' "$(cat "$TMP/out")"
}

# Where kernel addresses are hidden, interrupts can't be told from the threads that they interrupt.
needs_addresses()
{
	command -v setpriv >/dev/null || skip_because 'no setpriv here'
	BPERF_REAL=$BPERF
	export BPERF_REAL
	cat >"$TMP/without-syslog" <<-'END'
		#!/bin/sh
		exec setpriv --bounding-set -syslog --inh-caps -syslog "$BPERF_REAL" "$@"
	END
	chmod +x "$TMP/without-syslog"
	setpriv --bounding-set -syslog --inh-caps -syslog head -n1 /proc/kallsyms | grep -q '^0*0 ' ||
		skip_because 'this kernel hides no addresses'
	BPERF=$TMP/without-syslog refuses 77 'the kernel hides its addresses' 0.2
	BPERF=$TMP/without-syslog refuses 77 'CAP_SYSLOG' 0.2
}

# check_common: all of the above that every command has.
check_common()
{
	check 'wrong words are refused by name' common_words
	if ((EUID)); then
		skip 'the commands run' 'needs root'
		exit 0
	fi
	sleeper
	check 'a target that does not exist is an error' common_absences
	check 'a filter that nothing matches makes an empty report' empty_report
	command -v jq >/dev/null && check 'each interval has its report' two_windows "$pid"
}
