#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The command lines that people know from bcc's profile, and those that profile refuses. tests/accuracy
# tests the meaning of its numbers.

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

fail()
{
	printf '%s\n' "$@"
	exit 1
}

# refuses STATUS TEXT ARGS...: exits with the status and says the text; nothing on stdout.
refuses()
{
	local want=$1 text=$2 status=0

	shift 2
	timeout 20 "$BPERF" profile "$@" >"$TMP/out" 2>"$TMP/err" </dev/null || status=$?
	[ "$status" = "$want" ] || fail "exit status $status, want $want, of: $*" "$(cat "$TMP/err")"
	[ ! -s "$TMP/out" ] || fail "a result in spite of the error: $*"
	grep -qF -- "$text" "$TMP/err" || fail "not said: $text" "$(cat "$TMP/err")"
}

bad_words()
{
	refuses 64 "not a whole number" -F abc 1
	refuses 64 "-F: 0 is not in" -F 0 1
	refuses 64 "not a whole number" -c 12x 1
	refuses 64 "is not a time" 5x
	refuses 64 "0 " 0
	refuses 64 "-K" -U -K 1
	refuses 64 "-c" -F 99 -c 5 1
	refuses 64 "there is no event 'cicles'" -e cicles 1
	refuses 64 "did you mean 'cycles'" -e cicles 1
	refuses 64 "'x' is not" --by x 1
	refuses 64 "--functions with -p PID or --comm NAME" --by comm --functions 1
	refuses 64 "--ratio: needs two events" --ratio cycles 1
	refuses 64 "--ratio: an event is missing" --ratio instructions/ 1
	refuses 64 "--ratio: an event is missing" --ratio /cycles 1
	refuses 64 "--color-by: an event is missing" --color-by :5 1
	refuses 64 "'0' is not a number of events" --ratio page-faults:0/cpu-clock 1
	refuses 64 "'5x' is not a number of events" --color-by page-faults:5x 1
	refuses 64 "cpu-clock divided by cpu-clock is always 1" --ratio cpu-clock/cpu-clock 1
	refuses 64 "there is no event 'cycels'" --ratio instructions/cycels 1
	refuses 64 "there is no event 'page-fault'" -e cpu-clock --color-by page-fault 1
	refuses 64 "-e" --ratio page-faults/cpu-clock -e cpu-clock 1
	refuses 64 "single samples are those of one event" --ratio page-faults/cpu-clock --timeline 1
	refuses 64 "single samples are those of one event" --color-by page-faults -o "$TMP/a.perf" 1
	refuses 64 "is not a" -p 1,x 1
	refuses 64 "is not a" -C 0-x 1
	refuses 64 "%i" -o "$TMP/a.svg" 1 5
	refuses 64 "--frequenzy" --frequenzy 9 1
	refuses 64 "did you mean '--frequency'" --frequenzy 9 1
}
check 'wrong words are refused by name' bad_words

nothing_there()
{
	refuses 66 "there is no process 4194304" -p 4194304 1
	refuses 66 "there is no thread 4194304" -L 4194304 1
	refuses 66 "there is no CPU 8191" -C 8191 1
	refuses 66 "no cgroup" --cgroup /no/such/cgroup 1
	refuses 66 "no cgroup '..'" --cgroup .. 1
	refuses 66 "no cgroup" --cgroup /sys/fs/cgroup/../../.. 1
	refuses 66 "cannot run '/no/such/program'" -- /no/such/program
}
if [ "$(id -u)" = 0 ]; then
	check 'a target that does not exist is an error' nothing_there
else
	skip 'a target that does not exist is an error' 'needs root'
fi

# Without a duration they run until Ctrl-C; with one they end by themselves.
runs()
{
	local status=0

	timeout -s INT 1.5 "$BPERF" profile "$@" >"$TMP/out" 2>"$TMP/err" </dev/null || status=$?
	case $status in
	0 | 124) ;;
	*) fail "exit status $status of: profile $*" "$(cat "$TMP/err")" ;;
	esac
	grep -Eq '^[0-9,]+ samples?[,;]' "$TMP/err" || fail "no last line of: profile $*" "$(cat "$TMP/err")"
}

peers_lines()
{
	local pid tid

	sleep 600 &
	pid=$!
	at_exit+=("kill $pid 2>/dev/null")
	tid=$pid
	runs
	runs -I 0.3
	runs -g 0.3
	runs -p "$pid" 0.3
	runs -p "$pid,$$" 0.3
	runs -p "$pid" -d 0.3
	runs -f -p "$pid" 0.3
	runs -df -p "$pid" 0.3
	runs -adf -p "$pid" 0.3
	runs -F 9 0.3
	runs -C 0 0.3
	runs -U 0.3
	runs -K 0.3
	runs -F 99
	runs -c 1000000 0.3
	runs -f 0.3
	runs -L "$tid" 0.3
	runs -t "$tid" 0.3
	runs -A 0.3
	runs --stack-storage-size 2048 0.3
	runs --hash-storage-size 4096 0.3
	runs --debug-dir /no/such/folder 0.3
	runs -U -F 99 -p "$pid" 0.3
	kill "$pid"
}

pinned_map()
{
	local bpftool map=/sys/fs/bpf/bperf-test-$$

	bpftool=$(PATH=$PATH:/usr/sbin:/sbin command -v bpftool) || fail 'no bpftool'
	mountpoint -q /sys/fs/bpf || mount -t bpf bpf /sys/fs/bpf || fail 'no bpffs'
	"$bpftool" map create "$map" type hash key 8 value 8 entries 16 name bperf_test || exit 1
	# shellcheck disable=SC2064 # this map: its name is gone at the exit
	trap "rm -f '$map'" EXIT
	runs --cgroupmap "$map" 0.3
	grep -q '^0 samples' "$TMP/err" || fail 'an empty map lets samples through' "$(cat "$TMP/err")"
	runs --mntnsmap "$map" 0.3
	grep -q '^0 samples' "$TMP/err" || fail 'an empty map lets samples through' "$(cat "$TMP/err")"
	runs --not-comm 'no-such' -e cpu-clock -F 99 --mntnsmap "$map" -- sh -c :
	refuses 1 'cannot open the pinned map' --cgroupmap /sys/fs/bpf/bperf-no-such-map 1
}

if [ "$(id -u)" = 0 ]; then
	check "the lines of bcc's examples run" peers_lines
	if PATH=$PATH:/usr/sbin command -v bpftool >/dev/null; then
		check 'pinned maps filter as in bcc' pinned_map
	else
		skip 'pinned maps filter as in bcc' 'no bpftool here'
	fi
else
	skip "the lines of bcc's examples run" 'needs root'
	skip 'pinned maps filter as in bcc' 'needs root'
fi
