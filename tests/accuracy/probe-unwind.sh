#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# User stacks at probes (trace -U, $ustack) of a program without frame pointers, against chains of
# calls that are known, and known numbers of calls.
#
# long: a run for each way to unwind, 15 s
# kernels: 5.10 6.1
# shared: its counts do not depend on the CPU time that it gets

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/accuracy/common.bash
. tests/accuracy/common.bash
need awk jq
copied_symbols

FRAMELESS=$WORK/frameless
CALLS=40
# The C library's static functions have names only where its debug file is installed.
SORT='(([^;[]+|\[libc\.so\.6\]);)*frameless_compare'
START='_start;(([^;[]+|\[libc\.so\.6\]);)*main'

# Stacks from before the tables were ready are marked and not checked further: a host that gives bperf
# little CPU time may have many.
LATE='\[(unwind table late|stack not readable)\]'

# agrees LEAF: "STACK NUMBER" in $TMP/folded, root first, are those of all calls, and end in LEAF.
agrees()
{
	local few many late

	few=$(total "$TMP/folded" "^$START;frameless_few;$SORT$1 ")
	many=$(total "$TMP/folded" "^$START;frameless_many;$SORT$1 ")
	late=$(total "$TMP/folded" "$LATE")
	exactly "$((few + many + late))" $((4 * CALLS)) "stacks, $late of them late: $(head -n 20 "$TMP/folded")"
	((few > 0 && many > 0 && few <= CALLS && many <= 3 * CALLS)) || fail "$few and $many"
	((late > 0)) || exactly "$few $many" "$CALLS $((3 * CALLS))" 'calls by caller'
}

# traced LEAF PROBE [OPTION...]: each event of the program has a whole stack.
traced()
{
	local leaf=$1 probe=$2

	shift 2
	timeout -s KILL 90 "$BPERF" trace -j -o "$TMP/out.json" -U "$@" "$probe" -- "$FRAMELESS" "$CALLS" calls \
		>"$TMP/truth" 2>"$TMP/err" || fail "status $?" "$(cat "$TMP/err")"
	jq -r 'select(.type == "event" and .comm == "frameless") | .user | map(.func) | reverse | join(";") + " 1"' \
		"$TMP/out.json" >"$TMP/folded"
	agrees "$leaf"
	exactly "$(jq_last -c '.stacks.user | [.value, (.cut | add)]' "$TMP/out.json")" \
		"[$((4 * CALLS)),$(total "$TMP/folded" "$LATE")]" 'the ledger: user stacks, and those that are cut'
}

at_entry()
{
	traced ';frameless_counted' "p:$FRAMELESS:frameless_counted"
}
check 'trace -U at the first instruction of a function' at_entry

at_return()
{
	traced '' "r:$FRAMELESS:frameless_counted"
}
check 'trace -U at its return' at_return

below_return()
{
	timeout -s KILL 90 "$BPERF" trace -j -o "$TMP/out.json" -U "r:$FRAMELESS:frameless_compare (0 == 1)" \
		"p:$FRAMELESS:frameless_counted" -- "$FRAMELESS" "$CALLS" calls >"$TMP/truth" 2>"$TMP/err" ||
		fail "status $?" "$(cat "$TMP/err")"
	jq -r 'select(.type == "event") | .user | map(.func) | reverse | join(";") + " 1"' "$TMP/out.json" >"$TMP/folded"
	agrees ';frameless_counted'
}
check 'trace -U below a function whose return is probed' below_return

at_usdt()
{
	traced ';frameless_counted' "u:$FRAMELESS:counted"
}
check 'trace -U at a USDT probe' at_usdt

at_syscall()
{
	traced ';frameless_counted;syscall' 'syscall:getpgid'
}
check 'trace -U at a system call' at_syscall

as_value()
{
	timeout -s KILL 90 "$BPERF" trace -j -o "$TMP/out.json" "p:$FRAMELESS:frameless_counted \"%s\", \$ustack" -- \
		"$FRAMELESS" "$CALLS" calls >"$TMP/truth" 2>"$TMP/err" || fail "status $?" "$(cat "$TMP/err")"
	jq -r 'select(.type == "event") | .args["$ustack"] | map(.func) | reverse | join(";") + " 1"' "$TMP/out.json" \
		>"$TMP/folded"
	agrees ';frameless_counted'
}
check 'trace with $ustack as a value' as_value

# A stack that is kept from one probe to the other has an id, as a key has.
as_saved_value()
{
	timeout -s KILL 90 "$BPERF" trace -j -o "$TMP/out.json" \
		"r:$FRAMELESS:frameless_counted \"%s\", \$entry(\$ustack)" -- "$FRAMELESS" "$CALLS" calls \
		>"$TMP/truth" 2>"$TMP/err" || fail "status $?" "$(cat "$TMP/err")"
	# The text has no file where there is no name.
	jq -r 'select(.type == "event") | .text | split(";") | map(sub("^.unknown.$"; "[libc.so.6]")) | reverse |
		join(";") + " 1"' "$TMP/out.json" >"$TMP/folded"
	agrees ';frameless_counted'
}
check 'trace with $entry($ustack)' as_saved_value

