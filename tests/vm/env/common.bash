# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Shared by the tests of odd machines.  The head of each script says which machine it needs:
#
#	# kernel: 6.12
#	# boot: lockdown=integrity
#	# cpus: 8
#
# (boot and cpus may be left out).  Every command either works there, or says in one sentence what
# is missing; and doctor knows it before.

# shellcheck source=tests/accuracy/common.bash
. tests/accuracy/common.bash
need jq setpriv

# all_work: every command runs, and doctor agrees.
all_work()
{
	local name

	"$BPERF" doctor >"$TMP/doctor" || fail "$(cat "$TMP/doctor")"
	for name in $(commands); do
		# shellcheck disable=SC2046 # words
		timeout 60 "$BPERF" "$name" -q $(short_run "$name") >"$TMP/out" 2>"$TMP/err" ||
			fail "$name: exit status $?" "$(cat "$TMP/err")"
	done
}

# all_refuse STATUS REGEX: no command runs; each says why in one line, with at most two lines on
# what to do; doctor says so too.
all_refuse()
{
	local name

	"$BPERF" doctor >"$TMP/doctor" && fail "$(cat "$TMP/doctor")"
	for name in $(commands); do
		# shellcheck disable=SC2046 # words
		status_is "$1" timeout 60 "$BPERF" "$name" $(short_run "$name")
		has "$TMP/err" "$2"
		(($(grep -vc 'warning:' "$TMP/err") <= 3)) || fail "more than three lines" "$(cat "$TMP/err")"
		exactly "$(wc -c <"$TMP/out")" 0 'bytes on stdout'
	done
}

# verdict NAME: of one feature.
verdict()
{
	"$BPERF" doctor -j | jq -r --arg name "$1" '.features[] | select(.name == $name) | .verdict'
}
