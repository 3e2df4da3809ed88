#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# tests/vm/guest.sh LABEL SCRIPT...: run test scripts one by one in a guest, and print their
# results with LABEL and the script's name in front; what else they print becomes a comment.

set -u
cd "$(dirname "$0")/../.." || exit 1
label=$1
shift
export BPERF_SLOW=1 # emulated: some ten times slower than a real CPU

# relay NAME: copy results, prefixed, as they come, and how long those took that took long; how
# many, and how many bad ones, go to $seen.
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

echo "# doctor: $(build/bperf doctor -j)"
seen=$(mktemp)
n_failed=0
for script; do
	name=${script#tests/}
	name=${name%.sh}
	start=$EPOCHSECONDS busy=$(used)
	timeout -k 10 600 bash "$script" </dev/null 2>&1 | relay "$name"
	status=${PIPESTATUS[0]}
	read -r n bad <"$seen"
	echo "# $label $name: $((EPOCHSECONDS - start)) s, $((($(used) - busy) / 100)) s busy"
	umount /proc/kallsyms 2>/dev/null # of one that was stopped (copied_symbols)
	if ((status == 124 || status == 137)); then
		echo "not ok - $label $name: stopped after 600 s"
	elif ((status && !bad)); then
		echo "not ok - $label $name: exit status $status"
	elif ((!n)); then
		echo "not ok - $label $name: no result"
	else
		((bad)) && n_failed=$((n_failed + 1))
		continue
	fi
	n_failed=$((n_failed + 1))
done
((!n_failed))
