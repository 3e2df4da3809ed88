#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# bperf top, in a terminal: the states of programs of known behaviour, what its keys lead to, and what it
# prints at the end.
#
# long: works a terminal by keys, 17 s
# kernels: none

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/accuracy/common.bash
. tests/accuracy/common.bash
# shellcheck source=tests/live/terminal.bash
. tests/live/terminal.bash
need awk pgrep bpftool
copied_symbols

"$WORK/shares" 300 >/dev/null &
busy=$!
"$WORK/naps" 10 60000 >/dev/null &
idle=$!
at_exit+=("kill $busy $idle")

top() # ARGS...
{
	open_terminal 120x30 "$BPERF" top "$@"
}

# row PID: its cells, in whole percent of a CPU; "-" is 0.
row()
{
	screen | awk -v pid="($1)" '$(NF) == pid || index($0, pid) { for (i = 1; i <= 8; i++) printf "%d ", $i; exit }'
}

# A program that only computes is running or ready all the time; one that naps for a minute sleeps.
adds_up()
{
	local cells

	read -ra cells <<<"$(row "$busy")"
	((${#cells[@]} == 8)) && between "$((cells[0] + cells[1]))" 95 101 'running and ready' &&
		exactly "$((cells[2] + cells[3] + cells[4] + cells[5] + cells[6]))" 0 waiting
}

sleeps()
{
	local cells

	read -ra cells <<<"$(row "$idle")"
	((${#cells[@]} == 8)) && between "${cells[6]}" 90 101 sleeping
}

states()
{
	top -p "$busy,$idle"
	poll adds_up || fail 'not 100 %' "$(screen)"
	screen_lacks "\($idle\)" || fail 'an idle process among those that work' "$(screen)"
	keys i
	poll sleeps || fail 'not asleep' "$(screen)"
	keys q
	ends_with 0
	wait_for "^  bperf offcpu --states -p $busy,$idle 10"
	wait_for "^  bperf profile -p $busy,$idle 10"
}
check 'each process by state, idle ones out of the way; the commands for the same as text' states

leads_on()
{
	top -p "$busy"
	wait_for "shares \($busy\)"
	keys Enter
	wait_for 'only shares'
	wait_for '▏burn_hot'
	keys Escape
	wait_for 'running +ready'
	keys d
	wait_for "shares \($busy\), 1 thread"
	wait_for '^ +burn_|^ +main'
	keys q
	wait_for 'running +ready'
	keys o
	wait_for '^offcpu'
	keys q
	wait_for 'running +ready'
	leave
}
check 'Enter, d and o lead to the process, and back' leads_on

# Its last window is still there when the view is paused.
has_ended()
{
	local pid

	"$WORK/shares" 300 >/dev/null &
	pid=$!
	top -p "$pid,$busy"
	wait_for "shares \($pid\)"
	keys p
	wait_for paused
	kill "$pid"
	wait "$pid" || :
	keys g / C-u
	type_text "shares ($pid"
	keys Enter
	wait_for "^ *shares \($pid\): "
	keys o
	wait_for "Process $pid has ended"
	leave
}
check 'a process that has ended leads nowhere, and the screen says so' has_ended

# The lines at the end can be given to a shell.
quoted()
{
	top -p "$busy" --not-comm 'a b'
	wait_for "shares \($busy\)"
	leave
	wait_for "^  bperf offcpu --states -p $busy --not-comm 'a b' 10"
}
check 'a filter with a blank is quoted in the commands for the same as text' quoted

# The second of the two that measure fails: that is said at once, and the exit status tells it.
half_of_it()
{
	top -p "$busy"
	wait_for "shares \($busy\)"
	kill -KILL "$(pgrep -n -P "$(pgrep -n -P "$(cat "$TMP/shell")" -x bperf)")"
	wait_for 'profile ended unexpectedly'
	screen_has "shares \($busy\)" || fail "$(screen)"
	keys q
	ends_with 137
}
check 'a profile that is killed is told, and the states go on' half_of_it

# With all processes, its own are none of them; others of the same name are.
own_rows()
{
	local pid

	top
	wait_for "shares \($busy\)"
	pid=$(pgrep -n -P "$(cat "$TMP/shell")" -x bperf)
	poll screen_has 'all, [0-9]+ CPU' || fail "$(screen)"
	write_rows >"$TMP/rows"
	for pid in $pid $(pgrep -P "$pid"); do
		! grep -F "($pid)" "$TMP/rows" || fail 'a row of its own' "$(cat "$TMP/rows")"
	done
	leave
}
# write_rows: all of the table, as a file.
write_rows()
{
	keys w
	wait_for '^write to: '
	keys C-u
	type_text "$TMP/top.txt"
	keys Enter
	wait_for 'written to .*top\.txt'
	cat "$TMP/top.txt"
	rm -f "$TMP/top.txt"
}
check 'its own processes have no row' own_rows

nothing_attached()
{
	[ "$(attached)" = "$1" ]
}

nothing_stays()
{
	local before

	before=$(attached)
	top
	wait_for 'all, [0-9]+ CPU'
	kill -KILL "$(pgrep -n -P "$(cat "$TMP/shell")" -x bperf)"
	wait_file "$TMP/status"
	poll nothing_attached "$before" || fail "attached: $(attached), before $before"
	# The processes that measure do it when they end.
	poll is_restored || is_restored
}
check 'nothing stays attached when it is killed' nothing_stays
