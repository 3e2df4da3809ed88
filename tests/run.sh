#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# tests/run.sh [SUBSTRING...]: run the tests of this machine, or those whose name holds one of the
# substrings ("unit/num", "accuracy", "layers").  A test whose head has a line "# long: WHY" runs when a
# substring names it, and with --all.  -l lists tests.  --vm runs those on other kernels instead
# (tests/vm/vm); --arm64 those on arm64's; --all runs everything: the long tests, other kernels, and
# builds on other releases of Debian (debian.sh).
#
# Tests that need no privileges run first, on all CPUs.  Tests that load BPF programs run next, as root:
# those of command lines (bpf, cli) and those whose head has a line "# shared: WHY" several at a time; those
# that measure time, or have a line "# alone: WHY", one at a time.  Guests use what these leave of the CPUs:
# they run at idle priority, and their clocks count their own instructions.  Output of each test is kept in
# build/tests/log/.
# The last line is "N passed, N failed, N skipped"; the exit status is 0 if and only if nothing failed.
#
# $MINUTES: tests on other kernels that have not begun after this many minutes are skipped.

set -u
cd "$(dirname "$0")/.." || exit 1
unset MAKEFLAGS MFLAGS MAKELEVEL
export LC_ALL=C
# The distribution's programs first: its python3 has the modules that make deps installs, and that of a version
# manager is a shell script which takes a second.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin:$PATH
export BPERF=${BPERF:-$PWD/build/bperf} WORK=${WORK:-$PWD/build/tests/workloads}

LOG=build/tests/log
HELPERS=' tools/deps tools/link tools/demo tools/debian ' # scripts that are no tests
NO_TESTS=' bench vm '                                    # folders of scripts that are no tests
VM_SECONDS=4500                                          # only hangs take that long
UNTIL=${MINUTES:+$((EPOCHSECONDS + MINUTES * 60))}

list=0 places=host long=0
while :; do
	case ${1-} in
	-l) list=1 ;;
	--vm) places=vm ;;
	--arm64) places=arm64 ;;
	--all) places='host debian vm' long=1 ;;
	*) break ;;
	esac
	shift
