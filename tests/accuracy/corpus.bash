# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Shared by the tests that run well-known command lines: each row of a table runs, or fails on this host
# with the exact reason (a feature that the kernel lacks, or something that is not installed).  It never
# ends with a usage error.  A table shows the result of each row.
#
# The sourcing script sets, after common.bash:
#
#	adapt			stdin to stdout: replace what differs between hosts; a row keeps its meaning
#	results FILE		a successful run's output in FILE, in words: "3 lines"
#	must_run COMMAND	true if it needs nothing that any kernel lacks
#	may_fail REASON		true if exit status 1 is an answer too
#
# and calls corpus COMMAND TABLE [OPTION...].

# Activity to measure: files, forks, writes, names, exec.
timeout 300 sh -c 'while :; do cat /etc/hostname; sleep 0.1; done' >/dev/null 2>&1 &
busy=$!
at_exit+=("kill $busy")

may_fail()
{
	false
}

corpus_row()
{
	local tool=$1 id=$2 command=$3 status=0 reason

	# The corpus has the syntax of a shell, quotes included.
	eval "set -f; set -- $(adapt <<<"$command")"
	shift
	timeout --preserve-status -s INT -k 20 "$(slow 1)" "$BPERF" "$tool" "${options[@]}" "$@" \
		>"$TMP/out" 2>"$TMP/err" </dev/null || status=$?
	reason=$(grep -m1 '^bperf: ' "$TMP/err" | grep -v '^bperf: warning' | sed 's/^bperf: //')
	case $status in
	0) reason="runs, $(results "$TMP/out")" ;;
	66 | 69 | 77) ;;
	*) ((status == 1)) && may_fail "$reason" || fail "status $status: bperf $command" "$(cat "$TMP/err")" ;;
	esac
	[ -n "$reason" ] || fail "status $status without a reason" "$(cat "$TMP/err")"
	printf '%-5s %s\n' "$id" "$reason" >>"$TMP/table"
	! contains "$TMP/err" 'a bug in bperf' || fail "$(cat "$TMP/err")"
	((status == 0)) || { ! must_run "$command" && [ -z "$planned" ]; } ||
		fail "must run: bperf $command" "$(cat "$TMP/err")"
}

# plan TOOL COMMAND: what would be attached, into $TMP/plan.
plan()
(
	eval "set -f; set -- $1 $(adapt <<<"$2")"
	tool=$1
	shift 2
	timeout -k 20 60 "$BPERF" "$tool" --dry-run "${options[@]}" "$@" >"$TMP/plan" 2>&1 </dev/null
)

# Guests test what the host may lack: probes of kernel functions.  Rows without them are the same there, and
# are left out.  A row that can be planned must run.
is_for_here()
{
	planned=
	[ "${BPERF_SLOW-}" ] && plan "$@" || return 0
	grep -Eq ' by (kprobe|fentry|fexit)' "$TMP/plan" && planned=1
}

corpus()
{
	local tool=$1 table=$2 id command options=("${@:3}")

	while IFS='	' read -r id command _ <&3; do
		[[ $id != '#'* ]] && is_for_here "$tool" "$command" || continue
		check "$id: $command" corpus_row "$tool" "$id" "$command"
	done 3<"$table"
	sed 's/^/# /' "$TMP/table"
}
