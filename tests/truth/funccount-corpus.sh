#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The commands that people know (tests/truth/funccount.tsv) run, or say precisely why not
# on this host: a feature that the kernel lacks, a thing that is not installed.  Never a usage error.
# What came of each is printed as a table.
#
# kernels: host

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/truth/common.bash
. tests/truth/common.bash
need jq

# Something to see: files, system calls, forks.
timeout 300 sh -c 'while :; do cat /etc/hostname; sleep 0.05; done' >/dev/null 2>&1 &
busy=$!
at_exit+=("kill $busy")
cp "$WORK/counted" "$TMP/contentions"

# What differs on each host; what a row means stays.
adapt()
{
	sed -E "s/-p [0-9]+/-p $busy/; s,/home/ubuntu/contentions,$TMP/contentions,
		s,(^|[ '])contentions:,\\1$TMP/contentions:,; s,\./test:read,$TMP/contentions:call_,
		s/-d (5|10)/-d 0.5/; s/-(T?)i (1|5)/-\\1i 0.2/; s/count=500k/count=5k/"
}

row()
{
	local id=$1 command=$2 status=0 n reason

	# The corpus is a shell's: quotes and all.
	eval "set -f; set -- $(adapt <<<"$command")"
	shift
	timeout --preserve-status -s INT -k 20 "$(slow 1)" "$BPERF" funccount -j "$@" >"$TMP/out" \
		2>"$TMP/err" </dev/null || status=$?
	n=$(grep -c '"type":"count"' "$TMP/out")
	reason=$(grep -m1 '^bperf: ' "$TMP/err" | grep -v '^bperf: warning' | sed 's/^bperf: //')
	case $status in
	0) printf '%-5s runs, %d rows\n' "$id" "$n" >>"$TMP/table" ;;
	66 | 69 | 77)
		[ -n "$reason" ] || fail "status $status without a reason" "$(cat "$TMP/err")"
		printf '%-5s %s\n' "$id" "$reason" >>"$TMP/table"
		;;
	*) fail "status $status: bperf $command" "$(cat "$TMP/err")" ;;
	esac
	! grep -q 'a bug in bperf' "$TMP/err" || fail "$(cat "$TMP/err")"
	# Whatever the kernel can do, these need nothing of it that any kernel lacks.
	case $command in
	*t:block* | *t:sched:sched_fork*) ;;
	*' t:'* | *c:* | *contentions* | *./test*)
		((status == 0)) || fail "must run: bperf $command" "$(cat "$TMP/err")"
		;;
	esac
}

while IFS='	' read -r id command _ <&3; do
	[[ $id == '#'* ]] || check "$id: $command" row "$id" "$command"
done 3<tests/truth/funccount.tsv
sed 's/^/# /' "$TMP/table"