done
wanted=("$@")
(($#)) && long=1

passed=0 failed=0
skips=() failures=() repeated=()

is_wanted()
{
	local word

	((${#wanted[@]} == 0)) && return
	for word in "${wanted[@]}"; do
		[[ $1 == *"$word"* ]] && return
	done
	return 1
}

# Lines "tier id seconds": the tests to run.
tests()
{
	local place

	for place in $places; do
		"${place}_tests"
	done
}

vm_tests()
{
	local kernel kernels='multiprocessors newest 5.10 6.12/1of2 6.12/2of2 environments
		6.1/1of4 6.1/2of4 6.1/3of4 6.1/4of4'

	# "multiprocessors" are machines of several CPUs, "environments" other odd ones.  The rest is sorted
	# by time, the longest first.  The last ones are in parts, so that no CPU idles for long at the end: a part
	# takes 2 minutes, and 8 s of that to boot.
	for kernel in ${KERNELS:-$kernels}; do
		echo "vm vm/$kernel $VM_SECONDS"
	done
}

debian_tests()
{
	local release

	for release in bookworm trixie sid; do
		echo "any debian/$release 1500" # 100 s of CPU time each
	done
}

arm64_tests()
{
	local kernel

	for kernel in ${KERNELS:-newest 6.1}; do
		echo "vm arm64/$kernel $VM_SECONDS"
	done
}

# says FILE WORD: a line "# WORD: WHY" is in a script's head.
says()
{
	sed '/^#/!q' "$1" | grep -q "^# $2: "
}

host_tests()
{
	local f id dir

	for f in tests/unit/*/*.c; do
		id=${f#tests/}
		echo "any ${id%.c} 120"
	done
	for f in tests/*/*.sh; do
		id=${f#tests/}
		id=${id%.sh}
		dir=${id%/*}
		[[ $HELPERS == *" $id "* || $NO_TESTS == *" $dir "* ]] && continue
		if ((!long)) && says "$f" long; then
			echo "long $id 0"
			continue
		fi
		case $id in
		tools/san) echo "any $id 3000" ;; # the longest: first
		tools/build | tools/lint) echo "any $id 2700" ;; # busy, this needed 1200
		bpf/* | cli/*) says "$f" alone && echo "root $id 600" || echo "shared $id 600" ;;
		accuracy/*) says "$f" shared && echo "shared $id 600" || echo "root $id 300" ;;
		*) echo "any $id 300" ;;
		esac
	done
}

# timeout puts a test into a process group of its own, out of reach of a Ctrl-C: pass it on.
stop()
{
	# shellcheck disable=SC2046 # several
	kill $(jobs -p) 2>/dev/null
	exit 130
}
trap stop INT TERM HUP

# run TIER ID SECONDS: the test, its output and its status into $LOG.  A job of its own.
run()
{
	local tier=$1 id=$2 seconds=$3 log=$LOG/${2//\//-} cmd start=$EPOCHREALTIME status
	local until=(${UNTIL:+--until "$UNTIL"}) kernel=${2#vm/}

	case $id in
	unit/*) cmd=("build/tests/$id") ;;
	vm/environments | vm/multiprocessors) cmd=(tests/vm/vm "${until[@]}" "--${id#vm/}") ;;
	vm/*/*) cmd=(tests/vm/vm "${until[@]}" --part "${kernel#*/}" "${kernel%/*}") ;;
	vm/*) cmd=(tests/vm/vm "${until[@]}" "$kernel") ;;
	debian/*) cmd=(bash tests/tools/debian.sh "${id#debian/}") ;;
	arm64/*) cmd=(tests/vm/vm "${until[@]}" --arch arm64 "${id#arm64/}") ;;
	*) cmd=(bash "tests/$id.sh") ;;
	esac
	cmd=(timeout -k 10 "$seconds" "${cmd[@]}")
	if [[ $tier == root || $tier == shared ]] && ((EUID)); then
		# Run it as if root had logged in: bperf gives the programs it runs to the user in SUDO_UID,
		# who can't enter root's temporary folders.
		cmd=(sudo -n env -u SUDO_UID -u SUDO_GID -u SUDO_USER -u SUDO_COMMAND "PATH=$PATH" "BPERF=$BPERF" "WORK=$WORK" LC_ALL=C "${cmd[@]}")
	fi
	if [[ $id == unit/* && ! -x build/tests/$id ]]; then
		echo "not ok - $id is not built"
		false
	else
		"${cmd[@]}" </dev/null {ended}>&- &
		# shellcheck disable=SC2064 # this child
		trap "kill $! 2>/dev/null; exit 143" TERM
		wait $!
	fi >"$log" 2>&1
	status=$?
	times >"$log.times" # in a pipe it would tell the pipe's
	echo "$status $(((${EPOCHREALTIME/./} - ${start/./}) / 1000)) $seconds $(
		awk -F '[ms ]' 'END { printf "%.0f", 60 * ($1 + $4) + $2 + $5 }' "$log.times"
	)" >"$log.status"
	echo "$id" >&"$ended"
}

# tell ID: count what a finished test printed, show it when it failed.
tell()
{
	local id=$1 log=$LOG/${1//\//-} status ms seconds cpu_seconds line n_ok=0 n_bad=0 n_skip=0

	status=1 ms=0 seconds=0 cpu_seconds=0
	read -r status ms seconds cpu_seconds <"$log.status"
	while IFS= read -r line; do
		case $line in
		'ok - '*) n_ok=$((n_ok + 1)) ;;
		'not ok - '*)
			n_bad=$((n_bad + 1))
			failures+=("$id: ${line#not ok - }")
			;;
		'skip - '*)
			n_skip=$((n_skip + 1))
			skips+=("$id: ${line#skip - }")
			;;
		'# failed at first: '*) repeated+=("$id: ${line#'# failed at first: '}") ;;
		esac
	done <"$log"
	if ((status == 124 || status == 137)); then
		n_bad=$((n_bad + 1))
		failures+=("$id: stopped after $seconds s")
	elif ((status && !n_bad)); then
		n_bad=1
		failures+=("$id: exit status $status")
	elif ((!n_ok && !n_bad && !n_skip)); then
		n_bad=1
		failures+=("$id: no result")
	fi
	passed=$((passed + n_ok)) failed=$((failed + n_bad))
	printf '%-6s %-32s %4d passed, %d failed, %d skipped %6d.%d s, %5d s of CPU time\n' \
		"$( ((n_bad)) && echo FAILED || echo ok)" "$id" "$n_ok" "$n_bad" "$n_skip" \
		$((ms / 1000)) $((ms % 1000 / 100)) "$cpu_seconds"
	((n_bad)) && { sed 's/^/    /' "$log" | tr -c '[:print:]\n\t' '?'; echo "    (end of $log)"; }
	return 0
}

# ---- which ------------------------------------------------------------------------------------

mapfile -t all < <(tests)
any=() shared=() root=() guests=() multiprocessors=() n_left_out=0
for t in "${all[@]}"; do
	read -r tier id seconds <<<"$t"
	is_wanted "$id" || continue
	((list)) && echo "$id"
	case $tier in
	any) any+=("$t") ;;
	shared) shared+=("$t") ;;
	root) root+=("$t") ;;
	long) n_left_out=$((n_left_out + 1)) ;;
	vm) [[ $id == */multiprocessors ]] && multiprocessors+=("$t") || guests+=("$t") ;;
	esac
done
((list)) && exit 0

rm -rf "$LOG" && mkdir -p "$LOG" || exit 1
max=$(nproc)

can_be_root=1
if ((EUID && ${#shared[@]} + ${#root[@]})) && ! sudo -n true 2>/dev/null; then
	# Only a person at a terminal is asked for a password.
	{ [ -t 0 ] && command -v sudo >/dev/null && sudo -v; } || can_be_root=0
fi
if ((!can_be_root)); then
	for t in "${shared[@]}" "${root[@]}"; do
		read -r tier id seconds <<<"$t"
		skips+=("$id: needs root, and sudo would ask for a password")
	done
	shared=() root=()
fi

# ---- lanes ------------------------------------------------------------------------------------

# Run those TESTs, one after the other, that no other lane has taken.
lane()
{
	local t tier id seconds

	# shellcheck disable=SC2046 # several
	trap 'kill $(jobs -p) 2>/dev/null; exit 143' TERM
	for t in "$@"; do
		read -r tier id seconds <<<"$t"
		mkdir "$LOG/${id//\//-}.taken" 2>/dev/null || continue
		run "$tier" "$id" "$seconds" &
		wait $!
	done
}

# A guest of one CPU has a clock that counts its instructions: it may wait for a CPU as long as it
# likes.
idle_lane()
{
	chrt -i -p 0 $BASHPID >/dev/null 2>&1
	lane "$@"
}

# follow TELL TEST...: TELL each test as it ends.  Lanes write to this pipe what has ended; looking for files
# that they write takes 6 % of a CPU.
mkfifo "$LOG/ended" && exec {ended}<>"$LOG/ended" || exit 1
declare -A has_ended=()
follow()
{
	local tell=$1 t tier id seconds
	local -A left=()

	shift
	for t; do
		read -r tier id seconds <<<"$t"
		left[$id]=1
	done
	while
		for id in "${!has_ended[@]}"; do
			[ "${left[$id]-}" ] || continue
			unset "left[$id]" "has_ended[$id]"
			"$tell" "$id"
		done
		((${#left[@]}))
	do
		read -r id <&"$ended" && has_ended[$id]=1
	done
}

# A test that measures on this machine can fail because of other programs.  A test that failed runs once
# more, after all others: the second run counts, and the first is reported at the end.
again=()
tell_first()
{
	local before=("$passed" "$failed" "${#skips[@]}" "${#failures[@]}")

	tell "$1"
	((failed == before[1])) && return
	again+=("$1")
	repeated+=("${failures[@]:before[3]}")
	passed=${before[0]} failed=${before[1]}
	skips=("${skips[@]:0:before[2]}") failures=("${failures[@]:0:before[3]}")
}

# ---- run --------------------------------------------------------------------------------------

# Guests run beside all others: a session of idle priority gives its CPU away at once (tests/vm/machine.py).
for ((i = 0; i < max; i++)); do
	idle_lane "${guests[@]}" &
done

# The long ones first, so that no CPU idles at the end.
mapfile -t any < <(((${#any[@]})) && printf '%s\n' "${any[@]}" | sort -k3,3nr -k2,2)
for ((i = 0; i < max; i++)); do
	lane "${any[@]}" &
done
follow tell "${any[@]}"

for ((i = 0; i < max + 2; i++)); do # they wait half of their time
	lane "${shared[@]}" &
done
follow tell_first "${shared[@]}"
lane "${root[@]}" &
follow tell_first "${root[@]}"
# A guest of several CPUs has a real clock: no test of normal priority runs beside it.
lane "${multiprocessors[@]}" &
follow tell "${multiprocessors[@]}"
follow tell "${guests[@]}"

for id in "${again[@]}"; do
	log=$LOG/${id//\//-}
	mv "$log" "$log.first" && rm -r "$log.status" "$log.taken"
	echo "once more: $id"
	lane "root $id 600" &
	follow tell "root $id 600"
done

((${#skips[@]})) && printf '\nskipped:\n' && printf '  %s\n' "${skips[@]}"
((${#repeated[@]})) && printf '\nfailed in a first run, which was repeated:\n' && printf '  %s\n' "${repeated[@]}"
((${#failures[@]})) && printf '\nfailed:\n' && printf '  %s\n' "${failures[@]}"
((n_left_out)) && printf '\n%d long tests were left out: make check-all\n' "$n_left_out"
printf '\n%d passed, %d failed, %d skipped\n' "$passed" "$failed" "${#skips[@]}"
((!failed))
