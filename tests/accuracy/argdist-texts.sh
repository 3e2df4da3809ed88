#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Strings as keys are whole up to 4000 bytes, told apart by every byte, and never merged silently: at entries,
# kept for returns, in windows, and when there are too many for the table in which long ones wait.
#
# shared: its counts do not depend on the CPU time that it gets
# kernels: 5.10 6.1

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/accuracy/common.bash
. "$(dirname "$0")/common.bash"
need jq

TEXT="$WORK/texts:take_text(const char *text)"

# run ARGS...: JSON to $TMP/out.
run()
{
	timeout -s KILL 300 "$BPERF" "$@" >"$TMP/out" 2>"$TMP/err" || fail "status $? of: $*" "$(cat "$TMP/err")"
}

# got FILTER: FILTER's result for the list of all records, compact.
got()
{
	jq_values "$1" "$TMP/out"
}

# The rows: length of the string, its last letter, number, and if it is cut.
ROWS='[.[] | select(.type == "count" and .key) | (.key["entry(text)"] // .key.text) as $text |
	[($text | length), $text[-1:], .value, (.cut != null)]] | sort'
# Longer strings than 4000 bytes are cut there, and are different in the first 4000.
LENGTHS='0 1 59 60 61 80 81 255 256 257 1000 3999 4000 4001 5000'
# want N: the rows of N calls each.
want()
{
	jq -n -c --arg lengths "$LENGTHS" --argjson n "$1" '[$lengths | split(" ") | map(tonumber) | to_entries[] |
		[([.value, 4000] | min), (if .value > 0 then [.key + 97] | implode else "" end), $n, .value > 4000]] | sort'
}

# shellcheck disable=SC2086 # LENGTHS
whole() # ARGS...
{
	run "$@" -- "$WORK/texts" each 10 4 $LENGTHS
	exactly "$(got "$ROWS")" "$(want 40)" 'rows'
	exactly "$(got '.[-1].lost | add')" 0 'losses'
	grep -q '80 events with truncated keys' "$TMP/err" || fail "$(tail -n 1 "$TMP/err")"
}
check 'strings of all lengths at the entry' whole argdist -j -C "p:$TEXT:char*:text"
check 'strings of all lengths, kept for the return' whole argdist -j -C "r:$TEXT:char*:\$entry(text)"
check 'beside another part' whole argdist -j -C "r:$TEXT:u64,char*:\$retval,\$entry(text)"
check 'two of them' whole argdist -j -C "p:$TEXT:char*,char*:text,text"
check 'strings of all lengths with --by' whole funccount -j --by text "p:$TEXT"

# A condition needs the kept string itself, which is limited to 256 bytes; more is marked.
condition_on_kept()
{
	run argdist -j -C "r:$TEXT:char*:\$entry(text):\$entry(text) != \"x\"" -- "$WORK/texts" each 5 1 60 61 256 257
	exactly "$(got "$ROWS")" '[[60,"a",5,false],[61,"b",5,false],[256,"c",5,false],[256,"d",5,true]]' 'rows'
}
check 'a kept string that a condition reads, too' condition_on_kept

sizes()
{
	run argdist -j -Z 80 -C "p:$TEXT:char*:text" -- "$WORK/texts" each 5 1 60 61 80 81
	exactly "$(got "$ROWS")" '[[60,"a",5,false],[61,"b",5,false],[80,"c",5,false],[80,"d",5,true]]' '-Z 80'
	run argdist -j -Z 20000 -C "p:$TEXT:char*:text" -- "$WORK/texts" each 5 1 60 19999 20000 20001
	exactly "$(got "$ROWS")" '[[60,"a",5,false],[19999,"b",5,false],[20000,"c",5,false],[20000,"d",5,true]]' '-Z 20000'
}
check 'as many bytes as -Z says' sizes

# Told apart by their last bytes.
every_byte()
{
	local length

	for length in 60 61 300 4000; do
		run argdist -j --top 0 -C "p:$TEXT:char*:text" -- "$WORK/texts" distinct 200 "$length" 3
		exactly "$(got "[.[] | select(.type == \"count\" and .key) | [.key.text[-8:], .value, .cut]] | sort ==
			[range(200) | [(\"0000000\" + tostring)[-8:], 3, null]]")" true "rows of $length bytes"
	done
}
check 'every byte counts' every_byte

# Long strings of each window are fetched while they wait for the next report.
windows() # SPEC
{
	run argdist -j --top 0 -i 0.05 -C "$1" -- "$WORK/texts" distinct 40 100 30 20
	at_least "$(got '[.[] | select(.type == "interval")] | length')" 3 windows
	exactly "$(got '[.[] | select(.type == "count" and .key)] | group_by([.key[]]) | map([length > 2,
		(map(.value) | add), (map(.cut) | add)]) | unique')" '[[true,30,null]]' 'each string in all windows'
	exactly "$(got '[.[] | select(.type == "count" and .key) | .key[]] | unique | length')" 40 strings
}
check 'strings in windows' windows "p:$TEXT:char*:text"
check 'kept strings in windows' windows "r:$TEXT:char*:\$entry(text)"

# More at once than wait in the kernel: no event is lost, and rows of strings that did not fit are marked.
too_many()
{
	run argdist -j --top 0 -C "p:$TEXT:char*:text" -- "$WORK/texts" distinct 3000 500
	exactly "$(got '[.[] | select(.type == "count" and .key) | .value] | add')" 3000 events
	exactly "$(got '[.[] | select(.type == "count" and .key and .cut == null) |
		[(.key.text | length), .value]] | unique')" '[[500,1]]' 'whole strings'
	exactly "$(got '[.[] | select(.type == "count" and .key and .cut) | .key.text] | unique | length <= 1')" true \
		'strings that are cut'
	exactly "$(got '[.[] | select(.type == "count" and .key and .cut) | .value] | add // 0')" \
		"$(grep -o '[0-9,]* events with truncated keys' "$TMP/err" | tr -d , | grep -o '^[0-9]*' || echo 0)" \
		'the ledger'
}
check 'more long strings than have room' too_many

# Those that found no room find it when they come again: strings that are known do not keep them out.
too_many_again()
{
	run argdist -j --top 0 -C "p:$TEXT:char*:text" -- "$WORK/texts" distinct 2000 500 40 50
	exactly "$(got '[.[] | select(.type == "count" and .key) | [(.key.text | length), .value, .cut]] | unique')" \
		'[[500,40,null]]' 'each string, in all rounds'
	exactly "$(got '[.[] | select(.type == "count" and .key)] | length')" 2000 strings
}
check 'long strings that come again and again' too_many_again
