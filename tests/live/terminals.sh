#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The live view and its terminal: where there is none, how it is given back whatever ends the program, how
# much is written to it, and files that `w` writes.

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/live/terminal.bash
. tests/live/terminal.bash
need jq

G=tests/golden

# view: of a saved report, in a terminal of 80x24.
view()
{
	open_terminal 80x24 "$BPERF" report --live "$G/server.json"
	wait_for '^▏all'
}

# pid_of_view: the process whose parent is the shell of the terminal.
pid_of_view()
{
	local pid

	pid=$(pgrep -n -P "$(cat "$TMP/shell")" -x bperf) || fail 'there is no bperf' "$(screen)"
	echo "$pid"
}

refused() # PATTERN COMMAND...: in the terminal
{
	local pattern=$1

	shift
	open_terminal 80x24 "$@"
	ends_with 64
	screen | grep -Eq -- "$pattern" || fail "no '$pattern':" "$(screen)"
}

not_to_a_pipe()
{
	local command status

	for command in profile offcpu wakeup offwake chain 'funccount raw:sys_enter' \
		'argdist -H raw:sys_enter()' "report $G/server.json"; do
		status=0
		# shellcheck disable=SC2086 # words
		"$BPERF" $command --live >"$TMP/out" 2>"$TMP/err" </dev/null || status=$?
		((status == 64)) || fail "status $status of $command --live" "$(cat "$TMP/err")"
		[ ! -s "$TMP/out" ] || fail "output of $command" "$(cat -v "$TMP/out")"
		grep -q 'standard output is not a terminal' "$TMP/err" || fail "$(cat "$TMP/err")"
		grep -q -- '-j writes JSON' "$TMP/err" || fail 'no hint' "$(cat "$TMP/err")"
	done
}
check '--live into a pipe is refused, and the hint names an alternative' not_to_a_pipe

never_live()
{
	local command status

	for command in 'trace raw:sys_enter' 'dump -p 1'; do
		status=0
		# shellcheck disable=SC2086 # words
		"$BPERF" $command --live >"$TMP/out" 2>"$TMP/err" || status=$?
		((status == 64)) || fail "status $status of $command --live" "$(cat "$TMP/err")"
		grep -qF -- '--live cannot add up the output of this command' "$TMP/err" || fail "$(cat "$TMP/err")"
	done
}
check 'commands without --live say why' never_live

dumb()
{
	refused "'dumb' cannot move its cursor" TERM=dumb "$BPERF" report --live "$G/server.json"
	refused 'cannot move its cursor|unknown' TERM=dumb "$BPERF" profile --live
}
check 'a dumb terminal is refused' dumb

# A terminal on stdout that is not the process's own has no keyboard.
no_keyboard()
{
	open_terminal 80x24 setsid -w "$BPERF" report --live "$G/server.json"
	wait_file "$TMP/status"
	[ "$(cat "$TMP/status")" != 0 ] || fail 'status 0'
	screen | grep -q '/dev/tty' || fail "$(screen)"
	is_restored
}
check 'a terminal without a keyboard is refused' no_keyboard

has_alternate()
{
	[ "$(terminal_says alternate_on)" = 1 ] || fail 'not on the alternate screen'
}

keys_end_it()
{
	view
	has_alternate
	leave
	view
	keys C-c
	ends_with 0
	view
	keys '?' q
	wait_for '^▏all'
	leave
}
check 'q and Ctrl-C leave, and the terminal is as before' keys_end_it

signals_end_it()
{
	local signal

	for signal in INT TERM HUP; do
		view
		kill -"$signal" "$(pid_of_view)"
		wait_file "$TMP/status"
		is_restored
	done
}
check 'SIGINT, SIGTERM and SIGHUP give the terminal back' signals_end_it

# The exit status is that of the signal.
crashes()
{
	local signal

	for signal in SEGV ABRT QUIT BUS; do
		view
		kill -"$signal" "$(pid_of_view)"
		wait_file "$TMP/status"
		(($(cat "$TMP/status") == 128 + $(kill -l "$signal"))) || fail "status $(cat "$TMP/status")"
		is_restored
	done
}
check 'a crash gives the terminal back' crashes

