#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The live view while a run goes on: windows that this test writes to it one by one, so that all that it
# shows is known.  Needs no root.

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/live/terminal.bash
. tests/live/terminal.bash
need jq

# begin SIZE [VALUE_NAME]: `bperf report --live -`, which reads what the functions below write.
begin()
{
	rm -f "$TMP/in"
	mkfifo "$TMP/in"
	open_terminal "$1" sh -c '"$1" report --live - <"$2"' sh "$BPERF" "$TMP/in"
	exec {in}>"$TMP/in"
	n_windows=0
	say '{"type":"meta","schema":"bperf/1.0","tool":"bperf 0","cmd":"profile","argv":["profile"],
		"plan":{"interval_s":1,"count":null,"freq_hz":99,"event":"cpu-clock"},
		"value":{"name":"samples","unit":"samples"},"frames":"leaf-first","title":"CPU profile"}'
}

say() # JSON
{
	printf '%s\n' "${1//[$'\n\t']/ }" >&"$in"
}

stack() # NAME PID FUNCTION VALUE
{
	say "{\"type\":\"stack\",\"iv\":$n_windows,\"comm\":\"$1\",\"pid\":$2,\"value\":$4,\"count\":$4,
		\"kernel\":[],\"user\":[{\"func\":\"$3\"},{\"func\":\"main\"}],\"missed\":null}"
}

cut_window() # [LOST]
{
	say "{\"type\":\"interval\",\"iv\":$n_windows,\"start\":$n_windows,\"end\":$((n_windows + 1)),
		\"lost\":{\"ring_full\":${1-0}}}"
	n_windows=$((n_windows + 1))
}

window() # HOT WARM COOL: samples
{
	(($1)) && stack server 100 hot "$1"
	(($2)) && stack server 100 warm "$2"
	(($3)) && stack client 200 cool "$3"
	cut_window
}

end_run()
{
	say '{"type":"end","reason":"done","elapsed":'"$n_windows"',"lost":{"ring_full":0}}'
	exec {in}>&-
}