# folded ARGS...: argdist's folded stacks, without the name of the program, to $TMP/folded.
folded()
{
	timeout -s KILL 90 "$BPERF" argdist -q --folded "$@" -- "$FRAMELESS" "$CALLS" calls 2>"$TMP/err" >"$TMP/out" ||
		fail "status $?" "$(cat "$TMP/err")"
	grep ';' "$TMP/out" | grep -v '^chain' >"$TMP/folded"
}

as_key()
{
	folded -C "p:$FRAMELESS:frameless_counted():stack:\$ustack"
	agrees ';frameless_counted'
}
check 'argdist -C by $ustack' as_key

as_key_of_syscall()
{
	folded -C 'syscall:getpgid():stack:$ustack'
	agrees ';frameless_counted;syscall'
}
check 'argdist -C by $ustack at a system call' as_key_of_syscall

as_key_of_return()
{
	folded -S "r:$FRAMELESS:frameless_counted():u64:1" --by '$ustack'
	agrees ''
}
check 'argdist -S by $ustack at a return' as_key_of_return

in_table()
{
	timeout -s KILL 90 "$BPERF" argdist -j --table "p:$FRAMELESS:frameless_counted()[\$ustack] N=count()" -- \
		"$FRAMELESS" "$CALLS" calls 2>"$TMP/err" >"$TMP/out" || fail "status $?" "$(cat "$TMP/err")"
	grep '^{' "$TMP/out" | jq -r 'select(.type == "table") |
		(.user | map(.func) | reverse | join(";")) + " \(.columns.N)"' >"$TMP/folded"
	agrees ';frameless_counted'
}
check 'argdist --table by $ustack' in_table

share_is_told()
{
	folded -C "p:$FRAMELESS:frameless_counted():stack:\$ustack" --unwind dwarf
	timeout -s KILL 90 "$BPERF" argdist -C "p:$FRAMELESS:frameless_counted():stack:\$ustack" -- \
		"$FRAMELESS" "$CALLS" calls >"$TMP/out" 2>"$TMP/err" || fail "status $?" "$(cat "$TMP/err")"
	has "$TMP/err" '; user stacks complete: [0-9.]* %'
	timeout -s KILL 90 "$BPERF" trace -U "p:$FRAMELESS:frameless_counted" -- "$FRAMELESS" "$CALLS" calls \
		>"$TMP/out" 2>"$TMP/err" || fail "status $?" "$(cat "$TMP/err")"
	has "$TMP/err" '; user stacks complete: [0-9.]* %'
}
check 'the last line says how many stacks are complete' share_is_told

# While its table is built, the compiler proper opens more than a hundred files.
compiler_is_whole()
{
	local cc1

	cc1=$(cc -print-prog-name=cc1 2>/dev/null) || skip_because 'no cc here'
	[ "$(stat -Lc %s "$cc1" 2>/dev/null || echo 0)" -gt 8388608 ] || skip_because 'no large compiler here'
	printf '#include <%s.h>\n' stdio stdlib string math time >"$TMP/small.c"
	timeout -s KILL 90 "$BPERF" trace -j -o "$TMP/out.json" -U 'syscall:openat' -- \
		cc -O2 -c -o "$TMP/small.o" "$TMP/small.c" 2>"$TMP/err" || fail "status $?" "$(cat "$TMP/err")"
	tail -n 1 "$TMP/out.json" | jq -e '.stacks.user | .value > 0 and .complete_share >= 0.9' >/dev/null ||
		fail "$(tail -n 1 "$TMP/out.json" | jq -c .stacks.user)"
}
check 'trace -U of a compiler' compiler_is_whole

# On arm64 the C library has frame pointers: they lead to the start, past the program's own functions.
by_frame_pointers()
{
	local share=0 missing='frameless_few|frameless_many|main'

	[ "$(uname -m)" = x86_64 ] || { share=1; missing=main; }
	timeout -s KILL 90 "$BPERF" trace -j -o "$TMP/out.json" -U --unwind fp "p:$FRAMELESS:frameless_counted" -- \
		"$FRAMELESS" "$CALLS" calls >"$TMP/truth" 2>"$TMP/err" || fail "status $?" "$(cat "$TMP/err")"
	exactly "$(jq -s "map(select(.type == \"event\") | .user | map(.func) | select(any(.[]; . != null and test(\"^($missing)\$\")))) | length" \
		"$TMP/out.json")" 0 'whole stacks without tables'
	exactly "$(jq -s 'map(select(.type == "event")) | length' "$TMP/out.json")" $((4 * CALLS)) events
	exactly "$(jq_last -c '.stacks.user | [.value, .complete_share]' "$TMP/out.json")" "[$((4 * CALLS)),$share]" \
		'the ledger'
	folded --unwind fp -C "p:$FRAMELESS:frameless_counted():stack:\$ustack"
	exactly "$(total "$TMP/folded" ";($missing);")" 0 'whole stacks as keys'
	! grep -q 'no unwind info\|unwind table late' "$TMP/folded" || fail 'it used tables'
}
check '--unwind fp uses no tables' by_frame_pointers