# In a shell with job control: stopped, the shell has its terminal; continued, the screen is drawn again,
# in the size that the terminal has by then.
stops()
{
	open_shell 80x24
	type_text "stty -g >$TMP/modes; $BPERF report --live $G/server.json; echo status \$?"
	keys Enter
	wait_for '^▏all'
	keys C-z
	wait_for '[Ss]topped'
	[ "$(terminal_says alternate_on)" = 0 ] || fail 'stopped on the alternate screen'
	[ "$(terminal_says mouse_any_flag)" = 0 ] || fail 'stopped with the mouse'
	keys C-l
	type_text "stty -g | cmp - $TMP/modes && echo the same modes"
	keys Enter
	wait_for '^the same modes'
	resize 60x20
	type_text fg
	keys Enter
	wait_for '^▏all'
	has_alternate
	keys Down Down
	wait_for '^main  78\.6 %'
	keys C-z
	wait_for '[Ss]topped'
	keys C-l
	type_text 'fg; stty -g | cmp - '"$TMP/modes"' && echo restored'
	keys Enter
	wait_for '^▏all'
	keys q
	wait_for '^restored'
	keys C-d
}
check 'Ctrl-Z stops it, and fg brings it back' stops

# With the process that measures, the exit status of the view is that of the signal.
measurer_is_killed()
{
	((EUID == 0)) || skip_because 'needs root'
	open_terminal 80x24 "$BPERF" profile --live -I
	wait_for '^▏all'
	kill -KILL "$(pgrep -P "$(pid_of_view)" -x bperf)"
	wait_for 'broken off'
	keys q
	ends_with 137
	screen | grep -q '^bperf: profile was killed by signal 9 (Killed)' || fail "$(screen)"
}
check 'a process that is killed while it measures is named' measurer_is_killed

# The terminal goes away: so does the program.
closed()
{
	local pid

	view
	pid=$(pid_of_view)
	on_server kill-server
	poll test ! -e "/proc/$pid" || fail "$pid is still there"
}
check 'it ends when its terminal is closed' closed

# Have all that is written to the terminal from now on in $TMP/bytes.
record()
{
	: >"$TMP/bytes"
	on_server pipe-pane -O "cat >>$TMP/bytes"
}

# A line of 20 KB a second must be enough, also while a key is held down.
few_bytes()
{
	local start n

	view
	record
	start=$EPOCHREALTIME
	while n=$(((${EPOCHREALTIME/./} - ${start/./}) / 1000)) && ((n < 3000)); do
		on_server send-keys -N 50 Down
		on_server send-keys -N 50 Up
		on_server send-keys Enter
		on_server send-keys BSpace
		on_server send-keys Tab
	done
	n=$(((${EPOCHREALTIME/./} - ${start/./}) / 1000))
	echo "$(wc -c <"$TMP/bytes") bytes in $n ms"
	(($(wc -c <"$TMP/bytes") > 0)) || fail 'nothing was written'
	(($(wc -c <"$TMP/bytes") <= n * 20)) || fail "$(wc -c <"$TMP/bytes") bytes in $n ms"
	leave
}
check 'held keys write at most 20 KB a second' few_bytes

has_cost()
{
	on_server capture-pane -p | grep -q 'bperf: [0-9.]* %'
}

# Nothing changes: only the cost of bperf is written.
quiet()
{
	view
	poll has_cost
	record
	read -rt 3 _ <> <(:)
	(($(wc -c <"$TMP/bytes") < 600)) || fail "$(wc -c <"$TMP/bytes") bytes" "$(cat -v "$TMP/bytes")"
	leave
}
check 'a view that nothing happens to writes next to nothing' quiet

# ---- w ----

write_to() # FILE
{
	keys w
	wait_for '^write to: '
	keys C-u
	type_text "$1"
	keys Enter
}

# Every format has the same total, which is that of the screen.
written_formats()
{
	local format

	view
	wait_for '1,000 samples'
	for format in json folded txt svg html pb.gz; do
		write_to "$TMP/w.$format"
		wait_for "written to .*w\\.$format"
	done
	leave
	for format in json folded pb.gz; do
		"$BPERF" report -q -f "$TMP/w.$format" >"$TMP/folded" || fail "$format cannot be read"
		awk '{ n += $NF } END { exit n != 1000 }' "$TMP/folded" || fail "$format" "$(cat "$TMP/folded")"
	done
	"$BPERF" report -q -f "$TMP/w.json" >"$TMP/a" && "$BPERF" report -q -f "$G/server.json" >"$TMP/b"
	same "$TMP/b" "$TMP/a"
	[ "$(awk '/^ +[0-9]+ +[0-9.]+ %$/ { n += $1 } END { print n }' "$TMP/w.txt")" = 1000 ] ||
		fail "$(cat "$TMP/w.txt")"
	grep -q 'tcp_sendmsg' "$TMP/w.svg" || fail 'no function in the SVG'
	grep -q 'tcp_sendmsg' "$TMP/w.html" || fail 'no function in the page'
	python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' "$TMP/w.svg" || fail 'the SVG is no XML'
}
check 'w writes each format, and report reads them again' written_formats

# Characters of two, three and four bytes.
written_names()
{
	view
	write_to "$TMP/ä€😀.txt"
	wait_for 'written to '
	[ -s "$TMP/ä€😀.txt" ] || fail "$(ls "$TMP")"
	leave
}
check 'w takes a name of any characters' written_names

