#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The live view of saved reports: whole screens, compared with those in tests/golden/live/, which
# `UPDATE=1 tests/run.sh live/screens` writes.  Needs no root.

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/live/terminal.bash
. tests/live/terminal.bash

G=tests/golden

# show SIZE FILE [VARIABLE=VALUE...]
show()
{
	local size=$1 file=$2

	shift 2
	open_terminal "$size" "$@" "$BPERF" report --live "$file"
}

flame_graph()
{
	show 80x24 "$G/server.json"
	shows flame
	press_and_see 'Down Down Right Left Right' flame-moved
	press_and_see 'g Down Enter' flame-zoomed
	press_and_see 'Down Down Down Enter' flame-zoomed-twice
	press_and_see BSpace flame-zoomed-back
	press_and_see Escape flame-whole
	leave
}
check 'a flame graph: moves, zooms, and goes back' flame_graph

# The share of the matches is that of their boxes, without those below another match.
search()
{
	show 80x24 "$G/server.json"
	shows flame
	keys /
	type_text 'write|tcp'
	shows search-typed
	press_and_see Enter search-found
	press_and_see 'n n' search-next
	press_and_see N search-before
	keys / C-u
	type_text 'no such function'
	press_and_see Enter search-nothing
	press_and_see Escape search-over
	press_and_see 'Down Down #' search-selected
	leave
}
check 'a search finds functions, says their share, and goes on' search

# A pattern that is no regular expression is searched as it is.
operators()
{
	show 80x24 "$G/server.json"
	resize 120x24
	keys /
	type_text 'push_back(int&&'
	keys Enter
	wait_for "'push_back\(int&&' 24\.0 %"
	leave
}
check 'a search takes a name with brackets' operators

tables()
{
	show 80x24 "$G/server.json"
	shows flame
	press_and_see 2 functions
	press_and_see s functions-by-total
	press_and_see 'G k' functions-moved
	press_and_see Enter functions-entered
	press_and_see 3 processes
	press_and_see 'Down Enter' processes-entered
	press_and_see Escape processes-left
	press_and_see '?' help
	press_and_see q processes-left
	leave
}
check 'tables of functions and processes lead to the flame graph' tables

tabs()
{
	show 80x24 "$G/server.json"
	keys Tab Tab
	wait_for '^ +share .*process'
	keys Tab
	wait_for '^▏all'
	keys BTab
	wait_for '^ +share .*process'
	keys BTab
	wait_for 'self .*total .*function'
	keys 1
	wait_for '^▏all'
	keys 2 9
	wait_for 'There is no view 9'
	wait_for 'self .*total .*function'
	leave
}
check 'Tab and numbers go from view to view' tabs

# Lines that are wider than the screen go on below, at any width.
long_lines()
{
	show 80x40 "$G/server.json"
	wait_for '^▏all'
	keys '?'
	wait_for '^ {19}the table$'
	resize 50x60
	wait_for '^ {19}the next, the previous match$'
	keys q
	leave
}
check 'long lines of the help are broken, and none is cut' long_lines

kind() # NAME...: the first screen of the golden report
{
	local name

	for name; do
		show 80x24 "$G/$name.json"
		shows "first-$name"
		leave
	done
}
check 'waits, wakers and chains' kind offcpu wakeup offwake chain
check 'paths of wakers' kind paths
check 'states of processes' kind states
check 'counts' kind counts
check 'histograms' kind distributions-heat
check 'a report without a stack says so' kind nothing
check 'a table of functions that was saved as such' kind functions

idle_processes()
{
	show 80x24 "$G/states.json"
	shows first-states
	press_and_see i states-idle
	press_and_see i first-states
	leave
}
check 'idle processes are shown when asked for' idle_processes

small()
{
	show 20x5 "$G/server.json"
	shows flame-20x5
	keys Down Down Down Enter
	press_and_see 2 functions-20x5
	resize 10x2
	wait_for .
	resize 1x1
	keys Down '?' q 1
	resize 20x5
	press_and_see 2 functions-20x5
	leave
}
check 'a terminal of 20x5, and smaller ones' small

large()
{
	show 400x200 "$G/server.json"
	shows flame-400x200
	press_and_see 2 functions-400x200
	leave
}
check 'a terminal of 400x200' large

# The screen in the end is that of the last size.
storm()
{
	local i

	show 80x24 "$G/server.json"
	shows flame
	for ((i = 0; i < 60; i++)); do
		resize "$((20 + i * 7 % 200))x$((5 + i * 5 % 60))"
		((i % 4)) || keys Down Up
	done
	resize 80x24
	keys g
	shows flame
	leave
}
check 'sixty changes of the size' storm

ascii()
{
	local escape=$'\033'

	show 80x24 "$G/server.json" LANG=C NO_COLOR=1
	shows flame-ascii
	colored_screen >"$TMP/colors"
	! grep -qE "$escape\[[0-9;]*([34]8;5|[34][0-7])" "$TMP/colors" || fail 'colours' "$(cat -v "$TMP/colors")"
	press_and_see 'Down Down Enter' flame-ascii-zoomed
	leave
}
check 'no colour and no UTF-8: boxes have edges all the same' ascii

terminals()
{
	local term

	for term in screen-256color xterm-256color xterm linux vt100 no-such-terminal; do
		show 80x24 "$G/server.json" "TERM=$term"
		wait_for 'nginx'
		wait_for '^(.|)all'
		keys '?'
		wait_for '^Everywhere'
		keys q
		wait_gone '^Everywhere'
		leave
	done
}
check 'terminals of several kinds, an unknown one too' terminals

# Selected and found boxes can be told from others; so can neighbours.
colors()
{
	local escape=$'\033'

	show 80x24 "$G/server.json"
	shows flame
	colored_screen | grep -oE "$escape\[[0-9;]*m" | grep -oE '48;5;[0-9]+|38;5;[0-9]+' | sort -u >"$TMP/colors"
	(($(wc -l <"$TMP/colors") >= 5)) || fail 'few colours' "$(cat "$TMP/colors")"
	keys / t c p Enter
	wait_for "'tcp' [0-9]"
	colored_screen | grep -q "48;5;170\|38;5;170" || fail 'a match has no colour' "$(colored_screen | cat -v)"
	leave
}
check 'boxes have colours, and matches one of their own' colors

# The picture in the README: this screen, as an SVG.
picture()
{
	open_terminal 96x28 "$BPERF" report --live tests/fixtures/saved/programs.json.gz
	wait_for '▏python3'
	keys /
	type_text 'listencode|scan'
	keys Enter
	wait_for "'listencode\|scan' [0-9.]+ %"
	poll screen_has '\? help'
	colored_screen | python3 tests/live/svg.py '# bperf profile --live' >"$TMP/live.svg" || fail 'no SVG'
	[ -z "${UPDATE-}" ] || cp "$TMP/live.svg" tests/golden/live.svg
	same tests/golden/live.svg "$TMP/live.svg"
	(($(wc -c <"$TMP/live.svg") < 30000)) || fail 'too large'
	leave
}
need python3
check 'the picture in the README is that screen' picture
