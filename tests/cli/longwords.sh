#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Arguments of any length: a message repeats no more of them than a person reads, and its reason is
# still there.
#
# kernels: none

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

# says ARGS...: no line of stderr is longer than 1100 bytes, and there are no more than 2600 of them.
says()
{
	timeout 30 "$BPERF" "$@" </dev/null >/dev/null 2>"$TMP/err"
	awk 'length > 1100 { exit 1 }' "$TMP/err" || fail "a line of $(wc -L <"$TMP/err") bytes"
	(($(wc -c <"$TMP/err") <= 2600)) || fail "$(wc -c <"$TMP/err") bytes"
}

# A word of N bytes; one argument holds at most 128 KB.
word()
{
	head -c "$1" /dev/zero | tr '\0' w
}

every_message_is_short()
{
	local w n

	for n in 2000 50000 120000; do
		w=$(word "$n")
		says "$w"
		says help "$w"
		says list "t:$w"
		says doctor "$w"
		says profile "$w" "$w"
		says profile "--$w"
		says profile -p "$w"
		says profile --format "$w"
		says profile -o "/tmp/$w" 0.1
		says profile -e "$w" 0.1
		says profile --callers "$w" 0.1
		says profile --debug-dir "$w" 0.1
		says profile 0.1 -- "$w"
		says offcpu --state "$w"
		says funccount "c:$w"
		says funccount "t:$w*"
		says trace "u:$w:foo"
		says trace "t:sched:sched_switch ($w == 1)"
		says trace "t:sched:sched_switch \"$w\", nosuch"
		says trace --btf "$w" t:sched:sched_switch
		says argdist -H "t:sched:sched_switch():int:$w"
	done
}
check 'no message repeats more of an argument than a person reads' every_message_is_short

reason_stays()
{
	"$BPERF" help "$(word 50000)" 2>"$TMP/err"
	grep -q "help: there is no page about 'www.*\.\.\.www.*w'" "$TMP/err" || fail "$(cat "$TMP/err")"
	"$BPERF" trace --dump ast "t:sched:sched_switch (1 == $(word 30000) + nosuch)" 2>"$TMP/err"
	awk '/\^/ { caret = index($0, "^"); print caret; exit !(caret > 0 && caret < 260) }' "$TMP/err" ||
		fail 'no caret in sight' "$(cat "$TMP/err")"
}
check 'a long message still has its end, and the caret is visible' reason_stays
