# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# doctor's predictions come true, also for users with some capabilities only (for_nobody).

# tracefs_agrees CAPABILITIES: a tracepoint is probed, or refused in the words that doctor uses for tracefs.
tracefs_agrees()
{
	local status=0 said verdict

	as_nobody "$1" "$TMP/bperf" funccount -q -d 0.2 t:sched:sched_switch >"$TMP/out" 2>"$TMP/err" || status=$?
	as_nobody "$1" "$TMP/bperf" doctor -j >"$TMP/doctor.json"
	read -r verdict said < <(jq -r '.features[] | select(.name == "tracefs") |
		"\(.verdict) \(.detail)"' "$TMP/doctor.json")
	case $status:$verdict in
	0:ok) ;;
	77:no) grep -Fq "tracefs: $said" "$TMP/err" || fail "doctor: $said" "$(cat "$TMP/err")" ;;
	*) fail "$1: exit status $status, but doctor says $verdict: $said" "$(cat "$TMP/err")" ;;
	esac
	echo "$verdict: $said"
}

# probing_agrees CAPABILITIES SITE WHAT: doctor says that WHAT cannot be probed if and only if it can't.
probing_agrees()
{
	local status=0 lost

	as_nobody "$1" "$TMP/bperf" funccount -q -d 0.1 "$2" >"$TMP/out" 2>"$TMP/err" || status=$?
	as_nobody "$1" "$TMP/bperf" doctor -j >"$TMP/doctor.json"
	lost=$(jq --arg lost "$3 cannot be probed" '[.features[] |
		select(.verdict == "no" and ((.loss // "") | startswith($lost)))] | length' "$TMP/doctor.json")
	(((status == 0) == (lost == 0))) ||
		fail "$1 $2: exit status $status, but $lost times '$3 cannot be probed'" "$(cat "$TMP/err")"
}
