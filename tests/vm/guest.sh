#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# tests/vm/guest.sh LABEL SCRIPT...: run test scripts one by one in a guest, and print their results with
# LABEL and the script's name in front; their other output becomes a comment.  Scripts that have not begun
# by $UNTIL (seconds since 1970 by the host's clock; 0: no limit) are skipped.

set -u
cd "$(dirname "$0")/../.." || exit 1
label=$1
shift
export BPERF_SLOW=1 # emulated: some ten times slower than a real CPU

# relay NAME: copy results as they come, with a prefix, and the time of results that took long; the number
# of results, and of bad ones, goes to $seen.  In a first run bad results are only noted; in a second run
# results that were good in the first are not repeated.
relay()
{
	local line n=0 bad=0 since=$EPOCHSECONDS

	while IFS= read -r line; do
		case $line in
		'ok - '* | 'skip - '*) n=$((n + 1)) ;;
		'not ok - '*) n=$((n + 1)) bad=$((bad + 1)) ;;
		'#'*) ;;
		*) line="# $line" ;;
		esac
		[[ $line == '#'* ]] || line="${line%% - *} - $label $1: ${line#* - }"
		case $line in
		'#'*) ;;
		'not ok - '*) ((run == 2)) || line="$AT_FIRST${line#not ok - }" ;;
		*)
			((run == 1)) && printf '%s\n' "$line" >>"$good"
			((run == 2)) && grep -Fxq -- "$line" "$good" && line="# again: $line"
			;;
		esac
		printf '%s\n' "$line"
		[[ $line == '#'* ]] && continue
		((EPOCHSECONDS - since < 4)) || echo "#   that took $((EPOCHSECONDS - since)) s"
		since=$EPOCHSECONDS
	done
	echo "$n $bad" >"$seen"
}

# used: how long the guest's CPU has been busy, in hundredths of a second.
used()
{
	local up idle

	read -r up idle </proc/uptime
	echo $((10#${up/./} * $(nproc) - 10#${idle/./}))
}

# real: seconds since 1970, by the host's clock: a real-time clock, which counts whole seconds.
real()
{
	cat /sys/class/rtc/rtc0/since_epoch 2>/dev/null || echo 0
}

# run_script SCRIPT: false when something in it failed.
run_script()
{
	local name=${1#tests/} start=$EPOCHSECONDS began busy status n bad what=

	name=${name%.sh}
	began=$(real)
	if ((UNTIL && began > UNTIL)); then
		echo "skip - $label $name: no time is left (UNTIL)"
		return
	fi
	busy=$(used)
	timeout -k 10 600 bash "$1" </dev/null 2>&1 | relay "$name"
	status=${PIPESTATUS[0]}
	read -r n bad <"$seen"
	echo "# $label $name: $((EPOCHSECONDS - start)) s, $((($(used) - busy) / 100)) s busy, $(($(real) - began)) s on the host"
	umount /proc/kallsyms 2>/dev/null # mounted by a test that was stopped (copied_symbols)
	if ((status == 124 || status == 137)); then
		what='stopped after 600 s'
	elif ((status && !bad)); then
		what="exit status $status"
	elif ((!n)); then
		what='no result'
	fi
	if [ "$what" ]; then
		((run == 2)) && echo "not ok - $label $name: $what" || echo "$AT_FIRST$label $name: $what"
	fi
	[ -z "$what" ] && ((!bad))
}

echo "# doctor: $(build/bperf doctor -j)"
AT_FIRST='# failed at first: ' # tests/run.sh counts these
seen=$(mktemp) good=$(mktemp)
again=()
run=1
for script; do
	run_script "$script" || again+=("$script")
done
# Scripts measure an emulated machine on a host that others use: a script that failed runs once more, and is
# a failure if it fails again.
run=2 n_failed=0
for script in "${again[@]}"; do
	run_script "$script" || n_failed=$((n_failed + 1))
done
((!n_failed))