# functions_are SHARE NAME ...: rows of the table of functions, with the share of each alone.
functions_are()
{
	while (($#)); do
		wait_for "^ +${1//./\\.} % .*  $2\$"
		shift 2
	done
}

sums()
{
	begin 80x24
	window 600 300 100
	keys 2
	functions_are 60.0 hot 30.0 warm 10.0 cool
	wait_for '1 s, 1,000 samples'
	window 0 0 1000
	functions_are 30.0 hot 15.0 warm 55.0 cool
	wait_for '2 s, 2,000 samples'
	keys t
	wait_for 'last window'
	functions_are 100.0 cool
	wait_for '1 s, 1,000 samples'
	keys t
	functions_are 30.0 hot 15.0 warm 55.0 cool
	end_run
	wait_for ended
	shows sums
	leave
}
check 'windows add up, and the last one can be seen alone' sums

# Keys that come before the first window act once it is there, as a text with a `q` in it does.
early_keys()
{
	begin 80x24
	wait_for 'waiting for the first window'
	keys 2
	type_text '/q*warm'
	keys Enter
	wait_for 'wait for the first window; Ctrl-C leaves'
	window 600 300 100
	functions_are 60.0 hot 30.0 warm 10.0 cool
	poll selected warm || fail "$(marks)"
	end_run
	leave
	begin 80x24
	wait_for 'waiting for the first window'
	keys 2 q
	ends_with 0
	exec {in}>&-
}
selected() # NAME
{
	marks | grep -q "^selected: .* $1\$"
}
check 'keys before the first window wait for it' early_keys

# The way back from one process leads to the windows that were chosen before.
last_window_stays()
{
	begin 80x24
	window 600 300 100
	window 60 30 10
	wait_for '1,100 samples'
	keys t 3
	wait_for 'last window'
	wait_for ' server \(100\)'
	keys Enter
	wait_for 'only server'
	keys Escape
	wait_gone 'only server'
	wait_for '1 s, 100 samples.*last window'
	end_run
	leave
}
check 'Esc leads back to the last window' last_window_stays

# Nothing moves while the view is paused, and nothing is missing afterwards.
pause()
{
	local i

	begin 80x24
	window 600 300 100
	keys 2
	functions_are 60.0 hot
	keys Space
	wait_for paused
	for ((i = 0; i < 50; i++)); do
		window 0 300 0
	done
	wait_for ' 1 s, 1,000 samples'
	functions_are 60.0 hot
	keys p
	wait_for '51 s, 16,000 samples'
	functions_are 3.8 hot 95.6 warm 0.6 cool
	wait_gone paused
	end_run
	leave
}
check 'a pause loses nothing' pause

# A pause that lasts beyond the end of the run.
ended_in_a_pause()
{
	begin 80x24
	window 600 300 100
	wait_for '1,000 samples'
	keys p
	wait_for paused
	window 100 0 0
	end_run
	wait_for ended
	wait_for '1,000 samples'
	keys p
	wait_for '2 s, 1,100 samples'
	leave
}
check 'a run that ends in a pause is whole after it' ended_in_a_pause

baseline()
{
	begin 80x24
	window 600 300 100
	keys 2
	functions_are 60.0 hot
	keys b
	wait_for 'compared with the baseline'
	window 300 600 100
	wait_for '\+30\.0.* warm$'
	wait_for '-30\.0.* hot$'
	shows changed-functions
	press_and_see 1 changed-flame
	press_and_see 'Down Down Down' changed-selected
	keys b
	wait_gone 'compared'
	keys 2
	functions_are 45.0 hot 45.0 warm 10.0 cool
	wait_for '2 s, 2,000 samples'
	end_run
	leave
}
check 'a baseline shows the changes since; pressed again, all windows' baseline

# The background of a box with this name, by its number.
color_of()
{
	colored_screen | grep -o '[[:cntrl:]]\[[0-9;]*m\|▏[a-z]*' | awk -v name="▏$1" '
		match($0, /48;5;[0-9]+/) { color = substr($0, RSTART + 5, RLENGTH - 5) }
		$0 == name { print color; exit }'
}

# Orange (215) for more, blue (74) for less, and a change that may be chance is grey (188).
baseline_colors()
{
	local hot warm cool

	begin 80x24
	window 600 300 100
	wait_for '1,000 samples'
	keys b
	wait_for compared
	window 300 600 101
	wait_for '1,001 samples'

	hot=$(color_of hot) warm=$(color_of warm) cool=$(color_of cool)
	[ "$hot $warm $cool" = '74 215 188' ] ||
		fail "hot '$hot', warm '$warm', cool '$cool'" "$(colored_screen | cat -v)"
	end_run
	leave
}
check 'more and less have different colours' baseline_colors

reset()
{
	begin 80x24
	window 600 300 100
	wait_for '1,000 samples'
	keys r
	wait_gone '1,000 samples'
	window 0 20 80
	wait_for ' 1 s, 100 samples'
	keys 2
	functions_are 80.0 cool 20.0 warm
	wait_gone ' hot$'
	end_run
	leave
}
check 'r begins again from zero' reset

# Windows of argdist -c include those before: there is nothing that could begin again from zero.
cumulative()
{
	local key

	begin 80x24
	stack server 100 hot 10
	cut_window
	stack server 100 hot 30
	say '{"type":"interval","iv":1,"start":0,"end":2,"lost":{"ring_full":0}}'
	wait_for '2 s, 30 samples'
	for key in r b; do
		keys "$key"
		wait_for 'Each window covers all since the start'
		screen_has '2 s, 30 samples' || fail "$(screen)"
		keys Down
		wait_gone 'Each window'
	done
	n_windows=2
	end_run
	leave
}
check 'windows that include those before add nothing twice, and do not begin again' cumulative

# The selection and the zoom follow their boxes, whatever the new window does to the order.
selection_stays()
{
	begin 80x24
	window 600 300 100
	wait_for '1,000 samples'
	keys Down Down Down
	wait_for '^hot  60\.0 %'
	window 0 0 2000
	wait_for '^hot  20\.0 %'
	keys Up Up Enter
	wait_for '^server  30\.0 %'
	window 0 3000 0
	wait_for '^server  65\.0 %'
	wait_gone client
	end_run
	leave
}
check 'selection and zoom stay where they are when windows come' selection_stays

ledger()
{
	begin 80x24
	stack server 100 hot 100
	cut_window 7
	wait_for 'lost: 7 '
	stack server 100 hot 100
	cut_window 5
	wait_for 'lost: 12 '
	keys 2
	wait_for 'lost: 12 '
	keys 3
	wait_for 'lost: 12 '
	resize 30x6
	wait_for 'lost: 12 '
	end_run
	leave
}
check 'the ledger stays in view, and adds up' ledger

new_processes()
{
	local i

	begin 80x24
	window 600 300 100
	keys 3
	wait_for ' server \(100\)'
	for ((i = 1; i <= 30; i++)); do
		stack "new$i" $((1000 + i)) hot $((i * 100))
	done
	cut_window
	wait_for 'new30 \(1030\)'
	wait_for ' 6\.3 % .* 3,000 samples  new30 \(1030\)'
	keys G
	wait_for 'client \(200\)'
	keys g /
	type_text new17
	keys Enter Enter
	wait_for 'only new17 \(1017\)'
	wait_for '1,700 samples'
	keys Escape
	wait_for 'client|new30'
	end_run
	leave
}
check 'processes that come later are found and opened' new_processes

dist() # LO N ...: a histogram
{
	local buckets='' lo n count=0

	while (($#)); do
		lo=$1 n=$2
		shift 2
		buckets+=",{\"lo\":$lo,\"hi\":$((lo * 2)),\"n\":$n}"
		count=$((count + n))
	done
	((n_windows)) || say "{\"type\":\"dist\",\"dist\":0,\"kind\":\"hist\",\"title\":\"reads\",\"probe\":\"r:syscall:read\",
		\"label\":null,\"value\":\"\$latency\",\"event\":null,\"unit\":\"ns\",\"signed\":false,\"keys\":[],
		\"stacks\":false,\"scale\":\"log2\"}"
	say "{\"type\":\"hist\",\"iv\":$n_windows,\"dist\":0,\"probe\":\"r:syscall:read\",\"label\":null,
		\"key\":null,\"value\":\"\$latency\",\"unit\":\"ns\",\"scale\":\"log2\",\"count\":$count,
		\"buckets\":[${buckets:1}]}"
	cut_window
}

histograms()
{
	begin 80x24
	dist 1024 10 2048 20
	wait_for '1024 -> 2047 .*: 10 '
	wait_for '2048 -> 4095 .*: 20 '
	dist 2048 5 4096 1000
	wait_for '1024 -> 2047 .*: 10 '
	wait_for '2048 -> 4095 .*: 25 '
	wait_for '4096 -> 8191 .*: 1000 '
	shows histograms
	keys 2
	dist 8192 7
	dist 1024 1000 2048 0 4096 0 8192 100
	end_run
	wait_for ended
	wait_for '\| 30$'
	wait_for '\| 1,005$'
	wait_for '\| 7$'
	wait_for '\| 1,100$'
	leave
}
check 'histograms add up, and the heat map has a line for each window' histograms

# An error in the middle: said on the screen and at the end; windows before it stay.
broken()
{
	begin 80x24
	window 600 300 100
	wait_for '1,000 samples'
	say '{"type":"stack","iv":'
	wait_for 'standard input:6'
	wait_for '1,000 samples'
	keys q
	wait_file "$TMP/status"
	is_restored
	exec {in}>&-
}
check 'a stream that breaks says so, and keeps the windows before it' broken

nothing()
{
	begin 80x24
	exec {in}>&-
	# There is nothing to look at: the error is printed, and no key is needed.
	ends_with 1
	wait_for 'ended before its first report'
}
check 'a run that ends before its first window leaves no screen' nothing

# Programs that read the same pipe later find it as it was.
input_is_unchanged()
{
	local flags

	rm -f "$TMP/in"
	mkfifo "$TMP/in"
	open_terminal 80x24 sh -c 'exec <"$2"; "$1" report --live -; grep flags: /proc/self/fdinfo/0 >"$3"' \
		sh "$BPERF" "$TMP/in" "$TMP/flags"
	exec {in}>"$TMP/in"
	cat tests/golden/server.json >&"$in"
	wait_for '^▏all'
	keys q
	wait_file "$TMP/flags"
	exec {in}>&-
	read -r _ flags <"$TMP/flags"
	((!(flags & 04000))) || fail "non-blocking: $flags"
}
check 'standard input stays as it was' input_is_unchanged

# refused TEXT COMMAND: the shell's command, whose $1 is bperf, fails with that text.
refused()
{
	open_terminal 80x24 sh -c "$2" sh "$BPERF"
	wait_file "$TMP/status"
	[ "$(cat "$TMP/status")" != 0 ] || fail 'status 0'
	screen | grep -q "$1" || fail "$(screen)"
	is_restored
}
# Reading a folder fails each time: it must not be tried for ever.
check 'standard input that cannot be read is an error' \
	refused 'cannot read standard input: Is a directory' '"$1" report --live - </'

# A pipe that brings no JSON at all is refused before anything is drawn.
check 'a pipe without JSON is an error' \
	refused 'bperf: standard input:1: ' 'seq 100 | "$1" report --live -'

no_pipe()
{
	open_terminal 80x24 "$BPERF" report --live -
	ends_with 64
	wait_for 'standard input is a terminal'
	wait_for '^ +bperf profile -qj 1 60 \| bperf report --live -$'
}
check 'a keyboard is not waited for as if it were a run' no_pipe
