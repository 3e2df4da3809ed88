# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Every shell test begins like this:
#
#	. "$(dirname "$0")/../lib.sh"
#	need jq
#	check 'profile writes JSON' profile_is_json
#
# A result is one line, "ok - name", "not ok - name" or "skip - name: reason"; lines that begin with "#" say
# why.  The script's exit status follows from them.  It runs in the repository's top folder, no matter where
# it was called.

set -u
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

export BPERF=${BPERF:-$PWD/build/bperf} # the command under test
export WORK=${WORK:-$PWD/build/tests/workloads} # the workloads of tests/workloads/
export LC_ALL=C
unset MAKEFLAGS MFLAGS MAKELEVEL

n_failed=0
TMP=$(mktemp -d "${TMPDIR:-/tmp}/bperf-test.XXXXXX") || exit 1 # removed at the end
mkfifo "$TMP/.never" || exit 1 # nothing is ever written to it
at_exit=()
export BPERF_TEST=$EPOCHREALTIME.$$ # the processes that this script starts inherit it

# gojq starts in 2 ms.  jq 1.6 takes 35 ms, because it reads its own library first.
! command -v gojq >/dev/null || jq()
{
	command "${JQ:-gojq}" "$@"
}

# in_order COMMAND...: with jq itself, because gojq sorts the keys of objects.
in_order()
{
	local JQ=jq

	"$@"
}

# snooze SECONDS: sleep without a process: to start one takes 6 ms of CPU time, twice as much on a busy machine.
snooze()
{
	read -rt "$1" <>"$TMP/.never" || :
}

# contains FILE TEXT: without a process, for a loop that waits for a text.
contains()
{
	local text=

	[ -e "$1" ] || return
	IFS= read -rd '' text <"$1"
	[[ $text == *"$2"* ]]
}