# The delimiter between kernel and user frames is on the screen and in the file, as without --live.
delimited()
{
	open_terminal 80x24 "$BPERF" report --live -d "$G/server.json"
	wait_for '▏-'
	write_to "$TMP/d.folded"
	wait_for 'written to .*d\.folded'
	leave
	"$BPERF" report -q -d -f "$G/server.json" | sort >"$TMP/want"
	sort "$TMP/d.folded" >"$TMP/got"
	same "$TMP/want" "$TMP/got"
}
check '-d has a delimiter on the screen' delimited

# The screen has one process, then the table of functions.
written_parts()
{
	view
	keys 3
	wait_for 'java \(77\)'
	keys Down Enter
	wait_for 'only java \(77\)'
	write_to "$TMP/java.folded"
	wait_for 'written to .*java.folded'
	[ "$(awk '{ n += $NF } END { print n }' "$TMP/java.folded")" = 195 ] || fail "$(cat "$TMP/java.folded")"
	! grep -v '^java;' "$TMP/java.folded" || fail 'other processes'
	keys Escape
	keys 2
	wait_for 'self .*function'
	write_to "$TMP/functions.json"
	wait_for 'written to .*functions.json'
	jq -se '[.[] | select(.type == "function" and .func == "tcp_sendmsg") | .self] == [424]' \
		"$TMP/functions.json" >/dev/null || fail "$(head -c 2000 "$TMP/functions.json")"
	leave
}
check 'w writes exactly the contents of the screen' written_parts

written_badly()
{
	view
	echo mine >"$TMP/mine.txt"
	write_to "$TMP/mine.txt"
	wait_for "mine.txt' exists: choose another name"
	[ "$(cat "$TMP/mine.txt")" = mine ] || fail 'overwritten'
	write_to "$TMP/no-folder/a.txt"
	wait_for 'no-folder'
	wait_gone 'written to'
	write_to "$TMP/a.what"
	wait_for 'a\.what|what'
	[ ! -e "$TMP/a.what" ] || fail 'a file of no format'
	keys w
	wait_for '^write to: bperf-[0-9]+\.svg'
	keys Escape
	wait_gone '^write to: '
	leave
}
check 'a file that exists, or cannot be written, is refused on the screen' written_badly

# ---- keys ----

# A key that is none is named; the next key takes the line away.
unknown_keys()
{
	view
	keys X
	wait_for "No key 'X'"
	keys Down
	wait_gone "No key 'X'"
	leave
}
check 'an unknown key is answered with a message' unknown_keys

# In a file, a number belongs to a process that runs here only if the file is of this boot.
commands()
{
	local boot

	for boot in "$(cat /proc/sys/kernel/random/boot_id)" 00000000-0000-4000-8000-000000000000; do
		sed "s/\"boot_id\":\"[^\"]*\"/\"boot_id\":\"$boot\"/; s/\"pid\":77,/\"pid\":4194305,/" \
			"$G/server.json" >"$TMP/boot.json"
		open_terminal 80x24 "$BPERF" report --live "$TMP/boot.json"
		wait_for '^▏all'
		keys 3
		wait_for 'java \(4194305\)'
		keys Down d
		if [[ $boot == 0* ]]; then
			wait_for "No key 'd'"
		else
			wait_for 'Process 4194305 has ended'
		fi
		leave
	done
}
check 'keys that run commands for a process of a file do so only in the same boot' commands

# A click selects a box, a second one zooms, the wheel moves; as xterm encodes them.
mouse()
{
	open_terminal 80x24 TERM=xterm-256color "$BPERF" report --live "$G/server.json"
	wait_for '^▏all'
	[ "$(terminal_says mouse_any_flag)" = 1 ] || fail 'the mouse is not asked for'
	type_text $'\033[<0;30;5M'
	wait_for '^main  78\.6 %'
	type_text $'\033[<0;30;5m'
	type_text $'\033[<0;30;5M'
	wait_gone java
	keys m
	wait_for "The terminal handles the mouse"
	[ "$(terminal_says mouse_any_flag)" = 0 ] || fail 'the mouse is still taken'
	leave
}
check 'a click selects, a second one zooms, m gives the mouse back' mouse

# The press and the release arrive together, as over ssh: that is one click.
fast_click()
{
	open_terminal 80x24 TERM=xterm-256color "$BPERF" report --live "$G/server.json"
	wait_for '^▏all'
	type_text $'\033[<0;30;5M\033[<0;30;5m'
	wait_for '^main  78\.6 %'
	screen_has java || fail 'it has zoomed' "$(screen)"
	type_text $'\033[<0;30;5M\033[<0;30;5m'
	wait_gone java
	leave
}
check 'a fast click is one click' fast_click