# A workload that outlives its test slows down all later tests: it is found, and killed.  Processes
# that bperf forks to detach its probes may take as long as that takes.
nothing_left()
{
	local i pid left mark="BPERF_TEST=$BPERF_TEST"

	unset BPERF_TEST # the programs below are not meant
	for ((i = 0; i < 300; i++)); do
		mapfile -t left < <(grep -alFxz "$mark" /proc/[0-9]*/environ 2>/dev/null)
		((${#left[@]})) || return 0
		left=("${left[@]//[!0-9]/}")
		snooze 0.1
	done
	not_ok 'nothing is left running' "$(for pid in "${left[@]}"; do
		echo "$pid $(tr '\0' ' ' <"/proc/$pid/cmdline")"
	done 2>/dev/null)"
	kill -9 "${left[@]}" 2>/dev/null
}

# at_exit+=('command'): run at the end, last added first; for background processes and mounts.
finish()
{
	local status=$? i

	trap - EXIT
	for ((i = ${#at_exit[@]} - 1; i >= 0; i--)); do
		eval "${at_exit[i]}"
	done
	nothing_left
	rm -rf "$TMP"
	((status || !n_failed)) || status=1
	exit "$status"
}
trap finish EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

ok()
{
	printf 'ok - %s\n' "$1"
}

# not_ok NAME [WHY...]
not_ok()
{
	local name=$1

	shift
	(($#)) && printf '%s\n' "$@" | sed 's/^/# /'
	printf 'not ok - %s\n' "$name"
	n_failed=$((n_failed + 1))
}

skip()
{
	printf 'skip - %s: %s\n' "$1" "$2"
}

# check NAME COMMAND...: ok when the command succeeds; its output is shown when it does not.
# The command runs in a subshell: `skip_because REASON` inside it turns the result into a skip.
check()
{
	local name=$1 status=0

	shift
	: >"$TMP/.skip"
	: >"$TMP/.absent"
	("$@") >"$TMP/.check" 2>&1 || status=$?
	if [ -s "$TMP/.absent" ]; then
		not_ok "$name" "$(cat "$TMP/.absent")"
	elif [ -s "$TMP/.skip" ]; then
		skip "$name" "$(cat "$TMP/.skip")"
	elif ((status)); then
		not_ok "$name" "$(tail -n 60 "$TMP/.check")" "exit status $status of: $*"
	else
		ok "$name"
	fi
}

# bash calls this in a process of its own, and goes on: a misspelled assertion would pass.  A program may be
# absent from a host, but has no underscore in its name.
command_not_found_handle()
{
	echo "$1: command not found" >&2
	[[ $1 == *_* ]] && echo "there is no function $1" >>"$TMP/.absent"
	return 127
}

skip_because()
{
	printf '%s' "$1" >"$TMP/.skip"
	exit 0
}

# fail WHY...: leave a function that `check` runs.
fail()
{
	printf '%s\n' "$@"
	exit 1
}

# same WANT GOT: two files, byte by byte.
same()
{
	diff -u "$1" "$2"
}

this_test()
{
	local name=${0#"$PWD/"}

	name=${name##*tests/}
	printf '%s' "${name%.sh}"
}

# need TOOL...: skip the rest of the script when one is missing.
need()
{
	local tool

	for tool in "$@"; do
		if ! command -v "$tool" >/dev/null 2>&1; then
			skip "$(this_test)" "no $tool here"
			exit 0
		fi
	done
}

need_root()
{
	if ((EUID)); then
		skip "$(this_test)" 'needs root'
		exit 0
	fi
}

# need_mounts: skip the test where there can be no mount namespace: without the privilege, and below a
# chroot whose root is no mount.
need_mounts()
{
	unshare -m true 2>/dev/null || skip_because 'no mount namespaces'
}

# has_tracepoint CATEGORY:NAME, whether tracefs is mounted or bperf has to mount it for itself.
has_tracepoint()
{
	"$BPERF" list "t:$1" >/dev/null 2>&1
}

# jq_values FILTER FILE: the filter's result for all values in a file, in one line.  jq 1.7 and later print
# numbers as they were written (7.000, all digits of -2^63) unless they are computed with; earlier ones
# print 7.
jq_values()
{
	jq -s -c "$1 | walk(if type == \"number\" then . + 0 else . end)" "$2"
}

# jq_last [OPTION...] FILTER FILE: the filter's result for the last record of JSON Lines, which has the totals.
# tail finds it in no time; jq alone would read all records first, for seconds where CPUs are emulated.
jq_last()
{
	local record

	record=$(tail -n 1 "${!#}") && [ "$record" ] || return
	jq "${@:1:$#-1}" <<<"$record"
}

# as_root COMMAND...: as we are when root, else with a sudo that doesn't ask.
as_root()
{
	if ((EUID)); then
		sudo -n "$@"
	else
		"$@"
	fi
}

export SYMBOLS= # a copy that stands in for /proc/kallsyms; "": none does

# copied_symbols: where CPUs are emulated, mount a copy of /proc/kallsyms over it until the script ends:
# printing them is half of the cost of a short run there.  The copy leaves out data and the padding before
# functions (__pfx_), which are most of the lines and which no test needs.  It has no names of BPF programs,
# which come and go: do not use it in tests of those, or of the right to see addresses.  Later scripts use the
# same copy while the same modules are loaded at the same addresses.
copied_symbols()
{
	local copy=${TMPDIR:-/tmp}/bperf-kallsyms modules

	[ "${BPERF_SLOW-}" ] || return 0
	modules=$(awk '{ print $1, $6 }' /proc/modules)
	if [ ! -e "$copy.modules" ] || [ "$modules" != "$(cat "$copy.modules")" ]; then
		awk '/ [tTwW] / && !/ __pfx_/' /proc/kallsyms >"$copy" && echo "$modules" >"$copy.modules" || return
	fi
	mount --bind "$copy" /proc/kallsyms && SYMBOLS=$copy && at_exit+=('umount /proc/kallsyms')
}

# The names of the commands; those of the tools come after the first empty line.  top has others measure: it
# needs a terminal, and has its own tests.
commands()
{
	"$BPERF" --list | sed '/^$/,$d' | grep -vx top
}

# short_run NAME: the words after a command's options with which it runs for a moment.  A command
# that has to be told what to measure gets that here, once for all tests that go through the list.
short_run()
{
	case $1 in
	trace) echo '-M 1 raw:sys_enter -- true' ;;
	funccount) echo '-d 0.2 raw:sys_enter' ;;
	argdist) echo '-d 0.2 -C raw:sys_enter' ;;
	dump) echo '--cpu 0' ;;
	list) echo 't:sched:*' ;;
	*) echo 0.2 ;;
	esac
}

PATIENCE=${PATIENCE:-30} # seconds after which what is not there counts as wrong

# poll COMMAND...: until it succeeds; it may fail as a check does.  Once something did not come, the rest of
# the script waits less: the test fails in any case.
poll()
{
	local end=$((SECONDS + PATIENCE))

	[ ! -e "$TMP/impatient" ] || end=$((SECONDS + 5))
	until ("$@") >/dev/null 2>&1; do
		((SECONDS < end)) || { : >"$TMP/impatient" && return 1; }
		snooze 0.05
	done
}

# A fresh folder, removed at the end.
tmpdir()
{
	mktemp -d "$TMP/XXXXXX"
}

# as_nobody CAPABILITIES COMMAND...: "+bpf,+perfmon" are all that it has.
as_nobody()
{
	local caps="-all,$1"

	shift
	setpriv --reuid 65534 --regid 65534 --clear-groups --no-new-privs --inh-caps "$caps" \
		--ambient-caps "$caps" --bounding-set "$caps" -- "$@"
}

# A copy of the command, in $TMP, for tests as the user nobody.
for_nobody()
{
	chmod 755 "$TMP"
	cp "$BPERF" "$TMP/bperf"
}
